import type { ByteText } from './decoder.ts';

const LF = 0x0a;
const CR = 0x0d;

/**
 * Cuts the chunks of a file into its lines. Lines end as the first one does: with LF, CR LF or, as on old Macs, CR; in a
 * file of the first two, a lone CR is part of its line.
 */
export class LineSplitter {
  #end: number | null = null;
  /** What chunks have shown of the line that none of them has ended. */
  #begun: Buffer[] = [];

  /** The lines that end in the chunk. */
  *split(next: Buffer): Generator<ByteText> {
    const chunk = this.#end === null ? Buffer.concat([...this.#begun.splice(0), next]) : next;
    this.#end ??= firstEndOf(chunk);
    let from = 0;
    for (let at = this.#endIn(chunk, from); at >= 0; at = this.#endIn(chunk, from)) {
      yield this.#take(chunk, from, at);
      from = at + 1;
    }
    if (from < chunk.length) this.#begun.push(chunk.subarray(from));
  }

  /** The line that the file ends with, where nothing ends it. */
  *rest(): Generator<ByteText> {
    if (this.#begun.length > 0) yield this.#take(Buffer.alloc(0), 0, 0);
  }

  #endIn(chunk: Buffer, from: number): number {
    return this.#end === null ? -1 : chunk.indexOf(this.#end, from);
  }

  #take(chunk: Buffer, from: number, to: number): ByteText {
    if (this.#begun.length === 0) return textOf(chunk, from, to);
    const whole = Buffer.concat([...this.#begun, chunk.subarray(from, to)]);
    this.#begun = [];
    return textOf(whole, 0, whole.length);
  }
}

const textOf = (buffer: Buffer, from: number, to: number): ByteText => {
  let end = to;
  while (end > from && buffer[end - 1] === CR) end -= 1;
  return buffer.toString('latin1', from, end);
};

/** What ends the first line in the chunk; null where the chunk does not tell. */
const firstEndOf = (chunk: Buffer): number | null => {
  const lf = chunk.indexOf(LF);
  const cr = chunk.indexOf(CR);
  if (cr < 0 || (lf >= 0 && lf < cr)) return lf < 0 ? null : LF;
  let next = cr + 1;
  while (chunk[next] === CR) next += 1;
  if (next === chunk.length) return null;
  return next === lf ? LF : CR;
};

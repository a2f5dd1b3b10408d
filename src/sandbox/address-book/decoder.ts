import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/**
 * Bytes as a text with one character for each byte, whose code is that of the byte (ISO 8859-1). Files are searched and divided
 * in this form, and only values are decoded: a fold may divide a character, and values may have different encodings.
 */
export type ByteText = string;

const NOT_ASCII = /[\u0080-\u00FF]/u;
const FALLBACK = 'windows-1252';

/** Decodes the values of one file. */
export class Decoder {
  readonly #decoders = new Map<string, TextDecoder | null>();

  /** Returns whether the runtime has a decoder with that name. */
  knows(charset: string): boolean {
    return this.#decoderOf(charset) !== null;
  }

  /**
   * Decodes bytes. Uses the declared charset if it is known and matches the bytes, else UTF-8 if the bytes are valid, else
   * `fallback` (a charset of another property of the card), else Windows-1252.
   */
  decode(bytes: ByteText, declared: string | null = null, fallback: string | null = null): string {
    if (declared === null && !NOT_ASCII.test(bytes)) return bytes;
    const buffer = Buffer.from(bytes, 'latin1');
    return this.#decodeDeclared(buffer, declared) ?? this.#decodeAny(buffer, fallback);
  }

  #decodeDeclared(buffer: Buffer, charset: string | null): string | null {
    try {
      return (charset === null ? null : this.#decoderOf(charset))?.decode(buffer) ?? null;
    } catch {
      return null;
    }
  }

  #decodeAny(buffer: Buffer, fallback: string | null): string {
    if (isUtf8(buffer)) return buffer.toString('utf8');
    return this.#decodeDeclared(buffer, fallback) ?? new TextDecoder(FALLBACK).decode(buffer);
  }

  #decoderOf(charset: string): TextDecoder | null {
    const known = this.#decoders.get(charset);
    if (known !== undefined) return known;
    const made = makeDecoder(charset);
    this.#decoders.set(charset, made);
    return made;
  }
}

const makeDecoder = (charset: string): TextDecoder | null => {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return null;
  }
};

const LF = 0x0a;
const CR = 0x0d;

/**
 * Divides the chunks of a file into lines. All lines end like the first one: with LF, CR LF, or CR (old Macs). In a file with
 * LF or CR LF, a single CR is part of its line.
 */
export class LineSplitter {
  #end: number | null = null;
  /** The parts of the current line from earlier chunks. */
  #begun: Buffer[] = [];

  /** Yields the lines that end in the chunk. */
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

  /** Yields the last line of a file without a final line end. */
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

/** Returns the end character of the first line; null if the chunk does not contain it. */
const firstEndOf = (chunk: Buffer): number | null => {
  const lf = chunk.indexOf(LF);
  const cr = chunk.indexOf(CR);
  if (cr < 0 || (lf >= 0 && lf < cr)) return lf < 0 ? null : LF;
  let next = cr + 1;
  while (chunk[next] === CR) next += 1;
  if (next === chunk.length) return null;
  return next === lf ? LF : CR;
};

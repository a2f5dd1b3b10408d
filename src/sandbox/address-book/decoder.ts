import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/**
 * Bytes as a text of as many characters, each with the code of its byte (ISO 8859-1). Files are searched and cut in this
 * form, and only values are decoded: a fold may divide a character, and each value may be in another encoding.
 */
export type ByteText = string;

const NOT_ASCII = /[\u0080-\u00FF]/u;
const FALLBACK = 'windows-1252';

/** Decodes the values of one file. */
export class Decoder {
  readonly #decoders = new Map<string, TextDecoder | null>();

  /** Whether the runtime has a decoder of that name. */
  knows(charset: string): boolean {
    return this.#decoderOf(charset) !== null;
  }

  /**
   * The text behind the bytes: in the charset declared for them where that is known and fits, else in UTF-8 where they are
   * valid, else in `fallback` (the charset that the card names elsewhere), else in Windows-1252.
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

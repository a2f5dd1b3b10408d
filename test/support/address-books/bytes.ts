import type { Fixture } from './fixtures.ts';

/** Lines with CR LF after each. */
export const text = (...lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join('');

export const utf8 = (...lines: readonly string[]): Buffer => Buffer.from(text(...lines), 'utf8');
export const latin1 = (...lines: readonly string[]): Buffer => Buffer.from(text(...lines), 'latin1');
export const utf16le = (...lines: readonly string[]): Buffer => Buffer.from(text(...lines), 'utf16le');
export const utf16be = (...lines: readonly string[]): Buffer => utf16le(...lines).swap16();

export const hex = (digits: string): Buffer => Buffer.from(digits.replaceAll(' ', ''), 'hex');

/** A card of that version with these lines. */
export const card = (version: string, ...lines: readonly string[]): string[] => [
  'BEGIN:VCARD',
  `VERSION:${version}`,
  ...lines,
  'END:VCARD',
];

type Content = readonly string[] | Uint8Array;
type Losses = Pick<Fixture, 'skipped' | 'refused'>;

/** Makes fixtures of a kind of file: of lines in UTF-8, or of other bytes. */
const fixturesOf =
  (extension: Fixture['extension']) =>
  (about: string, content: Content, arrives: Fixture['arrives'], losses: Losses = {}): Fixture => {
    const bytes = content instanceof Uint8Array ? content : utf8(...content);
    return { about, extension, bytes, arrives, ...losses };
  };
export const vcf = fixturesOf('vcf');
export const csv = fixturesOf('csv');

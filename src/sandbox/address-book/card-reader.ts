import type { ProblemList } from './address-book.ts';
import type { ByteText, Decoder } from './decoder.ts';
import type { PropertyHead, PropertyHeads } from './property-heads.ts';

/** One property of a card, unfolded but not decoded. */
type RawProperty = { readonly head: PropertyHead; readonly value: ByteText };

/** The properties of one card that are used for a person. */
export type RawCard = { readonly line: number; readonly properties: readonly RawProperty[] };

const READ_NAMES: ReadonlySet<string> = new Set(
  (
    'VERSION FN N NICKNAME ORG TITLE EMAIL TEL ADR URL CATEGORIES BDAY NOTE KIND X-ADDRESSBOOKSERVER-KIND ' +
    'X-ABLABEL X-ABSHOWAS AGENT'
  ).split(' '),
);
/** Properties of RFC 2425, 2426 and 6350 and of vCard 2.1 that no field of a person corresponds to. */
const OTHER_NAMES: ReadonlySet<string> = new Set(
  (
    'ANNIVERSARY CALADRURI CALURI CAPURI CLASS CLIENTPIDMAP CONTACT-URI DEATHDATE DEATHPLACE BIRTHPLACE EXPERTISE ' +
    'FBURL GENDER GEO HOBBY IMPP INTEREST KEY LABEL LANG LOGO MAILER MEMBER NAME ORG-DIRECTORY PHOTO PRODID PROFILE ' +
    'RELATED REV ROLE SORT-STRING SOUND SOURCE TZ UID XML PRONOUNS GRAMGENDER LANGUAGE CREATED SOCIALPROFILE JSPROP'
  ).split(' '),
);

const DELIMITER = /^(?:\u00EF\u00BB\u00BF)?(?<indent>[ \t]*)(?<kind>BEGIN|END)[ \t]*:[ \t]*VCARD[ \t]*$/iu;
/** The beginning of a property whose parameters continue in the next line. */
const BEGINNING = /^(?:[\w-]+\.)?(?<name>[\w-]+)[ \t]*;/u;
const AGENT_FOLLOWS = /^[ \t]*(?:BEGIN:VCARD[ \t]*)?$/iu;

const NOT_A_PROPERTY = 'it is not a vCard property';
const NO_COLON = 'no colon ends its parameters';
const OUTSIDE = 'it is outside a card';

const isBlankCode = (code: number): boolean => code === 0x20 || code === 0x09;

/** A fast check: the last character distinguishes most lines from a delimiter. */
const mayDelimit = (line: ByteText): boolean => {
  const last = line.charCodeAt(line.length - 1);
  return (last === 0x44 || last === 0x64 || isBlankCode(last)) && line.length < 80;
};

const withoutIndent = (line: ByteText, indent: string): ByteText =>
  indent !== '' && line.startsWith(indent) ? line.slice(indent.length) : line;

/** The current property. Its parts are joined once, when it is complete. */
type Begun = {
  readonly line: number;
  readonly name: string;
  /** Null if the head continues after the first line. */
  readonly head: PropertyHead | null;
  /** Null for an unused property. */
  readonly parts: ByteText[] | null;
  /** The last line ended with a soft line break: the next line continues it, independent of its first character. */
  goesOn: boolean;
};

/** Assembles the cards of a file line by line: finds their limits and reverses the folding. */
export class CardReader {
  readonly #heads: PropertyHeads;
  readonly #skipped: ProblemList;
  readonly #take: (card: RawCard) => void;
  #lineNumber = 0;
  #card: { readonly line: number; readonly indent: string; readonly properties: RawProperty[] } | null = null;
  #begun: Begun | null = null;
  /** The number of open nested cards: an agent's card is nested in the person's card. */
  #depth = 0;

  /** `take` is called with each card in the order of the file. */
  constructor(heads: PropertyHeads, skipped: ProblemList, take: (card: RawCard) => void) {
    this.#heads = heads;
    this.#skipped = skipped;
    this.#take = take;
  }

  read(line: ByteText): void {
    this.#lineNumber += 1;
    const delimiter = mayDelimit(line) ? DELIMITER.exec(line)?.groups : undefined;
    if (delimiter?.['kind']?.toUpperCase() === 'BEGIN') this.#begin(delimiter['indent'] ?? '');
    else if (delimiter !== undefined) this.#end();
    else if (this.#card === null) this.#skipOutside(line);
    else if (this.#depth === 0) this.#readInside(withoutIndent(line, this.#card.indent));
  }

  /** Handles a card that is still open at the end of the file. */
  finish(): void {
    if (this.#card === null) return;
    this.#skipped.add(this.#lineNumber, 'the file ends before the card does: END:VCARD is missing');
    this.#depth = 0;
    this.#end();
  }

  #begin(indent: string): void {
    if (this.#card !== null && (this.#depth > 0 || this.#agentFollows())) {
      this.#endProperty();
      this.#depth += 1;
      return;
    }
    this.#end();
    this.#card = { line: this.#lineNumber, indent, properties: [] };
  }

  #end(): void {
    if (this.#depth > 0) {
      this.#depth -= 1;
      return;
    }
    this.#endProperty();
    if (this.#card !== null) this.#take(this.#card);
    this.#card = null;
  }

  #agentFollows(): boolean {
    return this.#begun?.name === 'AGENT' && AGENT_FOLLOWS.test(this.#begun.parts?.join('') ?? '');
  }

  #skipOutside(line: ByteText): void {
    if (line.trim() !== '') this.#skipped.add(this.#lineNumber, OUTSIDE);
  }

  #readInside(line: ByteText): void {
    const begun = this.#begun;
    const isFolded = isBlankCode(line.charCodeAt(0));
    if (begun !== null && (isFolded || begun.goesOn)) this.#continue(begun, isFolded ? line.slice(1) : line);
    else if (line.trim() !== '') this.#beginProperty(line.trimStart());
  }

  #continue(begun: Begun, text: ByteText): void {
    begun.goesOn = endsSoftly(begun.head, text);
    begun.parts?.push(withoutSoftEnd(text, begun.goesOn));
  }

  #beginProperty(line: ByteText): void {
    this.#endProperty();
    const read = this.#heads.read(line, { isWhole: false });
    const name = read === null ? beginningOf(line) : read.head.name;
    if (!isProperty(name)) {
      this.#skipped.add(this.#lineNumber, NOT_A_PROPERTY);
      return;
    }
    const head = read?.head ?? null;
    const text = read === null ? line : line.slice(read.colon + 1);
    const goesOn = endsSoftly(head, text);
    const parts = READ_NAMES.has(name) ? [withoutSoftEnd(text, goesOn)] : null;
    this.#begun = { line: this.#lineNumber, name, head, parts, goesOn };
  }

  #endProperty(): void {
    const begun = this.#begun;
    this.#begun = null;
    if (begun === null || begun.parts === null) return;
    const text = begun.parts.length === 1 ? (begun.parts[0] ?? '') : begun.parts.join('');
    if (begun.head !== null) this.#card?.properties.push({ head: begun.head, value: text });
    else this.#endFoldedHead(begun.line, text);
  }

  #endFoldedHead(line: number, text: ByteText): void {
    const read = this.#heads.read(text, { isWhole: true });
    if (read === null) this.#skipped.add(line, NO_COLON);
    else this.#card?.properties.push({ head: read.head, value: text.slice(read.colon + 1) });
  }
}

/** Returns the name of a property that begins but does not end in the line; the empty string without one. */
const beginningOf = (line: ByteText): string => BEGINNING.exec(line)?.groups?.['name']?.toUpperCase() ?? '';

const isProperty = (name: string): boolean => READ_NAMES.has(name) || OTHER_NAMES.has(name) || name.startsWith('X-');

const endsSoftly = (head: PropertyHead | null, text: ByteText): boolean =>
  head?.transfer === 'quoted-printable' && text.endsWith('=');

const withoutSoftEnd = (text: ByteText, isSoft: boolean): ByteText => (isSoft ? text.slice(0, -1) : text);

/** One property of a card. Its value is decoded but still escaped. */
export type CardProperty = { readonly head: PropertyHead; readonly value: string };

const decodeTransfer = (value: ByteText, transfer: PropertyHead['transfer']): ByteText => {
  switch (transfer) {
    case null:
      return value;
    case 'base64':
      return Buffer.from(value, 'base64').toString('latin1');
    case 'quoted-printable':
      return value.replace(/=([0-9A-F]{2})/giu, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  }
};

/**
 * Returns the properties of one card with decoded values. A charset of one property is probably also that of the others. In a
 * transcoded file, a declared charset does not apply to unencoded text.
 */
export const decodeCard = (
  properties: readonly RawProperty[],
  decoder: Decoder,
  isTranscoded: boolean,
): readonly CardProperty[] => {
  const fallback = properties.find(({ head }) => head.charset !== null && decoder.knows(head.charset));
  return properties.map((property) => {
    const { head, value } = property;
    const declared = isTranscoded && head.transfer === null ? null : head.charset;
    const bytes = decodeTransfer(value, head.transfer);
    const decoded = decoder.decode(bytes, declared, fallback?.head.charset);
    return decoded === value ? property : { head, value: decoded };
  });
};

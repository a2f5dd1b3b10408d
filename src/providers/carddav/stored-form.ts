import type { Card } from './card/content-line.ts';
import { versionOf } from './card/edits.ts';

// A server may convert a card to the requested version. Only the stored text may be edited and written back.

/** A card as the server stores it. */
export type StoredCard = {
  readonly id: string;
  /** Null if the server returned none: then the card cannot be written safely. */
  readonly etag: string | null;
  readonly modifiedAtMs: number | null;
  readonly card: Card;
  /** False if the server may have converted the card to another version: then it cannot be written back. */
  readonly isOriginal: boolean;
};

/** A card of an answer. */
export type FoundCard = {
  readonly kind: 'card';
  readonly stored: StoredCard;
  readonly text: string;
  /** The length of the stored text in bytes; null if the server does not report it. */
  readonly storedBytes: number | null;
};

const withLineBreaks = (text: string, lineBreak: string): string => text.replaceAll(/\r?\n/gu, lineBreak);

/** Returns whether a text has the length of the stored one. The answer may have other line breaks than the stored text. */
export const hasStoredLength = ({ text, storedBytes }: FoundCard): boolean =>
  [text, withLineBreaks(text, '\r\n'), withLineBreaks(text, '\n')].some(
    (each) => Buffer.byteLength(each) === storedBytes,
  );

const marked = (found: FoundCard, isOriginal: boolean): FoundCard => ({
  ...found,
  stored: { ...found.stored, isOriginal },
});

/** Returns a card that was read in one version only: it may have been converted. */
export const unchecked = (found: FoundCard): FoundCard => marked(found, false);

/**
 * Returns the one of two forms of a card that is stored; `version` is the stored version, if it is known. If no form has the stored
 * length, returns the first form as converted. Returns null if both forms have that length and the version is not known. Pure.
 */
export const storedForm = (first: FoundCard, second: FoundCard | null, version: string | null): FoundCard | null => {
  if (second === null) return marked(first, hasStoredLength(first));
  if (second.stored.etag !== first.stored.etag) return unchecked(second);
  if (withLineBreaks(first.text, '\n') === withLineBreaks(second.text, '\n')) return marked(first, true);
  const fitting = [first, second].filter(hasStoredLength);
  const [form] = fitting.length === 2 ? fitting.filter(({ stored }) => versionOf(stored.card) === version) : fitting;
  if (form !== undefined) return marked(form, true);
  return fitting.length === 2 ? null : unchecked(first);
};

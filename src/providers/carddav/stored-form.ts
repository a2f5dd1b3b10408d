import { versionOf } from './card/edits.ts';
import type { FoundCard } from './cards.ts';

// A server may convert a card to the requested version. Only the stored text may be edited and written back.

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

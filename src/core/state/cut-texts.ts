import { scalarsIn, textIn, withValue, type ScalarField } from '../contact/contact.ts';
import type { ContactRecord } from '../contact/record.ts';

/** Listings do not truncate texts to less than this length. */
const SHORTEST_CUT = 50;

/** Returns whether a program may truncate texts at this length: 255, 256, 500, 1,000 and the like. */
const isRound = (length: number): boolean => {
  const isPowerOfTwo = (number: number): boolean => Number.isInteger(Math.log2(number));
  return length >= SHORTEST_CUT && (length % 50 === 0 || isPowerOfTwo(length) || isPowerOfTwo(length + 1));
};

const mayBeCut = (text: string, known: string): boolean =>
  text.length < known.length && known.startsWith(text) && (isRound(text.length) || isRound([...text].length));

const cutFields = (record: ContactRecord, known: ContactRecord): readonly ScalarField[] =>
  scalarsIn(record.contact).filter((field) => mayBeCut(textIn(record.contact, field), textIn(known.contact, field)));

/**
 * Returns whether a listing contains only the beginning of a known text, up to a round length. The listing may have truncated the
 * text, so a read by the contact's id decides whether it is an edit. Pure.
 */
export const showsCutText = (record: ContactRecord, known: ContactRecord): boolean =>
  cutFields(record, known).length > 0;

/** Returns the record with the known texts in place of those that may be truncated, and then without a digest. Pure. */
export const withKnownTexts = (record: ContactRecord, known: ContactRecord): ContactRecord => {
  const fields = cutFields(record, known);
  if (fields.length === 0) return record;
  const { digest: _, ...rest } = record;
  const contact = fields.reduce((to, field) => withValue(to, field, textIn(known.contact, field)), record.contact);
  return { ...rest, contact };
};

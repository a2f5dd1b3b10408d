import { scalarsIn, textIn, withValue, type ScalarField } from '../contact/contact.ts';
import type { ContactRecord } from '../contact/record.ts';

/** Shorter texts than that are not cut by a listing. */
const SHORTEST_CUT = 50;

/** Whether a program may cut texts at this length: 255, 256, 500, 1,000 and the like. */
const isRound = (length: number): boolean => {
  const isPowerOfTwo = (number: number): boolean => Number.isInteger(Math.log2(number));
  return length >= SHORTEST_CUT && (length % 50 === 0 || isPowerOfTwo(length) || isPowerOfTwo(length + 1));
};

const mayBeCut = (text: string, known: string): boolean =>
  text.length < known.length && known.startsWith(text) && (isRound(text.length) || isRound([...text].length));

const cutFields = (record: ContactRecord, known: ContactRecord): readonly ScalarField[] =>
  scalarsIn(record.contact).filter((field) => mayBeCut(textIn(record.contact, field), textIn(known.contact, field)));

/**
 * Whether a listing shows the beginning of a text that the side is known to hold, up to a round length: it may have cut the
 * text, so that a read by the contact's id decides whether it is an edit. Pure.
 */
export const showsCutText = (record: ContactRecord, known: ContactRecord): boolean =>
  cutFields(record, known).length > 0;

/** The record with the known texts in place of those that may be cut, and then without a digest. Pure. */
export const withKnownTexts = (record: ContactRecord, known: ContactRecord): ContactRecord => {
  const fields = cutFields(record, known);
  if (fields.length === 0) return record;
  const { digest: _, ...rest } = record;
  const contact = fields.reduce((to, field) => withValue(to, field, textIn(known.contact, field)), record.contact);
  return { ...rest, contact };
};

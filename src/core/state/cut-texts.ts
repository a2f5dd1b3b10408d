import {
  type Contact,
  listsIn,
  scalarsIn,
  textIn,
  withValue,
  type ListField,
  type ScalarField,
} from '../contact/contact.ts';
import { elementKey, listOf, withList } from '../contact/lists.ts';
import type { ContactRecord } from '../contact/record.ts';

/** Listings do not truncate texts to less than this length. */
const SHORTEST_CUT = 50;

const ELLIPSIS = /\s*(?:…|\.{3})$/u;

/** Returns whether a program may truncate texts at this length: 255, 256, 500, 1,000 and the like. */
const isRound = (length: number): boolean => {
  const isPowerOfTwo = (number: number): boolean => Number.isInteger(Math.log2(number));
  return length >= SHORTEST_CUT && (length % 50 === 0 || isPowerOfTwo(length) || isPowerOfTwo(length + 1));
};

const foldSpace = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();

/** Returns the possible lengths of the beginning of `known` with so many characters besides white space. */
const lengthsIn = (known: string, characters: number): readonly number[] => {
  const places = [...known.matchAll(/\S/gu)].map(({ index }) => index);
  const end = (places[characters - 1] ?? -1) + 1;
  const next = places[characters] ?? known.length;
  return Array.from({ length: next - end + 1 }, (_, index) => end + index);
};

/**
 * Returns whether a text is the beginning of a longer known text, up to a round length of either. A program that truncates texts
 * may also replace their line breaks by spaces, before or after, and end them with an ellipsis.
 */
const mayBeCut = (text: string, known: string): boolean => {
  if (text.length < SHORTEST_CUT || text === known) return false;
  const beginning = text.replace(ELLIPSIS, '');
  const [shown, whole] = [foldSpace(beginning), foldSpace(known)];
  if (shown.length < SHORTEST_CUT || shown.length >= whole.length || !whole.startsWith(shown)) return false;
  const lengths = [text.length, [...text].length, beginning.length, [...beginning].length];
  return [...lengths, ...lengthsIn(known, [...shown.replaceAll(' ', '')].length)].some(isRound);
};

const isSameButForSpace = (text: string, known: string): boolean =>
  text !== known && foldSpace(text) === foldSpace(known);

type Text = { readonly field: ScalarField; readonly text: string; readonly known: string };

const textsOf = (record: ContactRecord, known: ContactRecord): readonly Text[] =>
  scalarsIn(record.contact).map((field) => ({
    field,
    text: textIn(record.contact, field),
    known: textIn(known.contact, field),
  }));

type Element = ReturnType<typeof listOf>[number];

const mainText = (element: Element): string => ('street' in element ? element.street : element.value);

/** Returns the known elements of a list, by the elements in their place that may be their beginnings. */
const cutElements = (field: ListField, contact: Contact, known: Contact): ReadonlyMap<Element, Element> => {
  const [shown, former] = [listOf(contact, field), listOf(known, field)];
  if (shown.every((element) => mainText(element).length < SHORTEST_CUT)) return new Map();
  const keys = new Set(shown.map((element) => elementKey(field, element)));
  const missing = former.filter((element) => !keys.has(elementKey(field, element)));
  return new Map(
    shown.flatMap((element) => {
      const whole = missing.find((each) => mayBeCut(mainText(element), mainText(each)));
      return whole === undefined ? [] : [[element, whole] as const];
    }),
  );
};

const cutLists = (record: ContactRecord, known: ContactRecord): readonly ListField[] =>
  listsIn(record.contact).filter((field) => cutElements(field, record.contact, known.contact).size > 0);

/**
 * Returns whether a listing contains only the beginning of a known text, up to a round length. The listing may have truncated the
 * text, so a read by the contact's id decides whether it is an edit. Pure.
 */
export const showsCutText = (record: ContactRecord, known: ContactRecord): boolean =>
  textsOf(record, known).some(({ text, known: whole }) => mayBeCut(text, whole)) || cutLists(record, known).length > 0;

/**
 * Returns the record with the known texts in place of those that differ from them in white space only, or that may be truncated (R17),
 * and then without a digest. `isRead`: it was read by its id, so that its texts are not truncated. Pure.
 */
export const withKnownTexts = (record: ContactRecord, known: ContactRecord, isRead: boolean): ContactRecord => {
  const texts = textsOf(record, known).filter(
    ({ text, known: whole }) => isSameButForSpace(text, whole) || (!isRead && mayBeCut(text, whole)),
  );
  const lists = isRead ? [] : cutLists(record, known);
  if (texts.length + lists.length === 0) return record;
  const { digest: _, ...rest } = record;
  const withTexts = texts.reduce((own, text) => withValue(own, text.field, text.known), record.contact);
  const contact = lists.reduce((own, field) => {
    const cut = cutElements(field, record.contact, known.contact);
    const elements = listOf(own, field).map((element) => cut.get(element) ?? element);
    return withList(own, field, elements);
  }, withTexts);
  return { ...rest, contact };
};

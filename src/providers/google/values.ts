import type { Contact, ListField } from '../../core/contact/contact.ts';
import type { LabelledValue } from '../../core/contact/elements.ts';
import { elementKey } from '../../core/contact/lists.ts';
import { normaliseLabel, normaliseText } from '../../core/contact/text.ts';
import { withTexts, writable, type BodyEntry } from './body-entry.ts';
import type { MaskField, PersonField } from './person-field.ts';

/** The contact fields of values with a label. */
type ValueField = Exclude<ListField, 'addresses'>;

/** An entry as it was read, of which two keys are looked at. */
type Entry = Parameters<typeof writable>[0];

/** Under which keys an entry of a list holds its value and its label. */
type ValueKeys = { readonly value: string; readonly label: string };

const USUAL_KEYS: ValueKeys = { value: 'value', label: 'type' };

const textAt = (entry: Entry, key: string): string => {
  const text = entry[key];
  return typeof text === 'string' ? text : '';
};

/** The elements that a list of values holds, not yet normalised. */
export const valuesOf = (list: readonly Entry[] = [], keys: ValueKeys = USUAL_KEYS): readonly LabelledValue[] =>
  list.map((entry) => ({ value: normaliseText(textAt(entry, keys.value)), label: textAt(entry, keys.label) || null }));

/** An element that Google does not have yet. */
const newValue = ({ value, label }: LabelledValue, keys: ValueKeys): BodyEntry =>
  withTexts({}, { [keys.value]: value, [keys.label]: label ?? '' });

const rewritten = (entry: Entry, wanted: LabelledValue, keys: ValueKeys): BodyEntry => {
  const value = normaliseText(textAt(entry, keys.value)) === wanted.value ? {} : { [keys.value]: wanted.value };
  const isSameLabel = normaliseLabel(textAt(entry, keys.label)) === wanted.label;
  return withTexts(writable(entry), { ...value, ...(isSameLabel ? {} : { [keys.label]: wanted.label ?? '' }) });
};

/**
 * Entries written whole: a wanted element over the entry that means the same, whose second spellings stay too; entries
 * without a value stay as they are.
 */
export const writtenValues = (
  field: ValueField,
  entries: readonly Entry[],
  wanted: readonly LabelledValue[],
  keys: ValueKeys = USUAL_KEYS,
): readonly BodyEntry[] => {
  const keyOf = (element: LabelledValue): string => (element.value === '' ? '' : elementKey(field, element));
  const read = entries.map((entry) => {
    const element = { value: textAt(entry, keys.value), label: textAt(entry, keys.label) };
    return { entry, key: keyOf({ value: normaliseText(element.value), label: normaliseLabel(element.label) }) };
  });
  const byKey = Map.groupBy(read, ({ key }) => key);
  const written = wanted.flatMap((element) => {
    const [same, ...duplicates] = byKey.get(keyOf(element)) ?? [];
    if (same === undefined) return [newValue(element, keys)];
    return [rewritten(same.entry, element, keys), ...duplicates.map(({ entry }) => writable(entry))];
  });
  return [...written, ...(byKey.get('') ?? []).map(({ entry }) => writable(entry))];
};

/** Writes a list of values that is one contact field. */
export const writeValues =
  (name: MaskField, field: ValueField, keys: ValueKeys = USUAL_KEYS): PersonField['write'] =>
  (person, target: Contact) =>
    writtenValues(field, person[name] ?? [], target[field] ?? [], keys);

import type { Contact } from '../../contact/contact.ts';
import type { LabelledValue } from '../../contact/elements.ts';
import { elementKey } from '../../contact/lists.ts';
import { normaliseLabel, normaliseText } from '../../contact/text.ts';
import { withTexts, writable, type BodyEntry } from './body-entry.ts';
import type { PersonLists } from './person-field.ts';
import type { ValueEntry } from './schema.ts';

type ValueField = 'emailAddresses' | 'phoneNumbers' | 'websites';
type ValueList = 'emailAddresses' | 'phoneNumbers' | 'urls';

/** The elements that a list of values holds, not yet normalised. */
export const valuesOf = (list: readonly ValueEntry[] = []): readonly LabelledValue[] =>
  list.map((entry) => ({ value: normaliseText(entry.value), label: entry.type ?? null }));

/** An element that Google does not have yet. */
const newValue = ({ value, label }: LabelledValue): BodyEntry => withTexts({}, { value, type: label ?? '' });

const rewritten = (entry: ValueEntry, wanted: LabelledValue): BodyEntry => {
  const value = normaliseText(entry.value) === wanted.value ? {} : { value: wanted.value };
  const type = normaliseLabel(entry.type) === wanted.label ? {} : { type: wanted.label ?? '' };
  return withTexts(writable(entry), { ...value, ...type });
};

/**
 * Writes a list of values whole: a wanted element over the entry that means the same, whose second spellings stay too;
 * entries without a value stay as they are.
 */
export const writeValues =
  (name: ValueList, field: ValueField) =>
  (person: PersonLists, target: Contact): readonly BodyEntry[] => {
    const keyOf = (value: string): string => elementKey(field, { value, label: null });
    const byKey = Map.groupBy(person[name] ?? [], (entry) => keyOf(normaliseText(entry.value)));
    const written = target[field].flatMap((element) => {
      const [same, ...duplicates] = byKey.get(keyOf(element.value)) ?? [];
      return same === undefined ? [newValue(element)] : [rewritten(same, element), ...duplicates.map(writable)];
    });
    return [...written, ...(byKey.get('') ?? []).map(writable)];
  };

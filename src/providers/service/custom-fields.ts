import { z } from 'zod';
import type { Json } from '../../core/contact/record.ts';
import { normaliseText } from '../../core/contact/text.ts';
import { isExact } from './api/schemas-common.ts';
import type { ContactWrite } from './api/schemas-contacts.ts';

/** A custom field of the account: its id, and its value type if a contact showed it. */
export const definitionSchema = z.object({
  id: z.string(),
  type: z.enum(['text', 'number', 'boolean', 'date']).nullable(),
});
type Definition = z.output<typeof definitionSchema>;

/** The custom fields of the account by their folded names, as found in contacts. */
export type Definitions = Map<string, Definition>;

/** A custom field of a contact, with its value. */
type Carried = {
  readonly id: string;
  readonly name: string | null;
  readonly type: string | null;
  readonly value: Json;
};

const idText = z.union([z.string(), z.number()]).transform(String);
const named = { id: idText, name: z.string().nullish(), type: z.string().nullish() };
const valueSchema = z.custom<Json>(() => true).transform((value): Json => value ?? null);
const carriedSchema = z.union([
  z.object({ field: z.object(named), value: valueSchema }).transform(({ field, value }) => ({ ...field, value })),
  z.object({ ...named, value: valueSchema }),
]);

/** Returns the custom fields of a contact. Entries that cannot be parsed are skipped. */
const carriedBy = (customFields: readonly unknown[]): readonly Carried[] =>
  customFields.flatMap((entry) => {
    const { data } = carriedSchema.safeParse(entry);
    if (data === undefined) return [];
    return [{ id: data.id, name: data.name ?? null, type: data.type ?? null, value: data.value }];
  });

/** Returns a custom field's name in the form in which names are compared. */
export const foldName = (name: string): string => normaliseText(name).toLowerCase();

const DATE = /^\d{4}-\d{2}-\d{2}$/u;

/** Value types by the type names of the service's predecessor, and by likely other names. */
const TYPES: Readonly<Record<string, Definition['type']>> = {
  textfield: 'text',
  text: 'text',
  textarea: 'text',
  string: 'text',
  decimal: 'number',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  checkbox: 'boolean',
  date: 'date',
};

const typeOf = ({ type, value }: Carried): Definition['type'] => {
  const known = type === null ? undefined : TYPES[type.toLowerCase()];
  if (known !== undefined) return known;
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : null;
};

/** Stores the definitions of a contact's custom fields, as far as their names are in `names`. */
export const learn = (definitions: Definitions, names: ReadonlySet<string>, customFields: readonly unknown[]): void => {
  if (names.size === 0) return;
  for (const carried of carriedBy(customFields)) {
    for (const name of new Set([foldName(carried.name ?? ''), foldName(carried.id)])) {
      if (!names.has(name)) continue;
      const known = definitions.get(name);
      const type = typeOf(carried) ?? known?.type ?? null;
      if (known?.id !== carried.id || known.type !== type) definitions.set(name, { id: carried.id, type });
    }
  }
};

const textOf = (value: Json): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
};

/** Returns a contact's first custom field with that name or id. */
const carriedOf = (customFields: readonly unknown[], name: string): Carried | undefined =>
  carriedBy(customFields).find((each) => foldName(each.name ?? '') === foldName(name) || each.id === name);

/** Returns the text of a contact's custom field with that name or id; empty if the contact has none. */
export const customText = (customFields: readonly unknown[], name: string): string => {
  const carried = carriedOf(customFields, name);
  return carried === undefined ? '' : textOf(carried.value);
};

/** Returns the value in the type of the custom field; undefined if the text does not fit the type. */
const valueFor = ({ type }: Definition, text: string): Json | undefined => {
  if (text === '') return null;
  switch (type) {
    case 'number':
      // A contact with a number that may be rounded cannot be read.
      return Number.isFinite(Number(text)) && isExact(Number(text)) ? Number(text) : undefined;
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : undefined;
    case 'date':
      return DATE.test(text) ? text : undefined;
    case 'text':
    case null:
      return text;
  }
};

/**
 * Returns the custom field that a text is written to. Of several with one name, it is the one that is read. Returns nothing for a field whose
 * value no text expresses, such as that of a field with several values: it stays (R10).
 */
const definitionFor = (current: readonly unknown[], name: string, definitions: Definitions): Definition | undefined => {
  const known = definitions.get(foldName(name));
  const own = carriedOf(current, name);
  if (typeof own?.value === 'object' && own.value !== null) return undefined;
  return known && own ? { id: own.id, type: typeOf(own) ?? known.type } : known;
};

/**
 * Returns the custom fields of a contact for a write, with the new texts in `texts`. All fields of the contact are sent,
 * because a service may clear a field that is left out. A field without a definition, or a text that does not fit its field,
 * is not sent (R2). Returns null if nothing changes.
 */
export const customFieldValues = (
  current: readonly unknown[],
  texts: ReadonlyMap<string, string>,
  definitions: Definitions,
): NonNullable<ContactWrite['custom_field_values']> | null => {
  const values = new Map(carriedBy(current).map(({ id, value }) => [id, value]));
  let isChanged = false;
  for (const [name, text] of texts) {
    const definition = definitionFor(current, name, definitions);
    const value = definition === undefined ? undefined : valueFor(definition, text);
    if (definition === undefined || value === undefined) continue;
    if (value === null && !values.has(definition.id)) continue;
    values.set(definition.id, value);
    isChanged = true;
  }
  return isChanged ? [...values].map(([id, value]) => ({ field: { id }, value })) : null;
};

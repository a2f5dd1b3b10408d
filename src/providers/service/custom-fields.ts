import { z } from 'zod';
import type { Json } from '../../core/contact/record.ts';
import { normaliseText } from '../../core/contact/text.ts';
import type { CustomFieldValue } from './api/schemas-contacts.ts';

/** What is known of a custom field of the account: its id, and what kind of value it takes where that was seen. */
export type Definition = { readonly id: string; readonly type: 'text' | 'number' | 'boolean' | 'date' | null };

/** The custom fields of the account, by their folded names, learnt from the contacts that carry them. */
export type Definitions = Map<string, Definition>;

/** A custom field with its value, as a contact carries it. */
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

/** The custom fields that a contact carries; what cannot be understood is left out. */
const carriedBy = (customFields: readonly unknown[]): readonly Carried[] =>
  customFields.flatMap((entry) => {
    const { data } = carriedSchema.safeParse(entry);
    if (data === undefined) return [];
    return [{ id: data.id, name: data.name ?? null, type: data.type ?? null, value: data.value }];
  });

/** A custom field's name as names are compared. */
export const foldName = (name: string): string => normaliseText(name).toLowerCase();

const DATE = /^\d{4}-\d{2}-\d{2}$/u;

/** Types of the service's ancestor and the likely names of others, by what they take. */
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
  const told = type === null ? undefined : TYPES[type.toLowerCase()];
  if (told !== undefined) return told;
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : null;
};

/** Takes note of the custom fields that a contact carries, as far as their names are asked for. */
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

/** The first custom field of that name, or id, that a contact carries. */
const carriedOf = (customFields: readonly unknown[], name: string): Carried | undefined =>
  carriedBy(customFields).find((each) => foldName(each.name ?? '') === foldName(name) || each.id === name);

/** The text of a contact's custom field of that name, or id; empty where it carries none. */
export const customText = (customFields: readonly unknown[], name: string): string => {
  const carried = carriedOf(customFields, name);
  return carried === undefined ? '' : textOf(carried.value);
};

/** The value as the custom field takes it; undefined where it takes none such. */
const valueFor = ({ type }: Definition, text: string): Json | undefined => {
  if (text === '') return null;
  switch (type) {
    case 'number':
      return Number.isFinite(Number(text)) ? Number(text) : undefined;
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
 * The custom fields of a contact as a write sends them: all that it carries, since a service may take what is left out for
 * unset, with other texts for the names in `texts`. A field that no contact carries is not known, and its text, as one that
 * a field cannot hold, is left where it is (R2). Null where nothing is to be sent.
 */
export const customFieldValues = (
  held: readonly unknown[],
  texts: ReadonlyMap<string, string>,
  definitions: Definitions,
): readonly CustomFieldValue[] | null => {
  const values = new Map(carriedBy(held).map(({ id, value }) => [id, value]));
  let isChanged = false;
  for (const [name, text] of texts) {
    const known = definitions.get(foldName(name));
    // Of several custom fields of one name, the one that is read is written.
    const own = carriedOf(held, name);
    const definition = known && own ? { id: own.id, type: typeOf(own) ?? known.type } : known;
    const value = definition === undefined ? undefined : valueFor(definition, text);
    if (definition === undefined || value === undefined) continue;
    if (value === null && !values.has(definition.id)) continue;
    values.set(definition.id, value);
    isChanged = true;
  }
  return isChanged ? [...values].map(([id, value]) => ({ field: { id }, value })) : null;
};

import { inFieldOrder, isSyncedField, type SyncedField, USUAL_FIELDS } from '../../src/core/contact/contact.ts';
import type { Token } from './ledger.ts';

/** The selection of fields without computed values (`extras.ts`). */
export const SHOWS_NOTHING: readonly SyncedField[] = USUAL_FIELDS.filter(
  (field) => field !== 'company' && field !== 'addresses',
);

/**
 * The selections of fields in histories. Each contains names, addresses and numbers, because a history identifies people
 * by them.
 */
const CHOICES: readonly (readonly SyncedField[])[] = [
  USUAL_FIELDS,
  inFieldOrder([...USUAL_FIELDS, 'notes', 'tags', 'custom:Budget']),
  inFieldOrder([...USUAL_FIELDS.filter((field) => field !== 'title' && field !== 'websites'), 'notes', 'relations']),
  SHOWS_NOTHING,
  inFieldOrder([...USUAL_FIELDS, 'notes', 'tags', 'relations', 'instantMessengers']),
];

/** The selection with every list whose elements may differ only in a sign or a type. */
export const SYNCS_TYPED_LISTS = CHOICES.length - 1;

/** The fields that the link syncs now, and the fields that it did not sync at some time since the last rest. */
export type Choosing = { fields: readonly SyncedField[]; readonly uncertain: Set<SyncedField> };

const ALL_CHOICES = inFieldOrder(CHOICES.flat());

export const createChoosing = (): Choosing => ({
  fields: USUAL_FIELDS,
  uncertain: new Set(ALL_CHOICES.filter((field) => !USUAL_FIELDS.includes(field))),
});

/** Selects other fields for the next run. */
export const choose = (choosing: Choosing, choice: number): void => {
  choosing.fields = CHOICES[choice % CHOICES.length] ?? USUAL_FIELDS;
  for (const field of ALL_CHOICES) if (!choosing.fields.includes(field)) choosing.uncertain.add(field);
};

/** At rest, the synced fields become certain. */
export const restChoosing = (choosing: Choosing): void => {
  choosing.uncertain.clear();
  for (const field of ALL_CHOICES) if (!choosing.fields.includes(field)) choosing.uncertain.add(field);
};

/** The field of a value. */
export const fieldOf = (token: Token): SyncedField => {
  const name = token.slice(0, token.lastIndexOf(' '));
  return isSyncedField(name) ? name : 'buckets';
};

/** Whether the link has synced the field of a value since the last rest. */
export const isCertain = ({ uncertain }: Choosing, token: Token): boolean =>
  token.startsWith('member ') || ![...uncertain].some((field) => field === fieldOf(token));

/** Whether the link syncs the field of a value. */
export const isChosen = ({ fields }: Choosing, token: Token): boolean =>
  token.startsWith('member ') || fields.some((field) => field === fieldOf(token));

import { USUAL_FIELDS } from '../../src/core/contact/chosen.ts';
import { inFieldOrder, isSyncedField, type SyncedField } from '../../src/core/contact/contact.ts';
import type { Token } from './ledger.ts';

/** The choice in which the link shows nothing of what the service computes (`extras.ts`). */
export const SHOWS_NOTHING: readonly SyncedField[] = USUAL_FIELDS.filter(
  (field) => field !== 'company' && field !== 'addresses',
);

/**
 * What the link of a history may choose to sync. Names, addresses and numbers, by which a history knows two contacts for one
 * person, belong to each choice.
 */
const CHOICES: readonly (readonly SyncedField[])[] = [
  USUAL_FIELDS,
  inFieldOrder([...USUAL_FIELDS, 'notes', 'tags', 'custom:Budget']),
  inFieldOrder([...USUAL_FIELDS.filter((field) => field !== 'title' && field !== 'websites'), 'notes', 'relations']),
  SHOWS_NOTHING,
  inFieldOrder([...USUAL_FIELDS, 'notes', 'tags', 'relations', 'instantMessengers']),
];

/** The choice that syncs every list whose elements differ in a sign or a type alone. */
export const SYNCS_TYPED_LISTS = CHOICES.length - 1;

/** What the link syncs now, and what it did not sync at some time since everything was at rest. */
export type Choosing = { fields: readonly SyncedField[]; readonly uncertain: Set<SyncedField> };

const ALL_CHOICES = inFieldOrder(CHOICES.flat());

export const createChoosing = (): Choosing => ({
  fields: USUAL_FIELDS,
  uncertain: new Set(ALL_CHOICES.filter((field) => !USUAL_FIELDS.includes(field))),
});

/** The link's owner chooses other fields; its next run syncs them. */
export const choose = (choosing: Choosing, choice: number): void => {
  choosing.fields = CHOICES[choice % CHOICES.length] ?? USUAL_FIELDS;
  for (const field of ALL_CHOICES) if (!choosing.fields.includes(field)) choosing.uncertain.add(field);
};

/** Everything is at rest: from now on the fields that are synced have been so. */
export const restChoosing = (choosing: Choosing): void => {
  choosing.uncertain.clear();
  for (const field of ALL_CHOICES) if (!choosing.fields.includes(field)) choosing.uncertain.add(field);
};

/** The field of a value. */
export const fieldOf = (token: Token): SyncedField => {
  const name = token.slice(0, token.lastIndexOf(' '));
  return isSyncedField(name) ? name : 'buckets';
};

/** Whether a value is of a field that the link has synced since everything was at rest. */
export const isCertain = ({ uncertain }: Choosing, token: Token): boolean =>
  token.startsWith('member ') || ![...uncertain].some((field) => field === fieldOf(token));

/** Whether the link syncs the field of a value. */
export const isChosen = ({ fields }: Choosing, token: Token): boolean =>
  token.startsWith('member ') || fields.some((field) => field === fieldOf(token));

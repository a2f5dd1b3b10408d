import type { SyncedField } from '../contact/contact.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Decision } from '../reconcile/decision.ts';
import { recordsOf } from './plan.ts';

/** The fields that records show although the link does not sync them. */
const SHOWN = ['namePrefix', 'middleName', 'nameSuffix', 'tags'] as const;

type ShownField = (typeof SHOWN)[number];

/** The number of contacts with a value in each shown field that the link does not sync. */
export type UnsyncedCounts = Readonly<Partial<Record<ShownField, number>>>;

const hasValue = ({ unsyncedName, marks = [] }: ContactRecord, field: ShownField): boolean =>
  field === 'tags' ? marks.some((mark) => mark.startsWith('tag:')) : (unsyncedName?.[field] ?? '') !== '';

/** Returns the counts of the contacts of a plan, each person once. `chosen` are the fields that the link syncs. Pure. */
export const countUnsynced = (decisions: readonly Decision[], chosen: readonly SyncedField[]): UnsyncedCounts => {
  const fields = SHOWN.filter((field) => !chosen.includes(field));
  const people = decisions.map((decision) => recordsOf(decision).map(([, record]) => record));
  return Object.fromEntries(
    fields.map((field) => [field, people.filter((records) => records.some((each) => hasValue(each, field))).length]),
  );
};

/** Returns the sums of both counts. */
export const addCounts = (one: UnsyncedCounts, other: UnsyncedCounts): UnsyncedCounts =>
  Object.fromEntries(
    SHOWN.flatMap((field) => {
      const sum = (one[field] ?? 0) + (other[field] ?? 0);
      return sum === 0 ? [] : [[field, sum]];
    }),
  );

/** A field that the link could sync and does not; `contacts` is the number with a value, null if the field is not read. */
export type UnsyncedField = { readonly field: SyncedField; readonly contacts: number | null };

/**
 * Returns the fields of the contacts that are not synced. `addable` are the fields that the link could sync in addition. Omits fields
 * without a value. Pure.
 */
export const unsyncedFields = (addable: readonly SyncedField[], counts: UnsyncedCounts): readonly UnsyncedField[] =>
  addable.flatMap((field): UnsyncedField[] => {
    const shown = SHOWN.find((each) => each === field);
    const contacts = shown === undefined ? null : (counts[shown] ?? 0);
    return contacts === 0 ? [] : [{ field, contacts }];
  });

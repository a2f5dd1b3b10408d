import { without } from './chosen.ts';
import {
  type Contact,
  type ContactField,
  fieldsIn,
  furtherIn,
  makeContact,
  specOf,
  type SyncedField,
  valueIn,
} from './contact.ts';
import type { UnsyncedName } from './unsynced-name.ts';

/** The value that one field gets from an entry. */
type EntryValue = NonNullable<Contact[ContactField]>;

/**
 * A list of a side of which the contact fields contain only one entry, such as Google's organizations. The fields are bound to the
 * entry that they were read from. The other entries are unmapped data (R10).
 */
export type EntryChoice = {
  /** The fields that are read from one entry together. */
  readonly fields: readonly ContactField[];
  /** The values that these fields get from each entry, in the side's order. */
  readonly entries: readonly (readonly EntryValue[])[];
  /** The index of the bound entry; null if it does not exist, because the bound entry was cleared. */
  readonly bound: number | null;
};

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A membership that this link wrote at a side. */
export type OwnMove = {
  readonly groupId: string;
  readonly isMember: boolean;
  /** The time of the write by our clock, in epoch milliseconds. */
  readonly atMs: number;
  /** The contact's `modifiedAtMs` that was known before the write. */
  readonly knownAtMs: number | null;
};

/** A field whose value on one side is not synced, and the reason; the reason does not contain the value. */
type UnsyncableField = { readonly field: ContactField; readonly reason: string };

/** A contact as one side returned it: the canonical part, and the raw data that only that side's adapter reads. */
export type ContactRecord = {
  /** The side's own id. Opaque. */
  readonly id: string;
  /** Changes when the side changes the contact, such as an etag or a time. Opaque. */
  readonly version: string;
  /** The side's modification time of the contact, in epoch milliseconds; null if the side reports none. */
  readonly modifiedAtMs: number | null;
  /**
   * Set if the program that edits a contact writes `modifiedAtMs`, or a restored contact keeps it. Then the order of two times does not
   * show which record is newer; left out elsewhere.
   */
  readonly isClaimedTime?: true;
  readonly contact: Contact;
  /** Absent if the link syncs all parts of the name that the side has. */
  readonly unsyncedName?: UnsyncedName;
  /** The side's ids of the user labels or buckets that the contact belongs to; sorted, no system groups. */
  readonly groupIds: readonly string[];
  /**
   * Marks that select a contact in addition to its groups: `starred`, and `tag:` before each tag; sorted. Absent if there are none,
   * so that the stored form of a contact without marks does not change.
   */
  readonly marks?: readonly string[];
  /**
   * The data that the adapter needs to write the contact back without losing values that the canonical contact cannot represent.
   * JSON as text: it is stored with every contact, and parsed only for contacts that are written.
   */
  readonly raw: string;
  /**
   * The other side's id that a create of this program stored on the contact; null if it does not exist, or the side cannot store it.
   */
  readonly originId: string | null;
  /** Identifies the account that `originId` belongs to (R9). Absent if the create did not record it. */
  readonly originScope?: string;
  /**
   * A digest of the other side's id that a create of this program stored on the contact, if the side cannot store the id itself. Its
   * remote computes it for each id (`Remote.originMarks`). Absent if the contact has no such mark.
   */
  readonly originMark?: string;
  /**
   * The fields in which the side has a value that is not synced (R15): they are empty in `contact`, and neither side's value is
   * overwritten. Absent if there are none.
   */
  readonly unsyncable?: readonly UnsyncableField[];
  /** The lists of which fields contain one entry. Absent if no list has an entry that is not in a field. */
  readonly entries?: readonly EntryChoice[];
  /**
   * A digest of the exact text of the row that the record was read from. Absent if the record does not come from one row, for
   * example after a membership change whose response contained only the groups.
   */
  readonly digest?: string;
  /** The memberships that this link wrote recently on a side whose feed may be delayed (R11). Absent if there are none. */
  readonly ownMoves?: readonly OwnMove[];
};

/** A label (Google user contact group) or a bucket (service), as its side returned it. */
export type GroupRecord = {
  readonly id: string;
  readonly name: string;
  /** The version that a rename must send (Google's group etag); empty if the side requires none. */
  readonly version: string;
  /**
   * The data other than the name that a create needs to make the same group. Opaque text of the adapter; absent if it does not exist.
   */
  readonly details?: string;
};

/**
 * Returns the canonical contact of a side's values: every text is normalised with `normaliseText`, empty list elements are dropped,
 * and of elements with the same key only the first one is kept. Values keep the side's own spelling.
 */
export const contactOf = (values: Partial<Contact>): Contact => {
  const normalised = <Field extends ContactField>(field: Field): NonNullable<Contact[Field]> => {
    const { normalise, empty } = specOf(field);
    return normalise(values[field] ?? empty);
  };
  return makeContact(normalised, furtherIn(values));
};

/** Returns the values of these fields. `read` returns a value of the field, not yet normalised. */
export const readFields = (
  fields: readonly ContactField[],
  read: (field: ContactField) => unknown,
): Partial<Contact> => {
  const values: Record<string, unknown> = {};
  for (const field of fields) values[field] = read(field);
  return values as unknown as Partial<Contact>;
};

const refusalOf = (field: ContactField, contact: Contact): string | null =>
  specOf(field).refusalOf(valueIn(contact, field));

/** Returns the fields of a record that are not synced, with the reasons. */
export const unsyncableIn = ({ unsyncable = [] }: Pick<ContactRecord, 'unsyncable'>): readonly UnsyncableField[] =>
  unsyncable;

/** Returns the fields that are not synced in any of the records. */
export const unsyncableFields = (...records: readonly Pick<ContactRecord, 'unsyncable'>[]): ReadonlySet<SyncedField> =>
  new Set(records.flatMap((record) => unsyncableIn(record).map(({ field }) => field)));

/**
 * Separates the values of a side that can be synced from those that cannot, for example because they are too long (R15). The
 * latter are empty in the returned contact. Pure.
 */
export const syncableContact = (
  values: Partial<Contact>,
): { readonly contact: Contact; readonly unsyncable: readonly UnsyncableField[] } => {
  const contact = contactOf(values);
  const unsyncable: UnsyncableField[] = [];
  for (const field of fieldsIn(contact)) {
    const reason = refusalOf(field, contact);
    if (reason !== null) unsyncable.push({ field, reason });
  }
  const fields = unsyncable.map(({ field }) => field);
  return { contact: without(contact, fields), unsyncable };
};

import type { EntryChoice } from './bound-entries.ts';
import { without } from './chosen.ts';
import {
  type Contact,
  type ContactField,
  EMPTY_CONTACT,
  fieldsIn,
  furtherIn,
  makeContact,
  specOf,
  type SyncedField,
  valueIn,
} from './contact.ts';

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A membership that this link wrote at a side. */
export type OwnMove = {
  readonly groupId: string;
  readonly isMember: boolean;
  /** When it was written, by our clock: epoch milliseconds. */
  readonly atMs: number;
  /** The contact's `modifiedAtMs` that was known before the write. */
  readonly knownAtMs: number | null;
};

/** A field whose value of one side is not synced, and the reason; the reason holds no value. */
type UnsyncableField = { readonly field: ContactField; readonly reason: string };

/** A contact as one side returned it: the canonical part, and the raw data that only that side's adapter reads. */
export type ContactRecord = {
  /** The side's own id. Opaque. */
  readonly id: string;
  /** Changes when the side changes the contact, such as an etag or a time. Opaque. */
  readonly version: string;
  /** The side's modification time of the contact, in epoch milliseconds; null if the side reports none. */
  readonly modifiedAtMs: number | null;
  readonly contact: Contact;
  /** The side's ids of the user labels or buckets that the contact belongs to; sorted, no system groups. */
  readonly groupIds: readonly string[];
  /**
   * Marks that select a contact in addition to its groups: `starred`, and `tag:` before each tag; sorted. Absent where there
   * is nothing,
   * so that a contact without marks reads as it always did.
   */
  readonly marks?: readonly string[];
  /**
   * What the adapter needs to write the contact back without losing what the canonical contact cannot express. JSON kept
   * as text: it is carried along with every contact and read only for those that are written.
   */
  readonly raw: string;
  /** The other side's id that a create of this program left on the contact; null where none did, or the side keeps none. */
  readonly originId: string | null;
  /** Names the account that `originId` is an id of (R9). Absent if the create did not record it. */
  readonly originScope?: string;
  /**
   * The fields that the side fills with a value that is not synced (R15): they are empty in `contact`, and no side's value of
   * them is written over. Absent where there are none.
   */
  readonly unsyncable?: readonly UnsyncableField[];
  /** The lists of which fields hold one entry. Absent where no list has an entry that no field holds. */
  readonly entries?: readonly EntryChoice[];
  /**
   * A digest of the exact text of the row that the record was read from. Absent where
   * the record does not come from one row, such as after a membership change whose answer contained only the groups.
   */
  readonly digest?: string;
  /**
   * The memberships that this link wrote recently at a side whose feed may lag (R11). Absent where there are none.
   */
  readonly ownMoves?: readonly OwnMove[];
};

/** A label (Google user contact group) or a bucket (service), as its side gave it. */
export type GroupRecord = {
  readonly id: string;
  readonly name: string;
  /** What a rename must show (Google's group etag); empty where the side wants none. */
  readonly version: string;
  /** The data apart from the name that a create needs to make the same group. Opaque text of the adapter; absent for none. */
  readonly details?: string;
};

/**
 * The canonical contact of what a side gave: every text through `normaliseText`, empty list elements dropped, and of
 * elements that mean the same the first one kept. Values keep the side's own spelling.
 */
export const contactOf = (given: Partial<Contact>): Contact => {
  const contact: Contact = { ...EMPTY_CONTACT, ...given };
  return makeContact((field) => specOf(field).normalise(valueIn(contact, field)), furtherIn(contact));
};

const refusalOf = (field: ContactField, contact: Contact): string | null =>
  specOf(field).refusalOf(valueIn(contact, field));

/** The fields of a record that are not synced, with the reasons. */
export const unsyncableIn = ({ unsyncable = [] }: Pick<ContactRecord, 'unsyncable'>): readonly UnsyncableField[] =>
  unsyncable;

/** The fields that are not synced in any of the records. */
export const unsyncableFields = (...records: readonly Pick<ContactRecord, 'unsyncable'>[]): ReadonlySet<SyncedField> =>
  new Set(records.flatMap((record) => unsyncableIn(record).map(({ field }) => field)));

/** A contact as far as its values can be synced, and its fields that cannot; those are empty in the contact. */
export type SyncableContact = { readonly contact: Contact; readonly unsyncable: readonly UnsyncableField[] };

/** Separates the values of a side that can be synced from those that cannot, as one that is too long (R15). Pure. */
export const syncableContact = (given: Partial<Contact>): SyncableContact => {
  const contact = contactOf(given);
  const unsyncable = fieldsIn(contact).flatMap((field): UnsyncableField[] => {
    const reason = refusalOf(field, contact);
    return reason === null ? [] : [{ field, reason }];
  });
  const fields = unsyncable.map(({ field }) => field);
  return { contact: without(contact, fields), unsyncable };
};

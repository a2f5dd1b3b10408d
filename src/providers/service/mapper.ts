import { z } from 'zod';
import { extrasIn } from '../../core/contact/chosen.ts';
import { type Contact, type ContactField, EMPTY_CONTACT, filledFields } from '../../core/contact/contact.ts';
import { type ContactRecord, type GroupRecord, syncableContact } from '../../core/contact/record.ts';
import { sortedIds } from '../groups.ts';
import { parseStored } from '../listing.ts';
import type { Bucket } from './api/buckets.ts';
import {
  contactSchema,
  type ContactWrite,
  type ServiceContact,
  SYNCED_LISTS,
  type SyncedLists,
  syncedListsSchema,
} from './api/schemas-contacts.ts';
import { bodyOf, NO_LISTS, type ServiceMapping, USUAL_MAPPING } from './fields.ts';

const rawOf = (contact: ServiceContact, { chosenLists }: ServiceMapping): string =>
  JSON.stringify(Object.fromEntries([...SYNCED_LISTS, ...chosenLists].map((list) => [list, contact[list]])));

/** Returns the entries in a record's raw part; empty lists if they do not have the expected shape. */
export const readRaw = (raw: string): SyncedLists => {
  try {
    return parseStored(syncedListsSchema, raw);
  } catch {
    return NO_LISTS;
  }
};

/** The earlier values of a contact that an answer may omit. */
export type Former = Pick<ContactRecord, 'groupIds' | 'contact'>;

const UNKNOWN: Former = { groupIds: [], contact: EMPTY_CONTACT };

/**
 * Returns a contact of the service as a record. If the answer does not contain the membership (`extra_data` may omit it), the
 * former membership and the former computed values are kept.
 */
const recordOf = (
  contact: ServiceContact,
  digest: string | null,
  mapping: ServiceMapping,
  former: Former,
): ContactRecord => {
  const buckets = contact.extra_data.buckets?.map((bucket) => bucket.id);
  const computed = buckets === undefined ? extrasIn(former.contact) : {};
  const { contact: read, unsyncable } = syncableContact({ ...mapping.read(contact), ...computed });
  const isKnown = buckets !== undefined || (former.groupIds.length === 0 && Object.keys(computed).length === 0);
  return {
    id: contact.id,
    version: contact.updated_at.text,
    modifiedAtMs: contact.updated_at.epochMs,
    contact: read,
    ...mapping.unsyncedName(contact),
    groupIds: sortedIds(buckets ?? former.groupIds),
    ...(contact.tags.length > 0 && { marks: contact.tags.map((tag) => `tag:${tag}`).toSorted() }),
    raw: rawOf(contact, mapping),
    originId: null,
    ...(unsyncable.length > 0 && { unsyncable }),
    ...(digest !== null && isKnown && { digest }),
  };
};

/** A contact of an answer: its record, and when it was created, epoch milliseconds. */
export type ReadContact = { readonly record: ContactRecord; readonly createdAtMs: number | null };

/**
 * Parses a contact of an answer. `former` has the values that the answer may omit, `digest` is that of the row. Throws a ZodError
 * if the shape is wrong.
 */
export const readContact = (
  row: unknown,
  mapping: ServiceMapping = USUAL_MAPPING,
  former: Former = UNKNOWN,
  digest: string | null = mapping.digestOf(row),
): ReadContact => {
  const contact = contactSchema.parse(row);
  return {
    record: recordOf(contact, digest, mapping, former),
    createdAtMs: contact.created_at?.epochMs ?? null,
  };
};

const detailsSchema = z.object({ goal: z.string().exactOptional(), reminder_interval: z.number().exactOptional() });

/** Returns the writable data of a bucket apart from its name: its goal and its reminder interval. */
const detailsOf = ({ goal, reminder_interval: interval }: Bucket): z.output<typeof detailsSchema> => ({
  ...(goal !== null && { goal }),
  ...(interval !== null && { reminder_interval: interval }),
});

/** Returns a bucket as a group. The service needs no version for a rename. */
export const groupOf = (bucket: Bucket): GroupRecord => {
  const details = detailsOf(bucket);
  const group = { id: bucket.id, name: bucket.name, version: '' };
  return Object.keys(details).length === 0 ? group : { ...group, details: JSON.stringify(details) };
};

/** Parses the details of a bucket from the text that {@link groupOf} wrote. */
export const bucketDetails = (details: string | undefined): z.output<typeof detailsSchema> =>
  details === undefined ? {} : detailsSchema.parse(JSON.parse(details));

/** Returns the body of a create: only the filled fields. */
export const createBody = (draft: Contact, { definitions }: ServiceMapping = USUAL_MAPPING): ContactWrite =>
  bodyOf(filledFields(draft), draft, NO_LISTS, definitions);

/**
 * Returns the body of an update: only `fields`. A list is sent whole, in the desired order, with the held entries as they
 * were read.
 */
export const updateBody = (
  current: ContactRecord,
  desired: Contact,
  fields: readonly ContactField[],
  { definitions }: ServiceMapping = USUAL_MAPPING,
): ContactWrite => bodyOf(fields, desired, readRaw(current.raw), definitions);

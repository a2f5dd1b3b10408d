import { contactOf } from '../../contact/normalise.ts';
import type { ContactRecord, GroupRecord } from '../../contact/record.ts';
import { syncedListsSchema, type ServiceContact, type SyncedLists } from './api/schemas-contacts.ts';
import type { Bucket } from './api/schemas-buckets.ts';
import type { FeedChange, FeedPage } from '../remote.ts';
import type { ContactRow } from './api/contacts.ts';
import { ADDRESS_ENTRIES, EMAIL_ENTRIES, PHONE_ENTRIES, WEBSITE_ENTRIES } from './entries.ts';

/** Ids in the order that records hold them: sorted, each once. */
export const sortedIds = (ids: Iterable<string>): readonly string[] => [...new Set(ids)].toSorted();

const syncedListsOf = (contact: ServiceContact): SyncedLists => ({
  addresses: contact.addresses,
  email_addresses: contact.email_addresses,
  phone_numbers: contact.phone_numbers,
  websites: contact.websites,
});

export const NO_LISTS: SyncedLists = { addresses: [], email_addresses: [], phone_numbers: [], websites: [] };

const parseOrNull = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** The entries that a record carries; none where they are not of the known shape. */
export const readRaw = (raw: string): SyncedLists => {
  const parsed = syncedListsSchema.safeParse(parseOrNull(raw));
  return parsed.success ? parsed.data : NO_LISTS;
};

/**
 * A contact of the service as a record. `otherwiseGroupIds` is the membership to assume where the answer tells none, as
 * the document allows for `extra_data`.
 */
export const recordOf = (contact: ServiceContact, otherwiseGroupIds: readonly string[] = []): ContactRecord => {
  const buckets = contact.extra_data.buckets?.map((bucket) => bucket.id);
  const isTold = buckets !== undefined || otherwiseGroupIds.length === 0;
  return {
    id: contact.id,
    version: contact.updated_at.text,
    modifiedAtMs: contact.updated_at.epochMs,
    contact: contactOf({
      firstName: contact.first_name,
      lastName: contact.last_name,
      company: contact.company ?? '',
      title: contact.title,
      emailAddresses: contact.email_addresses.map(EMAIL_ENTRIES.toElement),
      phoneNumbers: contact.phone_numbers.map(PHONE_ENTRIES.toElement),
      addresses: contact.addresses.map(ADDRESS_ENTRIES.toElement),
      websites: contact.websites.map(WEBSITE_ENTRIES.toElement),
    }),
    groupIds: sortedIds(buckets ?? otherwiseGroupIds),
    raw: JSON.stringify(syncedListsOf(contact)),
    originId: null,
    ...(contact.digest !== null && isTold && { digest: contact.digest }),
  };
};

/** The rows of a listing as a page of the feed tells of them. */
export const changesIn = (rows: readonly ContactRow[]): Pick<FeedPage, 'changes' | 'unchanged'> => {
  const changes: FeedChange[] = [];
  const unchanged: string[] = [];
  for (const row of rows) {
    if (row.kind === 'known') unchanged.push(row.id);
    else if (row.kind === 'unreadable') changes.push({ kind: 'unreadable', id: row.id, reason: row.reason });
    else changes.push({ kind: 'upsert', record: recordOf(row.contact), previousIds: [] });
  }
  return { changes, unchanged };
};

/** A bucket as a group; the service wants no version for a rename. */
export const groupOf = (bucket: Bucket): GroupRecord => ({ id: bucket.id, name: bucket.name, version: '' });

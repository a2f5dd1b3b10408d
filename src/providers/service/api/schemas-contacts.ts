import { z } from 'zod';
import { ADDED_FIELDS } from '../../../core/contact/fields.ts';
import type { Json } from '../../../core/contact/record.ts';
import { createRowDigest } from '../../listing.ts';
import {
  boundedJson,
  documentedListOf,
  id,
  arrayOf,
  numberAsText,
  opaque,
  optionalId,
  optionalNumber,
  optionalObject,
  optionalText,
  optionalTimestamp,
  text,
  timestamp,
} from './schemas-common.ts';

const entry = { id: id.nullish(), label: z.string().nullish() };
const entryText = z.union([z.string(), numberAsText]).nullish();

/** Entries keep every key that they came with, so that they can be sent back with what they hold. */
const addressEntry = z
  .object({
    ...entry,
    full_address: entryText,
    street_1: entryText,
    street_2: entryText,
    city: entryText,
    state: entryText,
    zip: entryText,
    country: entryText,
  })
  .catchall(boundedJson);
const emailEntry = z.object({ ...entry, address: entryText }).catchall(boundedJson);
const websiteEntry = z.object({ ...entry, address: entryText }).catchall(boundedJson);
const phoneEntry = z.object({ ...entry, number: entryText }).catchall(boundedJson);
const profileEntry = z.object({ ...entry, url: entryText }).catchall(boundedJson);

/** The lists of a contact that are synced. */
const syncedLists = {
  addresses: documentedListOf(addressEntry),
  email_addresses: documentedListOf(emailEntry),
  phone_numbers: documentedListOf(phoneEntry),
  websites: documentedListOf(websiteEntry),
};

/** What a record carries of the lists that a link syncs only where it chooses them; left out where it does not. */
const chosenLists = {
  social_media_profiles: arrayOf(profileEntry).exactOptional(),
  custom_fields: z.array(z.unknown()).exactOptional(),
  tags: z.array(z.string()).exactOptional(),
};

// Here and below: compiled at its first use, as many a run reads no contact.
export const syncedListsSchema = z.lazy(() => z.compile(z.object({ ...syncedLists, ...chosenLists })));

/** The names of the synced lists. */
export const SYNCED_LISTS = Object.keys(syncedLists) as readonly (keyof typeof syncedLists)[];

const bucketOfContact = z.object({ id, name: optionalText, reminder_interval: optionalNumber });

const contactExtraData = optionalObject({
  last_contacted: optionalTimestamp,
  muted_at: optionalTimestamp,
  team_last_contacted_at: optionalTimestamp,
  team_last_contacted_by_id: optionalId.catch(null),
  last_bucketed_at: optionalTimestamp,
  user_last_contacted_at: optionalTimestamp,
  relationship_status: optionalText.catch(null),
  /** Null where the answer does not name the membership. */
  buckets: z
    .array(bucketOfContact)
    .nullish()
    .transform((buckets) => buckets ?? null),
  sources: opaque,
  lead_pools: opaque,
  associated_tags: opaque,
  followup_source: opaque,
  team_last_contacted_by: opaque,
  associated_company: opaque,
  associated_location: opaque,
  assigned_to: opaque,
});

/**
 * The number is to be raised whenever a record of the same row comes out otherwise: what was read before is then read
 * again. A field that is added to the registry does it by itself.
 */
export const READER = `6${ADDED_FIELDS}`;

/** The digest of a contact as it came in an answer. */
export const contactDigest = createRowDigest(READER);

/** The contact of an answer with its digest, where the two can be put together. */
export const withDigest = (row: unknown, digest: string | null): unknown => {
  return typeof row === 'object' && row !== null && !Array.isArray(row) ? { ...row, digest } : row;
};

const digestedContact = z.object({
  digest: z.string().nullable(),
  id,
  created_at: optionalTimestamp,
  updated_at: timestamp,
  first_name: text,
  last_name: text,
  title: text,
  company: optionalText,
  location: optionalText.catch(null),
  avatar_url: optionalText.catch(null),
  tags: z
    .array(opaque)
    .nullish()
    .transform((tags) => (tags ?? []).filter((tag) => typeof tag === 'string'))
    .catch([]),
  assigned_to_id: optionalId.catch(null),
  ...syncedLists,
  social_media_profiles: arrayOf(profileEntry).catch([]),
  custom_fields: z
    .array(opaque)
    .nullish()
    .transform((fields) => fields ?? [])
    .catch([]),
  extra_data: contactExtraData,
});

/** Contact (API.md, Resources and their fields) with its digest. */
export const digestedContactSchema = z.lazy(() => z.compile(digestedContact));

/** A contact as an answer holds it. */
export const contactSchema = z.preprocess((row) => withDigest(row, contactDigest(row)), digestedContactSchema);

/** A contact as its answer was understood. */
export type ServiceContact = z.output<typeof contactSchema>;

/** The synced lists of a contact, entries as the service gave them. */
export type SyncedLists = z.output<typeof syncedListsSchema>;

/** An entry of a list that the service gave, sent back with its id and everything else that it holds. */
export type KeptEntry = { readonly id: string; readonly [key: string]: Json };

/** A new address; absent parts are empty. */
export type NewAddress = {
  readonly label?: string;
  readonly street_1?: string;
  readonly city?: string;
  readonly state?: string;
  readonly zip?: string;
  readonly country?: string;
};
/** A new email address or website. */
export type NewAddressed = { readonly label?: string; readonly address: string };
export type NewPhoneNumber = { readonly label?: string; readonly number: string };
export type NewProfile = { readonly label?: string; readonly url: string };
export type CustomFieldValue = { readonly field: { readonly id: string }; readonly value: Json };

/** The writable fields of a contact (API.md, Contact); only what is sent is changed, a list is sent whole. */
export type ContactWrite = {
  readonly first_name?: string;
  readonly last_name?: string;
  readonly company?: string | null;
  readonly title?: string;
  readonly avatar_url?: string | null;
  readonly tags?: readonly string[];
  readonly addresses?: readonly (NewAddress | KeptEntry)[];
  readonly email_addresses?: readonly (NewAddressed | KeptEntry)[];
  readonly social_media_profiles?: readonly (NewProfile | KeptEntry)[];
  readonly websites?: readonly (NewAddressed | KeptEntry)[];
  readonly phone_numbers?: readonly (NewPhoneNumber | KeptEntry)[];
  readonly custom_field_values?: readonly CustomFieldValue[];
};

import { z } from 'zod';
import type { Json } from '../../../core/contact/record.ts';
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
  orElse,
  text,
  timestamp,
} from './schemas-common.ts';

const entryText = z.union([z.string(), numberAsText]).nullish();

/** Entries keep all their keys, so that they can be sent back unchanged. */
const entry = z.object({ id: id.nullish(), label: z.string().nullish() }).catchall(boundedJson);
const addressEntry = entry.extend({
  full_address: entryText,
  street_1: entryText,
  street_2: entryText,
  city: entryText,
  state: entryText,
  zip: entryText,
  country: entryText,
});
const addressedEntry = entry.extend({ address: entryText });
const phoneEntry = entry.extend({ number: entryText });
const profileEntry = entry.extend({ url: entryText });

/** The lists of a contact that are synced. */
const syncedLists = {
  addresses: documentedListOf(addressEntry),
  email_addresses: documentedListOf(addressedEntry),
  phone_numbers: documentedListOf(phoneEntry),
  websites: documentedListOf(addressedEntry),
};

/** The lists that a link syncs only if it chooses them; left out of its records otherwise. */
const chosenLists = {
  social_media_profiles: arrayOf(profileEntry).exactOptional(),
  custom_fields: z.array(z.unknown()).exactOptional(),
  tags: z.array(z.string()).exactOptional(),
};

// Here and below: compiled at first use, because many runs read no contact.
export const syncedListsSchema = z.lazy(() => z.compile(z.object({ ...syncedLists, ...chosenLists })));

/** The shapes of these lists in an answer, if the link chose them: then a missing or malformed one does not count as empty (R17). */
export const CHOSEN_SHAPES: Readonly<Record<keyof typeof chosenLists, z.ZodType>> = {
  social_media_profiles: documentedListOf(profileEntry),
  custom_fields: z.array(boundedJson),
  tags: z.array(z.string().nullable()),
};

/** The names of the synced lists. */
export const SYNCED_LISTS = Object.keys(syncedLists) as readonly (keyof typeof syncedLists)[];

const bucketOfContact = z.object({ id, reminder_interval: optionalNumber.catch(null) });

const contactExtraData = optionalObject({
  last_contacted: optionalTimestamp,
  relationship_status: optionalText.catch(null),
  /** Null if the answer does not contain the membership. */
  buckets: orElse(z.array(bucketOfContact), null),
  assigned_to: opaque,
});

const contact = z.object({
  id,
  created_at: optionalTimestamp,
  updated_at: timestamp,
  first_name: text,
  last_name: text,
  title: text,
  company: optionalText,
  avatar_url: optionalText.catch(null),
  tags: orElse(z.array(opaque), [])
    .transform((tags: readonly unknown[]) => tags.filter((tag) => typeof tag === 'string'))
    .catch([]),
  assigned_to_id: optionalId.catch(null),
  ...syncedLists,
  social_media_profiles: arrayOf(profileEntry).catch([]),
  custom_fields: orElse(z.array(opaque), []).catch([]),
  extra_data: contactExtraData,
});

/** Contact (API.md, Resources and their fields). */
export const contactSchema = z.lazy(() => z.compile(contact));

/** A parsed contact. */
export type ServiceContact = z.output<typeof contact>;

/** The synced lists of a contact, with the entries as the service returned them. */
export type SyncedLists = z.output<typeof syncedListsSchema>;

/** An entry as it is sent: a new one, or one that the service returned, with its id and all its other content. */
export type BodyEntry = Readonly<Record<string, Json>>;

type CustomFieldValue = { readonly field: { readonly id: string }; readonly value: Json };

/** The writable fields of a contact (API.md, Contact). Only the sent fields are changed; a list is sent whole. */
export type ContactWrite = {
  readonly first_name?: string;
  readonly last_name?: string;
  readonly company?: string | null;
  readonly title?: string;
  readonly avatar_url?: string | null;
  readonly tags?: readonly string[];
  readonly addresses?: readonly BodyEntry[];
  readonly email_addresses?: readonly BodyEntry[];
  readonly social_media_profiles?: readonly BodyEntry[];
  readonly websites?: readonly BodyEntry[];
  readonly phone_numbers?: readonly BodyEntry[];
  readonly custom_field_values?: readonly CustomFieldValue[];
};

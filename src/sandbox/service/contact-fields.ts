import { z } from 'zod';
import {
  ADDRESS,
  EMAIL,
  entrySchemas,
  PHONE,
  PROFILE,
  storedTags,
  storedText,
  WEBSITE,
  type WriteKit,
  writtenEntries,
} from './contact-entries.ts';
import { invalid } from './errors.ts';
import type { ContactRecord } from './records.ts';
import type { ServiceVariants } from './variants.ts';

const text = z.string().nullish();
const customFieldValues = z.array(z.object({ field: z.object({ id: z.string() }), value: z.unknown() })).nullish();

/** The writable fields of a contact (providers/service/API.md, Contact). An omitted field stays unchanged. */
export const contactFieldsSchema = z.object({
  first_name: text,
  last_name: text,
  company: text,
  title: text,
  avatar_url: text,
  tags: z.array(z.string()).nullish(),
  addresses: z.array(entrySchemas.addresses).nullish(),
  email_addresses: z.array(entrySchemas.email_addresses).nullish(),
  social_media_profiles: z.array(entrySchemas.social_media_profiles).nullish(),
  websites: z.array(entrySchemas.websites).nullish(),
  phone_numbers: z.array(entrySchemas.phone_numbers).nullish(),
  custom_field_values: customFieldValues,
  custom_fields: customFieldValues,
});

export type ContactFields = z.infer<typeof contactFieldsSchema>;

export const blankContact = (id: string, serial: number, createdAtMs: number): ContactRecord => ({
  id,
  serial,
  createdAtMs,
  updatedAtMs: createdAtMs,
  first_name: null,
  last_name: null,
  title: null,
  company: null,
  avatar_url: null,
  tags: [],
  addresses: [],
  email_addresses: [],
  social_media_profiles: [],
  websites: [],
  phone_numbers: [],
  customFields: [],
  bucketIds: [],
  lastBucketedAtMs: null,
  lastContactedAtMs: null,
  relationshipStatus: 'none',
  assignedToId: null,
  archivedAtMs: null,
});

const writtenText = (
  current: string | null,
  sent: string | null | undefined,
  variants: ServiceVariants,
): string | null => {
  if (sent === undefined) return current;
  if (sent === null) return variants.scalarNull === 'clears' ? null : current;
  if (sent !== '' || variants.scalarEmpty === 'stays') return storedText(sent, variants);
  return variants.scalarEmpty === 'clears' ? null : current;
};

const writtenTags = (
  current: readonly string[],
  sent: readonly string[] | null | undefined,
  variants: ServiceVariants,
): readonly string[] => {
  if (sent === undefined) return current;
  if (sent === null) return variants.nullArray === 'clears' ? [] : current;
  if (sent.length === 0) return variants.emptyArray === 'clears' ? [] : current;
  const tags = variants.arrayPatch === 'replace' ? sent : [...new Set([...current, ...sent])];
  return storedTags(tags, variants);
};

const sentCustomFields = (fields: ContactFields, variants: ServiceVariants): ContactFields['custom_fields'] => {
  switch (variants.customFieldKey) {
    case 'custom_field_values':
      return fields.custom_field_values;
    case 'custom_fields':
      return fields.custom_fields;
    case 'both':
      return fields.custom_field_values ?? fields.custom_fields;
  }
};

const writtenCustomFields = (
  current: ContactRecord['customFields'],
  fields: ContactFields,
  { customFields, variants }: WriteKit,
): ContactRecord['customFields'] => {
  const sent = sentCustomFields(fields, variants);
  if (sent === undefined) return current;
  if (sent === null) return variants.nullArray === 'clears' ? [] : current;
  const kept = variants.customFieldUnset === 'omission' ? [] : current;
  const values = new Map(kept.map(({ id, value }) => [id, value]));
  for (const { field, value } of sent) {
    if (customFields.takes(field.id, value)) values.set(field.id, value);
    else if (variants.customFieldMistyped === '422') throw invalid(variants, `The value of ${field.id} is invalid`);
  }
  return [...values].filter(([, value]) => value !== null).map(([id, value]) => ({ id, value }));
};

/** Returns the contact with the sent fields written. The caller sets `updatedAtMs`. */
export const writtenContact = (current: ContactRecord, fields: ContactFields, kit: WriteKit): ContactRecord => {
  const { variants } = kit;
  return {
    ...current,
    first_name: writtenText(current.first_name, fields.first_name, variants),
    last_name: writtenText(current.last_name, fields.last_name, variants),
    company: writtenText(current.company, fields.company, variants),
    title: writtenText(current.title, fields.title, variants),
    avatar_url: writtenText(current.avatar_url, fields.avatar_url, variants),
    tags: writtenTags(current.tags, fields.tags, variants),
    addresses: writtenEntries(ADDRESS, current.addresses, fields.addresses, kit),
    email_addresses: writtenEntries(EMAIL, current.email_addresses, fields.email_addresses, kit),
    social_media_profiles: writtenEntries(PROFILE, current.social_media_profiles, fields.social_media_profiles, kit),
    websites: writtenEntries(WEBSITE, current.websites, fields.websites, kit),
    phone_numbers: writtenEntries(PHONE, current.phone_numbers, fields.phone_numbers, kit),
    customFields: writtenCustomFields(current.customFields, fields, kit),
  };
};

/** Throws a ServiceError if the variants refuse to create this contact. */
export const refuseIncomplete = (contact: ContactRecord, variants: ServiceVariants): void => {
  const hasName = Boolean(contact.first_name) || Boolean(contact.last_name);
  if (variants.createRequires === 'name-or-email' && !hasName && contact.email_addresses.length === 0) {
    throw invalid(variants, 'A contact needs a name or an email address');
  }
  if (variants.createRequires === 'last-name' && !contact.last_name) {
    throw invalid(variants, "Last name can't be blank", 'last_name');
  }
};

/** Returns the contact with the values that the service adds directly after the create. */
export const autoFilled = (contact: ContactRecord, variants: ServiceVariants): ContactRecord => {
  switch (variants.autoFill) {
    case 'nothing':
      return contact;
    case 'avatar':
      return { ...contact, avatar_url: contact.avatar_url ?? `https://avatars.example/${contact.id}.png` };
    case 'company': {
      const domain = contact.email_addresses[0]?.address.split('@')[1];
      return { ...contact, company: contact.company ?? domain ?? null };
    }
  }
};

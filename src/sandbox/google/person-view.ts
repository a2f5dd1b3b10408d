import { createHash } from 'node:crypto';
import type { ContactRecord, ContactState } from './contact-book.ts';
import { contactSourceEtag, personEtag } from './etags.ts';
import { textOf } from './names.ts';
import { readFields, type FieldItem, type Person, type PersonField, type ReadField } from './person-schema.ts';
import type { GoogleVariants } from './variants.ts';

export interface ReadSelection {
  readonly mask: ReadonlySet<ReadField>;
  readonly contact: boolean;
  readonly profile: boolean;
}

/** The options for a person in an answer. */
export interface ViewOptions extends ReadSelection {
  readonly variants: GoogleVariants;
  /** Listings truncate emailAddresses and phoneNumbers at 100. */
  readonly listing: boolean;
  /** Former resource names appear only in listings with a sync token. */
  readonly formerNames: boolean;
  /** True if the keys in field metadata are in reverse order. */
  readonly flipped: boolean;
  /** The emulator's address for photos, without a trailing slash. */
  readonly origin: string;
}

const listedValuesLimit = 100;
const cutInListings: ReadonlySet<PersonField> = new Set(['emailAddresses', 'phoneNumbers']);

/** Returns a contact in the API's format, without empty fields. */
export function personView(record: ContactRecord, state: ContactState, options: ViewOptions): Person {
  const etag = personEtag(options.mask, contactSourceEtag(state.updatedMicros));
  const person: Person = { resourceName: record.resourceName, etag };
  const profile = options.profile ? linkedProfile(record, state, options.variants) : undefined;
  for (const field of readFields) {
    if (!options.mask.has(field)) continue;
    if (field === 'metadata') {
      person.metadata = personMetadata(record, state, profile, options);
      continue;
    }
    const values = [
      ...(options.contact ? contactValues(field, record, state, options) : []),
      ...(profile?.values[field] ?? []).map((value) => withProfileMetadata(value, profile?.id ?? '', options)),
    ];
    if (values.length > 0) Object.assign(person, { [field]: values });
  }
  return person;
}

/** Returns a deleted contact for a delta: only metadata with `deleted`, no content. */
export function tombstoneView(record: ContactRecord, mask: ReadonlySet<ReadField>): Person {
  const { resourceName, state, sourceId } = record;
  const etag = personEtag(mask, contactSourceEtag(state.updatedMicros));
  const metadata = { sources: [{ type: 'CONTACT', id: sourceId }], deleted: true, objectType: 'PERSON' };
  return { resourceName, etag, ...(mask.has('metadata') && { metadata }) };
}

/** Returns an RFC 3339 time with three or six sub-second digits, as required. */
export function timestamp(micros: number): string {
  const whole = new Date(Math.floor(micros / 1000)).toISOString();
  const rest = micros % 1000;
  return rest === 0 ? whole : `${whole.slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}

/** Returns an account's id of 21 digits, derived from its email address or another seed. */
export function accountNumber(seed: string): string {
  const digest = createHash('sha256').update(`account ${seed}`).digest();
  return `1${String(digest.readBigUInt64BE()).padStart(20, '0')}`;
}

function personMetadata(
  record: ContactRecord,
  state: ContactState,
  profile: ReturnType<typeof linkedProfile>,
  options: ViewOptions,
): NonNullable<Person['metadata']> {
  const contact = {
    type: 'CONTACT',
    id: record.sourceId,
    etag: contactSourceEtag(state.updatedMicros),
    updateTime: timestamp(state.updatedMicros),
  };
  const sources = [...(options.contact ? [contact] : []), ...(profile ? [profile.source] : [])];
  const previousResourceNames =
    options.formerNames && record.formerNames.length > 0 ? [...record.formerNames] : undefined;
  return {
    ...(sources.length > 0 && { sources }),
    ...(previousResourceNames && { previousResourceNames }),
    objectType: 'PERSON',
  };
}

function contactValues(
  field: PersonField,
  record: ContactRecord,
  state: ContactState,
  options: ViewOptions,
): FieldItem[] {
  const all =
    field === 'memberships'
      ? state.groups.map(membership)
      : (state.fields[field] ?? defaultValues(field, record, options));
  const shown = options.listing && cutInListings.has(field) ? all.slice(0, listedValuesLimit) : all;
  const source = { type: 'CONTACT', id: record.sourceId };
  return shown.map((value, index) => {
    const primary = index === 0 && field !== 'memberships';
    const sourcePrimary =
      field === 'names' && options.variants.sourcePrimary === 'onNames' && textOf(value, 'givenName') !== '';
    const metadata = { ...(primary && { primary }), source, ...(sourcePrimary && { sourcePrimary }) };
    return { metadata: orderKeys(metadata, options.flipped), ...value };
  });
}

function defaultValues(field: PersonField, record: ContactRecord, { origin }: ViewOptions): readonly FieldItem[] {
  if (field !== 'photos') return [];
  return [{ url: `${origin}/cm/${record.sourceId}=s100`, default: true }];
}

function membership(resourceName: string): FieldItem {
  const contactGroupId = resourceName.slice(resourceName.indexOf('/') + 1);
  return { contactGroupMembership: { contactGroupId, contactGroupResourceName: resourceName } };
}

/** Returns the public profile of a contact's email address. Its values are not the contact's and cannot be written. */
function linkedProfile(record: ContactRecord, state: ContactState, variants: GoogleVariants) {
  const email = textOf(state.fields.emailAddresses?.[0] ?? {}, 'value');
  if (variants.profileValues === 'absent' || email === '') return undefined;
  const id = accountNumber(email);
  const displayName = `Profile ${id.slice(-4)}`;
  const values: { readonly [Field in PersonField]?: readonly FieldItem[] } = {
    names: [{ displayName, givenName: 'Profile', familyName: id.slice(-4), displayNameLastFirst: displayName }],
    emailAddresses: [{ value: email }],
    urls: [{ value: `https://profiles.example/${record.sourceId}` }],
  };
  return {
    id,
    values,
    source: {
      type: 'PROFILE',
      id,
      etag: contactSourceEtag(Number(id.slice(-12))),
      profileMetadata: { objectType: 'PERSON', userTypes: ['GOOGLE_USER'] },
    },
  };
}

function withProfileMetadata(value: FieldItem, id: string, options: ViewOptions): FieldItem {
  const metadata = { verified: true, source: { type: 'PROFILE', id } };
  return { metadata: orderKeys(metadata, options.flipped), ...value };
}

function orderKeys(metadata: FieldItem, flipped: boolean): FieldItem {
  return flipped ? Object.fromEntries(Object.entries(metadata).toReversed()) : metadata;
}

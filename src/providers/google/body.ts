import type { Contact, ContactField, LabelledValue } from '../../contact/contact.ts';
import { emailKey, phoneKey, websiteKey } from '../../contact/keys.ts';
import { normaliseLabel, normaliseText } from '../../contact/normalise.ts';
import type { CreateRequest, UpdateRequest } from '../remote.ts';
import { addressesBody, newAddress } from './address-body.ts';
import { saysMoreThan, withTexts, without, writable, type BodyEntry } from './body-entry.ts';
import { mappedOrganization, ORIGIN_KEY, personOfRecord } from './mapper.ts';
import type { NameEntry, OrganizationEntry, Person, ValueEntry } from './schema.ts';

/** The Google fields that a write may name in its mask. */
export type MaskField = 'names' | 'organizations' | 'emailAddresses' | 'phoneNumbers' | 'addresses' | 'urls';

const MASK_FIELDS: Readonly<Record<ContactField, MaskField>> = {
  firstName: 'names',
  lastName: 'names',
  company: 'organizations',
  title: 'organizations',
  emailAddresses: 'emailAddresses',
  phoneNumbers: 'phoneNumbers',
  addresses: 'addresses',
  websites: 'urls',
};

/** The Google fields that hold the given canonical ones, each once. */
export const maskOf = (fields: Iterable<ContactField>): readonly MaskField[] => [
  ...new Set([...fields].map((field) => MASK_FIELDS[field])),
];

/** The system group of every contact that is not an "other contact". */
export const MY_CONTACTS = 'contactGroups/myContacts';

/** The Person of a create: what the draft says, the groups, and the origin id by which a lost create is found again. */
export const createBody = ({ draft, groupIds, originId }: CreateRequest): BodyEntry => ({
  names: nonEmpty([withTexts({}, { givenName: draft.firstName, familyName: draft.lastName })]),
  organizations: nonEmpty([withTexts({}, { name: draft.company, title: draft.title })]),
  emailAddresses: draft.emailAddresses.map(newValue),
  phoneNumbers: draft.phoneNumbers.map(newValue),
  addresses: draft.addresses.map(newAddress),
  urls: draft.websites.map(newValue),
  memberships: [MY_CONTACTS, ...groupIds].map((id) => ({ contactGroupMembership: { contactGroupResourceName: id } })),
  clientData: [{ key: ORIGIN_KEY, value: originId }],
});

/**
 * The Person of an update, with the etag that guards it and the whole lists of the masked fields. Google replaces a
 * masked list, so every entry that was read goes back with its unmapped subfields, and a masked field that this request
 * does not change goes back as it was read.
 */
export const updateBody = (request: UpdateRequest, mask: readonly MaskField[]): BodyEntry => {
  const { current, desired, fields } = request;
  const person = personOfRecord(current);
  const target: Contact = { ...current.contact, ...Object.fromEntries(fields.map((field) => [field, desired[field]])) };
  const changed = maskOf(fields);
  const lists = mask.map((field) => {
    return [
      field,
      changed.includes(field) ? changedList(field, person, target) : unchangedList(field, person),
    ] as const;
  });
  const [source] = person.metadata?.sources ?? [];
  const guard = { type: 'CONTACT', etag: current.version, ...(source?.id === undefined ? {} : { id: source.id }) };
  return { resourceName: current.id, metadata: { sources: [guard] }, ...Object.fromEntries(lists) };
};

const unchangedList = (field: MaskField, person: Person): readonly BodyEntry[] => {
  if (field === 'names') return (person.names ?? []).slice(0, 1).map(unchangedName);
  return (person[field] ?? []).map(writable);
};

const changedList = (field: MaskField, person: Person, target: Contact): readonly BodyEntry[] => {
  switch (field) {
    case 'names':
      return changedName(person.names?.[0], target);
    case 'organizations':
      return changedOrganizations(person.organizations ?? [], target);
    case 'emailAddresses':
      return changedValues(person.emailAddresses ?? [], target.emailAddresses, emailKey);
    case 'phoneNumbers':
      return changedValues(person.phoneNumbers ?? [], target.phoneNumbers, phoneKey);
    case 'urls':
      return changedValues(person.urls ?? [], target.websites, websiteKey);
    case 'addresses':
      return addressesBody(person.addresses ?? [], target.addresses);
  }
};

const NAME_PARTS = ['givenName', 'familyName', 'middleName', 'honorificPrefix', 'honorificSuffix'] as const;
const WHOLE_NAMES = ['displayName', 'displayNameLastFirst', 'unstructuredName'] as const;

/** A name that was only typed as a whole stays one; else the parts speak and the whole is Google's to make. */
const unchangedName = (entry: NameEntry): BodyEntry => {
  const parts = without(writable(entry), WHOLE_NAMES);
  if (NAME_PARTS.some((part) => parts[part] !== undefined)) return parts;
  return withTexts(parts, { unstructuredName: entry.unstructuredName ?? entry.displayName ?? '' });
};

const changedName = (entry: NameEntry | undefined, target: Contact): readonly BodyEntry[] => {
  const kept = without(writable(entry ?? {}), WHOLE_NAMES);
  return nonEmpty([withTexts(kept, { givenName: target.firstName, familyName: target.lastName })]);
};

const changedOrganizations = (entries: readonly OrganizationEntry[], target: Contact): readonly BodyEntry[] => {
  const texts = { name: target.company, title: target.title };
  const mapped = mappedOrganization(entries);
  if (mapped === undefined) return nonEmpty([withTexts({}, texts)]);
  return nonEmpty(entries.map((entry) => (entry === mapped ? withTexts(writable(entry), texts) : writable(entry))));
};

/** An entry of the list field that Google does not have yet. */
const newValue = ({ value, label }: LabelledValue): BodyEntry => withTexts({}, { value, type: label ?? '' });

const changedValues = (
  entries: readonly ValueEntry[],
  wanted: readonly LabelledValue[],
  keyOf: (value: string) => string,
): readonly BodyEntry[] => {
  const byKey = Map.groupBy(entries, (entry) => keyOf(normaliseText(entry.value)));
  const written = wanted.flatMap((element) => {
    const [same, ...duplicates] = byKey.get(keyOf(element.value)) ?? [];
    return same === undefined ? [newValue(element)] : [rewritten(same, element), ...duplicates.map(writable)];
  });
  return [...written, ...(byKey.get('') ?? []).map(writable)];
};

const rewritten = (entry: ValueEntry, wanted: LabelledValue): BodyEntry => {
  const value = normaliseText(entry.value) === wanted.value ? {} : { value: wanted.value };
  const type = normaliseLabel(entry.type) === wanted.label ? {} : { type: wanted.label ?? '' };
  return withTexts(writable(entry), { ...value, ...type });
};

/** Entries that would say nothing are not sent. */
const nonEmpty = (entries: readonly BodyEntry[]): readonly BodyEntry[] =>
  entries.filter((entry) => saysMoreThan(entry, ['metadata', 'type', 'current']));

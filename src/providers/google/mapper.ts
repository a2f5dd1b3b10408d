import { boundContact, boundPlaceOf } from '../../core/contact/bound-entries.ts';
import { type Contact, type ContactField, valueIn, withValue } from '../../core/contact/contact.ts';
import { contactOf, type ContactRecord, readFields, syncableContact, unsyncableIn } from '../../core/contact/record.ts';
import type { CreateRequest, UpdateRequest } from '../../core/contact/requests.ts';
import { sortedIds } from '../groups.ts';
import { type BodyEntry, type MaskField, type PersonLists, writable } from './person-field.ts';
import { unsyncedName } from './names.ts';
import { mappingOf, type PersonMapping, USUAL_MAPPING } from './fields.ts';
import { listedSchema, originSchema, type Person, personNameSchema, personSchema, type Source } from './schema.ts';

/** The key of `clientData` with the origin of a created contact: the account's scope, a space, and the id. */
const ORIGIN_KEY = 'contact-sync.origin';

type Origin = Pick<ContactRecord, 'originId' | 'originScope'>;

const originOf = ({ clientData = [] }: Pick<Person, 'clientData'>): Origin => {
  const { value = '' } = clientData.find(({ key }) => key === ORIGIN_KEY) ?? {};
  const [, originScope, originId] = /^(\S+) (.+)$/u.exec(value) ?? [];
  return originScope === undefined || originId === undefined ? { originId: null } : { originId, originScope };
};

/** The parsed Person of an answer. */
export type PersonReading =
  | {
      readonly kind: 'contact';
      readonly record: ContactRecord;
      readonly previousIds: readonly string[];
      /** If the answer is a listing, it may have truncated one of the lists. */
      readonly mayBeCut: boolean;
    }
  | { readonly kind: 'deleted'; readonly id: string; readonly previousIds: readonly string[] }
  | {
      readonly kind: 'unreadable';
      readonly id: string | null;
      readonly previousIds: readonly string[];
      readonly reason: string;
      /** Null if the origin cannot be read either. */
      readonly origin: Origin | null;
    };

const placeOf = ({ issues }: { readonly issues: readonly { readonly path: readonly PropertyKey[] }[] }): string =>
  issues[0]?.path.join('.') ?? '';

/** Parses one Person of an answer. Never throws. */
export const readPerson = (
  answer: unknown,
  mapping: PersonMapping = USUAL_MAPPING,
  digest: string | null = mapping.digestOf(answer),
): PersonReading => {
  const parsed = personSchema.safeParse(answer);
  if (!parsed.success) return unreadable(answer, `the contact is malformed at "${placeOf(parsed.error)}"`);
  const person = parsed.data;
  const { deleted, previousResourceNames: previousIds = [], sources = [] } = person.metadata ?? {};
  if (deleted === true) return { kind: 'deleted', id: person.resourceName, previousIds };
  const source = sources.find(({ type }) => type === 'CONTACT');
  if (source?.etag === undefined) return unreadable(answer, 'the contact has no CONTACT source with an etag');
  const record = recordOf(person, source, source.etag, mapping);
  return {
    kind: 'contact',
    previousIds,
    mayBeCut: mayBeCut(person, mapping),
    record: digest === null ? record : { ...record, digest },
  };
};

const unreadable = (answer: unknown, reason: string): PersonReading => {
  const named = personNameSchema.safeParse(answer);
  const listed = listedSchema.safeParse(answer);
  // An unreadable row may lack any part, so absent client data does not mean that the contact has no origin (R17).
  const marked = originSchema.safeParse(answer);
  return {
    kind: 'unreadable',
    id: named.data?.resourceName ?? null,
    previousIds: listed.data?.metadata?.previousResourceNames ?? [],
    reason,
    origin: marked.success ? originOf(marked.data) : null,
  };
};

/**
 * Returns the part of a Person that {@link readPerson} stored in a record, as an update sends it back: only values of the
 * CONTACT source, without output-only keys. Throws if `raw` is not of this provider.
 */
export const personOfRecord = ({ raw }: ContactRecord): Person => personSchema.parse(JSON.parse(raw));

/** Returns the text that {@link personOfRecord} parses. */
const rawOf = (own: Person, { type, id }: Source, { lists }: PersonMapping): string => {
  const kept = lists.map(({ name }) => [name, own[name]?.map(writable)] as const);
  const { resourceName } = own;
  return JSON.stringify({ resourceName, metadata: { sources: [{ type, id }] }, ...Object.fromEntries(kept) });
};

/** Returns whether a listing may have truncated a list of the contact: truncated lists have exactly the maximum length. */
const mayBeCut = (person: Person, { lists }: PersonMapping): boolean =>
  lists.some(({ name, listedMax }) => listedMax !== null && (person[name]?.length ?? 0) >= listedMax);

/** Returns the values of a Person, not yet normalised. */
const valuesOf = (person: Person, { fields, chosen }: PersonMapping): Partial<Contact> =>
  readFields(fields, (field) => mappingOf(field).read(person, chosen));

/** Returns the contact of a record, with Google's values where they are not syncable: a write must not change them. */
export const wholeContactOf = (record: ContactRecord, mapping: PersonMapping): Contact => {
  const fields = unsyncableIn(record).map(({ field }) => field);
  if (fields.length === 0) return record.contact;
  const bound = boundContact(contactOf(valuesOf(personOfRecord(record), mapping)), record.entries ?? []);
  return fields.reduce((to, field) => withValue(to, field, valueIn(bound, field)), record.contact);
};

const recordOf = (person: Person, source: Source, version: string, mapping: PersonMapping): ContactRecord => {
  const own = contactSourceOnly(person, mapping);
  const modifiedAtMs = Date.parse(source.updateTime ?? '');
  const entries = mapping.choicesOf(own);
  const { contact, unsyncable } = syncableContact(valuesOf(own, mapping));
  return {
    id: person.resourceName,
    version,
    modifiedAtMs: Number.isNaN(modifiedAtMs) ? null : modifiedAtMs,
    contact,
    ...unsyncedName(own, mapping.chosen),
    groupIds: userGroupIds(own),
    ...(isStarred(own) && { marks: ['starred'] }),
    raw: rawOf(own, source, mapping),
    ...originOf(own),
    ...(unsyncable.length > 0 && { unsyncable }),
    ...(entries.length > 0 && { entries }),
  };
};

type Entry = { readonly metadata?: { readonly source?: Source } };

const isOfContact = (entry: Entry): boolean => (entry.metadata?.source?.type ?? 'CONTACT') === 'CONTACT';

/** Removes values that a profile adds. They are not part of the contact and must never be written into it. */
const contactSourceOnly = (person: Person, { lists: asked }: PersonMapping): Person => {
  const own = <Item extends Entry>(entries: readonly Item[] | undefined): Item[] => (entries ?? []).filter(isOfContact);
  const lists = asked.map(({ name }) => [name, own<Entry>(person[name])] as const);
  return {
    resourceName: person.resourceName,
    ...(Object.fromEntries(lists) as PersonLists),
    memberships: own(person.memberships),
    clientData: own(person.clientData),
  };
};

/** User labels have hexadecimal ids. The ids of system groups are words (`myContacts`, `starred`, `friends`...). */
const USER_GROUP = /^contactGroups\/[0-9a-f]+$/u;

const groupIdsOf = (person: Person): readonly string[] =>
  (person.memberships ?? []).map(({ contactGroupMembership: membership }) => {
    return membership?.contactGroupResourceName ?? `contactGroups/${membership?.contactGroupId ?? ''}`;
  });

const userGroupIds = (person: Person): readonly string[] =>
  sortedIds(groupIdsOf(person).filter((name) => USER_GROUP.test(name)));

const isStarred = (person: Person): boolean => groupIdsOf(person).includes('contactGroups/starred');

/** Returns the writable lists of a Person that contain the given fields, each once. */
export const maskOf = (fields: Iterable<ContactField>): readonly MaskField[] => [
  ...new Set(
    [...fields].map((field) => mappingOf(field).list).flatMap(({ name, isReadOnly }) => (isReadOnly ? [] : [name])),
  ),
];

/** The system group of every contact that is not an "other contact". */
export const MY_CONTACTS = 'contactGroups/myContacts';

/**
 * Returns the Person of a create: the fields of the draft, its groups, and the origin that identifies it if the answer is
 * lost.
 */
export const createBody = (
  { draft, groupIds, originId, originScope }: CreateRequest,
  { chosen, writtenLists }: PersonMapping = USUAL_MAPPING,
): BodyEntry => ({
  ...Object.fromEntries(writtenLists.map(({ name, write }) => [name, write({}, draft, chosen, () => undefined)])),
  memberships: [MY_CONTACTS, ...groupIds].map((id) => ({ contactGroupMembership: { contactGroupResourceName: id } })),
  clientData: [{ key: ORIGIN_KEY, value: `${originScope} ${originId}` }],
});

/**
 * Returns the Person of an update, with the etag that guards it and the complete masked lists. Google replaces a masked
 * list, so every entry that was read is sent back with its unmapped subfields. A masked list that this request does not
 * change is sent as it was read.
 */
export const updateBody = (
  request: UpdateRequest,
  mask: readonly MaskField[],
  mapping: PersonMapping = USUAL_MAPPING,
): BodyEntry => {
  const { chosen, lists: mapped } = mapping;
  const { current, desired, fields } = request;
  const person = personOfRecord(current);
  const target = fields.reduce(
    (to, field) => withValue(to, field, valueIn(desired, field)),
    wholeContactOf(current, mapping),
  );
  const changed = maskOf(fields);
  const bound = (field: ContactField) => boundPlaceOf(current, field);
  const lists = mapped
    .filter(({ name }) => mask.includes(name))
    .map(({ name, write, keep }) => {
      return [name, changed.includes(name) ? write(person, target, chosen, bound) : keep(person)] as const;
    });
  const [source] = person.metadata?.sources ?? [];
  const guard = { type: 'CONTACT', etag: current.version, ...(source?.id === undefined ? {} : { id: source.id }) };
  return { resourceName: current.id, metadata: { sources: [guard] }, ...Object.fromEntries(lists) };
};

import { makeContact } from '../../contact/contact.ts';
import { ADDED_FIELDS, FIELDS } from '../../contact/fields.ts';
import { contactOf, overlongField } from '../../contact/normalise.ts';
import type { ContactRecord } from '../../contact/record.ts';
import { createRowDigest } from '../row-digest.ts';
import { PERSON_LISTS, PERSON_MAPPING } from './fields.ts';
import type { PersonLists } from './person-field.ts';
import { personNameSchema, personSchema, type Person, type Source } from './schema.ts';

/** Under this key of `clientData` a created contact carries its origin: the account's scope and the id, with a space between. */
const ORIGIN_KEY = 'contact-sync.origin';

/** Under this key it carries an id that is not said to be of any account. */
const BARE_ORIGIN_KEY = 'contact-sync.service-id';

/** The entry of `clientData` that names a contact's origin. */
export const originEntry = (id: string, scope: string | undefined): { readonly key: string; readonly value: string } =>
  scope === undefined ? { key: BARE_ORIGIN_KEY, value: id } : { key: ORIGIN_KEY, value: `${scope} ${id}` };

const originOf = ({ clientData = [] }: Person): Pick<ContactRecord, 'originId' | 'originScope'> => {
  const valueOf = (name: string) => clientData.find(({ key }) => key === name)?.value;
  const [, originScope, originId] = /^(\S+) (.+)$/u.exec(valueOf(ORIGIN_KEY) ?? '') ?? [];
  if (originScope !== undefined && originId !== undefined) return { originId, originScope };
  return { originId: valueOf(BARE_ORIGIN_KEY) ?? null };
};

/**
 * The number is to be raised whenever a record of the same Person comes out otherwise: what was read before is then read
 * again. A field that is added to the registry does it by itself.
 */
export const READER = `2${ADDED_FIELDS}`;

/** The digest of a Person as it came in an answer. */
export const digestOf = createRowDigest(READER);

/** What one Person of an answer says. */
export type PersonReading =
  | {
      readonly kind: 'contact';
      readonly record: ContactRecord;
      readonly previousIds: readonly string[];
      /** A listing may have cut a list of it. */
      readonly mayBeCut: boolean;
    }
  | { readonly kind: 'deleted'; readonly id: string; readonly previousIds: readonly string[] }
  | { readonly kind: 'unreadable'; readonly id: string | null; readonly reason: string };

/** Reads one Person as it came in an answer. Never throws. */
export const readPerson = (answer: unknown, digest: string | null = digestOf(answer)): PersonReading => {
  const parsed = personSchema.safeParse(answer);
  if (!parsed.success) {
    const place = parsed.error.issues[0]?.path.join('.') ?? '';
    return unreadable(answer, `the contact is malformed at "${place}"`);
  }
  const person = parsed.data;
  const { deleted = false, previousResourceNames: previousIds = [], sources = [] } = person.metadata ?? {};
  if (deleted) return { kind: 'deleted', id: person.resourceName, previousIds };
  const source = sources.find(({ type }) => type === 'CONTACT');
  if (source?.etag === undefined) return unreadable(answer, 'the contact has no CONTACT source with an etag');
  const reading = { kind: 'contact', previousIds, mayBeCut: mayBeCut(person) } as const;
  return believed({ ...reading, record: digested(recordOf(person, source, source.etag), reading, digest) });
};

/** The reading of a contact, unless a value of it is longer than any that is synced. */
const believed = (reading: Extract<PersonReading, { kind: 'contact' }>): PersonReading => {
  const { contact, id } = reading.record;
  const field = overlongField(contact);
  return field === null
    ? reading
    : { kind: 'unreadable', id, reason: `${field} is longer than any value that is synced` };
};

/**
 * A row that names former ids says more than its record, one that was cut less: such a record goes without digest, unless
 * the former ids are handed on beside it (pull.ts).
 */
const digested = (
  record: ContactRecord,
  row: { readonly previousIds: readonly string[]; readonly mayBeCut: boolean },
  digest: string | null,
): ContactRecord => {
  if (digest === null || row.mayBeCut || row.previousIds.length > 0) return record;
  return { ...record, digest };
};

const unreadable = (answer: unknown, reason: string): PersonReading => {
  const named = personNameSchema.safeParse(answer);
  return { kind: 'unreadable', id: named.data?.resourceName ?? null, reason };
};

/** The Person that {@link readPerson} kept in a record: only values of the CONTACT source. Throws on a foreign `raw`. */
export const personOfRecord = (record: ContactRecord): Person => personSchema.parse(JSON.parse(record.raw));

/** Whether a listing may have cut a list of the contact: those that it cuts come with just the greatest length. */
export const mayBeCut = (person: Person): boolean =>
  PERSON_LISTS.some(({ name, listedMax }) => listedMax !== null && (person[name]?.length ?? 0) >= listedMax);

const recordOf = (person: Person, source: Source, version: string): ContactRecord => {
  const own = contactSourceOnly(person, source);
  const modifiedAtMs = Date.parse(source.updateTime ?? '');
  return {
    id: person.resourceName,
    version,
    modifiedAtMs: Number.isNaN(modifiedAtMs) ? null : modifiedAtMs,
    contact: contactOf(makeContact((field) => PERSON_MAPPING[field].read(own))),
    groupIds: userGroupIds(own),
    raw: JSON.stringify(own),
    ...originOf(own),
  };
};

type Entry = { readonly metadata?: { readonly source?: Source } };

const isOfContact = (entry: Entry): boolean => (entry.metadata?.source?.type ?? 'CONTACT') === 'CONTACT';

/** Values that a profile adds to the contact are not the contact's and must never be written into it. */
const contactSourceOnly = (person: Person, source: Source): Person => {
  const own = <Item extends Entry>(entries: readonly Item[] | undefined): Item[] => (entries ?? []).filter(isOfContact);
  const lists = PERSON_LISTS.map(({ name }) => [name, own<Entry>(person[name])] as const);
  return {
    resourceName: person.resourceName,
    ...(person.etag === undefined ? {} : { etag: person.etag }),
    metadata: { sources: [source] },
    ...(Object.fromEntries(lists) as PersonLists),
    memberships: own(person.memberships),
    clientData: own(person.clientData),
  };
};

/** User labels have hexadecimal ids; those of system groups are words (`myContacts`, `starred`, `friends`...). */
const USER_GROUP = /^contactGroups\/[0-9a-f]+$/u;

const userGroupIds = (person: Person): readonly string[] => {
  const names = (person.memberships ?? []).map(({ contactGroupMembership: membership }) => {
    return membership?.contactGroupResourceName ?? `contactGroups/${membership?.contactGroupId ?? ''}`;
  });
  return FIELDS.buckets.normalise(names.filter((name) => USER_GROUP.test(name)));
};

import { isDeepStrictEqual } from 'node:util';
import { groupsOf } from './account.ts';
import { ApiError, contactLimitReached, invalidArgument, missingContact } from './api-error.ts';
import type { ContactFields, ContactRecord, ContactState } from './contact-book.ts';
import { contactSourceEtag, sourceEtagInside } from './etags.ts';
import { isAddable, myContactsGroup } from './group-book.ts';
import {
  type ContactField,
  type Person,
  type PersonField,
  personSchema,
  singletonFields,
  updatableFields,
} from './person-schema.ts';
import { personView, type ReadSelection } from './person-view.ts';
import { readBody, selectionOrAll, updateMask } from './request.ts';
import { type ApiRequest, noteApiWrite, showing, type World } from './world.ts';

/** The maximum number of contacts in an account (providers/google/API.md, Quotas and limits). */
export const contactLimit = 25_000;

/** Values and groups of a contact after the checks of a write, before any change. */
type ContactContent = Omit<ContactState, 'updatedMicros'>;

interface ContactEdit {
  readonly record: ContactRecord;
  readonly content: ContactContent;
}

/** Checks a person to create. Throws an ApiError if it is refused. */
export function contentToCreate(person: Person, world: World): ContactContent {
  const fields = writtenFields(person, new Set(updatableFields), world);
  const given = groupsOf(person);
  checkGroups(given ?? [], [], world);
  return { fields, groups: groupsOfNew(given, world) };
}

function groupsOfNew(given: readonly string[] | undefined, { account, variants }: World): readonly string[] {
  if (!given) return [myContactsGroup];
  const onlyOwn = given.every((name) => !account.contactGroups.living(name)?.system);
  return onlyOwn && variants.createInUserGroup === 'addMyContacts' ? [...given, myContactsGroup] : given;
}

/**
 * Checks an update of the masked fields, each replaced whole or cleared. Throws an ApiError if it is refused.
 */
export function checkEdit(
  resourceName: string,
  person: Person,
  mask: ReadonlySet<PersonField>,
  world: World,
): ContactEdit {
  if (!/^people\/c\d+$/.test(resourceName)) {
    throw invalidArgument('Resource name is not that of a contact: the person has no contact source to update.');
  }
  const record = world.account.contacts.living(resourceName);
  if (!record) throw missingContact(world.variants);
  checkEtags(person, contactSourceEtag(record.state.updatedMicros), world);
  const fields = { ...record.state.fields, ...cleared(mask), ...writtenFields(person, mask, world) };
  return { record, content: { fields, groups: groupsAfter(person, record, mask, world) } };
}

function cleared(mask: ReadonlySet<PersonField>): ContactFields {
  return Object.fromEntries([...mask].filter((field) => field !== 'memberships').map((field) => [field, []]));
}

function groupsAfter(
  person: Person,
  record: ContactRecord,
  mask: ReadonlySet<PersonField>,
  world: World,
): readonly string[] {
  if (!mask.has('memberships')) return record.state.groups;
  const groups = groupsOf(person);
  if (!groups) throw invalidArgument('Request must keep at least one contact group membership on the person.');
  checkGroups(groups, record.state.groups, world);
  return groups;
}

function checkGroups(groups: readonly string[], before: readonly string[], { account }: World): void {
  for (const name of groups) {
    const group = account.contactGroups.living(name);
    if (!group) throw invalidArgument(`Contact group does not exist: ${name}`);
    if (!isAddable(group) && !before.includes(name)) {
      throw invalidArgument(`Contacts cannot be added to the system contact group ${name}.`);
    }
  }
}

/** Returns the stored form of the person's writable fields: values of the contact source only. */
function writtenFields(person: Person, mask: ReadonlySet<PersonField>, world: World): ContactFields {
  const own: Person = {};
  for (const field of updatableFields) {
    if (!mask.has(field) || field === 'memberships') continue;
    checkSingleton(person, field);
    const values = contactValues(person, field);
    if (values.length > 0) Object.assign(own, { [field]: values });
  }
  return world.account.storedFields(own);
}

function contactValues(person: Person, field: ContactField): object[] {
  const values = [...(person[field] ?? [])];
  return values.filter(({ metadata }) => (metadata?.source?.type ?? 'CONTACT') === 'CONTACT');
}

function checkSingleton(person: Person, field: ContactField): void {
  if (!singletonFields.has(field) || contactValues(person, field).length < 2) return;
  throw invalidArgument(`Request must not set more than one value of the singleton field person.${field}.`);
}

function checkEtags(person: Person, current: string, world: World): void {
  const sourceEtag = person.metadata?.sources?.find(({ type }) => type === 'CONTACT')?.etag;
  if (!sourceEtag && !person.etag) {
    const message =
      'Request must set person.etag or person.metadata.sources.etag for the source that is being updated.';
    throw invalidArgument(message);
  }
  if (person.etag && sourceEtagInside(person.etag) !== current) throw staleEtag('person.etag', world);
  if (sourceEtag && sourceEtag !== current) throw staleEtag('person.metadata.sources.etag', world);
}

function staleEtag(what: string, { variants }: World): ApiError {
  const message = `Request ${what} is different than the current ${what}. Clear local cache and get the latest person.`;
  const detail = `[ORIGINAL ERROR] generic::failed_precondition: ${message}`;
  const debugInfo = [{ '@type': 'type.googleapis.com/google.rpc.DebugInfo', detail }];
  return new ApiError(
    'FAILED_PRECONDITION',
    message,
    variants.staleEtagDetails === 'debugInfo' ? debugInfo : undefined,
  );
}

export function createContact({ query, body }: ApiRequest, world: World): object {
  const selection = selectionOrAll(query);
  const content = contentToCreate(readBody(personSchema, body, 'person'), world);
  checkRoom(1, world);
  return personAfterWrite(applyCreate(content, world.account.nextMicros(), world), selection, world);
}

export function updateContact({ query, body, pathParts }: ApiRequest, world: World): object {
  const mask = updateMask(query.get('updatePersonFields'), 'updatePersonFields');
  const selection = selectionOrAll(query);
  const person = readBody(personSchema, body, 'person');
  const edit = checkEdit(`people/${pathParts[0]}`, person, mask, world);
  return personAfterWrite(applyEdit(edit, world.account.nextMicros(), world), selection, world);
}

export function deleteContact({ pathParts }: ApiRequest, world: World): object {
  const record = world.account.contacts.living(`people/${pathParts[0]}`);
  if (!record) throw missingContact(world.variants);
  applyDelete(record, world.account.nextMicros(), world);
  return {};
}

/** Throws the 429 for creates that would exceed the account's limit. */
export function checkRoom(added: number, { account, variants }: World): void {
  if (account.contacts.size + added > contactLimit) throw contactLimitReached(variants);
}

export function applyCreate(content: ContactContent, updatedMicros: number, world: World): ContactRecord {
  const { account } = world;
  const record = account.contacts.create({ ...content, updatedMicros }, account.now());
  noteApiWrite(world, record.resourceName);
  return record;
}

export function applyEdit({ record, content }: ContactEdit, updatedMicros: number, world: World): ContactRecord {
  const { account, variants } = world;
  const { updatedMicros: _before, ...contentBefore } = record.state;
  if (variants.noChangeUpdates === 'sameEtag' && sameContent(content, contentBefore)) return record;
  const updated = account.contacts.update(record, { ...content, updatedMicros }, account.now());
  noteApiWrite(world, updated.resourceName);
  return updated;
}

export function applyDelete(record: ContactRecord, updatedMicros: number, world: World): void {
  world.account.contacts.delete(record, updatedMicros, world.account.now());
  noteApiWrite(world, record.resourceName);
}

/** Returns the person for the answer to a write, always in its current state. */
export function personAfterWrite(record: ContactRecord, selection: ReadSelection, world: World): Person {
  return personView(record, record.state, { ...selection, ...showing(world), listing: false, formerNames: false });
}

function sameContent(left: ContactContent, right: ContactContent): boolean {
  return isDeepStrictEqual(withoutEmptyFields(left), withoutEmptyFields(right));
}

function withoutEmptyFields({ fields, groups }: ContactContent): object {
  return { groups, fields: Object.fromEntries(Object.entries(fields).filter(([, values]) => values.length > 0)) };
}

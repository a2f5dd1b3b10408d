import { isDeepStrictEqual } from 'node:util';
import { checkEdit, contentToCreate, type ContactContent, type ContactEdit } from './contact-edits.ts';
import type { ContactRecord } from './contact-book.ts';
import { personSchema, type Person } from './person-schema.ts';
import { personView, type ReadSelection } from './person-view.ts';
import { selectionOrAll, updateMask } from './read-parameters.ts';
import { contactLimitReached, missingContact } from './refusals.ts';
import { readBody } from './request-body.ts';
import { noteApiWrite, showing, type ApiRequest, type World } from './world.ts';

/** `POST /v1/people:createContact` */
export function createContact({ query, body }: ApiRequest, world: World): object {
  const selection = selectionOrAll(query);
  const content = contentToCreate(readBody(personSchema, body, 'person'), world);
  checkRoom(1, world);
  return personAfterWrite(applyCreate(content, world.account.nextMicros(), world), selection, world);
}

/** `PATCH /v1/people/{id}:updateContact` */
export function updateContact({ query, body, pathParts }: ApiRequest, world: World): object {
  const mask = updateMask(query.get('updatePersonFields'), 'updatePersonFields');
  const selection = selectionOrAll(query);
  const person = readBody(personSchema, body, 'person');
  const edit = checkEdit(`people/${pathParts[0]}`, person, mask, 'INVALID_ARGUMENT', world);
  return personAfterWrite(applyEdit(edit, world.account.nextMicros(), world), selection, world);
}

/** `DELETE /v1/people/{id}:deleteContact` */
export function deleteContact({ pathParts }: ApiRequest, world: World): object {
  const record = world.account.contacts.living(`people/${pathParts[0]}`);
  if (!record) throw missingContact(world.variants);
  applyDelete(record, world.account.nextMicros(), world);
  return {};
}

/** Refuses creates that would take the account over its limit; throws the 429. */
export function checkRoom(added: number, { account, contactLimit, variants }: World): void {
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

/** The person in the answer to a write: always as it is now. */
export function personAfterWrite(record: ContactRecord, selection: ReadSelection, world: World): Person {
  return personView(record, record.state, { ...selection, ...showing(world), listing: false, formerNames: false });
}

function sameContent(left: ContactContent, right: ContactContent): boolean {
  return isDeepStrictEqual(withoutEmptyFields(left), withoutEmptyFields(right));
}

function withoutEmptyFields({ fields, groups }: ContactContent): object {
  return { groups, fields: Object.fromEntries(Object.entries(fields).filter(([, values]) => values.length > 0)) };
}

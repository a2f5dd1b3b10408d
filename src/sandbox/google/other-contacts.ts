import { z } from 'zod';
import { invalidArgument, notFound } from './api-error.ts';
import type { ContactFields } from './contact-book.ts';
import { searchBook } from './contact-search.ts';
import { checkRoom, personAfterWrite } from './contact-writes.ts';
import { myContactsGroup } from './group-book.ts';
import { listPeople } from './listing.ts';
import { type ContactField, readFields } from './person-schema.ts';
import type { ReadSelection } from './person-view.ts';
import { optionalMask, readBody, readSources, requiredMask } from './request.ts';
import { type ApiRequest, noteApiWrite, type World } from './world.ts';

const copyFields = ['emailAddresses', 'names', 'phoneNumbers'] as const;
const searchFields = [...copyFields, 'metadata'] as const;
const listFields = [...searchFields, 'photos'] as const;
const contactOnly = { contact: true, profile: false };

/** `GET /v1/otherContacts`: a full listing, or the changes since a sync token. */
export function listOtherContacts({ query }: ApiRequest, world: World): object {
  const { people, tokens, total } = listPeople(world.account.otherContacts, query, listSelection(query), world);
  return {
    ...(people.length > 0 && { otherContacts: people }),
    ...tokens,
    ...(total > 0 && { totalSize: total }),
  };
}

/** With the profile source, more fields of a person can be read. The profile source alone is not allowed. */
function listSelection(query: URLSearchParams): ReadSelection {
  const sources = readSources(query.getAll('sources'), contactOnly);
  if (!sources.contact) {
    throw invalidArgument('READ_SOURCE_TYPE_PROFILE must not be set without READ_SOURCE_TYPE_CONTACT.');
  }
  const valid = sources.profile ? readFields : listFields;
  return { mask: requiredMask(query.get('readMask'), 'readMask', valid, 'otherContacts/list'), ...sources };
}

/** `GET /v1/otherContacts:search` */
export function searchOtherContacts({ query }: ApiRequest, world: World): object {
  const mask = requiredMask(query.get('readMask'), 'readMask', searchFields, 'otherContacts/search');
  return searchBook(world.account.otherContacts, query, { mask, ...contactOnly }, world);
}

const copySchema = z.strictObject({
  copyMask: z.string().optional(),
  readMask: z.string().optional(),
  sources: z.array(z.string()).optional(),
});

/**
 * `POST /v1/otherContacts/{id}:copyOtherContactToMyContactsGroup`: the person becomes a contact with the same source id and is
 * no longer an other contact.
 */
export function copyOtherContact({ body, pathParts }: ApiRequest, world: World): object {
  const { copyMask, readMask, sources = [] } = readBody(copySchema, body, 'request');
  const page = 'otherContacts/copyOtherContactToMyContactsGroup';
  const copied = requiredMask(copyMask, 'copyMask', copyFields, page);
  const mask =
    optionalMask(readMask, 'readMask', readFields, page) ?? new Set([...copied, 'metadata', 'memberships'] as const);
  const selection = { mask, ...readSources(sources) };
  const { account } = world;
  const record = account.otherContacts.living(`otherContacts/${pathParts[0]}`);
  if (!record) throw notFound();
  checkRoom(1, world);
  const updatedMicros = account.nextMicros();
  const state = { fields: pick(record.state.fields, copied), groups: [myContactsGroup], updatedMicros };
  account.otherContacts.delete(record, updatedMicros, account.now());
  const created = account.contacts.create(state, account.now(), record.sourceId);
  noteApiWrite(world, created.resourceName);
  return personAfterWrite(created, selection, world);
}

function pick(fields: ContactFields, names: ReadonlySet<ContactField>): ContactFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.has(name as ContactField)));
}

import { batchCreateContacts, batchDeleteContacts, batchUpdateContacts } from './contact-batches.ts';
import { createContact, deleteContact, updateContact } from './contact-writes.ts';
import { getGroup, listGroups } from './group-reads.ts';
import { createGroup, deleteGroup, modifyMembers, updateGroup } from './group-writes.ts';
import { listConnections } from './listing.ts';
import { contactsReadOnlyScope, contactsScope } from './oauth-tokens.ts';
import { batchGetPeople, getPerson } from './people-reads.ts';
import type { Operation } from './world.ts';

const id = '([^/:]+)';

/** The row of a method. Omitted properties have the most frequent value as default. */
type Row = Pick<Operation, 'run'> & Partial<Pick<Operation, 'parameters' | 'reads'>>;

function read(path: string, row: Row): Operation {
  const scopes = [contactsScope, contactsReadOnlyScope];
  return { method: 'GET', path: pathPattern(path), mutates: false, parameters: [], reads: 'always', scopes, ...row };
}

function write(method: Operation['method'], path: string, row: Row): Operation {
  const scopes = [contactsScope];
  return { method, path: pathPattern(path), mutates: true, parameters: [], reads: 'never', scopes, ...row };
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^/v1/${path}$`);
}

const person = ['personFields', 'sources'];
const page = ['pageSize', 'pageToken'];
const listing = [...person, ...page, 'requestSyncToken', 'syncToken', 'sortOrder'];
const update = [...person, 'updatePersonFields'];
const groups = [...page, 'groupFields', 'syncToken'];

/**
 * Every method that the emulator supports. Writes that return people read them after the write, so they also count against the
 * critical read quota. Reads of groups are not critical reads.
 */
export const operations: readonly Operation[] = [
  read('people/me/connections', { run: listConnections, parameters: listing }),
  read('people:batchGet', { run: batchGetPeople, parameters: [...person, 'resourceNames'] }),
  read(`people/${id}`, { run: getPerson, parameters: person }),
  write('POST', 'people:createContact', { run: createContact, parameters: person, reads: 'always' }),
  write('PATCH', `people/${id}:updateContact`, { run: updateContact, parameters: update, reads: 'always' }),
  write('DELETE', `people/${id}:deleteContact`, { run: deleteContact }),
  write('POST', 'people:batchCreateContacts', { run: batchCreateContacts, reads: 'withMask' }),
  write('POST', 'people:batchUpdateContacts', { run: batchUpdateContacts, reads: 'withMask' }),
  write('POST', 'people:batchDeleteContacts', { run: batchDeleteContacts }),
  read('contactGroups', { run: listGroups, parameters: groups, reads: 'never' }),
  read(`contactGroups/${id}`, { run: getGroup, parameters: ['groupFields', 'maxMembers'], reads: 'never' }),
  write('POST', 'contactGroups', { run: createGroup }),
  write('PUT', `contactGroups/${id}`, { run: updateGroup }),
  write('DELETE', `contactGroups/${id}`, { run: deleteGroup, parameters: ['deleteContacts'] }),
  write('POST', `contactGroups/${id}/members:modify`, { run: modifyMembers }),
];

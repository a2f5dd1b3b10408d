import { listConnections } from './connections.ts';
import { batchCreateContacts, batchDeleteContacts, batchUpdateContacts } from './contact-batches.ts';
import { createContact, deleteContact, updateContact } from './contact-writes.ts';
import { batchGetGroups, getGroup, listGroups } from './group-reads.ts';
import { createGroup, deleteGroup, modifyMembers, updateGroup } from './group-writes.ts';
import { batchGetPeople, getPerson } from './people-reads.ts';
import type { Operation } from './world.ts';

const id = '([^/:]+)';

function read(path: string, run: Operation['run'], reads: Operation['reads'] = 'always'): Operation {
  return { method: 'GET', path: new RegExp(`^/v1/${path}$`), mutates: false, reads, run };
}

function write(
  method: Operation['method'],
  path: string,
  run: Operation['run'],
  reads: Operation['reads'] = 'never',
): Operation {
  return { method, path: new RegExp(`^/v1/${path}$`), mutates: true, reads, run };
}

/**
 * Every method of the API that the emulator speaks. Writes that answer with people read them after the write, so they
 * use up the critical read quota too; reads of groups are no critical reads.
 */
export const operations: readonly Operation[] = [
  read('people/me/connections', listConnections),
  read('people:batchGet', batchGetPeople),
  read(`people/${id}`, getPerson),
  write('POST', 'people:createContact', createContact, 'always'),
  write('PATCH', `people/${id}:updateContact`, updateContact, 'always'),
  write('DELETE', `people/${id}:deleteContact`, deleteContact),
  write('POST', 'people:batchCreateContacts', batchCreateContacts, 'withReadMask'),
  write('POST', 'people:batchUpdateContacts', batchUpdateContacts, 'withReadMask'),
  write('POST', 'people:batchDeleteContacts', batchDeleteContacts),
  read('contactGroups', listGroups, 'never'),
  read('contactGroups:batchGet', batchGetGroups, 'never'),
  read(`contactGroups/${id}`, getGroup, 'never'),
  write('POST', 'contactGroups', createGroup),
  write('PUT', `contactGroups/${id}`, updateGroup),
  write('DELETE', `contactGroups/${id}`, deleteGroup),
  write('POST', `contactGroups/${id}/members:modify`, modifyMembers),
];

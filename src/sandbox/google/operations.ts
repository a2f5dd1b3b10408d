import { answers } from './answers.ts';
import { batchCreateContacts, batchDeleteContacts, batchUpdateContacts } from './contact-batches.ts';
import { deleteContactPhoto, updateContactPhoto } from './contact-photos.ts';
import { searchContacts } from './contact-search.ts';
import { createContact, deleteContact, updateContact } from './contact-writes.ts';
import { batchGetGroups, getGroup, listGroups } from './group-reads.ts';
import { createGroup, deleteGroup, modifyMembers, updateGroup } from './group-writes.ts';
import { contactsReadOnlyScope, contactsScope, directoryScope, otherContactsScope } from './oauth-tokens.ts';
import { copyOtherContact, listOtherContacts, searchOtherContacts } from './other-contacts.ts';
import { batchGetPeople, getPerson, listConnections, refuseDirectory } from './people-reads.ts';
import type { Operation } from './world.ts';

const id = '([^/:]+)';

/** The row of a method. Omitted properties have the most frequent value as default. */
type Row = Pick<Operation, 'run' | 'answer'> & Partial<Pick<Operation, 'parameters' | 'reads' | 'scopes'>>;

function read(path: string, row: Row): Operation {
  const scopes = [[contactsScope], [contactsReadOnlyScope]];
  return { method: 'GET', path: pathPattern(path), mutates: false, parameters: [], reads: 'always', scopes, ...row };
}

function write(method: Operation['method'], path: string, row: Row): Operation {
  const scopes = [[contactsScope]];
  return { method, path: pathPattern(path), mutates: true, parameters: [], reads: 'never', scopes, ...row };
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^/v1/${path}$`);
}

const person = ['personFields', 'sources'];
const legacyMask = 'requestMask.includeField';
const page = ['pageSize', 'pageToken'];
const sync = ['requestSyncToken', 'syncToken'];

const peopleReads: readonly Operation[] = [
  read('people/me/connections', {
    run: listConnections,
    answer: answers.ListConnectionsResponse,
    parameters: [...person, legacyMask, ...page, ...sync, 'sortOrder'],
  }),
  read('people:batchGet', {
    run: batchGetPeople,
    answer: answers.GetPeopleResponse,
    parameters: [...person, legacyMask, 'resourceNames'],
  }),
  read('people:searchContacts', {
    run: searchContacts,
    answer: answers.SearchResponse,
    parameters: ['pageSize', 'query', 'readMask', 'sources'],
  }),
  read(`people/${id}`, { run: getPerson, answer: answers.Person, parameters: [...person, legacyMask] }),
];

const contactWrites: readonly Operation[] = [
  write('POST', 'people:createContact', {
    run: createContact,
    answer: answers.Person,
    parameters: person,
    reads: 'always',
  }),
  write('PATCH', `people/${id}:updateContact`, {
    run: updateContact,
    answer: answers.Person,
    parameters: [...person, 'updatePersonFields'],
    reads: 'always',
  }),
  write('DELETE', `people/${id}:deleteContact`, { run: deleteContact, answer: answers.Empty }),
  write('PATCH', `people/${id}:updateContactPhoto`, {
    run: updateContactPhoto,
    answer: answers.UpdateContactPhotoResponse,
    reads: 'withMask',
  }),
  write('DELETE', `people/${id}:deleteContactPhoto`, {
    run: deleteContactPhoto,
    answer: answers.DeleteContactPhotoResponse,
    parameters: person,
    reads: 'withMask',
  }),
  write('POST', 'people:batchCreateContacts', {
    run: batchCreateContacts,
    answer: answers.BatchCreateContactsResponse,
    reads: 'withMask',
  }),
  write('POST', 'people:batchUpdateContacts', {
    run: batchUpdateContacts,
    answer: answers.BatchUpdateContactsResponse,
    reads: 'withMask',
  }),
  write('POST', 'people:batchDeleteContacts', { run: batchDeleteContacts, answer: answers.Empty }),
];

const otherContacts: readonly Operation[] = [
  read('otherContacts', {
    run: listOtherContacts,
    answer: answers.ListOtherContactsResponse,
    parameters: [...page, ...sync, 'readMask', 'sources'],
    scopes: [[otherContactsScope]],
  }),
  read('otherContacts:search', {
    run: searchOtherContacts,
    answer: answers.SearchResponse,
    parameters: ['pageSize', 'query', 'readMask'],
    scopes: [[otherContactsScope]],
  }),
  write('POST', `otherContacts/${id}:copyOtherContactToMyContactsGroup`, {
    run: copyOtherContact,
    answer: answers.Person,
    reads: 'always',
    scopes: [[contactsScope, otherContactsScope]],
  }),
];

const directory: readonly Operation[] = [
  read('people:listDirectoryPeople', {
    run: refuseDirectory,
    answer: answers.ListDirectoryPeopleResponse,
    parameters: [...page, ...sync, 'mergeSources', 'readMask', 'sources'],
    scopes: [[directoryScope]],
  }),
  read('people:searchDirectoryPeople', {
    run: refuseDirectory,
    answer: answers.SearchDirectoryPeopleResponse,
    parameters: [...page, 'mergeSources', 'query', 'readMask', 'sources'],
    scopes: [[directoryScope]],
  }),
];

const groups: readonly Operation[] = [
  read('contactGroups', {
    run: listGroups,
    answer: answers.ListContactGroupsResponse,
    parameters: [...page, 'groupFields', 'syncToken'],
    reads: 'never',
  }),
  read('contactGroups:batchGet', {
    run: batchGetGroups,
    answer: answers.BatchGetContactGroupsResponse,
    parameters: ['groupFields', 'maxMembers', 'resourceNames'],
    reads: 'never',
  }),
  read(`contactGroups/${id}`, {
    run: getGroup,
    answer: answers.ContactGroup,
    parameters: ['groupFields', 'maxMembers'],
    reads: 'never',
  }),
  write('POST', 'contactGroups', { run: createGroup, answer: answers.ContactGroup }),
  write('PUT', `contactGroups/${id}`, { run: updateGroup, answer: answers.ContactGroup }),
  write('DELETE', `contactGroups/${id}`, {
    run: deleteGroup,
    answer: answers.Empty,
    parameters: ['deleteContacts'],
  }),
  write('POST', `contactGroups/${id}/members:modify`, {
    run: modifyMembers,
    answer: answers.ModifyContactGroupMembersResponse,
  }),
];

/**
 * Every method of the API that the emulator supports. Writes that return people read them after the write, so they also count
 * against the critical read quota. Reads of groups are not critical reads.
 */
export const operations: readonly Operation[] = [
  ...peopleReads,
  ...contactWrites,
  ...otherContacts,
  ...directory,
  ...groups,
];

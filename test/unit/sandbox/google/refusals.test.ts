import type { people_v1 } from '@googleapis/people';
import { describe, expect } from 'vitest';
import type { GoogleVariants } from '../../../../src/sandbox/google/variants.ts';
import { listPage, refusalOf, type Sandbox, startSandbox, test } from './support.ts';

type Person = people_v1.Schema$Person;
/** A call that is refused, in an account with the contact `ada` and the label `group`. */
type Call = (api: people_v1.People, ada: Person, group: people_v1.Schema$ContactGroup) => Promise<unknown>;
type Row = readonly [title: string, call: Call, status: number, code: string, message: string];

const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `people/c${index}`);

const create =
  (requestBody: object): Call =>
  (api) =>
    api.people.createContact({ requestBody });

const inGroup = (name: string): object => ({
  memberships: [{ contactGroupMembership: { contactGroupResourceName: `contactGroups/${name}` } }],
});

const update =
  (updatePersonFields: string, change: (ada: Person) => Person): Call =>
  (api, ada) => {
    const requestBody = change(ada);
    return api.people.updateContact({ resourceName: String(ada.resourceName), updatePersonFields, requestBody });
  };

const list =
  (parameters: object): Call =>
  (api) =>
    listPage(api, parameters);

const updateOwner: Call = (api) =>
  api.people.updateContact({ resourceName: 'people/me', updatePersonFields: 'names', requestBody: {} });

const batchGet =
  (count: number): Call =>
  (api) =>
    api.people.getBatchGet({ resourceNames: many(count), personFields: 'names' });

const batchCreate =
  (count: number): Call =>
  (api) =>
    api.people.batchCreateContacts({ requestBody: { contacts: many(count).map(() => ({ contactPerson: {} })) } });

const batchUpdate: Call = (api, ada) =>
  api.people.batchUpdateContacts({ requestBody: { contacts: { [String(ada.resourceName)]: ada } } });

/** Deletes the contact in the account and missing ones. */
const batchDelete =
  (count: number): Call =>
  (api, ada) =>
    api.people.batchDeleteContacts({ requestBody: { resourceNames: [String(ada.resourceName), ...many(count)] } });

const createGroup =
  (name: string): Call =>
  (api) =>
    api.contactGroups.create({ requestBody: { contactGroup: { name } } });

const renameGroup =
  (other?: { readonly resourceName: string }): Call =>
  (api, _ada, group) => {
    const { resourceName } = other ?? group;
    const requestBody = { contactGroup: { name: 'New', etag: 'old' } };
    return api.contactGroups.update({ resourceName: String(resourceName), requestBody });
  };

const modify =
  (resourceName: string, count: number): Call =>
  (api) =>
    api.contactGroups.members.modify({ resourceName, requestBody: { resourceNamesToAdd: many(count) } });

const INVALID = [400, 'INVALID_ARGUMENT'] as const;
const STALE = [400, 'FAILED_PRECONDITION'] as const;
const MISSING = [404, 'NOT_FOUND', 'Requested entity was not found.'] as const;
const NONE = { resourceName: 'people/c1' };
const STARRED = { resourceName: 'contactGroups/starred' };

const ROWS: readonly Row[] = [
  ['a contact with two names', create({ names: [{}, {}].map(() => ({ givenName: 'A' })) }), ...INVALID, 'singleton'],
  ['an unknown key', create({ names: [{ salary: 'A' }] }), ...INVALID, `Unknown name "salary" at 'person.names.0'`],
  ['a contact in a missing group', create(inGroup('none')), ...INVALID, 'does not exist'],
  ['a contact in a retired system group', create(inGroup('family')), ...INVALID, 'system contact group'],
  ['an update without an etag', update('names', () => ({})), ...INVALID, 'Request must set person.etag'],
  ['an update with a stale etag', update('names', ({ etag }) => ({ etag: etag ?? '' })), ...STALE, 'person.etag is'],
  [
    'an update with a stale source etag',
    update('names', ({ metadata }) => ({ metadata: metadata ?? {} })),
    ...STALE,
    'person.metadata.sources.etag is different than the current',
  ],
  [
    'an update with a source etag where the person etag belongs',
    update('names', ({ metadata }) => ({ etag: metadata?.sources?.[0]?.etag ?? '' })),
    ...STALE,
    'person.etag is different',
  ],
  ['an update of photos', update('photos', (ada) => ada), ...INVALID, 'mask path: "photos"'],
  ['an update without a mask', update('', (ada) => ada), ...INVALID, 'mask is required'],
  ['a read without a mask', list({ personFields: '' }), ...INVALID, 'personFields mask is required.'],
  ['a read of an unknown field', list({ personFields: 'names,salary' }), ...INVALID, 'mask path: "salary"'],
  ['an unknown source', list({ sources: ['SECRET'] }), ...INVALID, `Invalid value at 'sources'`],
  ['an unknown order', list({ sortOrder: 'RANDOM' }), ...INVALID, `Invalid value at 'sort_order'`],
  ['a page of more than 1,000', list({ pageSize: 1001 }), ...INVALID, 'between 1 and 1000'],
  ['a malformed page token', list({ pageToken: 'nonsense' }), ...INVALID, 'Page token is invalid.'],
  ['a malformed sync token', list({ syncToken: 'nonsense' }), ...INVALID, 'Sync token is invalid.'],
  ['a read of a missing contact', (api) => api.people.get({ ...NONE, personFields: 'names' }), ...MISSING],
  ['a deletion of a missing contact', (api) => api.people.deleteContact(NONE), ...MISSING],
  ['an update of the owner', updateOwner, ...INVALID, 'not that of a contact'],
  ['a batch of more than 200 reads', batchGet(201), ...INVALID, 'more than 200'],
  ['a batch of more than 200 creates', batchCreate(201), ...INVALID, 'more than 200'],
  ['an empty batch', batchCreate(0), ...INVALID, 'must set contacts'],
  ['a batch of updates without a mask', batchUpdate, ...INVALID, 'updateMask mask is required'],
  ['a batch of more than 500 deletions', batchDelete(501), ...INVALID, 'more than 500'],
  ['a batch of deletions with a missing contact', batchDelete(1), ...MISSING],
  ['a read of a missing group', (api) => api.contactGroups.get({ resourceName: 'contactGroups/1' }), ...MISSING],
  ['a group without a name', createGroup(''), ...INVALID, 'must set contact_group.name'],
  ['a group with a taken name', createGroup('Clients'), 409, 'ALREADY_EXISTS', 'Contact group name already exists.'],
  ['a group with an outdated etag', renameGroup(), 409, 'ABORTED', 'etag is outdated'],
  ['a new name for a system group', renameGroup(STARRED), ...INVALID, 'System contact groups cannot be changed'],
  ['the deletion of a system group', (api) => api.contactGroups.delete(STARRED), ...INVALID, 'System contact groups'],
  ['new members of a retired system group', modify('contactGroups/family', 1), ...INVALID, 'cannot be added'],
  ['members of a missing group', modify('contactGroups/none', 1), ...MISSING],
  ['more than 1,000 members', modify('contactGroups/starred', 1001), ...INVALID, 'more than 1000'],
];

async function stage(): Promise<Sandbox & { ada: Person; group: people_v1.Schema$ContactGroup }> {
  const sandbox = await startSandbox();
  const { api, emulator } = sandbox;
  const { data: ada } = await api.people.createContact({ requestBody: { names: [{ givenName: 'Ada' }] } });
  const { data: group } = await api.contactGroups.create({ requestBody: { contactGroup: { name: 'Clients' } } });
  emulator.account.updatePerson(String(ada.resourceName), { names: [{ givenName: 'Ada 2' }] });
  return { ...sandbox, ada, group };
}

describe('Google refuses', () => {
  test.each(ROWS)('%s', async (_title, call, status, code, message) => {
    await using sandbox = await stage();
    const before = JSON.stringify([sandbox.emulator.account.people(), sandbox.emulator.account.groups()]);
    const refusal = await refusalOf(call(sandbox.api, sandbox.ada, sandbox.group));
    expect(refusal).toMatchObject({ status, message: expect.stringContaining(message), error: { status: code } });
    expect(JSON.stringify([sandbox.emulator.account.people(), sandbox.emulator.account.groups()])).toBe(before);
  });

  test.each<readonly [Partial<GoogleVariants>, Call, number, string]>([
    [{ missingContact: 'internalError' }, (api) => api.people.deleteContact(NONE), 500, 'INTERNAL'],
    [{ duplicateGroup: 'ABORTED' }, createGroup('Clients'), 409, 'ABORTED'],
  ])('with another status under %j', async (variants, call, status, code) => {
    await using sandbox = await stage();
    sandbox.emulator.setVariants(variants);
    const refusal = await refusalOf(call(sandbox.api, sandbox.ada, sandbox.group));
    expect(refusal).toMatchObject({ status, error: { status: code } });
  });

  test('an update that leaves a contact without a group', async ({ api }) => {
    const { data: ada } = await api.people.createContact({ requestBody: {} });
    const change = { resourceName: String(ada.resourceName), updatePersonFields: 'memberships' };
    const refusal = refusalOf(api.people.updateContact({ ...change, requestBody: { ...ada, memberships: [] } }));
    expect(await refusal).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
  });
});

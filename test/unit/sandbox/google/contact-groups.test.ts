import { describe, expect } from 'vitest';
import { listAll, refusalOf, type Sandbox, startSandbox, test } from './support.ts';

async function createGroup({ api }: Sandbox, name: string) {
  return (await api.contactGroups.create({ requestBody: { contactGroup: { name } } })).data;
}

function modify({ api }: Sandbox, resourceName: string, add: string[], remove: string[] = []) {
  return api.contactGroups.members.modify({
    resourceName,
    requestBody: { resourceNamesToAdd: add, resourceNamesToRemove: remove },
  });
}

describe('the list of groups', () => {
  test('has system groups without etag and user groups with one, and leaves counts of zero out', async () => {
    await using sandbox = await startSandbox();
    const clients = sandbox.emulator.account.createGroup('Clients');
    sandbox.emulator.account.createPerson({}, { groups: [clients] });
    const { data } = await sandbox.api.contactGroups.list();
    expect(data.contactGroups?.[0]).toEqual({
      resourceName: 'contactGroups/myContacts',
      groupType: 'SYSTEM_CONTACT_GROUP',
      name: 'myContacts',
      formattedName: 'My Contacts',
    });
    expect(data.contactGroups?.find(({ name }) => name === 'all')?.memberCount).toBe(1);
    expect(data.contactGroups?.at(-1)).toEqual({
      resourceName: clients,
      etag: expect.stringMatching(/^.{11}=$/),
      metadata: { updateTime: '2026-01-01T00:00:00.000Z' },
      groupType: 'USER_CONTACT_GROUP',
      name: 'Clients',
      formattedName: 'Clients',
      memberCount: 1,
    });
    expect(data.totalItems).toBe(9);
  });

  test('comes in pages of 30', async ({ api, account }) => {
    for (let index = 0; index < 25; index += 1) account.createGroup(`G${index}`);
    const { data: first } = await api.contactGroups.list({ groupFields: 'name' });
    expect(first.contactGroups).toHaveLength(30);
    const { data: last } = await api.contactGroups.list({ pageToken: String(first.nextPageToken) });
    expect(last.contactGroups).toHaveLength(3);
    expect(last.nextPageToken).toBeUndefined();
    expect(await refusalOf(api.contactGroups.list({ pageToken: 'nonsense' }))).toMatchObject({ status: 400 });
  });
});

describe('one group', () => {
  test('is read with the requested number of members', async ({ api, account }) => {
    const resourceName = account.createGroup('Clients');
    const people = [1, 2].map(() => account.createPerson({}, { groups: [resourceName] }));
    const { data } = await api.contactGroups.get({ resourceName });
    expect(data).not.toHaveProperty('memberResourceNames');
    const { data: one } = await api.contactGroups.get({ resourceName, maxMembers: 1 });
    expect(one).toMatchObject({ memberResourceNames: people.slice(0, 1), memberCount: 2 });
    expect(await refusalOf(api.contactGroups.get({ resourceName: 'contactGroups/1' }))).toMatchObject({
      status: 404,
    });
  });

  test('is created with client data and a name that no other user group has', async ({ sandbox, api, emulator }) => {
    const contactGroup = { name: 'Family', clientData: [{ key: 'k', value: 'v' }] };
    const requestBody = { contactGroup, readGroupFields: 'name,clientData' };
    const { data } = await api.contactGroups.create({ requestBody });
    expect(data).toMatchObject(contactGroup);
    expect(data.resourceName).toMatch(/^contactGroups\/[0-9a-f]+$/);
    expect(await refusalOf(createGroup(sandbox, 'Family'))).toMatchObject({
      status: 409,
      message: 'Contact group name already exists.',
      error: { status: 'ALREADY_EXISTS' },
    });
    emulator.setVariants({ duplicateGroup: 'ABORTED' });
    expect(await refusalOf(createGroup(sandbox, 'Family'))).toMatchObject({
      status: 409,
      error: { status: 'ABORTED' },
    });
    expect(await refusalOf(createGroup(sandbox, ''))).toMatchObject({ status: 400 });
  });

  test('is renamed with its etag; a stale etag and a used name return 409', async ({ sandbox, api }) => {
    await createGroup(sandbox, 'Taken');
    const group = await createGroup(sandbox, 'Old');
    const rename = (name: string) =>
      api.contactGroups.update({
        resourceName: String(group.resourceName),
        requestBody: { contactGroup: { etag: String(group.etag), name } },
      });
    expect(await refusalOf(rename('Taken'))).toMatchObject({
      status: 409,
      message: 'Contact group name already exists.',
    });
    expect((await rename('New')).data.name).toBe('New');
    const stale = await refusalOf(rename('Newer'));
    expect(stale.status).toBe(409);
    expect(stale.message).toContain('etag is outdated');
  });

  test('of the system is neither changed nor deleted', async ({ api }) => {
    const resourceName = 'contactGroups/starred';
    const requestBody = { contactGroup: { name: 'Stars' } };
    expect(await refusalOf(api.contactGroups.update({ resourceName, requestBody }))).toMatchObject({
      status: 400,
    });
    expect(await refusalOf(api.contactGroups.delete({ resourceName }))).toMatchObject({ status: 400 });
  });

  test('is deleted alone, or with its contacts', async ({ api, account }) => {
    const [kept, dropped] = ['Kept', 'Dropped'].map((name) => account.createGroup(name));
    const stays = account.createPerson({}, { groups: [String(kept)] });
    const goes = account.createPerson({}, { groups: [String(dropped)] });
    await api.contactGroups.delete({ resourceName: String(kept) });
    await api.contactGroups.delete({ resourceName: String(dropped), deleteContacts: true });
    expect(account.groups()).toEqual([]);
    expect(account.person(goes)).toBeUndefined();
    expect(account.person(stays)?.memberships?.[0]?.contactGroupMembership?.contactGroupId).toBe('myContacts');
  });
});

describe('the members of a group', () => {
  test('are added and removed, and the changes that failed are reported', async ({ sandbox, account }) => {
    const clients = account.createGroup('Clients');
    const [ada, bob] = [account.createPerson({}), account.createPerson({}, { groups: [clients] })];
    const { data } = await modify(sandbox, clients, [ada, 'people/c1'], [bob]);
    expect(data).toEqual({
      notFoundResourceNames: ['people/c1'],
      canNotRemoveLastContactGroupResourceNames: [bob],
    });
    expect(account.person(ada)?.memberships).toHaveLength(2);
    expect((await modify(sandbox, clients, [ada], [])).data).toEqual({});
    expect((await modify(sandbox, clients, [], [ada])).data).toEqual({});
    expect(account.person(ada)?.memberships).toHaveLength(1);
  });

  test('are at most 1000 in one request, and are not added to retired system groups', async ({ sandbox }) => {
    const names = Array.from({ length: 1001 }, (_, index) => `people/c${index}`);
    expect(await refusalOf(modify(sandbox, 'contactGroups/starred', names))).toMatchObject({ status: 400 });
    expect((await modify(sandbox, 'contactGroups/starred', names.slice(1))).data.notFoundResourceNames).toHaveLength(
      1000,
    );
    expect(await refusalOf(modify(sandbox, 'contactGroups/family', names.slice(1)))).toMatchObject({ status: 400 });
    expect(await refusalOf(modify(sandbox, 'contactGroups/none', names.slice(1)))).toMatchObject({ status: 404 });
  });

  test.each([
    ['changeContact', true],
    ['leaveContact', false],
  ] as const)('%s when they change', async (membershipChanges, changes) => {
    await using sandbox = await startSandbox({ variants: { membershipChanges } });
    const { account } = sandbox.emulator;
    const clients = account.createGroup('Clients');
    const ada = account.createPerson({});
    const etag = account.person(ada)?.etag;
    const { syncToken } = await listAll(sandbox.api);
    await modify(sandbox, clients, [ada]);
    expect(account.person(ada)?.memberships).toHaveLength(2);
    expect(account.person(ada)?.etag !== etag).toBe(changes);
    expect((await listAll(sandbox.api, { syncToken })).people).toHaveLength(changes ? 1 : 0);
    expect((await listAll(sandbox.api, { personFields: 'memberships' })).people[0]?.memberships).toHaveLength(2);
  });
});

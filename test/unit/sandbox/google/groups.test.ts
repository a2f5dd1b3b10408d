import { expect } from 'vitest';
import { listAll, startSandbox, test } from './support.ts';

test('the list has system groups without etag and labels with one, and omits counts of zero', async () => {
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
  expect(data.contactGroups?.at(-1)).toEqual({
    resourceName: clients,
    etag: expect.stringMatching(/^.{11}=$/u),
    metadata: { updateTime: '2026-01-01T00:00:00.000Z' },
    groupType: 'USER_CONTACT_GROUP',
    name: 'Clients',
    formattedName: 'Clients',
    memberCount: 1,
  });
  expect(data.totalItems).toBe(9);
});

test('the list has pages of 30 groups', async ({ api, account }) => {
  for (let index = 0; index < 25; index += 1) account.createGroup(`G${index}`);
  const { data: first } = await api.contactGroups.list();
  const { data: last } = await api.contactGroups.list({ pageToken: String(first.nextPageToken) });
  expect([first.contactGroups?.length, last.contactGroups?.length, last.nextPageToken]).toEqual([30, 3, undefined]);
});

test.each([
  ['changeContact', true],
  ['leaveContact', false],
] as const)(
  'a change of members reports the names that failed, and is a change of the contact under %s',
  async (membershipChanges, isChange) => {
    await using sandbox = await startSandbox({ variants: { membershipChanges } });
    const { api, emulator } = sandbox;
    const clients = emulator.account.createGroup('Clients');
    const [ada, bob] = [emulator.account.createPerson({}), emulator.account.createPerson({}, { groups: [clients] })];
    const { syncToken } = await listAll(api);
    const requestBody = { resourceNamesToAdd: [ada, 'people/c1'], resourceNamesToRemove: [bob] };
    const { data } = await api.contactGroups.members.modify({ resourceName: clients, requestBody });
    expect(data).toEqual({
      notFoundResourceNames: ['people/c1'],
      canNotRemoveLastContactGroupResourceNames: [bob],
    });
    expect(emulator.account.person(ada)?.memberships).toHaveLength(2);
    expect((await listAll(api, { syncToken })).people).toHaveLength(isChange ? 1 : 0);
  },
);

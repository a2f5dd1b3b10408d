import { describe, expect } from 'vitest';
import { listAll, refusalOf, type Sandbox, startSandbox, test } from './support.ts';

const named = (givenName: string, email: string) => ({ names: [{ givenName }], emailAddresses: [{ value: email }] });

async function mergeTwo(sandbox: Sandbox) {
  const { account } = sandbox.emulator;
  const survivor = account.createPerson(named('Ada', 'ada@x.example'));
  const group = account.createGroup('Clients');
  const loser = account.createPerson(named('Ada L', 'lovelace@x.example'), { groups: [group] });
  const { syncToken } = await listAll(sandbox.api);
  account.mergePeople(survivor, [loser]);
  const delta = (await listAll(sandbox.api, { syncToken })).people;
  return { survivor, loser, delta };
}

describe('a merge in the web interface', () => {
  test('unites the list values and groups, and keeps the name of the survivor', async ({ sandbox, account }) => {
    const { survivor } = await mergeTwo(sandbox);
    const person = account.person(survivor);
    expect(person?.names?.map(({ givenName }) => givenName)).toEqual(['Ada']);
    expect(person?.emailAddresses?.map(({ value }) => value)).toEqual(['ada@x.example', 'lovelace@x.example']);
    expect(person?.memberships).toHaveLength(2);
    expect(account.people()).toHaveLength(1);
  });

  test('leaves a tombstone of the merged-away contact', async ({ sandbox }) => {
    const { survivor, loser, delta } = await mergeTwo(sandbox);
    expect(delta.map(({ resourceName, metadata }) => [resourceName, metadata?.deleted])).toEqual([
      [survivor, undefined],
      [loser, true],
    ]);
    expect(delta[0]?.metadata).not.toHaveProperty('previousResourceNames');
  });

  test('adds the merged-away name to the former names of the survivor in that variant, without a tombstone', async () => {
    await using sandbox = await startSandbox({ variants: { mergeEvents: 'survivorRenamed' } });
    const { survivor, loser, delta } = await mergeTwo(sandbox);
    expect(delta).toHaveLength(1);
    expect(delta[0]).toMatchObject({ resourceName: survivor, metadata: { previousResourceNames: [loser] } });
    const { data } = await sandbox.api.people.get({ resourceName: loser, personFields: 'metadata' });
    expect(data.resourceName).toBe(survivor);
    expect(data.metadata).not.toHaveProperty('previousResourceNames');
  });

  test('reports both in that variant', async ({ sandbox, api, emulator }) => {
    emulator.setVariants({ mergeEvents: 'both' });
    const { loser, delta } = await mergeTwo(sandbox);
    expect(delta).toHaveLength(2);
    expect(delta.find(({ metadata }) => metadata?.previousResourceNames)?.metadata?.previousResourceNames).toEqual([
      loser,
    ]);
    expect(delta.find(({ metadata }) => metadata?.deleted)?.resourceName).toBe(loser);
    const read = api.people.get({ resourceName: loser, personFields: 'names' });
    expect(await refusalOf(read)).toMatchObject({ status: 404 });
  });
});

describe('a new resource name', () => {
  test.each([
    ['newName', 1],
    ['newNameAndTombstone', 2],
  ] as const)('keeps the source id and lists the old name (%s)', async (renameEvents, events) => {
    await using sandbox = await startSandbox({ variants: { renameEvents } });
    const { account } = sandbox.emulator;
    const old = account.createPerson(named('Ada', 'ada@x.example'));
    const before = account.person(old)?.metadata?.sources?.[0]?.id;
    const { syncToken } = await listAll(sandbox.api);
    const resourceName = account.renamePerson(old);
    const delta = (await listAll(sandbox.api, { syncToken })).people;
    expect(delta).toHaveLength(events);
    const living = delta.find(({ metadata }) => !metadata?.deleted);
    expect(living?.resourceName).toBe(resourceName);
    expect(living?.metadata).toMatchObject({
      previousResourceNames: [old],
      sources: [{ type: 'CONTACT', id: before }],
    });
    const full = (await listAll(sandbox.api)).people;
    expect(full).toHaveLength(1);
    expect(full[0]?.metadata).not.toHaveProperty('previousResourceNames');
  });
});

describe('the owner in the web interface', () => {
  test('changes groups, fields and names', async ({ account }) => {
    const clients = account.createGroup('Clients');
    const ada = account.createPerson(named('Ada', 'ada@x.example'));
    account.setGroups(ada, [clients]);
    account.updatePerson(ada, { emailAddresses: [] });
    account.renameGroup(clients, 'Customers');
    expect(account.person(ada)).toMatchObject({ names: [{ givenName: 'Ada' }], memberships: [{}] });
    expect(account.person(ada)).not.toHaveProperty('emailAddresses');
    expect(account.groups()).toEqual([{ resourceName: clients, name: 'Customers' }]);
    account.deleteGroup(clients);
    account.deletePerson(ada);
    expect([account.groups(), account.people()]).toEqual([[], []]);
  });

  test('cannot change a missing contact, nor leave a contact without a group', async ({ account }) => {
    const ada = account.createPerson({});
    account.createGroup('Clients');
    expect(() => account.deletePerson('people/c1')).toThrow('no contact people/c1');
    expect(() => account.createPerson({}, { groups: ['contactGroups/1'] })).toThrow('no group contactGroups/1');
    expect(() => account.createGroup('Clients')).toThrow('already has a group');
    expect(() => account.setGroups(ada, [])).toThrow('one group at least');
  });
});

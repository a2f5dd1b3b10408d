import { describe, expect } from 'vitest';
import { listAll, startSandbox, test } from './support.ts';

const named = (givenName: string, email: string) => ({ names: [{ givenName }], emailAddresses: [{ value: email }] });

describe('a merge in the web interface', () => {
  test.each([
    ['loserDeleted', 1, false],
    ['survivorRenamed', 0, true],
    ['both', 1, true],
  ] as const)('unites the contacts, and a delta has the events of the variant %s', async (mergeEvents, ...events) => {
    const [tombstones, hasFormerName] = events;
    await using sandbox = await startSandbox({ variants: { mergeEvents } });
    const { account } = sandbox.emulator;
    const survivor = account.createPerson(named('Ada', 'ada@x.example'));
    const group = account.createGroup('Clients');
    const loser = account.createPerson(named('Ada L', 'lovelace@x.example'), { groups: [group] });
    const { syncToken } = await listAll(sandbox.api);
    account.mergePeople(survivor, [loser]);
    const merged = account.person(survivor);
    expect(merged?.names?.map(({ givenName }) => givenName)).toEqual(['Ada']);
    expect(merged?.emailAddresses?.map(({ value }) => value)).toEqual(['ada@x.example', 'lovelace@x.example']);
    expect([merged?.memberships?.length, account.people().length]).toEqual([2, 1]);
    const delta = (await listAll(sandbox.api, { syncToken })).people;
    expect(delta.filter(({ metadata }) => metadata?.deleted)).toHaveLength(tombstones);
    const former = delta.find(({ resourceName }) => resourceName === survivor)?.metadata?.previousResourceNames;
    expect(former).toEqual(hasFormerName ? [loser] : undefined);
  });
});

test('an action on a missing contact or group, or that leaves a contact without a group, throws', ({ account }) => {
  const ada = account.createPerson({});
  account.createGroup('Clients');
  expect(() => account.deletePerson('people/c1')).toThrow('no contact people/c1');
  expect(() => account.createPerson({}, { groups: ['contactGroups/1'] })).toThrow('no group contactGroups/1');
  expect(() => account.createGroup('Clients')).toThrow('already has a group');
  expect(() => account.setGroups(ada, [])).toThrow('one group at least');
});

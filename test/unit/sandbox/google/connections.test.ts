import { describe, expect } from 'vitest';
import { dayMs, listAll, listPage, minuteMs, namesOf, refusalOf, startSandbox, test } from './support.ts';

const named = (givenName: string) => ({ names: [{ givenName }] });

describe('a full listing', () => {
  test('shows changes that are made while it is read, on its later pages or in the next delta', async () => {
    await using sandbox = await startSandbox();
    const { account } = sandbox.emulator;
    const [ada, bob] = ['Ada', 'Bob', 'Cyd'].map((name) => account.createPerson(named(name)));
    const first = (await listPage(sandbox.api, { pageSize: 2 })).data;
    account.updatePerson(String(ada), named('Ada 2'));
    account.deletePerson(String(bob));
    const rest = await listAll(sandbox.api, { pageSize: 2, pageToken: String(first.nextPageToken) });
    expect(namesOf(rest.people)).toEqual(['Cyd', 'Ada 2']);
    const delta = await listAll(sandbox.api, { pageSize: 2, syncToken: rest.syncToken });
    expect(delta.people.map(({ resourceName }) => resourceName)).toEqual([ada, bob]);
    expect(delta.people[1]?.metadata?.deleted).toBe(true);
  });

  test('cuts email addresses at 100, unlike a get', async ({ api, account }) => {
    const values = Array.from({ length: 101 }, (_, index) => ({ value: `n${index}@x.example` }));
    const resourceName = account.createPerson({ emailAddresses: values });
    const { people } = await listAll(api, { personFields: 'emailAddresses' });
    const { data } = await api.people.get({ resourceName, personFields: 'emailAddresses' });
    expect([people[0]?.emailAddresses?.length, data.emailAddresses?.length]).toEqual([100, 101]);
  });
});

describe('a delta', () => {
  test('has each changed contact once, deleted ones with metadata only', async ({ api, account }) => {
    const [ada, bob] = ['Ada', 'Bob', 'Cyd'].map((name) => account.createPerson(named(name)));
    const full = await listAll(api);
    account.deletePerson(String(bob));
    account.updatePerson(String(ada), named('Ada 2'));
    account.updatePerson(String(ada), named('Ada 3'));
    account.createPerson(named('Dee'));
    const delta = await listAll(api, { syncToken: full.syncToken });
    expect(namesOf(delta.people)).toEqual([undefined, 'Ada 3', 'Dee']);
    const id = full.people[1]?.metadata?.sources?.[0]?.id;
    expect(delta.people[0]).toEqual({
      resourceName: bob,
      etag: expect.stringMatching(/^%/u),
      metadata: { deleted: true, objectType: 'PERSON', sources: [{ type: 'CONTACT', id }] },
    });
    expect((await listAll(api, { syncToken: delta.syncToken })).people).toEqual([]);
  });

  test('returns a change after the propagation delay, in its state at that time', async () => {
    await using sandbox = await startSandbox({ propagationDelayMs: 2 * minuteMs });
    const { syncToken } = await listAll(sandbox.api);
    const ada = sandbox.emulator.account.createPerson(named('Ada'));
    sandbox.clock.nowMs += minuteMs;
    sandbox.emulator.account.updatePerson(ada, named('Ada 2'));
    const seen: unknown[] = [];
    let token = syncToken;
    for (let minute = 1; minute < 4; minute += 1) {
      const delta = await listAll(sandbox.api, { syncToken: token });
      seen.push(namesOf(delta.people));
      token = delta.syncToken;
      sandbox.clock.nowMs += minuteMs;
    }
    expect(seen).toEqual([[], ['Ada'], ['Ada 2']]);
  });

  test('refuses parameters other than those of the first request, in any order of the mask', async () => {
    await using sandbox = await startSandbox();
    for (const name of ['Ada', 'Bob']) sandbox.emulator.account.createPerson(named(name));
    const { api } = sandbox;
    const { syncToken } = await listAll(api);
    const { data } = await listPage(api, { pageSize: 1 });
    const bySync = await refusalOf(listPage(api, { syncToken, personFields: 'names' }));
    const byPage = await refusalOf(listPage(api, { pageToken: String(data.nextPageToken), pageSize: 2 }));
    expect([bySync.status, byPage.status]).toEqual([400, 400]);
    expect([bySync.message, byPage.message].join()).toMatch(/sync_token.*page_token/u);
    expect((await listPage(api, { syncToken, personFields: 'metadata,names' })).status).toBe(200);
  });
});

describe('the expiry of a sync token', () => {
  test.each(['INVALID_ARGUMENT', 'FAILED_PRECONDITION'] as const)(
    'is a 400 with the reason EXPIRED_SYNC_TOKEN and status %s seven days after the full sync',
    async (status) => {
      await using sandbox = await startSandbox({ variants: { expiredSyncTokenStatus: status } });
      const { syncToken } = await listAll(sandbox.api);
      sandbox.clock.nowMs += 7 * dayMs - 1;
      const later = await listAll(sandbox.api, { syncToken });
      sandbox.clock.nowMs += 1;
      const message = 'Sync token is expired. Clear local cache and retry call without the sync token.';
      const type = 'type.googleapis.com/google.rpc.ErrorInfo';
      const details = [{ '@type': type, reason: 'EXPIRED_SYNC_TOKEN', domain: 'people.googleapis.com' }];
      const error = { code: 400, message, status, details };
      const refusal = await refusalOf(listPage(sandbox.api, { syncToken: later.syncToken }));
      expect(refusal).toEqual({ status: 400, message, error });
    },
  );

  test('moves with each incremental request under the variant extendExpiry', async ({ api, clock, emulator }) => {
    emulator.setVariants({ incrementalTokens: 'extendExpiry' });
    const { syncToken } = await listAll(api);
    clock.nowMs += 6 * dayMs;
    const later = await listAll(api, { syncToken });
    clock.nowMs += 6 * dayMs;
    expect((await listPage(api, { syncToken: later.syncToken })).status).toBe(200);
  });
});

test('an account of 25,000 contacts is listed in 25 pages, and is full', async ({ api, account, emulator }) => {
  for (let index = 0; index < 25_000; index += 1) account.createPerson(named(`N${index}`));
  const { people, pages } = await listAll(api, { pageSize: 1000 });
  expect([new Set(people.map(({ resourceName }) => resourceName)).size, pages]).toEqual([25_000, 25]);
  const create = () => refusalOf(api.people.createContact({ requestBody: named('One more') }));
  expect(await create()).toMatchObject({
    status: 429,
    message: expect.stringContaining('MY_CONTACTS_OVERFLOW_COUNT'),
    error: { status: 'RESOURCE_EXHAUSTED' },
  });
  emulator.setVariants({ contactLimitBody: 'errorInfo' });
  expect((await create()).error?.details?.[0]).toMatchObject({ reason: 'MY_CONTACTS_OVERFLOW_COUNT' });
});

test.each([
  ['loserDeleted', 1, false],
  ['survivorRenamed', 0, true],
  ['both', 1, true],
] as const)(
  'a merge in the web interface unites the contacts, and a delta has the events of the variant %s',
  async (mergeEvents, tombstones, hasFormerName) => {
    await using sandbox = await startSandbox({ variants: { mergeEvents } });
    const { account } = sandbox.emulator;
    const survivor = account.createPerson({ ...named('Ada'), emailAddresses: [{ value: 'ada@x.example' }] });
    const group = account.createGroup('Clients');
    const loser = account.createPerson({ emailAddresses: [{ value: 'b@x.example' }] }, { groups: [group] });
    const { syncToken } = await listAll(sandbox.api);
    account.mergePeople(survivor, [loser]);
    const merged = account.person(survivor);
    expect(merged?.names?.map(({ givenName }) => givenName)).toEqual(['Ada']);
    expect(merged?.emailAddresses?.map(({ value }) => value)).toEqual(['ada@x.example', 'b@x.example']);
    expect([merged?.memberships?.length, account.people().length]).toEqual([2, 1]);
    const delta = (await listAll(sandbox.api, { syncToken })).people;
    expect(delta.filter(({ metadata }) => metadata?.deleted)).toHaveLength(tombstones);
    const former = delta.find(({ resourceName }) => resourceName === survivor)?.metadata?.previousResourceNames;
    expect(former).toEqual(hasFormerName ? [loser] : undefined);
  },
);

import { describe, expect } from 'vitest';
import { dayMs, listAll, listPage, minuteMs, namesOf, refusalOf, startSandbox, test } from './support.ts';

const named = (givenName: string) => ({ names: [{ givenName }] });

describe('a full listing', () => {
  test('leaves connections, totals and tokens out if the account is empty', async ({ api }) => {
    const { data } = await listPage(api, { requestSyncToken: false });
    expect(data).toEqual({});
  });

  test('returns every contact once, and the sync token on the last page only', async ({ api, account }) => {
    for (const name of ['Ada', 'Bob', 'Cyd']) account.createPerson(named(name));
    const first = (await listPage(api, { pageSize: 2 })).data;
    expect(namesOf(first.connections ?? [])).toEqual(['Ada', 'Bob']);
    expect(first.nextSyncToken).toBeUndefined();
    expect(first).toMatchObject({ totalItems: 3, totalPeople: 3 });
    const last = (await listPage(api, { pageSize: 2, pageToken: String(first.nextPageToken) })).data;
    expect(namesOf(last.connections ?? [])).toEqual(['Cyd']);
    expect(last.nextPageToken).toBeUndefined();
    expect(last.nextSyncToken).toMatch(/^[\w-]{80,140}$/);
  });

  test('has pages of 100 by default, and refuses more than 1000', async ({ api, account }) => {
    for (let index = 0; index < 101; index += 1) account.createPerson(named(`N${index}`));
    const { data } = await listPage(api);
    expect(data.connections).toHaveLength(100);
    expect(await refusalOf(listPage(api, { pageSize: 1001 }))).toMatchObject({ status: 400 });
  });

  test('shows changes that were made while it was read, on its later pages or in the next delta', async () => {
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

  test('has the newest first if requested, when no sync token is requested', async ({ api, account }) => {
    for (const name of ['Bob', 'Cyd', 'Ada']) account.createPerson(named(name));
    const read = async (sortOrder: string) =>
      namesOf((await listAll(api, { requestSyncToken: false, pageSize: 2, sortOrder })).people);
    expect(await read('LAST_MODIFIED_DESCENDING')).toEqual(['Ada', 'Cyd', 'Bob']);
    expect(await read('LAST_MODIFIED_ASCENDING')).toEqual(['Bob', 'Cyd', 'Ada']);
  });

  test('cuts emails and phones at 100, unlike a get', async ({ api, account }) => {
    const values = Array.from({ length: 101 }, (_, index) => ({ value: `n${index}@x.example` }));
    const name = account.createPerson({ emailAddresses: values });
    const { people } = await listAll(api, { personFields: 'emailAddresses' });
    expect(people[0]?.emailAddresses).toHaveLength(100);
    const { data } = await api.people.get({ resourceName: name, personFields: 'emailAddresses' });
    expect(data.emailAddresses).toHaveLength(101);
  });

  test.each([
    [{ personFields: '' }, 'personFields mask is required.'],
    [{ personFields: 'names,salary' }, 'Invalid personFields mask path: "salary".'],
    [{ sources: ['SECRET'] }, `Invalid value at 'sources'`],
    [{ sortOrder: 'RANDOM' }, `Invalid value at 'sort_order'`],
    [{ pageToken: 'nonsense' }, 'Page token is invalid.'],
  ])('refuses %j', async (parameters, message) => {
    await using sandbox = await startSandbox();
    const refusal = await refusalOf(listPage(sandbox.api, parameters));
    expect(refusal).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
    expect(refusal.message).toContain(message);
  });

  test('uses an additional quota for the first page of a full sync', async () => {
    const quotas = { readsPerMinute: 100, writesPerMinute: 100, fullSyncsPerMinute: 1 };
    await using sandbox = await startSandbox({ quotas });
    const { syncToken } = await listAll(sandbox.api);
    await listAll(sandbox.api, { syncToken });
    const refusal = await refusalOf(listPage(sandbox.api));
    expect(refusal).toMatchObject({ status: 429, error: { status: 'RESOURCE_EXHAUSTED' } });
    expect(refusal.error?.details?.[0]).toMatchObject({ '@type': 'type.googleapis.com/google.rpc.QuotaFailure' });
    sandbox.clock.nowMs += minuteMs;
    expect((await listPage(sandbox.api)).status).toBe(200);
  });
});

describe('a delta', () => {
  test('has created, changed and deleted contacts, each once, and continues from there', async ({ api, account }) => {
    const [ada, bob] = ['Ada', 'Bob', 'Cyd'].map((name) => account.createPerson(named(name)));
    const full = await listAll(api);
    account.deletePerson(String(bob));
    account.updatePerson(String(ada), named('Ada 2'));
    account.updatePerson(String(ada), named('Ada 3'));
    account.createPerson(named('Dee'));
    const delta = await listAll(api, { syncToken: full.syncToken });
    expect(delta.people).toHaveLength(3);
    expect(namesOf(delta.people)).toEqual([undefined, 'Ada 3', 'Dee']);
    expect((await listAll(api, { syncToken: delta.syncToken })).people).toEqual([]);
  });

  test('comes in pages', async ({ api, account }) => {
    const { syncToken } = await listAll(api, { pageSize: 2 });
    for (const name of ['Ada', 'Bob', 'Cyd']) account.createPerson(named(name));
    const delta = await listAll(api, { syncToken, pageSize: 2 });
    expect(delta.pages).toBe(2);
    expect(namesOf(delta.people)).toEqual(['Ada', 'Bob', 'Cyd']);
  });

  test('shows a deleted contact with metadata only', async ({ api, account }) => {
    const ada = account.createPerson(named('Ada'));
    const full = await listAll(api);
    account.deletePerson(ada);
    const [tombstone] = (await listAll(api, { syncToken: full.syncToken })).people;
    const source = full.people[0]?.metadata?.sources?.[0];
    expect(tombstone).toEqual({
      resourceName: ada,
      etag: expect.stringMatching(/^%/),
      metadata: { deleted: true, objectType: 'PERSON', sources: [{ type: 'CONTACT', id: source?.id }] },
    });
  });

  test('shows a contact as it was at the end of the delay, although it was changed again', async () => {
    await using sandbox = await startSandbox({ propagationDelayMs: minuteMs });
    const { account } = sandbox.emulator;
    const { syncToken } = await listAll(sandbox.api);
    const ada = account.createPerson(named('Ada'));
    sandbox.clock.nowMs += minuteMs / 2;
    account.updatePerson(ada, named('Ada 2'));
    sandbox.clock.nowMs += minuteMs / 2;
    const early = await listAll(sandbox.api, { syncToken });
    expect(namesOf(early.people)).toEqual(['Ada']);
    sandbox.clock.nowMs += minuteMs / 2;
    expect(namesOf((await listAll(sandbox.api, { syncToken: early.syncToken })).people)).toEqual(['Ada 2']);
  });

  test('returns changes only after the propagation delay', async () => {
    await using sandbox = await startSandbox({ propagationDelayMs: 3 * minuteMs });
    const { syncToken } = await listAll(sandbox.api);
    sandbox.emulator.account.createPerson(named('Ada'));
    const early = await listAll(sandbox.api, { syncToken });
    expect(early.people).toEqual([]);
    sandbox.clock.nowMs += 3 * minuteMs;
    expect(namesOf((await listAll(sandbox.api, { syncToken: early.syncToken })).people)).toEqual(['Ada']);
  });

  test('repeats the changes that a full listing read within the propagation delay', async () => {
    await using sandbox = await startSandbox({ propagationDelayMs: minuteMs });
    sandbox.emulator.account.createPerson(named('Ada'));
    const full = await listAll(sandbox.api);
    expect(namesOf(full.people)).toEqual(['Ada']);
    sandbox.clock.nowMs += minuteMs;
    expect(namesOf((await listAll(sandbox.api, { syncToken: full.syncToken })).people)).toEqual(['Ada']);
  });

  test('refuses parameters that differ from those of the first request', async ({ api, account }) => {
    for (const name of ['Ada', 'Bob']) account.createPerson(named(name));
    const { syncToken } = await listAll(api);
    const { data } = await listPage(api, { pageSize: 1 });
    const pageToken = String(data.nextPageToken);
    const bySync = await refusalOf(listPage(api, { syncToken, personFields: 'names' }));
    const byPage = await refusalOf(listPage(api, { pageToken, pageSize: 2 }));
    expect(bySync).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
    expect(bySync.message).toContain('sync_token');
    expect(byPage.message).toContain('page_token');
  });

  test('does not treat the order of the mask as a change of it', async ({ api }) => {
    const { syncToken } = await listAll(api, { personFields: 'names,metadata' });
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
      expect(await refusalOf(listPage(sandbox.api, { syncToken: later.syncToken }))).toEqual({
        status: 400,
        message: 'Sync token is expired. Clear local cache and retry call without the sync token.',
        error: {
          code: 400,
          message: 'Sync token is expired. Clear local cache and retry call without the sync token.',
          status,
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'EXPIRED_SYNC_TOKEN',
              domain: 'people.googleapis.com',
            },
          ],
        },
      });
    },
  );

  test('moves with each incremental request in that variant', async ({ api, clock, emulator }) => {
    emulator.setVariants({ incrementalTokens: 'extendExpiry' });
    const { syncToken } = await listAll(api);
    clock.nowMs += 6 * dayMs;
    const later = await listAll(api, { syncToken });
    clock.nowMs += 6 * dayMs;
    expect((await listPage(api, { syncToken: later.syncToken })).status).toBe(200);
  });

  test('can be forced for the tokens issued until now', async ({ api, emulator }) => {
    const { syncToken } = await listAll(api);
    emulator.expireSyncTokens();
    expect((await refusalOf(listPage(api, { syncToken }))).message).toContain('Sync token is expired');
    const fresh = await listAll(api);
    expect((await listPage(api, { syncToken: fresh.syncToken })).status).toBe(200);
  });

  test('does not apply to a malformed token', async ({ api }) => {
    const refusal = await refusalOf(listPage(api, { syncToken: 'nonsense' }));
    expect(refusal).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
    expect(refusal.error?.details).toBeUndefined();
  });

  test('affects page tokens only in that variant', async ({ api, clock, emulator, account }) => {
    for (const name of ['Ada', 'Bob']) account.createPerson(named(name));
    const { data } = await listPage(api, { pageSize: 1 });
    const next = { pageSize: 1, pageToken: String(data.nextPageToken) };
    clock.nowMs += dayMs;
    expect((await listPage(api, next)).status).toBe(200);
    emulator.setVariants({ pageTokens: 'oneHour' });
    expect(await refusalOf(listPage(api, next))).toMatchObject({ status: 400 });
  });
});

test('an account of 25,000 contacts is listed in 25 pages', async ({ api, account }) => {
  for (let index = 0; index < 25_000; index += 1) account.createPerson(named(`N${index}`));
  const { people, pages, syncToken } = await listAll(api, { pageSize: 1000 });
  expect(new Set(people.map(({ resourceName }) => resourceName)).size).toBe(25_000);
  expect(pages).toBe(25);
  const refusal = await refusalOf(api.people.createContact({ requestBody: named('One more') }));
  expect(refusal).toMatchObject({ status: 429, error: { status: 'RESOURCE_EXHAUSTED' } });
  expect(refusal.message).toContain('MY_CONTACTS_OVERFLOW_COUNT');
  expect((await listAll(api, { pageSize: 1000, syncToken })).people).toEqual([]);
});

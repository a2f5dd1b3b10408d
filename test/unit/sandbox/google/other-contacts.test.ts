import { describe, expect, test } from 'vitest';
import { contactsScope, directoryScope, otherContactsScope } from '../../../../src/sandbox/google/oauth-tokens.ts';
import { dayMs, listAll, namesOf, refusalOf, type Sandbox, startSandbox } from './support.ts';

const named = (givenName: string) => ({
  names: [{ givenName }],
  emailAddresses: [{ value: `${givenName}@x.example` }],
});

const start = (options: Parameters<typeof startSandbox>[0] = {}): Promise<Sandbox> =>
  startSandbox(options, [contactsScope, otherContactsScope]);

type ListParameters = {
  readMask?: string;
  pageSize?: number;
  pageToken?: string;
  syncToken?: string;
  sources?: string[];
};

const list = async ({ api }: Sandbox, parameters: ListParameters = {}) =>
  (await api.otherContacts.list({ readMask: 'names,metadata', requestSyncToken: true, ...parameters })).data;

const copy = ({ api }: Sandbox, resourceName: string, copyMask = 'names', readMask?: string) =>
  api.otherContacts.copyOtherContactToMyContactsGroup({
    resourceName,
    requestBody: { copyMask, ...(readMask && { readMask }) },
  });

describe('a listing of other contacts', () => {
  test('leaves all fields out if the account has none', async () => {
    await using sandbox = await start();
    const { data } = await sandbox.api.otherContacts.list({ readMask: 'names' });
    expect(data).toEqual({});
  });

  test('has their names and addresses, from a separate source, apart from the contacts', async () => {
    await using sandbox = await start();
    const { account } = sandbox.emulator;
    account.createPerson(named('Bob'));
    const name = account.createOtherContact({ ...named('Ada'), organizations: [{ name: 'Engines' }] });
    const readMask = 'names,emailAddresses,phoneNumbers,photos,metadata';
    const { otherContacts, totalSize } = await list(sandbox, { readMask });
    expect(totalSize).toBe(1);
    const [ada] = otherContacts ?? [];
    const id = ada?.metadata?.sources?.[0]?.id;
    expect(name).toMatch(/^otherContacts\/c\d+$/);
    expect(ada).toMatchObject({
      resourceName: name,
      metadata: { sources: [{ type: 'OTHER_CONTACT', id }], objectType: 'PERSON' },
      names: [{ givenName: 'Ada', metadata: { source: { type: 'OTHER_CONTACT', id } } }],
      emailAddresses: [{ value: 'Ada@x.example' }],
    });
    expect(namesOf((await listAll(sandbox.api)).people)).toEqual(['Bob']);
    expect(account.otherPeople()).toHaveLength(1);
    expect(account.otherPeople()[0]).not.toHaveProperty('organizations');
  });

  test('comes in pages and returns a sync token, with which it lists the changes', async () => {
    await using sandbox = await start();
    const { account } = sandbox.emulator;
    const [ada] = ['Ada', 'Bob', 'Cyd'].map((name) => account.createOtherContact(named(name)));
    const first = await list(sandbox, { pageSize: 2 });
    expect(namesOf(first.otherContacts ?? [])).toEqual(['Ada', 'Bob']);
    expect(first).not.toHaveProperty('nextSyncToken');
    const last = await list(sandbox, { pageSize: 2, pageToken: String(first.nextPageToken) });
    account.deleteOtherContact(String(ada));
    account.createOtherContact(named('Dee'));
    const delta = await list(sandbox, { pageSize: 2, syncToken: String(last.nextSyncToken) });
    expect(delta.otherContacts).toMatchObject([
      { resourceName: ada, metadata: { deleted: true, sources: [{ type: 'OTHER_CONTACT' }], objectType: 'PERSON' } },
      { names: [{ givenName: 'Dee' }] },
    ]);
    const next = await list(sandbox, { pageSize: 2, syncToken: String(delta.nextSyncToken) });
    expect(next).not.toHaveProperty('otherContacts');
    expect(() => account.deleteOtherContact(String(ada))).toThrow('no other contact');
  });

  test('has sync tokens that expire and are valid for no other listing', async () => {
    await using sandbox = await start();
    const { nextSyncToken } = await list(sandbox);
    const contacts = await listAll(sandbox.api, { sources: ['READ_SOURCE_TYPE_CONTACT'] });
    const foreign = await refusalOf(list(sandbox, { syncToken: contacts.syncToken }));
    expect(foreign).toMatchObject({ status: 400, message: expect.stringContaining('sync_token') });
    sandbox.clock.nowMs += 7 * dayMs;
    const expired = await refusalOf(list(sandbox, { syncToken: String(nextSyncToken) }));
    expect(expired.error?.details?.[0]).toMatchObject({ reason: 'EXPIRED_SYNC_TOKEN' });
  });

  test('continues from its position also while reads of contacts are stale', async () => {
    await using sandbox = await start({ variants: { readAfterWrite: 'firstReadStale' } });
    sandbox.emulator.account.createOtherContact(named('Ada'));
    await sandbox.api.people.createContact({ requestBody: named('Bob') });
    const { nextSyncToken } = await list(sandbox);
    expect(await list(sandbox, { syncToken: String(nextSyncToken) })).not.toHaveProperty('otherContacts');
  });

  test.each([
    [{ readMask: '' }, 'readMask mask is required.'],
    [{ readMask: 'organizations' }, 'Invalid readMask mask path: "organizations".'],
    [{ sources: ['READ_SOURCE_TYPE_PROFILE'] }, 'READ_SOURCE_TYPE_PROFILE'],
    [{ pageSize: 1001 }, 'pageSize must be between 1 and 1000'],
    [{ pageToken: 'nonsense' }, 'Page token is invalid.'],
  ])('refuses %j', async (parameters, message) => {
    await using sandbox = await start();
    const refusal = await refusalOf(list(sandbox, parameters));
    expect(refusal).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
    expect(refusal.message).toContain(message);
  });

  test('may read more with the profile', async () => {
    await using sandbox = await start({ variants: { profileValues: 'linked' } });
    sandbox.emulator.account.createOtherContact(named('Ada'));
    const sources = ['READ_SOURCE_TYPE_CONTACT', 'READ_SOURCE_TYPE_PROFILE'];
    const { otherContacts } = await list(sandbox, { readMask: 'urls', sources });
    expect(otherContacts?.[0]?.urls?.[0]?.metadata?.source?.type).toBe('PROFILE');
  });
});

describe('a search of other contacts', () => {
  const search = async ({ api }: Sandbox, query: string, readMask = 'names') =>
    ((await api.otherContacts.search({ query, readMask })).data.results ?? []).map(({ person }) => person ?? {});

  test('returns them, after a request with an empty query, and no contacts', async () => {
    await using sandbox = await start();
    sandbox.emulator.account.createPerson(named('Adam'));
    sandbox.emulator.account.createOtherContact(named('Ada'));
    await sandbox.api.people.searchContacts({ query: '', readMask: 'names' });
    expect(await search(sandbox, 'ada')).toEqual([]);
    await search(sandbox, '');
    expect(namesOf(await search(sandbox, 'ada'))).toEqual(['Ada']);
    expect(await refusalOf(search(sandbox, 'ada', 'photos'))).toMatchObject({ status: 400 });
  });
});

describe('an other contact that is copied', () => {
  test('becomes a contact in My Contacts with the same source id, and is no longer an other contact', async () => {
    await using sandbox = await start();
    const name = sandbox.emulator.account.createOtherContact(named('Ada'));
    const { nextSyncToken } = await list(sandbox);
    const { data } = await copy(sandbox, name);
    expect(data.resourceName).toBe(name.replace('otherContacts/', 'people/'));
    expect(data.metadata?.sources).toMatchObject([{ type: 'CONTACT' }]);
    expect(data.names?.[0]?.givenName).toBe('Ada');
    expect(data.memberships?.[0]?.contactGroupMembership?.contactGroupId).toBe('myContacts');
    expect(data).not.toHaveProperty('emailAddresses');
    const delta = await list(sandbox, { syncToken: String(nextSyncToken) });
    expect(delta.otherContacts).toMatchObject([{ resourceName: name, metadata: { deleted: true } }]);
    expect(namesOf((await listAll(sandbox.api)).people)).toEqual(['Ada']);
    expect(await refusalOf(copy(sandbox, name))).toMatchObject({ status: 404 });
  });

  test('keeps the fields of the copy mask and returns those of the read mask', async () => {
    await using sandbox = await start();
    const name = sandbox.emulator.account.createOtherContact(named('Ada'));
    const { data } = await copy(sandbox, name, 'emailAddresses', 'names,emailAddresses');
    expect(Object.keys(data)).toEqual(['resourceName', 'etag', 'emailAddresses']);
  });

  test('requires a copy mask of three fields, and room', async () => {
    await using sandbox = await start({ contactLimit: 1 });
    const { account } = sandbox.emulator;
    const name = account.createOtherContact(named('Ada'));
    expect((await refusalOf(copy(sandbox, name, ''))).message).toContain('copyMask mask is required.');
    expect((await refusalOf(copy(sandbox, name, 'photos'))).message).toContain('Invalid copyMask mask path: "photos".');
    account.createPerson(named('Bob'));
    expect((await refusalOf(copy(sandbox, name))).message).toContain('MY_CONTACTS_OVERFLOW_COUNT');
    expect(account.otherPeople()).toHaveLength(1);
  });

  test('uses one write and one read, as a listing and a search use one read', async () => {
    await using sandbox = await start({ quotas: { readsPerMinute: 3, writesPerMinute: 1, fullSyncsPerMinute: 1 } });
    const [ada, bob] = ['Ada', 'Bob'].map((name) => sandbox.emulator.account.createOtherContact(named(name)));
    await copy(sandbox, String(ada));
    const spent = await refusalOf(copy(sandbox, String(bob)));
    expect(spent.message).toContain('Critical write requests');
    await list(sandbox);
    const full = await refusalOf(list(sandbox));
    expect(full.error?.details?.[0]).toMatchObject({ '@type': 'type.googleapis.com/google.rpc.QuotaFailure' });
    const search = sandbox.api.otherContacts.search({ query: '', readMask: 'names' });
    expect((await refusalOf(search)).message).toContain('Critical read requests');
  });

  test('can have planned faults', async () => {
    await using sandbox = await start();
    const name = sandbox.emulator.account.createOtherContact(named('Ada'));
    sandbox.emulator.addFault({ path: 'copyOtherContact', effect: { kind: 'reset', when: 'after' } });
    expect((await refusalOf(copy(sandbox, name))).status).toBeUndefined();
    expect(namesOf(sandbox.emulator.account.people())).toEqual(['Ada']);
    expect(sandbox.emulator.requests.at(-1)).toMatchObject({ mutates: true, status: 'reset' });
  });
});

describe('the scopes', () => {
  test('of contacts do not permit other contacts, and copying requires both', async () => {
    await using contacts = await startSandbox();
    await using others = await startSandbox({}, [otherContactsScope]);
    const denied = { status: 403, error: { status: 'PERMISSION_DENIED' } };
    expect(await refusalOf(list(contacts))).toMatchObject(denied);
    expect(await list(others)).toHaveProperty('nextSyncToken');
    expect(await refusalOf(listAll(others.api))).toMatchObject(denied);
    for (const sandbox of [contacts, others]) {
      const name = sandbox.emulator.account.createOtherContact(named('Ada'));
      expect(await refusalOf(copy(sandbox, name))).toMatchObject(denied);
    }
  });
});

test('another process creates other contacts through a control route', async () => {
  await using sandbox = await start();
  const post = (person: object) =>
    fetch(`${sandbox.emulator.url}__control/other-contacts`, { method: 'POST', body: JSON.stringify(person) });
  const answer = await post(named('Ada'));
  expect(await answer.json()).toEqual({ resourceName: sandbox.emulator.account.otherPeople()[0]?.resourceName });
  expect((await post({ names: 'Ada' })).status).toBe(400);
});

const shared = { readMask: 'names', sources: ['DIRECTORY_SOURCE_TYPE_DOMAIN_PROFILE'] };

describe.each([
  ['listing', ({ api }: Sandbox) => api.people.listDirectoryPeople({ ...shared, requestSyncToken: true })],
  ['search', ({ api }: Sandbox) => api.people.searchDirectoryPeople({ ...shared, query: 'ada' })],
] as const)('a %s of the directory', (_name, call) => {
  test.each([
    ['FAILED_PRECONDITION', 400],
    ['PERMISSION_DENIED', 403],
  ] as const)('is refused to a private account as %s', async (directoryRefusal, status) => {
    await using sandbox = await startSandbox({ variants: { directoryRefusal } }, [directoryScope]);
    const message = 'Must be a G Suite domain user.';
    expect(await refusalOf(call(sandbox))).toEqual({
      status,
      message,
      error: { code: status, message, status: directoryRefusal },
    });
  });

  test('requires a separate scope, uses one read and can have planned faults', async () => {
    await using contacts = await startSandbox();
    expect((await refusalOf(call(contacts))).message).toContain('insufficient authentication scopes');
    await using sandbox = await startSandbox({ quotas: { readsPerMinute: 0, writesPerMinute: 0 } }, [directoryScope]);
    sandbox.emulator.addFault({ path: 'DirectoryPeople', effect: { kind: 'status', status: 503 } });
    expect(await refusalOf(call(sandbox))).toMatchObject({ status: 503 });
    expect(await refusalOf(call(sandbox))).toMatchObject({ status: 429 });
  });
});

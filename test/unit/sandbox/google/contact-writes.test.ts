import type { people_v1 } from '@googleapis/people';
import { describe, expect } from 'vitest';
import { listAll, minuteMs, namesOf, refusalOf, type Sandbox, startSandbox, test } from './support.ts';

async function createAda({ api }: Sandbox): Promise<people_v1.Schema$Person> {
  const requestBody = {
    names: [{ givenName: 'Ada' }],
    emailAddresses: [{ value: 'ada@x.example', type: 'home', displayName: 'Ada' }],
    phoneNumbers: [{ value: '+1 212 555 0100' }],
  };
  return (await api.people.createContact({ requestBody })).data;
}

function update({ api }: Sandbox, person: people_v1.Schema$Person, updatePersonFields: string, personFields?: string) {
  return api.people.updateContact({
    resourceName: String(person.resourceName),
    updatePersonFields,
    ...(personFields !== undefined && { personFields }),
    requestBody: person,
  });
}

describe('an update', () => {
  test('replaces or clears the masked fields and leaves the others unchanged', async ({ sandbox }) => {
    const ada = await createAda(sandbox);
    const changed = { ...ada, emailAddresses: [{ value: 'new@x.example' }], names: [], phoneNumbers: [] };
    const { data } = await update(sandbox, changed, 'names,emailAddresses');
    expect(data).not.toHaveProperty('names');
    expect(data.emailAddresses).toEqual([{ metadata: expect.anything(), value: 'new@x.example' }]);
    expect(data.phoneNumbers).toHaveLength(1);
  });

  test('returns a new etag, which the next update may use without a read', async ({ sandbox, account }) => {
    const ada = await createAda(sandbox);
    const { data: second } = await update(sandbox, { ...ada, names: [{ givenName: 'Ada 2' }] }, 'names');
    expect(second.etag).not.toBe(ada.etag);
    await update(sandbox, { ...second, names: [{ givenName: 'Ada 3' }] }, 'names');
    expect(namesOf(account.people())).toEqual(['Ada 3']);
  });

  test('accepts the etag of a read under another mask, or the source etag alone', async ({ sandbox, api, account }) => {
    const { resourceName } = await createAda(sandbox);
    const name = String(resourceName);
    const { data: read } = await api.people.get({ resourceName: name, personFields: 'names' });
    const { data: whole } = await api.people.get({ resourceName: name, personFields: 'names,metadata' });
    expect(read.etag).not.toBe(whole.etag);
    const { data } = await update(sandbox, { resourceName: name, etag: String(read.etag) }, 'emailAddresses');
    await update(sandbox, { resourceName: name, metadata: data.metadata ?? {} }, 'phoneNumbers');
    expect(account.person(name)).not.toHaveProperty('phoneNumbers');
  });

  test('without an etag is refused', async ({ sandbox }) => {
    const { resourceName } = await createAda(sandbox);
    expect(await refusalOf(update(sandbox, { resourceName: String(resourceName) }, 'names'))).toMatchObject({
      status: 400,
      error: { status: 'INVALID_ARGUMENT' },
      message: 'Request must set person.etag or person.metadata.sources.etag for the source that is being updated.',
    });
  });

  test('with a stale etag is refused as a failed precondition', async ({ sandbox, emulator, account }) => {
    const ada = await createAda(sandbox);
    const name = String(ada.resourceName);
    account.updatePerson(name, { names: [{ givenName: 'Web' }] });
    const byPerson = await refusalOf(update(sandbox, { resourceName: name, etag: String(ada.etag) }, 'names'));
    expect(byPerson).toMatchObject({ status: 400, error: { status: 'FAILED_PRECONDITION' } });
    expect(byPerson.message).toContain('Request person.etag is different than the current person.etag.');
    expect(byPerson.error?.details).toBeUndefined();
    emulator.setVariants({ staleEtagDetails: 'debugInfo' });
    const { metadata } = ada;
    const bySource = await refusalOf(update(sandbox, { resourceName: name, metadata: metadata ?? {} }, 'names'));
    expect(bySource.message).toContain('Request person.metadata.sources.etag is different');
    expect(bySource.error?.details).toHaveLength(1);
  });

  test('with a source etag where the person etag belongs is refused', async ({ sandbox }) => {
    const ada = await createAda(sandbox);
    const etag = String(ada.metadata?.sources?.[0]?.etag);
    const refusal = await refusalOf(update(sandbox, { resourceName: String(ada.resourceName), etag }, 'names'));
    expect(refusal.error?.status).toBe('FAILED_PRECONDITION');
  });

  test.each([['photos'], ['metadata'], ['skills'], ['']])('of the mask "%s" is refused', async (mask) => {
    await using sandbox = await startSandbox();
    const ada = await createAda(sandbox);
    expect(await refusalOf(update(sandbox, ada, mask))).toMatchObject({
      status: 400,
      error: { status: 'INVALID_ARGUMENT' },
    });
  });

  test('of memberships replaces them, and must leave one', async ({ sandbox, account }) => {
    const ada = await createAda(sandbox);
    const contactGroupResourceName = account.createGroup('Clients');
    const memberships = [{ contactGroupMembership: { contactGroupResourceName } }];
    const { data } = await update(sandbox, { ...ada, memberships }, 'memberships');
    expect(data.memberships?.map((one) => one.contactGroupMembership?.contactGroupResourceName)).toEqual([
      contactGroupResourceName,
    ]);
    const refusal = await refusalOf(update(sandbox, { ...data, memberships: [] }, 'memberships'));
    expect(refusal).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
  });

  test.each([
    ['newEtag', false],
    ['sameEtag', true],
  ] as const)('that changes no value results in %s', async (noChangeUpdates, same) => {
    await using sandbox = await startSandbox({ variants: { noChangeUpdates } });
    const ada = await createAda(sandbox);
    const { data } = await update(sandbox, ada, 'names,emailAddresses');
    expect(data.etag === ada.etag).toBe(same);
  });

  test('of the account itself is refused', async ({ sandbox }) => {
    expect(await refusalOf(update(sandbox, { resourceName: 'people/me', etag: 'x' }, 'names'))).toMatchObject({
      status: 400,
    });
  });
});

describe('a deletion', () => {
  test('returns an empty object, and 404 the second time', async ({ sandbox, api, emulator }) => {
    const { resourceName } = await createAda(sandbox);
    const name = { resourceName: String(resourceName) };
    expect((await api.people.deleteContact(name)).data).toEqual({});
    const missing = { status: 404, message: 'Requested entity was not found.', error: { status: 'NOT_FOUND' } };
    expect(await refusalOf(api.people.deleteContact(name))).toMatchObject(missing);
    expect(await refusalOf(api.people.get({ ...name, personFields: 'names' }))).toMatchObject(missing);
    emulator.setVariants({ missingContact: 'internalError' });
    expect(await refusalOf(api.people.deleteContact(name))).toMatchObject({ status: 500 });
  });
});

describe('a read after a write, in the stale variant', () => {
  test('returns the version before, once', async ({ sandbox, api, emulator, account }) => {
    emulator.setVariants({ readAfterWrite: 'firstReadStale' });
    const resourceName = account.createPerson({ names: [{ givenName: 'Ada' }] });
    const read = async () => (await api.people.get({ resourceName, personFields: 'names' })).data;
    await update(sandbox, { ...(await read()), names: [{ givenName: 'Ada 2' }] }, 'names');
    expect(namesOf([await read(), await read()])).toEqual(['Ada', 'Ada 2']);
    await api.people.deleteContact({ resourceName });
    const listed = await listAll(api);
    expect(namesOf(listed.people)).toEqual(['Ada 2']);
    const delta = await listAll(api, { syncToken: listed.syncToken });
    expect(delta.people[0]?.metadata?.deleted).toBe(true);
    expect((await listAll(api)).people).toEqual([]);
  });

  test('returns a version that was written ten minutes ago, whether or not it was read before', async () => {
    await using sandbox = await startSandbox({ variants: { readAfterWrite: 'firstReadStale' } });
    const { resourceName } = await createAda(sandbox);
    sandbox.clock.nowMs += 10 * minuteMs;
    expect((await sandbox.api.people.get({ resourceName: String(resourceName), personFields: 'names' })).status).toBe(
      200,
    );
    await sandbox.api.people.deleteContact({ resourceName: String(resourceName) });
    sandbox.clock.nowMs += 10 * minuteMs;
    expect((await listAll(sandbox.api)).people).toEqual([]);
  });

  test('may miss a new contact, which the next delta has', async ({ sandbox, api, emulator }) => {
    emulator.setVariants({ readAfterWrite: 'firstReadStale' });
    await createAda(sandbox);
    const { people, syncToken } = await listAll(api);
    expect(people).toEqual([]);
    expect(namesOf((await listAll(api, { syncToken })).people)).toEqual(['Ada']);
  });
});

describe('reads by name', () => {
  test('batchGet reports a missing contact in its own response', async ({ sandbox, api }) => {
    const { resourceName } = await createAda(sandbox);
    const resourceNames = [String(resourceName), 'people/c1'];
    const { data } = await api.people.getBatchGet({ resourceNames, personFields: 'names' });
    expect(data.responses).toEqual([
      { httpStatusCode: 200, requestedResourceName: resourceName, status: {}, person: expect.anything() },
      {
        httpStatusCode: 404,
        requestedResourceName: 'people/c1',
        status: { code: 5, message: 'Requested entity was not found.' },
      },
    ]);
  });

  test('batchGet accepts at most 200 names', async ({ api }) => {
    const resourceNames = Array.from({ length: 201 }, (_, index) => `people/c${index}`);
    const refusal = await refusalOf(api.people.getBatchGet({ resourceNames, personFields: 'names' }));
    expect(refusal).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
  });

  test('people/me is the owner, under the number of the account', async () => {
    await using sandbox = await startSandbox({ accountEmail: 'ada@x.example' });
    const personFields = 'metadata,emailAddresses,names';
    const { data } = await sandbox.api.people.get({ resourceName: 'people/me', personFields });
    expect(data.resourceName).toMatch(/^people\/1\d{20}$/);
    const id = data.resourceName?.replace('people/', '');
    expect(data.metadata?.sources?.map(({ type }) => type)).toEqual(['PROFILE', 'ACCOUNT']);
    expect(data.names?.[0]?.metadata).toEqual({ primary: true, source: { type: 'PROFILE', id } });
    expect(data.emailAddresses).toEqual([
      { metadata: { primary: true, verified: true, source: { type: 'ACCOUNT', id } }, value: 'ada@x.example' },
    ]);
    const again = await sandbox.api.people.get({ resourceName: String(data.resourceName), personFields });
    expect(again.data).toEqual(data);
    await using other = await startSandbox({ accountEmail: 'bob@x.example' });
    const { data: bob } = await other.api.people.get({ resourceName: 'people/me', personFields });
    expect(bob.resourceName).not.toBe(data.resourceName);
  });
});

const toCreate = (givenName: string) => ({ contactPerson: { names: [{ givenName }] } });

const invalid = { contactPerson: { names: [{ givenName: 'A' }, { givenName: 'B' }] } };

describe('a create batch', () => {
  test('returns the people, all changed at the same time with equal source etags', async ({ api }) => {
    const requestBody = { contacts: [toCreate('Ada'), toCreate('Bob')], readMask: 'names,metadata' };
    const { data } = await api.people.batchCreateContacts({ requestBody });
    expect(data.createdPeople).toHaveLength(2);
    const [ada, bob] = data.createdPeople ?? [];
    expect(ada).toMatchObject({ httpStatusCode: 200, requestedResourceName: ada?.person?.resourceName, status: {} });
    expect(ada?.person?.metadata?.sources?.[0]?.etag).toBe(bob?.person?.metadata?.sources?.[0]?.etag);
  });

  test('returns nothing without a read mask', async ({ api, account }) => {
    const { data } = await api.people.batchCreateContacts({ requestBody: { contacts: [toCreate('Ada')] } });
    expect(data).toEqual({});
    expect(namesOf(account.people())).toEqual(['Ada']);
  });

  test('with one invalid contact fails as a whole and reports it', async ({ api, account }) => {
    const requestBody = { contacts: [toCreate('Ada'), invalid], readMask: 'names' };
    const refusal = await refusalOf(api.people.batchCreateContacts({ requestBody }));
    expect(refusal).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
    expect(refusal.error?.details).toEqual([
      {
        '@type': 'type.googleapis.com/google.people.v1.BatchCreateContactsErrorDetails',
        contactErrors: { '1': { code: 3, message: expect.stringContaining('singleton') } },
      },
    ]);
    expect(account.people()).toEqual([]);
  });

  test('with one invalid contact creates the others in that variant', async ({ api, emulator, account }) => {
    emulator.setVariants({ batchAtomicity: 'perItem' });
    const requestBody = { contacts: [invalid, toCreate('Ada')], readMask: 'names' };
    const { data } = await api.people.batchCreateContacts({ requestBody });
    expect(data.createdPeople?.map(({ httpStatusCode }) => httpStatusCode)).toEqual([400, 200]);
    expect(data.createdPeople?.[0]?.status?.code).toBe(3);
    expect(namesOf(account.people())).toEqual(['Ada']);
  });

  test('accepts 1 to 200 contacts, as far as the account has room', async () => {
    await using sandbox = await startSandbox({ contactLimit: 200 });
    const create = (count: number) => {
      const contacts = Array.from({ length: count }, (_, index) => toCreate(`N${index}`));
      return sandbox.api.people.batchCreateContacts({ requestBody: { contacts } });
    };
    expect(await refusalOf(create(201))).toMatchObject({ status: 400 });
    expect(await refusalOf(create(0))).toMatchObject({ status: 400 });
    await create(199);
    sandbox.emulator.setVariants({ contactLimitBody: 'errorInfo' });
    const refusal = await refusalOf(create(2));
    expect(refusal.status).toBe(429);
    expect(refusal.error?.details?.[0]).toMatchObject({ reason: 'MY_CONTACTS_OVERFLOW_COUNT' });
    await create(1);
  });
});

describe('an update batch', () => {
  async function twoContacts() {
    const sandbox = await startSandbox();
    const names = ['Ada', 'Bob'].map((givenName) => sandbox.emulator.account.createPerson({ names: [{ givenName }] }));
    const { data } = await sandbox.api.people.getBatchGet({ resourceNames: names, personFields: 'names,metadata' });
    const [ada, bob] = (data.responses ?? []).map(({ person }) => person ?? {});
    return { sandbox, ada: ada ?? {}, bob: bob ?? {} };
  }

  test('updates each person and returns the results by resource name', async () => {
    const { sandbox, ada, bob } = await twoContacts();
    await using _ = sandbox;
    const contacts = {
      [String(ada.resourceName)]: { ...ada, names: [{ givenName: 'Ada 2' }] },
      [String(bob.resourceName)]: { ...bob, names: [{ givenName: 'Bob 2' }] },
    };
    const requestBody = { contacts, updateMask: 'names', readMask: 'names' };
    const { data } = await sandbox.api.people.batchUpdateContacts({ requestBody });
    expect(Object.keys(data.updateResult ?? {})).toEqual([ada.resourceName, bob.resourceName]);
    expect(data.updateResult?.[String(ada.resourceName)]?.person?.names?.[0]?.givenName).toBe('Ada 2');
    expect(namesOf(sandbox.emulator.account.people())).toEqual(['Ada 2', 'Bob 2']);
  });

  test.each(['allOrNothing', 'perItem'] as const)(
    'with a missing and a stale contact is %s',
    async (batchAtomicity) => {
      const { sandbox, ada, bob } = await twoContacts();
      await using _ = sandbox;
      sandbox.emulator.setVariants({ batchAtomicity });
      sandbox.emulator.account.updatePerson(String(bob.resourceName), { names: [{ givenName: 'Web' }] });
      const contacts = {
        [String(ada.resourceName)]: { ...ada, names: [{ givenName: 'Ada 2' }] },
        [String(bob.resourceName)]: { ...bob, names: [{ givenName: 'Bob 2' }] },
        'people/c1': { ...ada, names: [{ givenName: 'Nobody' }] },
      };
      const requestBody = { contacts, updateMask: 'names', readMask: 'names' };
      const call = sandbox.api.people.batchUpdateContacts({ requestBody });
      if (batchAtomicity === 'perItem') {
        const { data } = await call;
        const results = Object.values(data.updateResult ?? {});
        expect(results.map(({ httpStatusCode }) => httpStatusCode)).toEqual([200, 400, 404]);
        expect(new Set(namesOf(sandbox.emulator.account.people()))).toEqual(new Set(['Ada 2', 'Web']));
        return;
      }
      const refusal = await refusalOf(call);
      expect(refusal).toMatchObject({ status: 400, error: { status: 'FAILED_PRECONDITION' } });
      expect(refusal.error?.details?.[0]).toMatchObject({
        '@type': 'type.googleapis.com/google.people.v1.BatchUpdateContactsErrorDetails',
        contactErrors: { [String(bob.resourceName)]: { code: 9 }, 'people/c1': { code: 5 } },
      });
      expect(new Set(namesOf(sandbox.emulator.account.people()))).toEqual(new Set(['Ada', 'Web']));
    },
  );

  test('without an etag is refused', async () => {
    const { sandbox, ada } = await twoContacts();
    await using _ = sandbox;
    const contacts = { [String(ada.resourceName)]: { names: [{ givenName: 'Ada 2' }] } };
    const requestBody = { contacts, updateMask: 'names' };
    const refusal = await refusalOf(sandbox.api.people.batchUpdateContacts({ requestBody }));
    expect(refusal).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
  });

  test('requires an update mask', async () => {
    const { sandbox, ada } = await twoContacts();
    await using _ = sandbox;
    const requestBody = { contacts: { [String(ada.resourceName)]: ada } };
    expect(await refusalOf(sandbox.api.people.batchUpdateContacts({ requestBody }))).toMatchObject({ status: 400 });
  });
});

describe('a delete batch', () => {
  test('deletes up to 500 contacts', async ({ api, account }) => {
    const names = Array.from({ length: 501 }, () => account.createPerson({}));
    const remove = (resourceNames: string[]) => api.people.batchDeleteContacts({ requestBody: { resourceNames } });
    expect(await refusalOf(remove(names))).toMatchObject({ status: 400 });
    expect((await remove(names.slice(1))).data).toEqual({});
    expect(account.people().map(({ resourceName }) => resourceName)).toEqual(names.slice(0, 1));
  });

  test('with a missing name deletes nothing, or ignores it in that variant', async ({ api, emulator, account }) => {
    const resourceNames = ['people/c1', account.createPerson({})];
    const remove = () => api.people.batchDeleteContacts({ requestBody: { resourceNames } });
    expect(await refusalOf(remove())).toMatchObject({ status: 404 });
    expect(account.people()).toHaveLength(1);
    emulator.setVariants({ batchDeleteMissing: 'ignored' });
    await remove();
    expect(account.people()).toEqual([]);
  });
});

import type { people_v1 } from '@googleapis/people';
import { describe, expect, test } from 'vitest';
import { listAll, minuteMs, namesOf, refusalOf, startSandbox, type Sandbox } from './support.ts';

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
  test('replaces or clears the masked fields and leaves the others unchanged', async () => {
    await using sandbox = await startSandbox();
    const ada = await createAda(sandbox);
    const changed = { ...ada, emailAddresses: [{ value: 'new@x.example' }], names: [], phoneNumbers: [] };
    const { data } = await update(sandbox, changed, 'names,emailAddresses');
    expect(data).not.toHaveProperty('names');
    expect(data.emailAddresses).toEqual([{ metadata: expect.anything(), value: 'new@x.example' }]);
    expect(data.phoneNumbers).toHaveLength(1);
  });

  test('returns a new etag, which the next update may use without a read', async () => {
    await using sandbox = await startSandbox();
    const ada = await createAda(sandbox);
    const { data: second } = await update(sandbox, { ...ada, names: [{ givenName: 'Ada 2' }] }, 'names');
    expect(second.etag).not.toBe(ada.etag);
    await update(sandbox, { ...second, names: [{ givenName: 'Ada 3' }] }, 'names');
    expect(namesOf(sandbox.emulator.account.people())).toEqual(['Ada 3']);
  });

  test('accepts the etag of a read under another mask, or the source etag alone', async () => {
    await using sandbox = await startSandbox();
    const { resourceName } = await createAda(sandbox);
    const name = String(resourceName);
    const { data: read } = await sandbox.api.people.get({ resourceName: name, personFields: 'names' });
    const { data: whole } = await sandbox.api.people.get({ resourceName: name, personFields: 'names,metadata' });
    expect(read.etag).not.toBe(whole.etag);
    const { data } = await update(sandbox, { resourceName: name, etag: String(read.etag) }, 'emailAddresses');
    await update(sandbox, { resourceName: name, metadata: data.metadata ?? {} }, 'phoneNumbers');
    expect(sandbox.emulator.account.person(name)).not.toHaveProperty('phoneNumbers');
  });

  test('without an etag is refused', async () => {
    await using sandbox = await startSandbox();
    const { resourceName } = await createAda(sandbox);
    expect(await refusalOf(update(sandbox, { resourceName: String(resourceName) }, 'names'))).toMatchObject({
      status: 400,
      error: { status: 'INVALID_ARGUMENT' },
      message: 'Request must set person.etag or person.metadata.sources.etag for the source that is being updated.',
    });
  });

  test('with a stale etag is refused as a failed precondition', async () => {
    await using sandbox = await startSandbox();
    const ada = await createAda(sandbox);
    const name = String(ada.resourceName);
    sandbox.emulator.account.updatePerson(name, { names: [{ givenName: 'Web' }] });
    const byPerson = await refusalOf(update(sandbox, { resourceName: name, etag: String(ada.etag) }, 'names'));
    expect(byPerson).toMatchObject({ status: 400, error: { status: 'FAILED_PRECONDITION' } });
    expect(byPerson.message).toContain('Request person.etag is different than the current person.etag.');
    expect(byPerson.error?.details).toBeUndefined();
    sandbox.emulator.setVariants({ staleEtagDetails: 'debugInfo' });
    const { metadata } = ada;
    const bySource = await refusalOf(update(sandbox, { resourceName: name, metadata: metadata ?? {} }, 'names'));
    expect(bySource.message).toContain('Request person.metadata.sources.etag is different');
    expect(bySource.error?.details).toHaveLength(1);
  });

  test('with a source etag where the person etag belongs is refused', async () => {
    await using sandbox = await startSandbox();
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

  test('of memberships replaces them, and must leave one', async () => {
    await using sandbox = await startSandbox();
    const ada = await createAda(sandbox);
    const contactGroupResourceName = sandbox.emulator.account.createGroup('Clients');
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

  test('of the account itself is refused', async () => {
    await using sandbox = await startSandbox();
    expect(await refusalOf(update(sandbox, { resourceName: 'people/me', etag: 'x' }, 'names'))).toMatchObject({
      status: 400,
    });
  });
});

describe('a deletion', () => {
  test('returns an empty object, and 404 the second time', async () => {
    await using sandbox = await startSandbox();
    const { resourceName } = await createAda(sandbox);
    const name = { resourceName: String(resourceName) };
    expect((await sandbox.api.people.deleteContact(name)).data).toEqual({});
    const missing = { status: 404, message: 'Requested entity was not found.', error: { status: 'NOT_FOUND' } };
    expect(await refusalOf(sandbox.api.people.deleteContact(name))).toMatchObject(missing);
    expect(await refusalOf(sandbox.api.people.get({ ...name, personFields: 'names' }))).toMatchObject(missing);
    sandbox.emulator.setVariants({ missingContact: 'internalError' });
    expect(await refusalOf(sandbox.api.people.deleteContact(name))).toMatchObject({ status: 500 });
  });
});

describe('a read after a write, in the stale variant', () => {
  test('returns the version before, once', async () => {
    await using sandbox = await startSandbox({ variants: { readAfterWrite: 'firstReadStale' } });
    const resourceName = sandbox.emulator.account.createPerson({ names: [{ givenName: 'Ada' }] });
    const read = async () => (await sandbox.api.people.get({ resourceName, personFields: 'names' })).data;
    await update(sandbox, { ...(await read()), names: [{ givenName: 'Ada 2' }] }, 'names');
    expect(namesOf([await read(), await read()])).toEqual(['Ada', 'Ada 2']);
    await sandbox.api.people.deleteContact({ resourceName });
    const listed = await listAll(sandbox.api);
    expect(namesOf(listed.people)).toEqual(['Ada 2']);
    const delta = await listAll(sandbox.api, { syncToken: listed.syncToken });
    expect(delta.people[0]?.metadata?.deleted).toBe(true);
    expect((await listAll(sandbox.api)).people).toEqual([]);
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

  test('may miss a new contact, which the next delta has', async () => {
    await using sandbox = await startSandbox({ variants: { readAfterWrite: 'firstReadStale' } });
    await createAda(sandbox);
    const { people, syncToken } = await listAll(sandbox.api);
    expect(people).toEqual([]);
    expect(namesOf((await listAll(sandbox.api, { syncToken })).people)).toEqual(['Ada']);
  });
});

describe('reads by name', () => {
  test('batchGet reports a missing contact in its own response', async () => {
    await using sandbox = await startSandbox();
    const { resourceName } = await createAda(sandbox);
    const resourceNames = [String(resourceName), 'people/c1'];
    const { data } = await sandbox.api.people.getBatchGet({ resourceNames, personFields: 'names' });
    expect(data.responses).toEqual([
      { httpStatusCode: 200, requestedResourceName: resourceName, status: {}, person: expect.anything() },
      {
        httpStatusCode: 404,
        requestedResourceName: 'people/c1',
        status: { code: 5, message: 'Requested entity was not found.' },
      },
    ]);
  });

  test.each(['message', 'fieldViolations'] as const)(
    'batchGet accepts at most 200 names (%s)',
    async (overLimitBatch) => {
      await using sandbox = await startSandbox({ variants: { overLimitBatch } });
      const resourceNames = Array.from({ length: 201 }, (_, index) => `people/c${index}`);
      const refusal = await refusalOf(sandbox.api.people.getBatchGet({ resourceNames, personFields: 'names' }));
      expect(refusal).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
      expect(refusal.error?.details !== undefined).toBe(overLimitBatch === 'fieldViolations');
    },
  );

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

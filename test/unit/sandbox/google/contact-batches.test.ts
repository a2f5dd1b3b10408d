import { describe, expect, test } from 'vitest';
import { namesOf, refusalOf, startSandbox } from './support.ts';

const toCreate = (givenName: string) => ({ contactPerson: { names: [{ givenName }] } });
const invalid = { contactPerson: { names: [{ givenName: 'A' }, { givenName: 'B' }] } };

describe('a create batch', () => {
  test('returns the people, all changed at the same time with equal source etags', async () => {
    await using sandbox = await startSandbox();
    const requestBody = { contacts: [toCreate('Ada'), toCreate('Bob')], readMask: 'names,metadata' };
    const { data } = await sandbox.api.people.batchCreateContacts({ requestBody });
    expect(data.createdPeople).toHaveLength(2);
    const [ada, bob] = data.createdPeople ?? [];
    expect(ada).toMatchObject({ httpStatusCode: 200, requestedResourceName: ada?.person?.resourceName, status: {} });
    expect(ada?.person?.metadata?.sources?.[0]?.etag).toBe(bob?.person?.metadata?.sources?.[0]?.etag);
  });

  test('returns nothing without a read mask', async () => {
    await using sandbox = await startSandbox();
    const { data } = await sandbox.api.people.batchCreateContacts({ requestBody: { contacts: [toCreate('Ada')] } });
    expect(data).toEqual({});
    expect(namesOf(sandbox.emulator.account.people())).toEqual(['Ada']);
  });

  test('with one invalid contact fails as a whole and reports it', async () => {
    await using sandbox = await startSandbox();
    const requestBody = { contacts: [toCreate('Ada'), invalid], readMask: 'names' };
    const refusal = await refusalOf(sandbox.api.people.batchCreateContacts({ requestBody }));
    expect(refusal).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
    expect(refusal.error?.details).toEqual([
      {
        '@type': 'type.googleapis.com/google.people.v1.BatchCreateContactsErrorDetails',
        contactErrors: { '1': { code: 3, message: expect.stringContaining('singleton') } },
      },
    ]);
    expect(sandbox.emulator.account.people()).toEqual([]);
  });

  test('with one invalid contact creates the others in that variant', async () => {
    await using sandbox = await startSandbox({ variants: { batchAtomicity: 'perItem' } });
    const requestBody = { contacts: [invalid, toCreate('Ada')], readMask: 'names' };
    const { data } = await sandbox.api.people.batchCreateContacts({ requestBody });
    expect(data.createdPeople?.map(({ httpStatusCode }) => httpStatusCode)).toEqual([400, 200]);
    expect(data.createdPeople?.[0]?.status?.code).toBe(3);
    expect(namesOf(sandbox.emulator.account.people())).toEqual(['Ada']);
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

  test.each(['INVALID_ARGUMENT', 'FAILED_PRECONDITION'] as const)(
    'without an etag is %s',
    async (missingEtagInBatch) => {
      const { sandbox, ada } = await twoContacts();
      await using _ = sandbox;
      sandbox.emulator.setVariants({ missingEtagInBatch });
      const contacts = { [String(ada.resourceName)]: { names: [{ givenName: 'Ada 2' }] } };
      const requestBody = { contacts, updateMask: 'names' };
      const refusal = await refusalOf(sandbox.api.people.batchUpdateContacts({ requestBody }));
      expect(refusal).toMatchObject({ status: 400, error: { status: missingEtagInBatch } });
    },
  );

  test('requires an update mask', async () => {
    const { sandbox, ada } = await twoContacts();
    await using _ = sandbox;
    const requestBody = { contacts: { [String(ada.resourceName)]: ada } };
    expect(await refusalOf(sandbox.api.people.batchUpdateContacts({ requestBody }))).toMatchObject({ status: 400 });
  });
});

describe('a delete batch', () => {
  test('deletes up to 500 contacts', async () => {
    await using sandbox = await startSandbox();
    const names = Array.from({ length: 501 }, () => sandbox.emulator.account.createPerson({}));
    const remove = (resourceNames: string[]) =>
      sandbox.api.people.batchDeleteContacts({ requestBody: { resourceNames } });
    expect(await refusalOf(remove(names))).toMatchObject({ status: 400 });
    expect((await remove(names.slice(1))).data).toEqual({});
    expect(sandbox.emulator.account.people().map(({ resourceName }) => resourceName)).toEqual(names.slice(0, 1));
  });

  test('with a missing name deletes nothing, or ignores it in that variant', async () => {
    await using sandbox = await startSandbox();
    const resourceNames = ['people/c1', sandbox.emulator.account.createPerson({})];
    const remove = () => sandbox.api.people.batchDeleteContacts({ requestBody: { resourceNames } });
    expect(await refusalOf(remove())).toMatchObject({ status: 404 });
    expect(sandbox.emulator.account.people()).toHaveLength(1);
    sandbox.emulator.setVariants({ batchDeleteMissing: 'ignored' });
    await remove();
    expect(sandbox.emulator.account.people()).toEqual([]);
  });
});

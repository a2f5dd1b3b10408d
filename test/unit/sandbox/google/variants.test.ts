import type { people_v1 } from '@googleapis/people';
import { describe, expect, test } from 'vitest';
import { dayMs, listAll, listPage, namesOf, refusalOf, type Sandbox, startSandbox } from './support.ts';

const named = (givenName: string) => ({ names: [{ givenName }] });

async function createAda({ api }: Sandbox) {
  const requestBody = { ...named('Ada'), emailAddresses: [{ value: 'ada@x.example', type: 'home' }] };
  const { data } = await api.people.createContact({ requestBody });
  return { ...data, resourceName: String(data.resourceName) };
}

function update({ api }: Sandbox, person: people_v1.Schema$Person, updatePersonFields: string) {
  const resourceName = String(person.resourceName);
  return api.people.updateContact({ resourceName, updatePersonFields, requestBody: person });
}

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

  test('moves with each incremental request under the variant extendExpiry', async () => {
    await using sandbox = await startSandbox({ variants: { incrementalTokens: 'extendExpiry' } });
    const { syncToken } = await listAll(sandbox.api);
    sandbox.clock.nowMs += 6 * dayMs;
    const later = await listAll(sandbox.api, { syncToken });
    sandbox.clock.nowMs += 6 * dayMs;
    expect((await listPage(sandbox.api, { syncToken: later.syncToken })).status).toBe(200);
  });
});

test.each([
  ['newEtag', false],
  ['sameEtag', true],
] as const)('an update that changes no value has the etag of the variant %s', async (noChangeUpdates, same) => {
  await using sandbox = await startSandbox({ variants: { noChangeUpdates } });
  const ada = await createAda(sandbox);
  expect((await update(sandbox, ada, 'names,emailAddresses')).data.etag === ada.etag).toBe(same);
});

test('an update ignores the values of a profile, which are returned only while its source is read', async () => {
  await using sandbox = await startSandbox({ variants: { profileValues: 'linked' } });
  const ada = await createAda(sandbox);
  expect(ada.names?.map(({ metadata }) => metadata?.source?.type)).toEqual(['CONTACT', 'PROFILE']);
  await update(sandbox, ada, 'names,urls');
  const read = { resourceName: ada.resourceName, personFields: 'names,urls' };
  const { data: own } = await sandbox.api.people.get({ ...read, sources: ['READ_SOURCE_TYPE_CONTACT'] });
  expect(namesOf([own])).toEqual(['Ada']);
  expect(own).not.toHaveProperty('urls');
  const { data: profile } = await sandbox.api.people.get({ ...read, sources: ['READ_SOURCE_TYPE_PROFILE'] });
  expect(profile.names?.map(({ givenName }) => givenName)).toEqual(['Profile']);
});

test('under firstReadStale, the first get or full listing after a write returns the state before, a delta does not', async () => {
  await using sandbox = await startSandbox({ variants: { readAfterWrite: 'firstReadStale' } });
  const { api, emulator } = sandbox;
  const resourceName = emulator.account.createPerson(named('Ada'));
  const read = async () => (await api.people.get({ resourceName, personFields: 'names' })).data;
  await update(sandbox, { ...(await read()), ...named('Ada 2') }, 'names');
  expect(namesOf([await read(), await read()])).toEqual(['Ada', 'Ada 2']);
  await api.people.deleteContact({ resourceName });
  const listed = await listAll(api);
  expect(namesOf(listed.people)).toEqual(['Ada 2']);
  const delta = await listAll(api, { syncToken: listed.syncToken });
  expect(delta.people[0]?.metadata?.deleted).toBe(true);
});

test.each(['allOrNothing', 'perItem'] as const)(
  'a batch with a missing and a stale update is %s',
  async (batchAtomicity) => {
    await using sandbox = await startSandbox({ variants: { batchAtomicity } });
    const { account } = sandbox.emulator;
    const [ada, bob] = [await createAda(sandbox), await createAda(sandbox)];
    account.updatePerson(bob.resourceName, named('Web'));
    const sent = { ...ada, ...named('Ada 2') };
    const stale = { ...sent, etag: String(bob.etag) };
    const contacts = { [ada.resourceName]: sent, [bob.resourceName]: stale, 'people/c1': sent };
    const requestBody = { contacts, updateMask: 'names', readMask: 'names' };
    const call = sandbox.api.people.batchUpdateContacts({ requestBody });
    const names = () => new Set(namesOf(account.people()));
    if (batchAtomicity === 'perItem') {
      const results = Object.values((await call).data.updateResult ?? {});
      expect(results.map(({ httpStatusCode }) => httpStatusCode)).toEqual([200, 400, 404]);
      expect(names()).toEqual(new Set(['Ada 2', 'Web']));
      return;
    }
    const contactErrors = { [bob.resourceName]: { code: 9 }, 'people/c1': { code: 5 } };
    expect(await refusalOf(call)).toMatchObject({ status: 400, error: { details: [{ contactErrors }] } });
    expect(names()).toEqual(new Set(['Ada', 'Web']));
  },
);

test.each([
  ['changeContact', 1],
  ['leaveContact', 0],
] as const)('under %s, a change of members is %i changes of the contact', async (membershipChanges, changes) => {
  await using sandbox = await startSandbox({ variants: { membershipChanges } });
  const { account } = sandbox.emulator;
  const [resourceName, ada] = [account.createGroup('Clients'), account.createPerson({})];
  const { syncToken } = await listAll(sandbox.api);
  const requestBody = { resourceNamesToAdd: [ada, 'people/c1'] };
  const { data } = await sandbox.api.contactGroups.members.modify({ resourceName, requestBody });
  expect(data).toEqual({ notFoundResourceNames: ['people/c1'] });
  expect(account.person(ada)?.memberships).toHaveLength(2);
  expect((await listAll(sandbox.api, { syncToken })).people).toHaveLength(changes);
});

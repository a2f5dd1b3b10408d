import type { people_v1 } from '@googleapis/people';
import { expect, test } from 'vitest';
import type { GoogleVariants } from '../../../../src/sandbox/google/variants.ts';
import { refusalOf, type Sandbox, startSandbox } from './support.ts';

type Person = people_v1.Schema$Person;
/** A call that is refused, in an account with the contact `ada`, which was changed since it was read, and a label. */
type Call = (api: people_v1.People, ada: Person) => Promise<unknown>;

const update =
  (updatePersonFields: string, change: (ada: Person) => Person): Call =>
  (api, ada) => {
    const requestBody = change(ada);
    return api.people.updateContact({ resourceName: String(ada.resourceName), updatePersonFields, requestBody });
  };

/** Deletes the contact in the account and a missing one. */
const deleteContacts: Call = (api, { resourceName }) =>
  api.people.batchDeleteContacts({ requestBody: { resourceNames: [String(resourceName), 'people/c1'] } });

const createGroup: Call = (api) => api.contactGroups.create({ requestBody: { contactGroup: { name: 'Clients' } } });

const renameGroup: Call = async (api) => {
  const label = (await api.contactGroups.list()).data.contactGroups?.at(-1);
  const requestBody = { contactGroup: { name: 'New', etag: 'old' } };
  return api.contactGroups.update({ resourceName: String(label?.resourceName), requestBody });
};

const stage = async (): Promise<Sandbox & { ada: Person }> => {
  const sandbox = await startSandbox();
  const { data: ada } = await sandbox.api.people.createContact({ requestBody: { names: [{ givenName: 'Ada' }] } });
  sandbox.emulator.account.createGroup('Clients');
  sandbox.emulator.account.updatePerson(String(ada.resourceName), { names: [{ givenName: 'Ada 2' }] });
  return { ...sandbox, ada };
};

const INVALID = [400, 'INVALID_ARGUMENT'] as const;
const STALE = [400, 'FAILED_PRECONDITION'] as const;
const MISSING = [404, 'NOT_FOUND', 'Requested entity was not found.'] as const;
const TWO_NAMES = { names: [{ givenName: 'A' }, { givenName: 'B' }] };

test.each<readonly [string, Call, number, string, string]>([
  ['a contact with two names', (api) => api.people.createContact({ requestBody: TWO_NAMES }), ...INVALID, 'singleton'],
  ['an update without an etag', update('names', () => ({})), ...INVALID, 'Request must set person.etag'],
  ['an update with a stale etag', update('names', ({ etag }) => ({ etag: etag ?? '' })), ...STALE, 'person.etag is'],
  [
    'an update with a stale source etag',
    update('names', ({ metadata }) => ({ metadata: metadata ?? {} })),
    ...STALE,
    'person.metadata.sources.etag is different than the current',
  ],
  ['a batch of deletions with a missing contact', deleteContacts, ...MISSING],
  ['a group with an outdated etag', renameGroup, 409, 'ABORTED', 'etag is outdated'],
])('Google refuses %s and changes nothing', async (_title, call, status, code, message) => {
  await using sandbox = await stage();
  const { account } = sandbox.emulator;
  const before = JSON.stringify([account.people(), account.groups()]);
  const refusal = await refusalOf(call(sandbox.api, sandbox.ada));
  expect(refusal).toMatchObject({ status, message: expect.stringContaining(message), error: { status: code } });
  expect(JSON.stringify([account.people(), account.groups()])).toBe(before);
});

test.each<readonly [Partial<GoogleVariants>, Call, number, string]>([
  [
    { missingContact: 'internalError' },
    (api) => api.people.deleteContact({ resourceName: 'people/c1' }),
    500,
    'INTERNAL',
  ],
  [{ duplicateGroup: 'ABORTED' }, createGroup, 409, 'ABORTED'],
])('Google refuses with another status under %j', async (variants, call, status, code) => {
  await using sandbox = await stage();
  sandbox.emulator.setVariants(variants);
  expect(await refusalOf(call(sandbox.api, sandbox.ada))).toMatchObject({ status, error: { status: code } });
});

test('Google refuses an update that leaves a contact without a group', async () => {
  await using sandbox = await startSandbox();
  const { data: ada } = await sandbox.api.people.createContact({ requestBody: {} });
  const left = update('memberships', (person) => ({ ...person, memberships: [] }))(sandbox.api, ada);
  expect(await refusalOf(left)).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
});

test('an account of 25,000 contacts is full', async () => {
  await using sandbox = await startSandbox();
  const { account } = sandbox.emulator;
  for (let index = 0; index < 25_000; index += 1) account.createPerson({});
  const create = () => refusalOf(sandbox.api.people.createContact({ requestBody: {} }));
  const full = { status: 429, message: expect.stringContaining('MY_CONTACTS_OVERFLOW_COUNT') };
  expect(await create()).toMatchObject({ ...full, error: { status: 'RESOURCE_EXHAUSTED' } });
  sandbox.emulator.setVariants({ contactLimitBody: 'errorInfo' });
  expect((await create()).error?.details?.[0]).toMatchObject({ reason: 'MY_CONTACTS_OVERFLOW_COUNT' });
});

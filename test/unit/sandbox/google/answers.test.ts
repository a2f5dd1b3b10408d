import { people, type people_v1 } from '@googleapis/people';
import { OAuth2Client } from 'google-auth-library';
import { expect, test } from 'vitest';
import { startGoogleEmulator } from '../../../../src/sandbox/google/server.ts';

const DAY_MS = 24 * 3_600_000;

/** An emulator with a large quota on a clock that a test moves, and the official client configured for it. */
const startSandbox = async (options: Parameters<typeof startGoogleEmulator>[0] = {}) => {
  const clock = { nowMs: Date.UTC(2026, 0, 1), now: (): number => clock.nowMs };
  const quotas = { readsPerMinute: 10_000, writesPerMinute: 10_000 };
  const emulator = await startGoogleEmulator({ clock, quotas, ...options });
  const { clientId, clientSecret, tokenUrl } = emulator;
  const endpoints = { oauth2TokenUrl: tokenUrl };
  const auth = new OAuth2Client({ clientId, clientSecret, endpoints, forceRefreshOnFailure: true });
  auth.setCredentials({ refresh_token: emulator.issueRefreshToken() });
  const api = people({ version: 'v1', auth, rootUrl: emulator.url, retry: false });
  return { emulator, clock, auth, api, [Symbol.asyncDispose]: () => emulator.close() };
};

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;
type Detail = { readonly metadata?: { readonly quota_limit?: string } };
type ApiError = { readonly code: number; readonly status: string; readonly details?: readonly Detail[] };
type ClientError = Error & { status?: unknown; response?: { data?: { error?: ApiError } } };

/** Awaits a call that must be refused, and returns the error of the official client. */
const refusalOf = async (call: Promise<unknown>) => {
  const refused = (error: unknown) => error as ClientError;
  const { status, message, response } = await call.then(() => expect.fail('The call was not refused.'), refused);
  return { status, message, error: response?.data?.error };
};

const listPage = async (api: people_v1.People, syncToken?: string) => {
  const defaults = { resourceName: 'people/me', personFields: 'names,metadata', requestSyncToken: true };
  const { data } = await api.people.connections.list({ ...defaults, ...(syncToken !== undefined && { syncToken }) });
  return data.nextSyncToken ?? '';
};

type Person = people_v1.Schema$Person;
/** A call that is refused, in an account with the contact `ada`, which was changed since it was read, and a label. */
type Call = (api: people_v1.People, ada: Person) => Promise<unknown>;

const update =
  (updatePersonFields: string, change: (ada: Person) => Person): Call =>
  (api, ada) => {
    const requestBody = change(ada);
    return api.people.updateContact({ resourceName: String(ada.resourceName), updatePersonFields, requestBody });
  };

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

const sourceOf = ({ metadata }: Person): Person => ({ metadata: metadata ?? {} });
const INVALID = [400, 'INVALID_ARGUMENT'] as const;
const STALE = [400, 'FAILED_PRECONDITION'] as const;
const TWO_NAMES = { names: [{ givenName: 'A' }, { givenName: 'B' }] };

test.each<readonly [string, Call, number, string, string]>([
  ['a contact with two names', (api) => api.people.createContact({ requestBody: TWO_NAMES }), ...INVALID, 'singleton'],
  ['an update without an etag', update('names', () => ({})), ...INVALID, 'Request must set person.etag'],
  ['an update with a stale etag', update('names', ({ etag }) => ({ etag: etag ?? '' })), ...STALE, 'person.etag is'],
  ['an update with a stale source', update('names', sourceOf), ...STALE, 'person.metadata.sources.etag is different'],
  ['a group with an outdated etag', renameGroup, 409, 'ABORTED', 'etag is outdated'],
])('Google refuses %s and changes nothing', async (_title, call, status, code, message) => {
  await using sandbox = await stage();
  const { account } = sandbox.emulator;
  const before = JSON.stringify([account.people(), account.groups()]);
  const refusal = await refusalOf(call(sandbox.api, sandbox.ada));
  expect(refusal).toMatchObject({ status, message: expect.stringContaining(message), error: { status: code } });
  expect(JSON.stringify([account.people(), account.groups()])).toBe(before);
});

test('an account of 25,000 contacts is full', async () => {
  await using sandbox = await startSandbox();
  const { account } = sandbox.emulator;
  for (let index = 0; index < 25_000; index += 1) account.createPerson({});
  expect(await refusalOf(sandbox.api.people.createContact({ requestBody: {} }))).toMatchObject({
    status: 429,
    message: expect.stringContaining('MY_CONTACTS_OVERFLOW_COUNT'),
    error: { status: 'RESOURCE_EXHAUSTED' },
  });
});

const minuteMs = 60_000;
const ADA = { names: [{ givenName: 'Ada' }] };

/** Sends a request like a program without the official client. */
async function send({ emulator, auth }: Sandbox, path: string): Promise<Response> {
  const { token } = await auth.getAccessToken();
  return fetch(`${emulator.url}v1/${path}`, { headers: { authorization: `Bearer ${token}` } });
}

const limitOf = ({ error }: Awaited<ReturnType<typeof refusalOf>>): unknown =>
  error?.details?.[0]?.metadata?.quota_limit;

test('a used write quota is a 429 with its name, until the minute has passed', async () => {
  await using sandbox = await startSandbox({ quotas: { readsPerMinute: 100, writesPerMinute: 2 } });
  const create = () => sandbox.api.people.createContact({ requestBody: ADA });
  await create();
  sandbox.clock.nowMs += 1000;
  await create();
  const refusal = await refusalOf(create());
  expect(refusal).toMatchObject({ status: 429, error: { status: 'RESOURCE_EXHAUSTED' } });
  expect(refusal.message).toBe(
    `Quota exceeded for quota metric 'Critical write requests' and limit 'Critical write requests per minute per user' ` +
      `of service 'people.googleapis.com' for consumer 'project_number:123'.`,
  );
  expect(limitOf(refusal)).toBe('CriticalWritesPerMinutePerProjectPerUser');
  sandbox.clock.nowMs += minuteMs - 1000;
  await create();
  expect(await refusalOf(create())).toMatchObject({ status: 429 });
});

test('a write that returns contacts uses the read quota too; other writes and reads of groups do not', async () => {
  await using sandbox = await startSandbox({ quotas: { readsPerMinute: 0, writesPerMinute: 100 } });
  const { api, emulator } = sandbox;
  const contacts = [{ contactPerson: ADA }];
  await api.people.batchCreateContacts({ requestBody: { contacts } });
  await api.people.deleteContact({ resourceName: String(emulator.account.people()[0]?.resourceName) });
  await api.contactGroups.list();
  const read = 'CriticalReadsPerMinutePerProjectPerUser';
  expect(limitOf(await refusalOf(api.people.createContact({ requestBody: ADA })))).toBe(read);
  const masked = api.people.batchCreateContacts({ requestBody: { contacts, readMask: 'names' } });
  expect(limitOf(await refusalOf(masked))).toBe(read);
  emulator.setQuotas({ readsPerMinute: 1, writesPerMinute: 0 });
  await listPage(api);
  expect(limitOf(await refusalOf(listPage(api)))).toBe(read);
});

test('a query parameter that neither the method nor every method has is refused and uses no quota', async () => {
  await using sandbox = await startSandbox({ quotas: { readsPerMinute: 1, writesPerMinute: 1 } });
  const path = 'people/me/connections?personFields=names';
  const error = { code: 400, message: expect.stringContaining('Unknown name "updatePersonFields"') };
  expect(await (await send(sandbox, `${path}&updatePersonFields=names`)).json()).toMatchObject({ error });
  expect((await send(sandbox, `${path}&alt=json&$.xgafv=2&key=k`)).status).toBe(200);
});

const named = (givenName: string) => ({ names: [{ givenName }] });

async function createAda({ api }: Sandbox) {
  const requestBody = { ...named('Ada'), emailAddresses: [{ value: 'ada@x.example', type: 'home' }] };
  const { data } = await api.people.createContact({ requestBody });
  return { ...data, resourceName: String(data.resourceName) };
}

const STATUSES = ['INVALID_ARGUMENT', 'FAILED_PRECONDITION'] as const;

test.each(STATUSES)('a sync token expires seven days after the full sync, with %s', async (status) => {
  await using sandbox = await startSandbox({ variants: { expiredSyncTokenStatus: status } });
  const syncToken = await listPage(sandbox.api);
  sandbox.clock.nowMs += 7 * DAY_MS - 1;
  const later = await listPage(sandbox.api, syncToken);
  sandbox.clock.nowMs += 1;
  const message = 'Sync token is expired. Clear local cache and retry call without the sync token.';
  const type = 'type.googleapis.com/google.rpc.ErrorInfo';
  const details = [{ '@type': type, reason: 'EXPIRED_SYNC_TOKEN', domain: 'people.googleapis.com' }];
  const error = { code: 400, message, status, details };
  const refusal = await refusalOf(listPage(sandbox.api, later));
  expect(refusal).toEqual({ status: 400, message, error });
});

test('under perItem, a batch applies the updates that are not refused', async () => {
  await using sandbox = await startSandbox({ variants: { batchAtomicity: 'perItem' } });
  const { account } = sandbox.emulator;
  const [ada, bob] = [await createAda(sandbox), await createAda(sandbox)];
  account.updatePerson(bob.resourceName, named('Web'));
  const sent = { ...ada, ...named('Ada 2') };
  const contacts = {
    [ada.resourceName]: sent,
    [bob.resourceName]: { ...sent, etag: String(bob.etag) },
    'people/c1': sent,
  };
  const requestBody = { contacts, updateMask: 'names', readMask: 'names' };
  const { data } = await sandbox.api.people.batchUpdateContacts({ requestBody });
  expect(Object.values(data.updateResult ?? {}).map(({ httpStatusCode }) => httpStatusCode)).toEqual([200, 400, 404]);
  const names = account.people().map((person) => person.names?.[0]?.givenName);
  expect(new Set(names)).toEqual(new Set(['Ada 2', 'Web']));
});

type Values = NonNullable<Person['names' | 'urls' | 'birthdays' | 'photos']>;
const NAME = { givenName: 'John', middleName: 'Jay', familyName: 'Doe', honorificPrefix: 'Dr.' };
const DISPLAY = 'Dr. John Jay Doe';
const LONDON = { streetAddress: '1 High St', city: 'London', postalCode: 'N1', country: 'UK' };
const FAX = { value: '(830) 285-9851', type: 'workFax' };
const WORK = { value: 'john@kde.example', type: 'work' };

/** The fields of a contact as they are sent, and as they are returned without metadata. */
const COMPUTED: Readonly<Record<string, readonly [sent: readonly object[], returned: readonly object[]]>> = {
  names: [
    [NAME],
    [{ ...NAME, displayName: DISPLAY, displayNameLastFirst: 'Doe, Dr. John Jay', unstructuredName: DISPLAY }],
  ],
  emailAddresses: [
    [WORK, { value: 'j@home.test' }],
    [{ ...WORK, formattedType: 'Work' }, { value: 'j@home.test' }],
  ],
  phoneNumbers: [
    [FAX, { value: 'ask Jane', type: 'my own' }],
    [
      { ...FAX, canonicalForm: '+18302859851', formattedType: 'Work Fax' },
      { value: 'ask Jane', type: 'my own', formattedType: 'my own' },
    ],
  ],
  addresses: [[LONDON], [{ ...LONDON, countryCode: 'GB', formattedValue: '1 High St\nLondon, N1\nUK' }]],
  biographies: [[{ value: 'A note' }], [{ value: 'A note', contentType: 'TEXT_PLAIN' }]],
  nicknames: [[{ value: 'JD', type: 'DEFAULT' }], [{ value: 'JD' }]],
  organizations: [[{ name: 'KDE', current: false }], [{ name: 'KDE' }]],
  birthdays: [[{ date: { year: 0, month: 3, day: 11 } }], [{ date: { month: 3, day: 11 } }]],
  userDefined: [[{ key: 'empty', value: '' }], [{ key: 'empty' }]],
  urls: [[{}], []],
  photos: [[], [{ default: true, url: expect.any(String) }]],
};

test.each(Object.entries(COMPUTED))('values of %s are those of recorded answers', async (field, [sent, returned]) => {
  await using sandbox = await startSandbox();
  const { data } = await sandbox.api.people.createContact({ requestBody: { [field]: sent } });
  const values = (data as Readonly<Record<string, Values | undefined>>)[field] ?? [];
  expect(values.map((value) => ({ ...value, metadata: undefined }))).toEqual(returned);
});

test('a created contact has the metadata and the membership of recorded answers', async () => {
  await using sandbox = await startSandbox();
  const requestBody = { ...named('Ada'), urls: [{ value: 'a' }, { value: 'b' }] };
  const { data } = await sandbox.api.people.createContact({ requestBody });
  const source = { type: 'CONTACT', id: data.metadata?.sources?.[0]?.id };
  const etag = expect.stringMatching(/^#.{11}=$/u);
  const contactGroupResourceName = 'contactGroups/myContacts';
  expect(data).toMatchObject({
    resourceName: `people/c${BigInt(`0x${source.id}`)}`,
    etag: expect.stringMatching(/^%/u),
    metadata: { objectType: 'PERSON', sources: [{ ...source, etag, updateTime: '2026-01-01T00:00:00.000Z' }] },
    names: [{ metadata: { primary: true, source, sourcePrimary: true } }],
    urls: [{ metadata: { primary: true, source } }, { metadata: { source } }],
    memberships: [
      { metadata: { source }, contactGroupMembership: { contactGroupId: 'myContacts', contactGroupResourceName } },
    ],
  });
});

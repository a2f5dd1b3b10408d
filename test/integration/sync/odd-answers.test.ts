import { expect, test } from 'vitest';
import { type LinkedSandbox, startLinkedSandbox } from '../../support/linked-sandbox.ts';
import { startSpoilingProxy } from '../hostile/breakage.ts';
import { startFailing } from './failing-proxy.ts';

const HOUR_MS = 3_600_000;

/** A link whose answers of the service pass a proxy, which changes their texts. */
const startStage = async (fields: string) => {
  await using stack = new AsyncDisposableStack();
  const proxy = stack.use(await startSpoilingProxy());
  const variables = { FIELDS: fields, SERVICE_BASE_URL: proxy.url, SWEEP_INTERVAL: '1s' };
  const linked = stack.use(await startLinkedSandbox({ google: [], service: [] }, variables));
  proxy.target = linked.sandbox.service.url;
  const owned = stack.move();
  return { proxy, linked, [Symbol.asyncDispose]: () => owned.disposeAsync() };
};

/** A link with the one side behind a proxy, whose `answer` answers in its place. */
const startJudged = async (side: 'google' | 'service') => {
  const stage: { answer: Parameters<typeof startFailing>[1] } = { answer: () => null };
  const variables = { SWEEP_INTERVAL: '1s', DELETE_LIMIT: '100%' };
  const linked = await startFailing(side, (asked) => stage.answer(asked), { google: [], service: [] }, variables);
  return { stage, linked, [Symbol.asyncDispose]: () => linked[Symbol.asyncDispose]() };
};

const refusal = (status: number, value: unknown) => ({ status, body: JSON.stringify(value) });

const addToGoogle = ({ sandbox }: LinkedSandbox, givenName: string, more: object = {}): string =>
  sandbox.google.account.createPerson({ names: [{ givenName, familyName: 'Test' }], ...more });

/** Changes each contact in an answer of the service. */
const inContacts =
  (change: (row: Record<string, unknown>) => void) =>
  (text: string): string => {
    const answer = JSON.parse(text) as { data: unknown };
    for (const row of [answer.data].flat() as Record<string, unknown>[])
      if (row['first_name'] !== undefined) change(row);
    return JSON.stringify(answer);
  };

test.each<[string, (row: Record<string, unknown>) => void]>([
  ['lacks the list', (row) => delete row['social_media_profiles']],
  ['has null for the list', (row) => (row['social_media_profiles'] = null)],
  ['has a number for a label', (row) => (row['social_media_profiles'] = [{ url: 'https://x.example', label: 7 }])],
])('R17: profiles at Google stay although a row of the service %s', async (_, change) => {
  await using opened = await startStage('default,socialProfiles');
  const { proxy, linked } = opened;
  addToGoogle(linked, 'Ada', { urls: [{ value: 'https://linkedin.example/ada', type: 'linkedin' }] });
  await linked.synced();
  proxy.rewrite = inContacts(change);
  await linked.sync({ afterMs: HOUR_MS });
  const urls = [{ value: 'https://linkedin.example/ada' }];
  expect(linked.sandbox.google.account.people()).toMatchObject([{ urls }]);
});

test('R17: notes at Google stay although a row of the service has no custom fields', async () => {
  await using opened = await startStage('default,notes');
  const { proxy, linked } = opened;
  const { account } = linked.sandbox.service;
  const { id } = account.customFields.define('Notes', 'textfield');
  account.createContact({ first_name: 'Ada', custom_field_values: [{ field: { id }, value: 'Long story' }] });
  await linked.synced();
  proxy.rewrite = inContacts((row) => delete row['custom_fields']);
  await linked.sync({ afterMs: HOUR_MS });
  expect(linked.sandbox.google.account.people()).toMatchObject([{ biographies: [{ value: 'Long story' }] }]);
});

test('R5, R10: a custom field with several values is not replaced by the one text of the other side', async () => {
  await using opened = await startStage('default,custom:custom_field_9');
  const { linked } = opened;
  const { google, service } = linked.sandbox;
  const value = ['Golf', 'Tennis'] as never;
  service.account.createContact({
    first_name: 'Ada',
    custom_field_values: [{ field: { id: 'custom_field_9' }, value }],
  });
  await linked.synced();
  const userDefined = [{ key: 'custom_field_9', value: 'Chess' }];
  google.account.updatePerson(google.account.people()[0]?.resourceName ?? '', { userDefined });
  await linked.synced({ afterMs: HOUR_MS });
  expect(service.account.contacts()).toMatchObject([{ customFields: [{ id: 'custom_field_9', value }] }]);
});

test.each([
  ['a number that JavaScript rounds', '12345678901234567891'],
  ['20,000 levels of lists', `${'['.repeat(20_000)}1${']'.repeat(20_000)}`],
])('R10, R15: a contact with %s in a custom field is left alone, and the others are synced', async (_, odd) => {
  await using opened = await startStage('default,notes');
  const { proxy, linked } = opened;
  proxy.rewrite = (text) => text.replaceAll('"value":12345', `"value":${odd}`);
  const { account } = linked.sandbox.service;
  account.customFields.define('Notes', 'textfield');
  const { id } = account.customFields.define('Number', 'decimal');
  account.createContact({ first_name: 'Ben', custom_field_values: [{ field: { id }, value: 12_345 }] });
  account.createContact({ first_name: 'Ada' });
  expect(await linked.synced()).toMatchObject({ left: { created: 1 } });
  expect(proxy.writes.filter((write) => write.startsWith('PATCH'))).toEqual([]);
});

test.each([403, 422, 200])('R15: a full account (%i) refuses new contacts only, not edits', async (status) => {
  await using opened = await startJudged('service');
  const { stage, linked } = opened;
  const ada = addToGoogle(linked, 'Ada');
  await linked.synced();
  stage.answer = ({ method, path }) =>
    method === 'POST' && path === '/v2/contacts' ? refusal(status, { errors: ['Contact limit exceeded'] }) : null;
  addToGoogle(linked, 'Ben');
  linked.sandbox.google.account.updatePerson(ada, { organizations: [{ title: 'Author' }] });
  expect(await linked.synced({ afterMs: HOUR_MS })).toMatchObject({ skipped: 1 });
  expect(linked.sandbox.service.account.contacts()).toMatchObject([{ first_name: 'Ada', title: 'Author' }]);
});

test('R15: a refusal for a contact in its last label does not count for the others of the request', async () => {
  await using opened = await startJudged('google');
  const { stage, linked } = opened;
  const { google, service } = linked.sandbox;
  const choir = google.account.createGroup('Choir');
  const ids = ['Ada', 'Ben', 'Cleo'].map((givenName) =>
    google.account.createPerson(
      { names: [{ givenName }] },
      { groups: givenName === 'Ada' ? [choir] : [choir, 'contactGroups/myContacts'] },
    ),
  );
  await linked.synced();
  for (const { id } of service.account.contacts()) service.account.setBuckets(id, []);
  const error = { code: 400, status: 'INVALID_ARGUMENT', message: 'no' };
  stage.answer = ({ path }) => (path.includes('myContacts/members:modify') ? refusal(400, { error }) : null);
  expect(await linked.synced({ afterMs: HOUR_MS })).toMatchObject({ skipped: 1 });
  const members = ids.map((id) => JSON.stringify(google.account.person(id)?.memberships).includes(choir));
  expect(members).toEqual([true, false, false]);
});

test('R15: a create that Google always answers with a failed precondition is reported, and waits', async () => {
  await using opened = await startJudged('google');
  const { stage, linked } = opened;
  const error = { code: 400, status: 'FAILED_PRECONDITION', message: 'no' };
  stage.answer = ({ path }) => (path.includes('batchCreateContacts') ? refusal(400, { error }) : null);
  linked.sandbox.service.account.createContact({ first_name: 'Ada' });
  expect(await linked.synced()).toMatchObject({ skipped: 1 });
  const isCreate = (request: string): boolean => request.includes('batchCreateContacts');
  const creates = linked.seen.filter(isCreate);
  expect(await linked.synced({ afterMs: 60_000 })).toMatchObject({ skipped: 0 });
  expect(linked.seen.filter(isCreate)).toHaveLength(creates.length);
});

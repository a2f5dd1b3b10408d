import { describe, expect, it } from 'vitest';
import { NameTakenError, UnreadableError } from '../../../../../src/providers/errors.ts';
import { authorizeUrl, createAuthorizationApi } from '../../../../../src/providers/service/api/authorization.ts';
import type { ServiceApi } from '../../../../../src/providers/service/api/service-api.ts';
import { bucketJson, collect, contactJson, failureOf, list, never, NOW_MS, one, startServer } from '../support.ts';

type Route = {
  readonly call: (api: ServiceApi) => Promise<unknown>;
  readonly request: string;
  readonly body?: unknown;
  readonly answer: unknown;
};

const UNTIL_MS = Date.UTC(2026, 0, 2);
const ids = { data: [{ id: 'x_1' }, { id: 'x_2' }] };
const user = { id: 'user_1' };
const task = { id: 'task_1' };
const interaction = { id: 'interaction_1' };
const contact = contactJson(1);

/** Requests with a query or a body. test/contract sends a request to every documented route. */
const ROUTES: readonly Route[] = [
  {
    call: (api) => api.user.update({ settings: { time_zone: 'UTC' } }, never),
    request: 'PATCH /v2/me',
    body: { data: { settings: { time_zone: 'UTC' } } },
    answer: one(user),
  },
  {
    call: (api) => collect(api.user.listConnectedAccounts({ order: ['-created_at'] }, never)),
    request: 'GET /v2/me/connected-accounts?order=-created_at',
    answer: list([{ id: 'connected_account_1' }]),
  },
  {
    call: (api) => collect(api.user.listNotifications({ read: false, 'read_at.after': UNTIL_MS }, never)),
    request: 'GET /v2/me/notifications?read=false&read_at.after=2026-01-02T00%3A00%3A00%2B00%3A00',
    answer: list([{ id: 'notification_1' }]),
  },
  {
    call: (api) => collect(api.user.listPrompts({ order: ['-due_at', 'id'] }, never)),
    request: 'GET /v2/me/prompts?order=-due_at%2Cid',
    answer: list([task]),
  },
  {
    call: (api) => api.user.postponePrompt('task_1', null, never),
    request: 'PUT /v2/me/prompts/task_1/postpone',
    answer: one(task),
  },
  {
    call: (api) => api.user.postponePrompt('task_1', UNTIL_MS, never),
    request: 'PUT /v2/me/prompts/task_1/postpone',
    body: { data: { postpone_until: '2026-01-02T00:00:00.000Z' } },
    answer: one(task),
  },
  {
    call: (api) => collect(api.user.listTasks({ completed: true, 'completed_at.before': UNTIL_MS }, never)),
    request: 'GET /v2/me/tasks?completed=true&completed_at.before=2026-01-02T00%3A00%3A00%2B00%3A00',
    answer: list([task]),
  },
  {
    call: (api) => collect(api.buckets.list({ q: 'VIP', order: ['sort_order'] }, never)),
    request: 'GET /v2/buckets?q=VIP&order=sort_order',
    answer: list([bucketJson(1)]),
  },
  {
    call: (api) => api.buckets.create({ name: 'A', goal: 'g', reminder_interval: 30 }, never),
    request: 'POST /v2/buckets',
    body: { data: { name: 'A', goal: 'g', reminder_interval: 30 } },
    answer: one(bucketJson(1)),
  },
  {
    call: (api) => api.buckets.update('bucket_1', { name: 'B' }, never),
    request: 'PATCH /v2/buckets/bucket_1',
    body: { data: { name: 'B' } },
    answer: one(bucketJson(1)),
  },
  {
    call: (api) => api.membership.addContacts('bucket_1', ['x_1', 'x_2'], never),
    request: 'POST /v2/buckets/bucket_1/contacts',
    body: ids,
    answer: list([contact]),
  },
  {
    call: (api) => api.membership.removeContacts('bucket_1', ['x_1', 'x_2'], never),
    request: 'DELETE /v2/buckets/bucket_1/contacts',
    body: ids,
    answer: list([contact]),
  },
  {
    call: (api) =>
      collect(
        api.contacts.list(
          { company: 'A&B', tags: 't', buckets: 'bucket_1', team_search: true, custom_field_7: 'v' },
          never,
        ),
      ),
    request: 'GET /v2/contacts?company=A%26B&tags=t&buckets=bucket_1&team_search=true&custom_field_7=v',
    answer: list([contact]),
  },
  {
    call: (api) =>
      api.contacts.create({ custom_field_values: [{ field: { id: 'custom_field_1' }, value: 'v' }] }, never),
    request: 'POST /v2/contacts',
    body: { data: { custom_field_values: [{ field: { id: 'custom_field_1' }, value: 'v' }] } },
    answer: one(contact),
  },
  {
    call: (api) => api.contacts.update('contact_1', { tags: ['a'] }, never),
    request: 'PATCH /v2/contacts/contact_1',
    body: { data: { tags: ['a'] } },
    answer: one(contact),
  },
  {
    call: (api) => api.contacts.merge('contact_1', ['contact_2'], never),
    request: 'POST /v2/contacts/contact_1/merge',
    body: { data: [{ contact_ids: ['contact_2'] }] },
    answer: one(contact),
  },
  {
    call: (api) => api.membership.addBuckets('contact_1', ['x_1', 'x_2'], never),
    request: 'POST /v2/contacts/contact_1/buckets',
    body: ids,
    answer: list([bucketJson(1)]),
  },
  {
    call: (api) => api.membership.replaceBuckets('contact_1', ['x_1', 'x_2'], never),
    request: 'PUT /v2/contacts/contact_1/buckets',
    body: ids,
    answer: list([bucketJson(1)]),
  },
  {
    call: (api) => api.membership.removeBuckets('contact_1', ['x_1', 'x_2'], never),
    request: 'DELETE /v2/contacts/contact_1/buckets',
    body: ids,
    answer: list([bucketJson(1)]),
  },
  {
    call: (api) => api.interactions.update('interaction_1', { subject: 's' }, never),
    request: 'PATCH /v2/interactions/interaction_1',
    body: { data: { subject: 's' } },
    answer: one(interaction),
  },
];

describe('a documented route', () => {
  it.each(ROUTES)('$request is sent as documented', async ({ call, request, body, answer }) => {
    await using server = await startServer(() => ({ json: answer }));
    const result = await call(server.api);
    const [received] = server.received;
    const query = received?.rawQuery === '' ? '' : `?${received?.rawQuery}`;
    expect(`${received?.method} ${received?.path}${query}`).toBe(request);
    expect(received?.body).toEqual(body);
    expect(server.received).toHaveLength(1);
    expect(JSON.stringify(result)).toContain('_1');
  });
});

describe('an answer of a single route', () => {
  it('is unreadable if the resource has another shape', async () => {
    await using server = await startServer(() => ({ json: one({ name: 'no id' }) }));
    const error = await failureOf(server.api.buckets.update('bucket_1', { name: 'B' }, never));
    expect(error).toBeInstanceOf(UnreadableError);
    expect(error).toMatchObject({ applied: 'unknown' });
  });

  it('to a delete may be empty', async () => {
    await using server = await startServer(() => ({ status: 204 }));
    expect(await server.api.contacts.delete('contact_1', never)).toBeNull();
  });

  it('that refuses a taken name of a bucket has its own error', async () => {
    await using server = await startServer(() => ({ status: 422, json: { errors: ['Name has already been taken'] } }));
    expect(await failureOf(server.api.buckets.create({ name: 'A' }, never))).toBeInstanceOf(NameTakenError);
  });

  it('that redirects to a merged contact is followed once, at the same service only', async () => {
    await using server = await startServer(({ path }) =>
      path.endsWith('_1')
        ? { status: 301, headers: { location: 'https://elsewhere.example/v2/contacts/contact_2?x=1' } }
        : { json: one(contactJson(2)) },
    );
    expect((await server.api.contacts.get('contact_1', never)).id).toBe('contact_2');
    expect(server.calls()).toEqual(['GET /v2/contacts/contact_1', 'GET /v2/contacts/contact_2']);
  });
});

describe('the authorization', () => {
  it('has a consent URL with the scopes joined by + and the state', () => {
    const url = authorizeUrl('https://auth.example/', {
      clientId: 'c d',
      redirectUri: 'http://127.0.0.1:8/cb',
      scopes: ['contacts:manage', 'buckets:manage'],
      responseType: 'code',
      state: 's&t',
    });
    expect(url).toMatch(/^https:\/\/auth\.example\/oauth2\/authorize\?/u);
    expect(url).toContain('scope=contacts%3Amanage+buckets%3Amanage');
    const { searchParams } = new URL(url);
    expect(searchParams.get('state')).toBe('s&t');
    expect(searchParams.get('client_id')).toBe('c d');
    expect(searchParams.get('response_type')).toBe('code');
    expect(searchParams.get('redirect_uri')).toBe('http://127.0.0.1:8/cb');
  });

  it('exchanges a code and an api_key', async () => {
    await using server = await startServer(({ path }) =>
      path.endsWith('exchange')
        ? { json: { access_token: 'new', scopes: 'all:manage' } }
        : { json: { access_token: 'token', token_type: 'bearer', user_id: 5 } },
    );
    const authorization = createAuthorizationApi(server.send);
    const exchange = { clientId: 'c', clientSecret: 's', code: 'o', redirectUri: 'r' };
    expect(await authorization.exchangeCode(exchange, never)).toMatchObject({ access_token: 'token', user_id: '5' });
    expect(await authorization.exchangeApiKey('k', 'c', never)).toEqual({ access_token: 'new', scopes: 'all:manage' });
    expect(server.calls()).toEqual(['POST /oauth2/token', 'POST /oauth2/token/exchange']);
    const grant = {
      grant_type: 'authorization_code',
      client_id: 'c',
      client_secret: 's',
      code: 'o',
      redirect_uri: 'r',
    };
    expect(server.received.map((request) => request.body)).toEqual([grant, { api_key: 'k', client_id: 'c' }]);
  });

  it('never puts a secret into an error', async () => {
    await using server = await startServer(({ body }) => ({
      status: 400,
      json: { error: `refused ${JSON.stringify(body)}` },
    }));
    const exchange = { clientId: 'client', clientSecret: 'hush', code: 'once', redirectUri: 'http://127.0.0.1' };
    const error = await failureOf(createAuthorizationApi(server.send).exchangeCode(exchange, never));
    expect(error.message).not.toMatch(/hush|once/u);
  });
});

it('an undocumented filter or order does not compile', async () => {
  await using server = await startServer(() => ({ json: list([]) }));
  // @ts-expect-error a misspelt filter
  await collect(server.api.contacts.list({ 'updated_at.since': NOW_MS }, never));
  // @ts-expect-error an order that contacts do not support
  await collect(server.api.contacts.list({ order: ['due_at'] }, never));
  // @ts-expect-error a parameter of another list
  await collect(server.api.buckets.list({ company: 'A' }, never));
  expect(server.received).toHaveLength(3);
});

import { describe, expect, it } from 'vitest';
import { UnreadableError } from '../../../../../src/providers/errors.ts';
import { createAuthorizationApi } from '../../../../../src/providers/service/api/authorization.ts';
import type { ServiceApi } from '../../../../../src/providers/service/api/service-api.ts';
import { collect, forever } from '../../../../contract/scenes/steps.ts';
import { failureOf, contactJson, list, NOW_MS, one, startServer } from '../support.ts';

type Route = {
  readonly call: (api: ServiceApi) => Promise<unknown>;
  readonly request: string;
  readonly body?: unknown;
  readonly answer: unknown;
};

const UNTIL_MS = Date.UTC(2026, 0, 2);
/** Requests with an encoded query, and bodies of which the emulator in test/contract shows no effect. */
const ROUTES: readonly Route[] = [
  {
    call: (api) => collect(api.user.listNotifications({ read: false, 'read_at.after': UNTIL_MS }, forever)),
    request: 'GET /v2/me/notifications?read=false&read_at.after=2026-01-02T00%3A00%3A00%2B00%3A00',
    answer: list([{ id: 'notification_1' }]),
  },
  {
    call: (api) => api.user.postponePrompt('task_1', UNTIL_MS, forever),
    request: 'PUT /v2/me/prompts/task_1/postpone',
    body: { data: { postpone_until: '2026-01-02T00:00:00.000Z' } },
    answer: one({ id: 'task_1' }),
  },
  {
    call: (api) => collect(api.contacts.list({ company: 'A&B', team_search: true, custom_field_7: 'v' }, forever)),
    request: 'GET /v2/contacts?company=A%26B&team_search=true&custom_field_7=v',
    answer: list([contactJson(1)]),
  },
  {
    call: (api) => api.interactions.update('interaction_1', { subject: 's' }, forever),
    request: 'PATCH /v2/interactions/interaction_1',
    body: { data: { subject: 's' } },
    answer: one({ id: 'interaction_1' }),
  },
];

it.each(ROUTES)('$request is sent as documented', async ({ call, request, body, answer }) => {
  await using server = await startServer(() => ({ body: answer }));
  expect(JSON.stringify(await call(server.api))).toContain('_1');
  const [{ method, path, rawQuery, body: sent } = expect.fail('no request')] = server.received;
  expect(`${method} ${path}${rawQuery === '' ? '' : `?${rawQuery}`}`).toBe(request);
  expect(sent).toEqual(body);
  expect(server.received).toHaveLength(1);
});

describe('an answer of a single route', () => {
  it('is unreadable if the resource has another shape', async () => {
    await using server = await startServer(() => ({ body: one({ name: 'no id' }) }));
    const error = await failureOf(server.api.buckets.update('bucket_1', { name: 'B' }, forever));
    expect(error).toBeInstanceOf(UnreadableError);
    expect(error).toMatchObject({ applied: 'unknown' });
  });

  it('that redirects to a merged contact is followed once, at the same service only', async () => {
    await using server = await startServer(({ path }) =>
      path.endsWith('_1')
        ? { status: 301, headers: { location: 'https://elsewhere.example/v2/contacts/contact_2?x=1' } }
        : { body: one(contactJson(2)) },
    );
    expect((await server.api.contacts.get('contact_1', forever)).id).toBe('contact_2');
    expect(server.calls()).toEqual(['GET /v2/contacts/contact_1', 'GET /v2/contacts/contact_2']);
  });
});

it('an error of the authorization never contains a secret', async () => {
  await using server = await startServer(({ body }) => ({
    status: 400,
    body: { error: `refused ${JSON.stringify(body)}` },
  }));
  const exchange = { clientId: 'client', clientSecret: 'hush', code: 'once', redirectUri: 'http://127.0.0.1' };
  const error = await failureOf(createAuthorizationApi(server.send).exchangeCode(exchange, forever));
  expect(error.message).not.toMatch(/hush|once/u);
});

it('an undocumented filter or order does not compile', async () => {
  await using server = await startServer(() => ({ body: list([]) }));
  // @ts-expect-error a misspelt filter
  await collect(server.api.contacts.list({ 'updated_at.since': NOW_MS }, forever));
  // @ts-expect-error an order that contacts do not support
  await collect(server.api.contacts.list({ order: ['due_at'] }, forever));
  // @ts-expect-error a parameter of another list
  await collect(server.api.buckets.list({ company: 'A' }, forever));
  expect(server.received).toHaveLength(3);
});

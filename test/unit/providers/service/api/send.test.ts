import { expect, it } from 'vitest';
import { createSend } from '../../../../../src/providers/service/api/send.ts';
import { forever } from '../../../../contract/scenes/steps.ts';
import { type CannedServer, failureOf, startServer } from '../support.ts';
import { createLeapingClock } from '../../../../support/clocks.ts';

const sendTo = ({ url, transport }: CannedServer, path: string, clock = createLeapingClock()) =>
  createSend({ baseUrl: `${url}${path}`, accessToken: null, transport, clock })(forever);

const GET = { method: 'GET', route: '/v2/contacts' } as const;

it('a request has the documented headers, its id and its query', async () => {
  await using server = await startServer(() => ({ body: {} }));
  const query = { 'updated_at.after': '2026-01-01T00:00:00+00:00', q: 'a b' };
  await server.send({ method: 'GET', route: '/v2/contacts/{id}', id: 'a/b', query });
  const [request] = server.received;
  expect(request?.authorization).toBe('Bearer secret-token');
  expect(request?.contentType).toBe('application/json');
  expect(request?.path).toBe('/v2/contacts/a%2Fb');
  expect(request?.rawQuery).toBe('updated_at.after=2026-01-01T00%3A00%3A00%2B00%3A00&q=a%20b');
  expect(request?.query.get('updated_at.after')).toBe('2026-01-01T00:00:00+00:00');
});

it('a request is sent below the path of the base url, without an authorization header if no token is set', async () => {
  await using server = await startServer(() => ({ body: {} }));
  await sendTo(server, '/base')(GET);
  expect(server.received).toMatchObject([{ path: '/base/v2/contacts', authorization: undefined }]);
});

it('a request to a base url that ends in /v2 fails with the setting to correct if the route does not exist', async () => {
  await using server = await startServer(() => ({ status: 404, body: {} }));
  const failure = async (path: string) => (await failureOf(sendTo(server, path)(GET))).message;
  expect(await failure('/v2')).toMatch(/: leave \/v2 out of SERVICE_BASE_URL$/u);
  expect(await failure('/base')).toMatch(/: check SERVICE_BASE_URL$/u);
});

it('a request over 1 MiB is refused before it is sent', async () => {
  await using server = await startServer(() => ({ body: {} }));
  const body = { data: { first_name: 'é'.repeat(600_000) } };
  const error = await failureOf(server.send({ method: 'POST', route: '/v2/contacts', body }));
  expect(error).toMatchObject({ kind: 'invalid', applied: 'no', status: null });
  expect(server.received).toHaveLength(0);
});

it('an answer with an error status is classified by its status, even if its body is HTML or truncated', async () => {
  for (const answer of [{ body: '<html>' }, { breakAfter: '<ht' }]) {
    await using server = await startServer(() => ({ status: 502, ...answer }));
    expect(await failureOf(server.send(GET))).toMatchObject({ kind: 'unavailable', status: 502 });
  }
});

it('an answer that takes longer than the time limit is abandoned', async () => {
  await using server = await startServer(() => ({ body: '{}' }));
  let nowMs = 0;
  const clock = { ...createLeapingClock(), monotonic: () => (nowMs += 40_000) };
  expect((await failureOf(sendTo(server, '', clock)(GET))).message).toContain('longer than 30000 ms');
});

it('an answer of another shape to a write is unreadable, and it is unknown whether the write was applied', async () => {
  await using server = await startServer(() => ({ body: { data: { name: 'no id' }, meta: {} } }));
  const error = await failureOf(server.api.buckets.update('bucket_1', { name: 'B' }));
  expect(error).toMatchObject({ kind: 'unreadable', applied: 'unknown' });
});

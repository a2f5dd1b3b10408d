import { describe, expect, test } from 'vitest';
import { createLane } from '../../../../src/providers/google/limits.ts';
import { apiError, contact, NEVER, person, startGoogle, type Reply } from './support.ts';

const draft = { key: 'k', draft: contact({ firstName: 'Ann' }), groupIds: [], originId: 'o' };
const limited = (headers: Record<string, string> = {}): Reply => ({ ...apiError(429, 'RESOURCE_EXHAUSTED'), headers });
const created: Reply = { body: { createdPeople: [{ person: person(1) }] } };

describe('a retry', () => {
  test('is never made by the client library, neither of an API request nor of a token request', async () => {
    await using google = await startGoogle(
      () => apiError(403, 'PERMISSION_DENIED'),
      (count) => (count === 1 ? { status: 503, body: 'x' } : { body: { access_token: 'a', expires_in: 3599 } }),
    );
    await expect(google.remote.deleteGroup('contactGroups/0a', NEVER)).rejects.toMatchObject({ kind: 'revoked' });
    expect(google.tokenRequests).toHaveLength(2);
    expect(google.requests).toHaveLength(1);
    // The remote waits once between the token requests, and the client library never waits.
    expect(google.clock.sleepsMs).toEqual([250]);
  });

  test('of a read follows each failure until the time limit', async () => {
    await using google = await startGoogle(() => apiError(429, 'RESOURCE_EXHAUSTED'));
    await expect(google.remote.listGroups(NEVER)).rejects.toMatchObject({ kind: 'limited' });
    expect(google.clock.sleepsMs).toEqual([5_000, 10_000, 20_000, 40_000]);
    expect(google.remote.requestCount()).toBe(6);
  });

  test('is not made before Retry-After', async () => {
    const groups = { body: { contactGroups: [{ resourceName: 'contactGroups/myContacts' }] } };
    await using google = await startGoogle((_, count) => (count === 1 ? limited({ 'retry-after': '33' }) : groups));
    await google.remote.listGroups(NEVER);
    expect(google.clock.sleepsMs).toEqual([33_000]);
  });

  test('of a write is made if it was certainly not applied', async () => {
    await using google = await startGoogle((_, count) => (count === 1 ? limited() : created));
    expect(await google.remote.create([draft], NEVER)).toMatchObject([{ ok: true }]);
    expect(google.requests).toHaveLength(2);
  });

  test.each<[string, Reply]>([
    ['a 503', apiError(503, 'UNAVAILABLE')],
    ['a reset', { drop: true }],
    ['an answer that is not JSON', { body: '<html>' }],
    ['a truncated answer', { ...created, cut: true }],
  ])('of a write is not made after %s: it may have been applied', async (_, reply) => {
    await using google = await startGoogle(() => reply);
    const [result] = await google.remote.create([draft], NEVER);
    expect(result).toMatchObject({ key: 'k', ok: false, error: { applied: 'unknown' } });
    expect(google.requests).toHaveLength(1);
  });
});

describe('the access token', () => {
  test('is renewed once if it is refused, and the request is repeated', async () => {
    await using google = await startGoogle(({ authorization }) =>
      authorization === 'Bearer token-1' ? apiError(401, 'UNAUTHENTICATED') : created,
    );
    expect(await google.remote.create([draft], NEVER)).toMatchObject([{ ok: true }]);
    expect(google.requests.map(({ authorization }) => authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test('makes a write throw if the renewed token is also refused', async () => {
    await using google = await startGoogle(() => apiError(401, 'UNAUTHENTICATED'));
    await expect(google.remote.create([draft], NEVER)).rejects.toMatchObject({ kind: 'unauthenticated' });
    expect(google.requests).toHaveLength(2);
  });

  test('makes a write throw without a request if the refresh token is revoked', async () => {
    await using google = await startGoogle(
      () => ({}),
      () => ({ status: 400, body: { error: 'invalid_grant', error_description: 'revoked' } }),
    );
    await expect(google.remote.delete(['people/c1'], NEVER)).rejects.toMatchObject({ kind: 'revoked' });
    expect(google.requests).toHaveLength(0);
    expect(google.remote.requestCount()).toBe(1);
  });

  test('leaves a write certainly not applied if the token endpoint fails', async () => {
    await using google = await startGoogle(
      () => ({}),
      () => ({ status: 500 }),
    );
    const [result] = await google.remote.delete(['people/c1'], NEVER);
    expect(result).toMatchObject({ ok: false, error: { kind: 'unavailable', applied: 'no' } });
  });
});

describe('an aborted signal', () => {
  test('ends a call before a request is sent', async () => {
    await using google = await startGoogle(() => ({}));
    const reason = new Error('stop');
    await expect(google.remote.create([draft], AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(google.remote.requestCount()).toBe(0);
  });

  test('ends the wait for an access token', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    await using google = await startGoogle(
      () => created,
      () => {
        controller.abort(reason);
        return Promise.withResolvers<Reply>().promise;
      },
    );
    await expect(google.remote.create([draft], controller.signal)).rejects.toBe(reason);
  });

  test('ends a request in progress with its own reason', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    await using google = await startGoogle(() => {
      controller.abort(reason);
      return created;
    });
    await expect(google.remote.create([draft], controller.signal)).rejects.toBe(reason);
  });
});

describe('the mutation lane', () => {
  test('never lets writes of one account overlap', async () => {
    let inProgress = 0;
    let maxInProgress = 0;
    await using google = await startGoogle(async () => {
      inProgress += 1;
      // Long enough, in turns of the event loop, for an overlapping request to arrive.
      for (let turn = 0; turn < 2_000; turn += 1) {
        maxInProgress = Math.max(maxInProgress, inProgress);
        await new Promise((resolve) => setImmediate(resolve));
      }
      inProgress -= 1;
      return {};
    });
    await Promise.all(['1', '2', '3', '4'].map((id) => google.remote.delete([`people/c${id}`], NEVER)));
    expect(maxInProgress).toBe(1);
    expect(google.requests).toHaveLength(4);
  });

  test('runs the next task after a failed task', async () => {
    const lane = createLane();
    const failed = lane(() => Promise.reject(new Error('x')));
    await expect(Promise.all([failed.catch(() => 'failed'), lane(async () => 'next')])).resolves.toEqual([
      'failed',
      'next',
    ]);
  });
});

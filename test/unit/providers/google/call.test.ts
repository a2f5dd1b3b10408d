import { describe, expect, test } from 'vitest';
import { createLane } from '../../../../src/providers/google/limits.ts';
import { apiError, contact, NEVER, person, startGoogle, type Reply } from './support.ts';

const draft = { key: 'k', draft: contact({ firstName: 'Ann' }), groupIds: [], originId: 'o' };
const limited = (headers: Record<string, string> = {}): Reply => ({ ...apiError(429, 'RESOURCE_EXHAUSTED'), headers });
const created: Reply = { body: { createdPeople: [{ person: person(1) }] } };

describe('retries', () => {
  test('the client itself repeats neither an API request nor a token request', async () => {
    await using google = await startGoogle(
      () => apiError(403, 'PERMISSION_DENIED'),
      (count) => (count === 1 ? { status: 503, body: 'x' } : { body: { access_token: 'a', expires_in: 3599 } }),
    );
    await expect(google.remote.deleteGroup('contactGroups/0a', NEVER)).rejects.toMatchObject({ kind: 'revoked' });
    expect(google.tokenRequests).toHaveLength(2);
    expect(google.requests).toHaveLength(1);
    // One pause of ours between the token requests, and no time spent inside the client.
    expect(google.clock.sleepsMs).toEqual([250]);
  });

  test('a read is repeated after a fault, until it would take too long', async () => {
    await using google = await startGoogle(() => apiError(429, 'RESOURCE_EXHAUSTED'));
    await expect(google.remote.listGroups(NEVER)).rejects.toMatchObject({ kind: 'limited' });
    expect(google.clock.sleepsMs).toEqual([5_000, 10_000, 20_000, 40_000]);
    expect(google.remote.requestCount()).toBe(6);
  });

  test('Retry-After is the floor', async () => {
    const groups = { body: { contactGroups: [{ resourceName: 'contactGroups/myContacts' }] } };
    await using google = await startGoogle((_, count) => (count === 1 ? limited({ 'retry-after': '33' }) : groups));
    await google.remote.listGroups(NEVER);
    expect(google.clock.sleepsMs).toEqual([33_000]);
  });

  test('a write is repeated where it was surely not applied', async () => {
    await using google = await startGoogle((_, count) => (count === 1 ? limited() : created));
    expect(await google.remote.create([draft], NEVER)).toMatchObject([{ ok: true }]);
    expect(google.requests).toHaveLength(2);
  });

  test.each<[string, Reply]>([
    ['a 503', apiError(503, 'UNAVAILABLE')],
    ['a reset', { drop: true }],
    ['an answer that is not JSON', { body: '<html>' }],
    ['an answer cut short', { ...created, cut: true }],
  ])('a write is not repeated after %s: it may have been applied', async (_, reply) => {
    await using google = await startGoogle(() => reply);
    const [result] = await google.remote.create([draft], NEVER);
    expect(result).toMatchObject({ key: 'k', ok: false, error: { applied: 'unknown' } });
    expect(google.requests).toHaveLength(1);
  });
});

describe('the access token', () => {
  test('a refused one is renewed once and the request sent again', async () => {
    await using google = await startGoogle(({ authorization }) =>
      authorization === 'Bearer token-1' ? apiError(401, 'UNAUTHENTICATED') : created,
    );
    expect(await google.remote.create([draft], NEVER)).toMatchObject([{ ok: true }]);
    expect(google.requests.map(({ authorization }) => authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test('where the new one is refused too, that is thrown from a write', async () => {
    await using google = await startGoogle(() => apiError(401, 'UNAUTHENTICATED'));
    await expect(google.remote.create([draft], NEVER)).rejects.toMatchObject({ kind: 'unauthenticated' });
    expect(google.requests).toHaveLength(2);
  });

  test('a dead refresh token is thrown from a write, and nothing is sent', async () => {
    await using google = await startGoogle(
      () => ({}),
      () => ({ status: 400, body: { error: 'invalid_grant', error_description: 'revoked' } }),
    );
    await expect(google.remote.delete(['people/c1'], NEVER)).rejects.toMatchObject({ kind: 'revoked' });
    expect(google.requests).toHaveLength(0);
    expect(google.remote.requestCount()).toBe(1);
  });

  test('a token endpoint that fails leaves a write surely not applied', async () => {
    await using google = await startGoogle(
      () => ({}),
      () => ({ status: 500 }),
    );
    const [result] = await google.remote.delete(['people/c1'], NEVER);
    expect(result).toMatchObject({ ok: false, error: { kind: 'unavailable', applied: 'no' } });
  });
});

describe('an aborted signal', () => {
  test('ends a call before anything is sent', async () => {
    await using google = await startGoogle(() => ({}));
    const reason = new Error('stop');
    await expect(google.remote.create([draft], AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(google.remote.requestCount()).toBe(0);
  });

  test('ends the waiting for an access token', async () => {
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

  test('ends a request that is under way, with its own reason', async () => {
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
  test('writes of one account never overlap', async () => {
    let underWay = 0;
    let most = 0;
    await using google = await startGoogle(async () => {
      underWay += 1;
      // Long enough in turns of the event loop for another request to come in, were one sent.
      for (let turn = 0; turn < 2_000; turn += 1) {
        most = Math.max(most, underWay);
        await new Promise((resolve) => setImmediate(resolve));
      }
      underWay -= 1;
      return {};
    });
    await Promise.all(['1', '2', '3', '4'].map((id) => google.remote.delete([`people/c${id}`], NEVER)));
    expect(most).toBe(1);
    expect(google.requests).toHaveLength(4);
  });

  test('a failed task does not hold up the next', async () => {
    const lane = createLane();
    const failed = lane(() => Promise.reject(new Error('x')));
    await expect(Promise.all([failed.catch(() => 'failed'), lane(async () => 'next')])).resolves.toEqual([
      'failed',
      'next',
    ]);
  });
});

import { expect, test } from 'vitest';
import { createGate, UnsentError } from '../../../src/net/gate.ts';
import { createLocalLimiter } from '../../../src/net/limiter.ts';
import { createTransport } from '../../../src/net/transport.ts';
import { createGoogleRemote } from '../../../src/providers/google/google-remote.ts';
import type { Remote } from '../../../src/providers/remote.ts';
import { createServiceRemote } from '../../../src/providers/service/service-remote.ts';
import { createFakeClock, NEVER } from './google/support.ts';

/** Returns a transport that sends nothing: its shared limiter is unavailable for half an hour. */
const createBlockedTransport = () => {
  const fault = new UnsentError('Redis, which shares the rate limit, cannot be reached. Check REDIS_URL and Redis.', {
    cause: new Error('connection refused'),
    retryAfterMs: 1_800_000,
  });
  const clock = createFakeClock();
  const limiter = createLocalLimiter({ requests: 500, windowMs: 60_000 }, clock, null);
  const gate = createGate({ limiter: { ...limiter, admit: () => Promise.reject(fault) }, clock, random: () => 0.5 });
  return createTransport({
    gatesFor: () => [gate],
    onAttempt: () => expect.fail('a request was sent'),
    timeoutMs: 300_000,
  });
};

const shared = () => ({
  dispatcher: createBlockedTransport(),
  clock: createFakeClock(),
  random: () => 0.5,
  requestCount: () => 0,
  maxElapsedMs: 0,
});

const UNUSED_URL = 'http://127.0.0.1:59999';

test.each<[string, () => Remote]>([
  ['service', () => createServiceRemote({ ...shared(), baseUrl: UNUSED_URL, accessToken: 'token' })],
  [
    'google',
    () =>
      createGoogleRemote({
        ...shared(),
        rootUrl: `${UNUSED_URL}/`,
        tokenUrl: `${UNUSED_URL}/token`,
        clientId: 'client',
        clientSecret: 'secret',
        refreshToken: 'refresh',
      }),
  ],
])(
  'a request to %s that was not sent because the shared rate limit is unavailable fails as not applied, with the reason',
  async (_side, open) => {
    await expect(open().createGroup('Choir', NEVER)).rejects.toMatchObject({
      kind: 'unavailable',
      applied: 'no',
      retryAfterMs: 1_800_000,
      message: expect.stringMatching(/was not sent: Redis, .*Check REDIS_URL/u),
    });
  },
);

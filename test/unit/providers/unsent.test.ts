import { expect, test } from 'vitest';
import { createGate, UnsentError } from '../../../src/net/gate.ts';
import { createLocalLimiter } from '../../../src/net/limiter.ts';
import { createTransport } from '../../../src/net/transport.ts';
import { createGoogleRemote } from '../../../src/providers/google/google-remote.ts';
import type { Remote } from '../../../src/providers/remote.ts';
import { createServiceRemote } from '../../../src/providers/service/service-remote.ts';
import { createFakeClock, NEVER } from './google/support.ts';

/** A way out that nothing passes, since its limit cannot be asked, and not for half an hour. */
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
    headersTimeoutMs: 300_000,
    bodyTimeoutMs: 300_000,
  });
};

const shared = () => ({
  dispatcher: createBlockedTransport(),
  clock: createFakeClock(),
  random: () => 0.5,
  requestCount: () => 0,
  maxElapsedMs: 0,
});

const URL_OF_NOBODY = 'http://127.0.0.1:59999';

test.each<[string, () => Remote]>([
  ['service', () => createServiceRemote({ ...shared(), baseUrl: URL_OF_NOBODY, accessToken: 'token' })],
  [
    'google',
    () =>
      createGoogleRemote({
        ...shared(),
        rootUrl: `${URL_OF_NOBODY}/`,
        tokenUrl: `${URL_OF_NOBODY}/token`,
        clientId: 'client',
        clientSecret: 'secret',
        refreshToken: 'refresh',
      }),
  ],
])(
  'a request to %s that the shared rate limit kept from being sent says so, and was not applied',
  async (_side, open) => {
    await expect(open().createGroup('Choir', NEVER)).rejects.toMatchObject({
      kind: 'unavailable',
      applied: 'no',
      retryAfterMs: 1_800_000,
      message: expect.stringMatching(/was not sent: Redis, .*Check REDIS_URL/u),
    });
  },
);

import { expect, test } from 'vitest';
import type { FeedPage } from '../../../src/core/contact/requests.ts';
import { createGate, UnsentError } from '../../../src/net/gate.ts';
import { createLocalLimiter } from '../../../src/net/limiter.ts';
import { createTransport, openAgent } from '../../../src/net/transport.ts';
import { atSide } from '../../../src/providers/at-side.ts';
import { InvalidError, LimitedError, UnavailableError } from '../../../src/providers/errors.ts';
import { createGoogleRemote } from '../../../src/providers/google/google-remote.ts';
import { createRowDigest, findKnownRows } from '../../../src/providers/listing.ts';
import { providerNamed, PROVIDERS } from '../../../src/providers/registry.ts';
import type { Remote, WriteResult } from '../../../src/providers/remote.ts';
import { createServiceRemote } from '../../../src/providers/service/service-remote.ts';
import { forever } from '../../contract/scenes/steps.ts';
import { createLeapingClock } from '../../support/clocks.ts';

const OPTIONS = { status: 500, route: 'GET /somewhere', applied: 'no' } as const;
const refuse = (): Promise<never> => Promise.reject(new UnavailableError('It does not answer.', OPTIONS));

const invalid = (): Promise<readonly WriteResult<never>[]> =>
  Promise.resolve([{ key: 'a', ok: false, error: new InvalidError('It refused.', OPTIONS) }]);

async function* cutOff(): AsyncGenerator<FeedPage> {
  yield { changes: [], unchanged: [], resume: 'p2', cursor: null, total: null };
  await Promise.reject(new LimitedError('Too many requests.', OPTIONS));
}

/** Returns a transport that sends nothing: its shared limiter is unavailable for half an hour. */
const createBlockedTransport = () => {
  const fault = new UnsentError('Redis, which shares the rate limit, cannot be reached. Check REDIS_URL and Redis.', {
    cause: new Error('connection refused'),
    retryAfterMs: 1_800_000,
  });
  const clock = createLeapingClock();
  const limiter = createLocalLimiter({ requests: 500, windowMs: 60_000 }, clock, null);
  const gate = createGate({ limiter: { ...limiter, admit: () => Promise.reject(fault) }, clock, random: () => 0.5 });
  return createTransport({
    agent: openAgent(),
    gatesFor: () => [gate],
    onAttempt: () => expect.fail('a request was sent'),
    timeoutMs: 300_000,
  });
};

const shared = () => ({
  transport: createBlockedTransport(),
  clock: createLeapingClock(),
  random: () => 0.5,
  requestCount: () => 7,
  timeToSendMs: (requests: number) => requests * 120,
  maxElapsedMs: 0,
});

const UNUSED_URL = 'http://127.0.0.1:59999';
const openService = (): Remote => createServiceRemote({ ...shared(), baseUrl: UNUSED_URL, accessToken: 'token' });

const group = { id: 'g1', name: 'Choir', version: '' };
const WRITES = ['create', 'update', 'delete', 'changeMembership'] as const;
const CALLS: Readonly<Record<string, (remote: Remote) => Promise<unknown>>> = {
  identify: (remote) => remote.identify(forever),
  read: (remote) => remote.read(['a'], forever),
  findCreated: (remote) => remote.findCreated([], 0, () => false, forever),
  listGroups: (remote) => remote.listGroups(forever),
  readGroup: (remote) => remote.readGroup('g1', forever),
  createGroup: (remote) => remote.createGroup('Choir', forever),
  renameGroup: (remote) => remote.renameGroup(group, 'Band', forever),
  deleteGroup: (remote) => remote.deleteGroup('g1', forever),
};

/** Each read fails, and each write returns one refused item. */
const FAULTY: Remote = {
  ...openService(),
  ...Object.fromEntries([
    ...Object.keys(CALLS).map((name) => [name, refuse]),
    ...WRITES.map((name) => [name, invalid]),
  ]),
  pull: cutOff,
};

const remote = atSide('right', FAULTY);

test('an error that a call throws, or returns for an item, contains its side', async () => {
  for (const [name, call] of Object.entries(CALLS)) {
    await expect(call(remote), name).rejects.toMatchObject({ kind: 'unavailable', side: 'right' });
  }
  for (const name of WRITES) {
    expect(await remote[name]([], forever), name).toMatchObject([{ error: { kind: 'invalid', side: 'right' } }]);
  }
});

test('a feed returns the pages before its error, and the error contains its side', async () => {
  const pages: FeedPage[] = [];
  const walk = async (): Promise<void> => {
    for await (const page of remote.pull({ mode: 'whole', resume: null }, forever)) pages.push(page);
  };
  await expect(walk()).rejects.toMatchObject({ kind: 'limited', side: 'right' });
  expect(pages.map(({ resume }) => resume)).toEqual(['p2']);
});

test('the capabilities, the request count and the send time of the remote are unchanged', () => {
  expect(remote.capabilities).toEqual(FAULTY.capabilities);
  expect([remote.requestCount(), remote.timeToSendMs(5)]).toEqual([7, 600]);
});

const GOOGLE = {
  rootUrl: `${UNUSED_URL}/`,
  tokenUrl: `${UNUSED_URL}/token`,
  clientId: 'client',
  clientSecret: 'secret',
};

test.each<[string, () => Remote]>([
  ['service', openService],
  ['google', () => createGoogleRemote({ ...shared(), ...GOOGLE, refreshToken: 'refresh' })],
])('a request to %s that the rate limit prevents is not applied', async (_, open) => {
  await expect(open().createGroup('Choir', forever)).rejects.toMatchObject({
    kind: 'unavailable',
    applied: 'no',
    retryAfterMs: 1_800_000,
    message: expect.stringMatching(/was not sent: Redis, .*Check REDIS_URL/u),
  });
});

const digest = createRowDigest('reader 1');

test('two digests are equal only for the same text and the same reader', () => {
  expect(digest({ a: 1, b: [2] })).toBe(digest(JSON.parse('{"a":1,"b":[2]}')));
  const others = [digest({ a: 1, b: [3] }), digest({ b: [2], a: 1 }), createRowDigest('reader 2')({ a: 1, b: [2] })];
  expect(others).not.toContain(digest({ a: 1, b: [2] }));
});

test('a row that is nested too deeply to be serialised has no digest', () => {
  const deep: unknown = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000));
  expect(digest(deep)).toBeNull();
});

test('only rows with an id and a digest are looked up, and no row is known without a lookup', async () => {
  const rows = [
    { id: 'a', digest: 'A' },
    { id: null, digest: 'B' },
    { id: 'c', digest: null },
  ];
  const found = await findKnownRows(rows, (looked) => {
    expect(looked).toEqual([{ id: 'a', digest: 'A' }]);
    return Promise.resolve(new Set(['A']));
  });
  expect([...found]).toEqual(['A']);
  expect((await findKnownRows(rows, undefined)).size).toBe(0);
});

test('each provider is found by its name, and no two providers have the same name', () => {
  for (const provider of PROVIDERS) expect(providerNamed(provider.name)).toBe(provider);
  for (const word of ['name', 'title', 'place'] as const) {
    expect(new Set(PROVIDERS.map((provider) => provider[word].toLowerCase())).size).toBe(PROVIDERS.length);
  }
  expect(() => providerNamed('unknown')).toThrow('There is no provider named unknown.');
});

test.each(PROVIDERS.map((provider) => [provider.name, provider] as const))(
  'each key that %s lists is one of its settings, and its token is a secret of one account',
  (_name, { schema, tokenKey, secretKeys, accountKeys, addressKeys }) => {
    const settings = Object.keys(schema.shape);
    expect(settings).not.toContain(tokenKey);
    expect(secretKeys).toContain(tokenKey);
    expect(accountKeys).toContain(tokenKey);
    const named = [...secretKeys, ...accountKeys, ...addressKeys];
    expect(named.filter((key) => key !== tokenKey && !settings.includes(key))).toEqual([]);
  },
);

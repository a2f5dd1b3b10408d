import type { FeedPage } from '../../../src/core/contact/requests.ts';
import { expect, test } from 'vitest';
import { atSide } from '../../../src/providers/at-side.ts';
import { InvalidError, LimitedError, UnavailableError } from '../../../src/providers/errors.ts';
import type { Remote, WriteResult } from '../../../src/providers/remote.ts';

const NEVER = new AbortController().signal;
const OPTIONS = { status: 500, route: 'GET /somewhere', applied: 'no' } as const;

const refuse = (): Promise<never> => Promise.reject(new UnavailableError('It does not answer.', OPTIONS));

const invalid = (): Promise<readonly WriteResult<never>[]> =>
  Promise.resolve([{ key: 'a', ok: false, error: new InvalidError('It refused.', OPTIONS) }]);

async function* cutOff(): AsyncGenerator<FeedPage> {
  yield { changes: [], unchanged: [], resume: 'p2', cursor: null, total: null };
  await Promise.reject(new LimitedError('Too many requests.', OPTIONS));
}

/** Each read fails, and each write returns one refused item. */
const FAULTY: Remote = {
  capabilities: {
    createBatch: 1,
    updateBatch: 1,
    deleteBatch: 1,
    readBatch: 1,
    writeConcurrency: 1,
    moveBatch: { size: 1, of: 'all' },
    createsWithGroups: false,
    mayForbidSharedEmails: false,
    namesDeletions: false,
    confirmsAbsenceAfter: null,
    settlesWithinMs: 0,
  },
  requestCount: () => 7,
  timeToSendMs: (requests) => requests * 120,
  identify: refuse,
  pull: cutOff,
  read: refuse,
  create: invalid,
  update: invalid,
  delete: invalid,
  changeMembership: invalid,
  findCreated: refuse,
  listGroups: refuse,
  readGroup: refuse,
  createGroup: refuse,
  renameGroup: refuse,
  deleteGroup: refuse,
};

const remote = atSide('right', FAULTY);
const group = { id: 'g1', name: 'Choir', version: '' };

test.each<[string, () => Promise<unknown>]>([
  ['identify', () => remote.identify(NEVER)],
  ['read', () => remote.read(['a'], NEVER)],
  ['findCreated', () => remote.findCreated([], 0, () => false, NEVER)],
  ['listGroups', () => remote.listGroups(NEVER)],
  ['readGroup', () => remote.readGroup('g1', NEVER)],
  ['createGroup', () => remote.createGroup('Choir', NEVER)],
  ['renameGroup', () => remote.renameGroup(group, 'Band', NEVER)],
  ['deleteGroup', () => remote.deleteGroup('g1', NEVER)],
])('an error that %s throws contains its side', async (_name, call) => {
  await expect(call()).rejects.toMatchObject({ kind: 'unavailable', side: 'right' });
});

test.each<[string, () => Promise<readonly WriteResult<unknown>[]>]>([
  ['create', () => remote.create([], NEVER)],
  ['update', () => remote.update([], NEVER)],
  ['delete', () => remote.delete([], NEVER)],
  ['changeMembership', () => remote.changeMembership([], NEVER)],
])('an error that %s returns for an item contains its side', async (_name, call) => {
  expect(await call()).toMatchObject([{ ok: false, error: { kind: 'invalid', side: 'right' } }]);
});

test('a feed returns the pages before its error, and the error contains its side', async () => {
  const pages: FeedPage[] = [];
  const walk = async (): Promise<void> => {
    for await (const page of remote.pull({ mode: 'whole', resume: null }, NEVER)) pages.push(page);
  };
  await expect(walk()).rejects.toMatchObject({ kind: 'limited', side: 'right' });
  expect(pages.map(({ resume }) => resume)).toEqual(['p2']);
});

test('the capabilities, the request count and the send time of the remote are unchanged', () => {
  expect(remote.capabilities).toEqual(FAULTY.capabilities);
  expect(remote.requestCount()).toBe(7);
  expect(remote.timeToSendMs?.(5)).toBe(600);
});

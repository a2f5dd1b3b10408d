import { describe, expect, test } from 'vitest';
import type { Write } from '../../../../src/core/apply/task.ts';
import type { Deletion } from '../../../../src/core/reconcile/decision.ts';
import { fieldFingerprint } from '../../../../src/core/reconcile/defer.ts';
import type { Rejection } from '../../../../src/core/state/rows.ts';
import { judgeFailure, newCallCount, rejectionOf } from '../../../../src/engine/execute/failure.ts';
import type { SentWrite } from '../../../../src/engine/execute/request.ts';
import {
  createWrites,
  deleteWrites,
  membershipWrites,
  mergeWrite,
  updateWrites,
} from '../../../../src/engine/execute/writes.ts';
import {
  type Applied,
  FullError,
  InvalidError,
  LimitedError,
  NotFoundError,
  type RemoteError,
  RevokedError,
  StaleError,
  UnavailableError,
  UnreadableError,
} from '../../../../src/providers/errors.ts';
import { ADA, looseHalf, pairedHalf, setOf } from '../support.ts';
import { creationOf, mergeOf, WRITING, plannedOn } from './support.ts';

const [LEFT, RIGHT] = [pairedHalf('left', 'l', 1), pairedHalf('right', 'r', 1)];
const PAIR = { id: 1, status: 'linked', left: LEFT, right: RIGHT } as const;

/** The contacts of the writes, as they are stored. */
const SET = setOf([LEFT, RIGHT]);

const only = <Kind extends Write>([write, ...others]: readonly Kind[]): Kind => {
  if (write === undefined || others.length > 0) throw new Error('One write was expected.');
  return write;
};

const MERGE = mergeOf(LEFT, RIGHT, {
  writes: plannedOn('right', ['title', 'buckets'], { ...ADA, title: 'Dr' }, { joins: ['choir'] }),
});
const CREATION = creationOf(looseHalf('left', 'l'));
const DELETION: Deletion = { kind: 'delete', side: 'right', record: RIGHT.record, pair: PAIR };

const WRITES = {
  create: only(createWrites(WRITING, 'right', [CREATION])),
  update: only(updateWrites(WRITING, SET, 'right', [MERGE])),
  membership: only(membershipWrites(WRITING, SET, 'right', [MERGE])),
  delete: only(deleteWrites(WRITING, [DELETION])),
  merge: mergeWrite(WRITING, DELETION, MERGE, RIGHT.record),
} satisfies Record<Write['kind'], Write>;
const KINDS = Object.keys(WRITES) as Write['kind'][];

const options = (applied: Applied) => ({ status: null, route: 'PUT /v2/contacts', applied });

describe('[R15] an error in response to a write', () => {
  const CALM = { rereads: false, refused: false, endsRun: null };
  const STOPPED: ReturnType<typeof judgeFailure> = { ...CALM, journal: 'refused' };
  const OPEN: ReturnType<typeof judgeFailure> = { ...CALM, journal: 'unanswered' };
  const REFUSED: ReturnType<typeof judgeFailure> = { ...CALM, journal: 'refused', refused: true };
  const REREAD: ReturnType<typeof judgeFailure> = { ...CALM, journal: 'refused', rereads: true };

  const NO = options('no');
  const MAYBE = options('unknown');

  test.each<[string, RemoteError, ReturnType<typeof judgeFailure>, 'ends' | 'continues']>([
    ['a limit that is reached ends the run', new LimitedError('x', NO), STOPPED, 'ends'],
    ['an outage before the write ends the run', new UnavailableError('x', NO), STOPPED, 'ends'],
    ['a refused credential ends the run (R16)', new RevokedError('x', NO), STOPPED, 'ends'],
    [
      'one perhaps refused after the write also leaves its outcome open (R9)',
      new RevokedError('x', MAYBE),
      OPEN,
      'ends',
    ],
    ['an outage during the write leaves the outcome open', new UnavailableError('x', MAYBE), OPEN, 'continues'],
    ['an unreadable response leaves the outcome open', new UnreadableError('x', MAYBE), OPEN, 'continues'],
    ['a stale contact that was perhaps written leaves it open', new StaleError('x', MAYBE), OPEN, 'continues'],
    ['a contact not found after a possible write leaves it open', new NotFoundError('x', MAYBE), OPEN, 'continues'],
    ['a stale contact is read again', new StaleError('x', NO), REREAD, 'continues'],
    ['a value that is invalid is refused', new InvalidError('x', NO), REFUSED, 'continues'],
    ['a full account refuses the write', new FullError('x', NO), REFUSED, 'continues'],
  ])('%s, for every kind of write', (_, error, judged, run) => {
    const expected = { ...judged, endsRun: run === 'ends' ? error : null };
    for (const kind of KINDS) expect(judgeFailure(WRITES[kind], error)).toEqual(expected);
  });

  test.each(KINDS)('means that a contact is not found: a %s', (kind) => {
    const error = new NotFoundError('x', options('no'));
    expect(judgeFailure(WRITES[kind], error)).toEqual(kind === 'create' || kind === 'merge' ? REFUSED : REREAD);
  });
});

describe('[R15] a refusal', () => {
  const NOW = 1_000_000;
  const MINUTE = 60_000;

  test('is retried after five minutes, doubling up to a day', () => {
    const delays: number[] = [];
    let earlier: Rejection | undefined;
    for (let attempt = 1; attempt <= 11; attempt += 1) {
      const next = rejectionOf(SET, WRITES.update, 'too long', earlier, NOW);
      if (next === null) throw new Error('A refusal was expected.');
      expect(next.attempts).toBe(attempt);
      delays.push((next.retryAtMs - NOW) / MINUTE);
      earlier = next;
    }
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1_280, 1_440, 1_440]);
  });

  test('restarts the delays if the content of the write has changed', () => {
    const first = rejectionOf(SET, WRITES.update, 'too long', undefined, NOW);
    expect(first?.sourceFingerprint).toBe(fieldFingerprint(MERGE.pair, 'title'));
    const earlier = { ...(first as Rejection), attempts: 7, sourceFingerprint: 'of other content' };
    expect(rejectionOf(SET, WRITES.update, 'too long', earlier, NOW)).toEqual(first);
  });
});

describe('[R9] calls in a row of unknown outcome', () => {
  const UNKNOWN = new UnavailableError('no answer', options('unknown'));
  const write = WRITES.update;
  const lost: SentWrite = { kind: 'failed', write, error: UNKNOWN };
  const refused: SentWrite = { kind: 'failed', write, error: new InvalidError('x', options('no')) };
  const done: SentWrite = { kind: 'record', write, value: RIGHT.record };

  const times = (count: number, call: () => RemoteError | null) => Array.from({ length: count }, call);

  test('end the run at the tenth of a side', () => {
    const count = newCallCount();
    expect(times(9, () => count('right', [lost, lost]))).toEqual(times(9, () => null));
    expect(count('left', [lost])).toBeNull();
    expect(count('right', [lost])).toBe(UNKNOWN);
  });

  test.each([
    ['an answer', [lost, done]],
    ['a refusal', [lost, refused]],
    ['no result at all', []],
  ])('are counted from zero after a call with %s', (_, sent) => {
    const count = newCallCount();
    times(9, () => count('right', [lost]));
    expect(count('right', sent)).toBeNull();
    expect(times(9, () => count('right', [lost]))).toEqual(times(9, () => null));
    expect(count('right', [lost])).toBe(UNKNOWN);
  });
});

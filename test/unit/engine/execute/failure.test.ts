import { expect, test } from 'vitest';
import type { Write } from '../../../../src/core/apply/task.ts';
import type { Deletion } from '../../../../src/core/reconcile/decision.ts';
import { fieldFingerprint } from '../../../../src/core/reconcile/defer.ts';
import { judgeFailure } from '../../../../src/engine/execute/failure.ts';
import { rejectionOf } from '../../../../src/engine/execute/refusals.ts';
import { createVirtualClock } from '../../../support/clocks.ts';
import { newCallCount } from '../../../../src/engine/tally.ts';
import * as writes from '../../../../src/engine/execute/writes.ts';
import * as errors from '../../../../src/providers/errors.ts';
import { ADA, creationOf, looseHalf, mergeOf, pairedHalf, plannedOn, setOf, WRITING } from '../support.ts';

const [LEFT, RIGHT] = [pairedHalf('left', 'l', 1), pairedHalf('right', 'r', 1)];
const SET = setOf([LEFT, RIGHT]);

const only = <Kind extends Write>([write, ...others]: readonly Kind[]): Kind => {
  if (write === undefined || others.length > 0) throw new Error('One write was expected.');
  return write;
};

const MERGE = mergeOf(LEFT, RIGHT, {
  writes: plannedOn('right', ['title', 'buckets'], { ...ADA, title: 'Dr' }, { joins: ['choir'] }),
});
const PAIR = { id: 1, status: 'linked', left: LEFT, right: RIGHT } as const;
const DELETION: Deletion = { kind: 'delete', side: 'right', record: RIGHT.record, pair: PAIR };
const UPDATE = only(writes.updateWrites(WRITING, SET, 'right', [MERGE]));
const WRITES: readonly Write[] = [
  only(writes.createWrites(WRITING, 'right', [creationOf(looseHalf('left', 'l'))])),
  UPDATE,
  only(writes.membershipWrites(WRITING, SET, 'right', [MERGE])),
  only(writes.deleteWrites(WRITING, [DELETION], new Set())),
  writes.mergeWrite(WRITING, DELETION, MERGE, RIGHT.record),
];

const of = (applied: errors.Applied) => ({ status: null, route: 'PUT /v2/contacts', applied });
const [NO, MAYBE] = [of('no'), of('unknown')];

type Effect = 'ends the run' | 'rereads the contact' | 'counts as refused' | 'leaves the rest';

test.each<[string, errors.RemoteError, ReturnType<typeof judgeFailure>['journal'], Effect]>([
  ['a limit that is reached', new errors.LimitedError('x', NO), 'failed', 'ends the run'],
  ['an outage before the write', new errors.UnavailableError('x', NO), 'failed', 'ends the run'],
  ['a refused credential (R16)', new errors.RevokedError('x', NO), 'failed', 'ends the run'],
  ['a credential refused after the write', new errors.RevokedError('x', MAYBE), 'intended', 'ends the run'],
  ['an outage during the write', new errors.UnavailableError('x', MAYBE), 'intended', 'leaves the rest'],
  ['an unreadable response', new errors.UnreadableError('x', MAYBE), 'intended', 'leaves the rest'],
  ['a stale contact, perhaps written', new errors.StaleError('x', MAYBE), 'intended', 'leaves the rest'],
  ['a missing contact, perhaps written', new errors.NotFoundError('x', MAYBE), 'intended', 'leaves the rest'],
  ['a stale contact', new errors.StaleError('x', NO), 'failed', 'rereads the contact'],
  ['an invalid value', new errors.InvalidError('x', NO), 'failed', 'counts as refused'],
  ['a full account', new errors.FullError('x', NO), 'failed', 'counts as refused'],
  ['a contact that is not found', new errors.NotFoundError('x', NO), 'failed', 'rereads the contact'],
])('R15: after %s the entry of any write is %s and the error %s', (_, error, journal, effect) => {
  for (const write of WRITES) {
    // A create has no contact yet, and both contacts of a merge were read before it.
    const isMissing = effect === 'rereads the contact' && error instanceof errors.NotFoundError;
    const isRefused = isMissing && (write.kind === 'create' || write.kind === 'merge-away');
    const judged: Effect = isRefused ? 'counts as refused' : effect;
    const outcome = {
      journal,
      rereads: judged === 'rereads the contact',
      refused: judged === 'counts as refused',
      endsRun: judged === 'ends the run' ? error : null,
    };
    expect([write.kind, judgeFailure(write, error)]).toEqual([write.kind, outcome]);
  }
});

test('R15: a refusal waits twice as long each time, at most a day, and at first if the content has changed', () => {
  const [NOW_MS, MINUTE_MS] = [1_000_000, 60_000];
  const clock = { ...createVirtualClock(), now: () => NOW_MS };
  const next = (attempts: number, content?: string) => {
    const sourceFingerprint = content ?? fieldFingerprint(MERGE.pair, 'title');
    const known = { side: 'right', key: '', leftId: 'l', rightId: 'r', reason: '', retryAtMs: 0 } as const;
    const earlier = attempts === 0 ? undefined : { ...known, attempts, sourceFingerprint };
    const rejections = new Map(earlier === undefined ? [] : [['right l\nr\ntitle', earlier]]);
    return rejectionOf({ rejections, session: { clock } }, SET, UPDATE, 'too long');
  };
  const minutes = [0, 1, 2, 7, 8, 9, 20].map((attempts) => ((next(attempts)?.retryAtMs ?? 0) - NOW_MS) / MINUTE_MS);
  expect(minutes).toEqual([5, 10, 20, 640, 1_280, 1_440, 1_440]);
  expect([next(6)?.attempts, next(6)?.sourceFingerprint]).toEqual([7, next(0)?.sourceFingerprint]);
  expect(next(6, 'of other content')).toEqual(next(0));
});

const error = new errors.UnavailableError('no answer', MAYBE);
const refused = new errors.InvalidError('x', NO);

test.each<[string, readonly (errors.RemoteError | null)[] | null]>([
  ['at one side', null],
  ['counted from zero after an answer', [error, null]],
  ['counted from zero after a refusal', [error, refused]],
  ['counted from zero after no result at all', []],
])('R9: ten requests in a row of unknown outcome end the run: %s', (_, between) => {
  const count = newCallCount({ left: false, right: false });
  const nine = () => Array.from({ length: 9 }, () => count('right', [error, error]));
  if (between !== null) expect([...nine(), count('right', between)]).toEqual(Array(10).fill(null));
  expect([...nine(), count('left', [error])]).toEqual(Array(10).fill(null));
  expect(count('right', [error])).toBe(error);
});

test('R15: each write of a call counts as a request if the side takes one request for each contact', () => {
  const count = newCallCount({ left: true, right: true });
  const failed = (number: number) => Array.from({ length: number }, () => error);
  expect([count('left', failed(9)), count('left', [error, null]), count('left', failed(9))]).toEqual([
    null,
    null,
    null,
  ]);
  expect(count('left', failed(1))).toBe(error);
});

import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import type { Creation, Decision, Deletion, Merge, Unlink } from '../../../../src/core/reconcile/decision.ts';
import {
  deferRefused,
  deferUnsettled,
  fieldFingerprint,
  fieldRefusalKey,
  isRetryDue,
  pastRefusals,
  refusalKey,
  retryDelayMs,
  sourceFingerprint,
} from '../../../../src/core/reconcile/defer.ts';
import { plannedOn } from '../../engine/execute/support.ts';
import { bothSides, gone, pairOf, present, record, SIDE_PAIRS, snapshot, values } from './support.ts';

const RETRY_AT_MS = 1_000;

const SOON = RETRY_AT_MS - 1;

const ADA: Partial<Contact> = { firstName: 'Ada', emailAddresses: values('ada@x.org') };

const merge = (given: Partial<Merge> = {}, left: Partial<Contact> = ADA): Merge => ({
  kind: 'merge',
  pair: { ...pairOf(null, null), ...bothSides(present(record('l', left)), present(record('r', ADA))) },
  writes: [],
  conflicts: [],
  localFields: { left: [], right: [] },
  deferred: false,
  ...given,
});

const FIELDS = { left: ['company'], right: ['title', 'buckets'] } as const;

const WRITES = {
  left: plannedOn('left', FIELDS.left, { company: 'Engine' }),
  right: plannedOn('right', FIELDS.right, { title: 'Dr' }),
};

const BOTH = [...WRITES.left, ...WRITES.right];

const MERGE = merge({ writes: BOTH });

const CREATE: Creation = { kind: 'create', side: 'right', source: record('l', ADA), pair: null, joins: [] };

const HALF_GONE = pairOf(present(record('l', ADA)), gone('r'));

const DELETE: Deletion = { kind: 'delete', side: 'left', record: record('l', ADA), pair: HALF_GONE };

const UNLINK: Unlink = { kind: 'unlink', pair: HALF_GONE, to: 'kept' };

type Refusal = Parameters<typeof deferRefused>[1][number];

const refusalOf = (decision: Decision, side: Side, given: Partial<Refusal> = {}): Refusal => ({
  side,
  key: refusalKey(decision),
  sourceFingerprint: sourceFingerprint(decision),
  retryAtMs: RETRY_AT_MS,
  ...given,
});

describe('[R15] a refused write is stored', () => {
  test.each<[string, Decision, string]>([
    ['an update by both contacts', MERGE, 'l r'],
    ['a create by its source', CREATE, 'l'],
    ['a delete by the contact to delete', DELETE, 'delete l'],
    ['the end of a pair, which writes nothing, by nothing', UNLINK, ''],
  ])('%s', (_, decision, key) => {
    expect(refusalKey(decision)).toBe(key);
  });
});

test('[R15] a refused delete does not delay a create whose source has the same id at the other side', () => {
  const refusal = refusalOf(DELETE, 'left');
  const create: Creation = { ...CREATE, side: 'left' };
  expect(sourceFingerprint(create)).toBe(refusal.sourceFingerprint);
  expect(deferRefused([create], [refusal], SOON)).toEqual([create]);
  expect(deferRefused([DELETE], [refusal], SOON)).toEqual([]);
});

describe('[R9] a contact with a write of unknown outcome', () => {
  test.each<[string, Decision, Side, string]>([
    ['merged', MERGE, 'right', 'r'],
    ['copied', CREATE, 'left', 'l'],
    ['restored', { ...CREATE, pair: HALF_GONE }, 'right', 'r'],
    ['deleted', DELETE, 'left', 'l'],
    ['deleted for the other half of its pair', DELETE, 'right', 'r'],
    ['left alone in its pair', UNLINK, 'right', 'r'],
  ])('is not %s before that outcome is settled', (_, decision, side, id) => {
    expect(deferUnsettled([decision], (of, each) => of === side && each === id)).toEqual([]);
    const isNamesake = (of: Side, each: string): boolean => of !== side && each === id;
    expect(deferUnsettled([decision], isNamesake)).toEqual([decision]);
  });
});

describe('[R15] the content that a decision depends on', () => {
  const sourceOf = (now: Partial<Contact>, version: string, groupIds: readonly string[] = []) => {
    return sourceFingerprint({ ...CREATE, source: record('l', now, { version, groupIds }) });
  };

  test('changes with either side’s content and with nothing else', () => {
    const ofMerge = (title: string, version: string) => {
      const left = present(record('l', { ...ADA, title }, { version }), snapshot(ADA));
      return sourceFingerprint({ ...MERGE, pair: { ...MERGE.pair, left } });
    };
    expect(ofMerge('A', '1')).toBe(ofMerge('A', '2'));
    expect(ofMerge('A', '1')).not.toBe(ofMerge('B', '1'));
    const right = present(record('r', { ...ADA, title: 'B' }));
    expect(sourceFingerprint(MERGE)).not.toBe(sourceFingerprint({ ...MERGE, pair: { ...MERGE.pair, right } }));
  });

  test('changes with a contact’s values and membership, and not with its version', () => {
    expect(sourceOf(ADA, '1')).toBe(sourceOf(ADA, '2'));
    expect(sourceOf(ADA, '1')).not.toBe(sourceOf({ ...ADA, title: 'Dr' }, '1'));
    expect(sourceOf(ADA, '1')).not.toBe(sourceOf(ADA, '1', ['g']));
  });

  test('exists for every kind of decision', () => {
    expect(sourceFingerprint(CREATE)).toBe(sourceFingerprint(DELETE));
    expect(sourceFingerprint(CREATE)).toContain('ada@x.org');
    expect(sourceFingerprint(UNLINK)).toBe('');
  });
});

describe('[R15] a refused write', () => {
  test.each<[string, Decision, Side]>([
    ['create', CREATE, 'right'],
    ['delete', DELETE, 'left'],
  ])('is left out until its retry time: a %s', (_, decision, side) => {
    const refusals = [refusalOf(decision, side)];
    expect(deferRefused([decision], refusals, SOON)).toEqual([]);
    expect(deferRefused([decision], refusals, RETRY_AT_MS)).toEqual([decision]);
  });

  test.each<[string, Partial<Refusal>]>([
    ['its source changed since', { sourceFingerprint: 'of other content' }],
    ['another contact was refused', { key: 'another' }],
    ['the other side refused it', { side: 'left' }],
  ])('is retried at once if %s', (_, given) => {
    expect(deferRefused([CREATE], [refusalOf(CREATE, 'right', given)], SOON)).toEqual([CREATE]);
  });

  test('of a pair is retried at once if either contact changed since', () => {
    const refusals = [refusalOf(MERGE, 'right', { sourceFingerprint: 'of other content' })];
    expect(deferRefused([MERGE], refusals, SOON)).toEqual([MERGE]);
  });

  test('does not affect the other writes', () => {
    const other: Creation = { ...CREATE, source: record('m', ADA) };
    expect(deferRefused([CREATE, other, DELETE], [refusalOf(CREATE, 'right')], SOON)).toEqual([other, DELETE]);
  });

  test('does not exist if nothing was refused', () => {
    const decisions = [MERGE, CREATE];
    expect(deferRefused(decisions, [], SOON)).toBe(decisions);
  });

  test('never prevents the end of a pair', () => {
    const refusals = [refusalOf(UNLINK, 'left'), refusalOf(UNLINK, 'right')];
    expect(deferRefused([UNLINK], refusals, SOON)).toEqual([UNLINK]);
  });

  test.each(SIDE_PAIRS)(
    'at %s leaves the write to %s unchanged; the values that it was to write stay open',
    (side, other) => {
      const decided = deferRefused([MERGE], [refusalOf(MERGE, side)], SOON);
      expect(decided).toEqual([
        { ...MERGE, writes: WRITES[other], localFields: { [side]: [], [other]: FIELDS[side] }, deferred: true },
      ]);
      expect(deferRefused([MERGE], [refusalOf(MERGE, side)], RETRY_AT_MS)).toEqual([MERGE]);
    },
  );

  test('at both sides leaves both out', () => {
    const refusals = [refusalOf(MERGE, 'left'), refusalOf(MERGE, 'right')];
    expect(deferRefused([MERGE], refusals, SOON)).toEqual([
      { ...MERGE, writes: [], localFields: { left: FIELDS.right, right: FIELDS.left }, deferred: true },
    ]);
  });

  test('at a side that is no longer written changes nothing', () => {
    const decision = merge({ writes: WRITES.left });
    expect(deferRefused([decision], [refusalOf(decision, 'right')], SOON)).toEqual([decision]);
  });

  test('[R4] keeps the value that lost as open as the one that won, and the changes that stay on a side', () => {
    const lost = { field: 'title', left: 'Dr', right: 'Prof', winner: 'left' } as const;
    const won = { field: 'company', left: 'A', right: 'B', winner: 'right' } as const;
    const decision = merge({
      writes: BOTH,
      conflicts: [lost, won],
      localFields: { left: ['websites'], right: ['addresses'] },
    });
    expect(deferRefused([decision], [refusalOf(decision, 'right')], SOON)).toMatchObject([
      {
        conflicts: [lost, won],
        localFields: { left: ['websites', 'title', 'buckets'], right: ['addresses', 'title'] },
        deferred: true,
      },
    ]);
  });
});

describe('[R15] a refused field', () => {
  const fieldRefusal = (field: 'title' | 'company', given: Partial<Refusal> = {}): Refusal => ({
    side: 'right',
    key: fieldRefusalKey(refusalKey(MERGE), field),
    sourceFingerprint: fieldFingerprint(MERGE.pair, field),
    retryAtMs: RETRY_AT_MS,
    ...given,
  });

  test('is left out alone: the other fields and the membership are written', () => {
    expect(deferRefused([MERGE], [fieldRefusal('title')], SOON)).toEqual([
      {
        ...MERGE,
        writes: [...WRITES.left, ...plannedOn('right', ['buckets'], {})],
        localFields: { left: ['title'], right: [] },
        deferred: true,
      },
    ]);
  });

  test.each<[string, Partial<Refusal>, number]>([
    ['its retry time has come', {}, RETRY_AT_MS],
    ['its value changed on a side', { sourceFingerprint: 'of another value' }, SOON],
    ['the other side refused it', { side: 'left' }, SOON],
  ])('is retried if %s', (_, given, nowMs) => {
    expect(deferRefused([MERGE], [fieldRefusal('title', given)], nowMs)).toEqual([MERGE]);
  });

  test('waits even if the other fields change', () => {
    const changed = merge({ writes: BOTH }, { ...ADA, company: 'Other' });
    expect(deferRefused([changed], [fieldRefusal('title')], SOON)).toMatchObject([
      { localFields: { left: ['title'] } },
    ]);
  });

  test('ends once the plan no longer writes it, and a refused write ends once it writes nothing', () => {
    const [title, company] = [fieldRefusal('title'), fieldRefusal('company')];
    const whole = refusalOf(MERGE, 'right');
    expect(pastRefusals([MERGE], [title, company, whole])).toEqual([company]);
    expect(pastRefusals([merge()], [title, whole])).toEqual([title, whole]);
    expect(pastRefusals([CREATE], [title, whole])).toEqual([]);
  });
});

const NOW_MS = 1_000_000_000;

const DAY_MS = 86_400_000;

test.each([
  ['before its time', NOW_MS + 1, false],
  ['in its time', NOW_MS, true],
  ['after it', NOW_MS - DAY_MS, true],
  ['before it, by the longest delay', NOW_MS + retryDelayMs(100), false],
  ['before a time that no delay reaches, as from a clock that was ahead', NOW_MS + retryDelayMs(100) + 1, true],
])(
  '[R15] a refused write is due at its retry time, not before, except after a clock error: %s',
  (_, retryAtMs, isDue) => {
    expect(isRetryDue(retryAtMs, NOW_MS)).toBe(isDue);
  },
);

import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import type { Creation, Decision, Deletion, Merge } from '../../../../src/core/reconcile/decision.ts';
import {
  deferRefused,
  fieldFingerprint,
  fieldRefusalKey,
  isRetryDue,
  pairRefusalKey,
  pastRefusals,
  refusalKey,
  retryDelayMs,
  sourceFingerprint,
  wholeRefusalKey,
} from '../../../../src/core/reconcile/defer.ts';
import { mergeOf, plannedOn } from '../../engine/execute/support.ts';
import { gone, pairOf, present, record, SIDE_PAIRS, values } from './support.ts';

const RETRY_AT_MS = 1_000;
const SOON = RETRY_AT_MS - 1;

const ADA: Partial<Contact> = { firstName: 'Ada', emailAddresses: values('ada@x.org') };

const merge = (given: Partial<Merge> = {}, left: Partial<Contact> = ADA): Merge =>
  mergeOf(present(record('l', left)), present(record('r', ADA)), given);

const FIELDS = { left: ['company'], right: ['title', 'buckets'] } as const;

const WRITES = {
  left: plannedOn('left', FIELDS.left, { company: 'Engine' }),
  right: plannedOn('right', FIELDS.right, { title: 'Dr' }),
};

const BOTH = [...WRITES.left, ...WRITES.right];

const MERGE = merge({ writes: BOTH });

const CREATE: Creation = { kind: 'create', side: 'right', source: record('l', ADA), pair: null, writes: [] };

const HALF_GONE = pairOf(present(record('l', ADA)), gone('r'));

const DELETE: Deletion = { kind: 'delete', side: 'left', record: record('l', ADA), pair: HALF_GONE };

type Refusal = Parameters<typeof deferRefused>[1][number];

const refusalOf = (decision: Decision, side: Side, given: Partial<Refusal> = {}): Refusal => ({
  side,
  key: refusalKey(decision),
  sourceFingerprint: sourceFingerprint(decision),
  retryAtMs: RETRY_AT_MS,
  ...given,
});

test('[R15] a refused delete does not delay a create whose source has the same id at the other side', () => {
  const refusal = refusalOf(DELETE, 'left');
  const create: Creation = { ...CREATE, side: 'left' };
  expect(sourceFingerprint(create)).toBe(refusal.sourceFingerprint);
  expect(deferRefused([create], [refusal], SOON)).toEqual([create]);
  expect(deferRefused([DELETE], [refusal], SOON)).toEqual([]);
});

describe('[R15] a refused write', () => {
  test('is left out until its retry time', () => {
    const refusals = [refusalOf(CREATE, 'right')];
    expect(deferRefused([CREATE], refusals, SOON)).toEqual([]);
    expect(deferRefused([CREATE], refusals, RETRY_AT_MS)).toEqual([CREATE]);
  });

  test.each<[string, Partial<Refusal>]>([
    ['its source changed since', { sourceFingerprint: 'of other content' }],
    ['another contact was refused', { key: 'another' }],
    ['the other side refused it', { side: 'left' }],
  ])('is retried at once if %s', (_, given) => {
    expect(deferRefused([CREATE], [refusalOf(CREATE, 'right', given)], SOON)).toEqual([CREATE]);
  });

  test.each(SIDE_PAIRS)('at %s leaves the write to %s unchanged, and its own values stay open', (side, other) => {
    const decided = deferRefused([MERGE], [refusalOf(MERGE, side)], SOON);
    const localFields = { [side]: [], [other]: FIELDS[side] };
    expect(decided).toEqual([{ ...MERGE, writes: WRITES[other], localFields, deferred: true }]);
    expect(deferRefused([MERGE], [refusalOf(MERGE, side)], RETRY_AT_MS)).toEqual([MERGE]);
  });

  test('[R4] keeps the value that lost as open as the one that won, and the changes that stay on a side', () => {
    const lost = { field: 'title', left: 'Dr', right: 'Prof', winner: 'left' } as const;
    const won = { field: 'company', left: 'A', right: 'B', winner: 'right' } as const;
    const localFields = { left: ['websites'], right: ['addresses'] } as const;
    const decision = merge({ writes: BOTH, conflicts: [lost, won], localFields });
    const [deferred] = deferRefused([decision], [refusalOf(decision, 'right')], SOON);
    const open = { left: ['websites', 'title', 'buckets'], right: ['addresses', 'title'] };
    expect(deferred).toMatchObject({ conflicts: [lost, won], localFields: open, deferred: true });
  });
});

describe('[R15] a refused field', () => {
  const fieldRefusal = (field: 'title' | 'company'): Refusal => ({
    ...refusalOf(MERGE, 'right'),
    key: fieldRefusalKey(refusalKey(MERGE), field),
    sourceFingerprint: fieldFingerprint(MERGE.pair, field),
  });

  test('is left out alone, even if other fields change: those and the membership are written', () => {
    const writes = [...WRITES.left, ...plannedOn('right', ['buckets'], {})];
    const deferred = { writes, localFields: { left: ['title'], right: [] }, deferred: true };
    expect(deferRefused([MERGE], [fieldRefusal('title')], SOON)).toEqual([{ ...MERGE, ...deferred }]);
    const changed = merge({ writes: BOTH }, { ...ADA, company: 'Other' });
    expect(deferRefused([changed], [fieldRefusal('title')], SOON)).toEqual([{ ...changed, ...deferred }]);
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

test.each([
  ['before its time', NOW_MS + 1, false],
  ['in its time', NOW_MS, true],
  ['before it, by the longest delay', NOW_MS + retryDelayMs(100), false],
  ['before a time that no delay reaches, as from a clock that was ahead', NOW_MS + retryDelayMs(100) + 1, true],
])('[R15] a refused write is due at its retry time, not before, except after a clock error: %s', (_, atMs, isDue) => {
  expect(isRetryDue(atMs, NOW_MS)).toBe(isDue);
});

test('[R15] the refusal of a field belongs to the write of its pair, also if an id has spaces', () => {
  const whole = pairRefusalKey('people/c1', 'Jo Ann Lee.vcf');
  expect(wholeRefusalKey(fieldRefusalKey(whole, 'title'))).toBe(whole);
  expect(wholeRefusalKey('Jo Ann Lee.vcf')).toBe('Jo Ann Lee.vcf');
});

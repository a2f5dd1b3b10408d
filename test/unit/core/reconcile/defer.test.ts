import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import { type Creation, type Deletion, type Merge, writesTo } from '../../../../src/core/reconcile/decision.ts';
import * as defer from '../../../../src/core/reconcile/defer.ts';
import { mergeOf, plannedOn } from '../../engine/support.ts';
import { gone, pairOf, present, record, SIDE_PAIRS } from './support.ts';

const RETRY_AT_MS = 1_000;
const SOON = RETRY_AT_MS - 1;

const ADA: Partial<Contact> = { firstName: 'Ada' };

const merge = (given: Partial<Merge>, left: Partial<Contact> = ADA): Merge =>
  mergeOf(present(record('l', left)), present(record('r', ADA)), given);

const FIELDS = { left: ['company'], right: ['title', 'buckets'] } as const;
const WRITES = {
  left: plannedOn('left', FIELDS.left, { company: 'Engine' }),
  right: plannedOn('right', FIELDS.right, { title: 'Dr' }),
};
const BOTH = { left: WRITES.left.left, right: WRITES.right.right };
const MERGE = merge({ writes: BOTH });
const CREATE: Creation = {
  kind: 'create',
  side: 'right',
  source: record('l', ADA),
  pair: null,
  writes: writesTo('right', {}),
};
const HALF_GONE = pairOf(present(record('l', ADA)), gone('r'));
const DELETE: Deletion = { kind: 'delete', side: 'left', record: record('l', ADA), pair: HALF_GONE };

type Refusal = Parameters<typeof defer.deferRefused>[1][number];

const refusalOf = (decision: Merge | Creation | Deletion, side: Side, given: Partial<Refusal> = {}): Refusal => ({
  side,
  key: defer.refusalKey(decision),
  sourceFingerprint: defer.sourceFingerprint(decision),
  retryAtMs: RETRY_AT_MS,
  ...given,
});

const refusedField = (field: 'title' | 'company'): Refusal =>
  refusalOf(MERGE, 'right', {
    key: defer.fieldRefusalKey(defer.refusalKey(MERGE), field),
    sourceFingerprint: defer.fieldFingerprint(MERGE.pair, field),
  });

describe('R15: a refused write', () => {
  test.each<[string, Partial<Refusal>, number, boolean]>([
    ['waits until its retry time', {}, SOON, true],
    ['is done at its retry time', {}, RETRY_AT_MS, false],
    ['is done if its source changed since', { sourceFingerprint: 'of other content' }, SOON, false],
    ['is done if another contact was refused', { key: 'another' }, SOON, false],
    ['is done if the other side refused it', { side: 'left' }, SOON, false],
  ])('%s', (_, given, nowMs, waits) => {
    expect(defer.deferRefused([CREATE], [refusalOf(CREATE, 'right', given)], nowMs)).toEqual(waits ? [] : [CREATE]);
  });

  test('that deletes does not delay a create whose source has the same id at the other side', () => {
    const [refusal, create] = [refusalOf(DELETE, 'left'), { ...CREATE, side: 'left' } as const];
    expect(defer.sourceFingerprint(create)).toBe(refusal.sourceFingerprint);
    expect(defer.deferRefused([create], [refusal], SOON)).toEqual([create]);
    expect(defer.deferRefused([DELETE], [refusal], SOON)).toEqual([]);
  });

  test.each(SIDE_PAIRS)('at %s leaves the write to %s unchanged, and its own values stay open', (side, other) => {
    const localFields = { [side]: [], [other]: FIELDS[side] };
    const deferred = { ...MERGE, writes: WRITES[other], localFields, deferred: true };
    expect(defer.deferRefused([MERGE], [refusalOf(MERGE, side)], SOON)).toEqual([deferred]);
    expect(defer.deferRefused([MERGE], [refusalOf(MERGE, side)], RETRY_AT_MS)).toEqual([MERGE]);
  });

  test('R4: keeps the value that lost as open as the one that won, and the changes that stay on a side', () => {
    const lost = { field: 'title', left: 'Dr', right: 'Prof', winner: 'left' } as const;
    const won = { field: 'company', left: 'A', right: 'B', winner: 'right' } as const;
    const localFields = { left: ['websites'], right: ['addresses'] } as const;
    const decision = merge({ writes: BOTH, conflicts: [lost, won], localFields });
    const [deferred] = defer.deferRefused([decision], [refusalOf(decision, 'right')], SOON);
    const open = { left: ['websites', 'title', 'buckets'], right: ['addresses', 'title'] };
    expect(deferred).toMatchObject({ conflicts: [lost, won], localFields: open, deferred: true });
  });

  test('of one field leaves out that field alone, even if other fields change, and the membership is written', () => {
    const writes = { left: BOTH.left, right: { ...BOTH.right, update: null } };
    const deferred = { writes, localFields: { left: ['title'], right: [] }, deferred: true };
    for (const decision of [MERGE, merge({ writes: BOTH }, { ...ADA, company: 'Other' })]) {
      expect(defer.deferRefused([decision], [refusedField('title')], SOON)).toEqual([{ ...decision, ...deferred }]);
    }
  });

  test('of a field is past once the plan no longer writes it, and a whole one once it writes nothing', () => {
    const [title, company, whole] = [refusedField('title'), refusedField('company'), refusalOf(MERGE, 'right')];
    expect(defer.pastRefusals([MERGE], [title, company, whole])).toEqual([company]);
    expect(defer.pastRefusals([merge({})], [title, whole])).toEqual([title, whole]);
    expect(defer.pastRefusals([CREATE], [title, whole])).toEqual([]);
  });

  const LONGEST_MS = defer.retryDelayMs(100);
  test.each([
    ['not before its time', 1, false],
    ['in its time', 0, true],
    ['not before it, by the longest delay', LONGEST_MS, false],
    ['before a time that no delay reaches, as from a clock that was ahead', LONGEST_MS + 1, true],
  ])('is due %s', (_, aheadMs, isDue) => {
    expect(defer.isRetryDue(1_000_000_000 + aheadMs, 1_000_000_000)).toBe(isDue);
  });

  test('of a field belongs to the write of its pair, also if an id has spaces', () => {
    const whole = defer.pairRefusalKey('people/c1', 'Jo Ann Lee.vcf');
    expect(defer.wholeRefusalKey(defer.fieldRefusalKey(whole, 'title'))).toBe(whole);
    expect(defer.wholeRefusalKey('Jo Ann Lee.vcf')).toBe('Jo Ann Lee.vcf');
  });
});

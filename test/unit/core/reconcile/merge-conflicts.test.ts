import { describe, expect, test } from 'vitest';
import { otherSide, type Side } from '../../../../src/core/contact/side.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import { mergeContacts } from '../../../../src/core/reconcile/merge.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { bothSides, policyWith, sideOf } from './support.ts';

type FieldMerge = ReturnType<typeof mergeContacts>;

const mergeOf = (left: Half, right: Half, policy: Policy = policyWith()): FieldMerge => {
  return mergeContacts(bothSides(left, right), policy);
};

const QUIET = { fields: { left: [], right: [] }, held: { left: [], right: [] }, conflicts: [] };

describe('a conflict in which a side’s stamp is ahead of the clock', () => {
  /** Both are edits that were received: the left one at 1 h, the right one at 2 h, by our clock. */
  const HOUR_MS = 3_600_000;
  const merged = (leftAtMs: number, rightAtMs: number): FieldMerge => {
    const left = sideOf({ title: 'Baker' }, { title: 'Cook' }, leftAtMs);
    const right = sideOf({ title: 'Brewer' }, { title: 'Cook' }, rightAtMs);
    const received = { ...left, heardAtMs: HOUR_MS };
    return mergeOf(received, { ...right, heardAtMs: 2 * HOUR_MS }, policyWith());
  };

  test.each<[string, number, number, Side]>([
    ['is not won by a stamp in the far future against a later edit', 4_000_000_000_000, 2 * HOUR_MS, 'right'],
    ['is not won by one half an hour ahead, either', HOUR_MS + 30 * 60_000, HOUR_MS + 6 * 60_000, 'right'],
    ['is won by a later stamp within the margin of the clocks', HOUR_MS + 4 * 60_000, HOUR_MS + 3 * 60_000, 'left'],
    ['is won by the left side if the end of the margin ties', 2 * HOUR_MS, HOUR_MS + 5 * 60_000, 'left'],
  ])('[R4] %s', (_, leftAtMs, rightAtMs, winner) => {
    expect(merged(leftAtMs, rightAtMs).conflicts).toMatchObject([{ field: 'title', winner }]);
  });
});

describe('a conflict', () => {
  const both = (policy: Partial<Policy>, leftAtMs: number | null, rightAtMs: number | null): FieldMerge => {
    return mergeOf(
      sideOf({ title: 'Baker' }, { title: 'Cook' }, leftAtMs),
      sideOf({ title: 'Brewer' }, { title: 'Cook' }, rightAtMs),
      policyWith(policy),
    );
  };

  test.each<[string, Partial<Policy>, number | null, number | null, Side]>([
    ['the later edit, Google’s', {}, 2, 1, 'left'],
    ['the later edit, the service’s', {}, 1, 2, 'right'],
    ['Google if the times tie', {}, 1, 1, 'left'],
    ['Google if Google reports no time', {}, null, 9, 'left'],
    ['Google if the service reports no time', {}, 1, null, 'left'],
    ['Google if neither side reports a time', {}, null, null, 'left'],
    ['Google by policy', { conflicts: 'left' }, 1, 2, 'left'],
    ['the service by policy', { conflicts: 'right' }, 2, 1, 'right'],
    ['the longer text, whose edit is older', { conflicts: 'longest' }, 2, 1, 'right'],
    ['the service by the policy of the field', { conflictsByField: { title: 'right' } }, 2, 1, 'right'],
    [
      'the later edit by the policy of the field',
      { conflicts: 'right', conflictsByField: { title: 'newest' } },
      2,
      1,
      'left',
    ],
    [
      'the later edit, if the policy of another field names a side',
      { conflictsByField: { company: 'right' } },
      2,
      1,
      'left',
    ],
    [
      'the source, whatever the policy of the field',
      { direction: 'to-right', conflictsByField: { title: 'right' } },
      1,
      2,
      'left',
    ],
    ['the source of a link to Google', { direction: 'to-left', conflicts: 'left' }, 2, 1, 'right'],
    ['the source of a link to the service', { direction: 'to-right', conflicts: 'right' }, 1, 2, 'left'],
  ])('[R4] is won by %s', (_, policy, leftAtMs, rightAtMs, winner) => {
    const merge = both(policy, leftAtMs, rightAtMs);
    expect(merge.conflicts).toEqual([{ field: 'title', left: 'Baker', right: 'Brewer', winner }]);
    expect(merge.fields).toEqual({ left: [], right: [], [otherSide(winner)]: ['title'] });
    const title = winner === 'left' ? 'Baker' : 'Brewer';
    expect([merge.desired.left.title, merge.desired.right.title]).toEqual([title, title]);
  });

  test.each<[string, string, Side]>([
    ['Ann\u{1F600}', 'Annie', 'right'],
    ['\u{1F600}\u{1F600}', 'Ann', 'right'],
    ['Ann', 'Bob', 'right'],
    ['Bobby', 'Ann', 'left'],
    ['', 'Ann', 'right'],
  ])(
    '[R4] under longest, of %j and %j the %s one wins: code points count, and the time decides a tie',
    (left, right, winner) => {
      const names = bothSides(
        sideOf({ firstName: left }, { firstName: 'Cat' }, 1),
        sideOf({ firstName: right }, { firstName: 'Cat' }, 2),
      );
      const { conflicts } = mergeContacts(names, policyWith({ conflicts: 'longest' }));
      expect(conflicts).toEqual([{ field: 'firstName', left, right, winner }]);
    },
  );

  test('[R4] does not exist if both sides changed alike', () => {
    const side = sideOf({ title: 'Baker' }, { title: 'Cook' });
    expect(mergeOf(side, side, policyWith())).toMatchObject(QUIET);
  });

  test('[R4] in one field does not affect the other fields of each side', () => {
    const merge = mergeOf(
      sideOf({ title: 'Baker', company: 'Old' }, { title: 'Cook', company: 'Old' }, 2),
      sideOf({ title: 'Brewer', company: 'New' }, { title: 'Cook', company: 'Old' }, 1),
      policyWith(),
    );
    expect(merge.fields).toEqual({ left: ['company'], right: ['title'] });
    expect(merge.desired.left).toEqual(merge.desired.right);
  });
});

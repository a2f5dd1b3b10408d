import { describe, expect, test } from 'vitest';
import { mergeMembership, type GroupLink } from '../../../../src/core/reconcile/membership.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { bothSides, halfOf, link, policyWith, record, snapshot } from './support.ts';

/** A contact with its current groups, and its groups when both sides agreed. */
const member = (groupIds: readonly string[], base: readonly string[] | null) =>
  halfOf(record('x', {}, { groupIds }), { base: base === null ? null : snapshot({}, base) });

type State = { readonly base: boolean | null; readonly now: boolean };

const merge = (left: State, right: State, given: Partial<GroupLink> = {}, policy: Partial<Policy> = {}) => {
  const idsOf = (isMember: boolean, id: string) => (isMember ? [id] : []);
  const half = ({ base, now }: State, id: string) => member(idsOf(now, id), base === null ? null : idsOf(base, id));
  const halves = bothSides(half(left, 'g-choir'), half(right, 's-choir'));
  const merged = mergeMembership(halves, [link('choir', given)], policyWith(policy));
  const text = ({ joins, leaves }: typeof merged.left) =>
    [...joins.map(() => 'join'), ...leaves.map(() => 'leave')].join();
  return { left: text(merged.left), right: text(merged.right), isLocal: merged.isLocal };
};

const state = (base: boolean | null, now: boolean): State => ({ base, now });
const [IN, OUT, JOINED, LEFT] = [state(true, true), state(false, false), state(false, true), state(true, false)];

describe('the membership in one bucket', () => {
  test.each<[string, State, State, string, string]>([
    ['joined at Google', JOINED, OUT, '', 'join'],
    ['joined at the service', OUT, JOINED, 'join', ''],
    ['left at Google', LEFT, IN, '', 'leave'],
    ['left at the service', IN, LEFT, 'leave', ''],
    ['joined on both', JOINED, JOINED, '', ''],
    ['left on both', LEFT, LEFT, '', ''],
    ['never stored by the service', IN, OUT, '', ''],
    ['never stored by Google', OUT, IN, '', ''],
    ['joined at Google, left at the service', JOINED, LEFT, '', 'join'],
    ['left at Google, joined at the service', LEFT, JOINED, 'join', ''],
    ['joined at Google if the service was already in', JOINED, IN, '', ''],
    ['left at Google if the service was already out', LEFT, OUT, '', ''],
  ])('[R3] %s', (_, left, right, atLeft, atRight) => {
    const merged = merge(left, right);
    expect([merged.left, merged.right]).toEqual([atLeft, atRight]);
  });

  test.each<[string, State, State, Partial<GroupLink>]>([
    ['the contacts are matched for the first time', state(null, true), state(null, false), {}],
    ['only one side has a base', state(true, true), state(null, false), {}],
    ['the groups are linked for the first time', IN, state(true, false), { settled: false }],
  ])('[R13] is united if %s', (_, left, right, given) => {
    expect(merge(left, right, given)).toMatchObject({ left: '', right: 'join' });
    expect(merge(right, left, given)).toMatchObject({ left: 'join', right: '' });
  });

  test('is requested for a group that this run creates', () => {
    expect(merge(IN, OUT, { right: null, settled: false })).toMatchObject({ left: '', right: 'join' });
  });

  test('is written in one direction only on a one-way link, and held on the other side', () => {
    const policy = { direction: 'to-right' } as const;
    expect(merge(JOINED, OUT, {}, policy)).toMatchObject({ right: 'join', isLocal: { left: false, right: false } });
    expect(merge(OUT, JOINED, {}, policy)).toMatchObject({ left: '', isLocal: { left: false, right: true } });
    expect(merge(IN, LEFT, {}, policy)).toMatchObject({ left: '', isLocal: { left: false, right: true } });
  });

  test('ends if the source of a one-way link left, whatever the target changed', () => {
    expect(merge(LEFT, JOINED, {}, { direction: 'to-right' })).toMatchObject({ left: '', right: 'leave' });
    expect(merge(JOINED, LEFT, {}, { direction: 'to-left' })).toMatchObject({ left: 'leave', right: '' });
  });
});

test('[R11] lists only the buckets that changed, not the others of the contact', () => {
  const left = member(['g-choir', 'g-team', 'g-unlinked'], ['g-team', 'g-old']);
  const right = member(['s-team', 's-just-added'], ['s-team']);
  const links = [link('choir'), link('team'), link('old', { right: 's-old' })];
  const merged = mergeMembership(bothSides(left, right), links, policyWith());
  expect(merged.right).toEqual({ joins: ['choir'], leaves: [], agreed: [] });
  expect(merged.left).toEqual({ joins: [], leaves: [], agreed: ['g-old'] });
});

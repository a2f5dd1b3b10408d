import { describe, expect, test } from 'vitest';
import { mergeMembership, type GroupLink } from '../../../src/reconcile/membership.ts';
import type { Policy } from '../../../src/reconcile/policy.ts';
import { link, policyWith } from './support.ts';

type State = { readonly base: boolean | null; readonly now: boolean };

const merge = (google: State, service: State, given: Partial<GroupLink> = {}, policy: Partial<Policy> = {}) => {
  const side = ({ base, now }: State, id: string) => ({
    groupIds: now ? [id] : [],
    base: base === null ? null : base ? [id] : [],
  });
  const merged = mergeMembership(
    side(google, 'g-choir'),
    side(service, 's-choir'),
    [link('choir', given)],
    policyWith(policy),
  );
  const text = ({ joins, leaves }: typeof merged.google) =>
    [...joins.map(() => 'join'), ...leaves.map(() => 'leave')].join();
  return { google: text(merged.google), service: text(merged.service), held: merged.held };
};

const state = (base: boolean | null, now: boolean): State => ({ base, now });
const [IN, OUT, JOINED, LEFT] = [state(true, true), state(false, false), state(false, true), state(true, false)];

describe('the membership in one bucket', () => {
  test.each<[string, State, State, string, string]>([
    ['in on both', IN, IN, '', ''],
    ['out on both', OUT, OUT, '', ''],
    ['joined at Google', JOINED, OUT, '', 'join'],
    ['joined at the service', OUT, JOINED, 'join', ''],
    ['left at Google', LEFT, IN, '', 'leave'],
    ['left at the service', IN, LEFT, 'leave', ''],
    ['joined on both', JOINED, JOINED, '', ''],
    ['left on both', LEFT, LEFT, '', ''],
    ['never taken by the service', IN, OUT, '', ''],
    ['never taken by Google', OUT, IN, '', ''],
    ['joined at Google, left at the service', JOINED, LEFT, '', 'join'],
    ['left at Google, joined at the service', LEFT, JOINED, 'join', ''],
    ['joined at Google where the service has long been in', JOINED, IN, '', ''],
    ['left at Google where the service has long been out', LEFT, OUT, '', ''],
  ])('[R3] %s', (_, google, service, atGoogle, atService) => {
    const merged = merge(google, service);
    expect([merged.google, merged.service]).toEqual([atGoogle, atService]);
  });

  test.each<[string, State, State, Partial<GroupLink>]>([
    ['the contacts meet for the first time', state(null, true), state(null, false), {}],
    ['only one side has a base', state(true, true), state(null, false), {}],
    ['the groups are linked for the first time', IN, state(true, false), { settled: false }],
  ])('[R13] is united where %s', (_, google, service, given) => {
    expect(merge(google, service, given)).toMatchObject({ google: '', service: 'join' });
    expect(merge(service, google, given)).toMatchObject({ google: 'join', service: '' });
  });

  test('is asked of a group that this run creates', () => {
    expect(merge(IN, OUT, { service: null, settled: false })).toMatchObject({ google: '', service: 'join' });
  });

  test('is written in one direction only on a one-way link, and held on the other side', () => {
    const policy = { direction: 'to-service' } as const;
    expect(merge(JOINED, OUT, {}, policy)).toMatchObject({ service: 'join', held: { google: false, service: false } });
    expect(merge(OUT, JOINED, {}, policy)).toMatchObject({ google: '', held: { google: false, service: true } });
    expect(merge(IN, LEFT, {}, policy)).toMatchObject({ google: '', held: { google: false, service: true } });
  });
});

test('[R11] names only the buckets that changed, whatever else the contact belongs to', () => {
  const merged = mergeMembership(
    { groupIds: ['g-choir', 'g-team', 'g-unlinked'], base: ['g-team', 'g-old'] },
    { groupIds: ['s-team', 's-just-added'], base: ['s-team'] },
    [link('choir'), link('team'), link('old', { service: 's-old' })],
    policyWith(),
  );
  expect(merged.service).toEqual({ joins: ['choir'], leaves: [] });
  expect(merged.google).toEqual({ joins: [], leaves: [] });
});

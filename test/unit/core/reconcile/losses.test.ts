import { expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Merge } from '../../../../src/core/reconcile/decision.ts';
import type { GroupAction, GroupPlan } from '../../../../src/core/reconcile/groups.ts';
import { causesLosses, isLossless, lossesOf } from '../../../../src/core/reconcile/losses.ts';
import { mergeOf, plannedOn } from '../../engine/execute/support.ts';
import { halfOf, link, pairOf, present, record, values } from './support.ts';

const FULL: Partial<Contact> = {
  firstName: 'Ada',
  title: 'Boss',
  emailAddresses: values('a@x.example', 'b@x.example'),
};

type Moves = { readonly joins?: readonly string[]; readonly leaves?: readonly string[] };

/** A merge that gives the left contact, which is in two groups, this content. */
const writing = (
  desired: Partial<Contact>,
  fields: readonly (keyof Contact | 'buckets')[],
  moves: Moves = {},
): Merge => {
  const now = record('g1', FULL, { groupIds: ['g-choir', 'g-team'] });
  return mergeOf(halfOf(now), present(record('s1', FULL)), { writes: plannedOn('left', fields, desired, moves) });
};

const groups = (...actions: readonly GroupAction[]): GroupPlan => ({
  actions,
  pairs: [],
  ended: [],
  links: [link('choir'), link('team')],
  duplicates: [],
});

const lost = (decision: Merge) => lossesOf({ decisions: [decision], groups: groups() }, () => 0).left;

test('[R8] a field that loses its only value counts, one that keeps or changes a value does not', () => {
  expect(lost(writing({ ...FULL, title: '', emailAddresses: [] }, ['title', 'emailAddresses']))).toEqual({
    title: 1,
    emailAddresses: 1,
    members: 0,
  });
  const kept = writing({ ...FULL, title: 'Chief', emailAddresses: values('a@x.example') }, ['title', 'emailAddresses']);
  expect(lost(kept)).toEqual({ members: 0 });
});

test('[R8] a contact that leaves its last group counts, one that moves or keeps a group does not', () => {
  const moved = (moves: Moves) => lost(writing(FULL, ['buckets'], moves));
  expect(moved({ leaves: ['choir', 'team'] })).toEqual({ buckets: 1, members: 0 });
  expect(moved({ leaves: ['choir'] })).toEqual({ members: 0 });
  expect(moved({ leaves: ['choir', 'team'], joins: ['other'] })).toEqual({ members: 0 });
});

test('[R8] a deleted contact and the members of deleted groups count on their side', () => {
  const right = record('s1', FULL);
  const deletion = { kind: 'delete', side: 'right', record: right, pair: pairOf(null, present(right)) } as const;
  const deleted = (key: string): GroupAction => {
    return { kind: 'delete-group', side: 'right', key, group: { id: `s-${key}`, name: key, version: '' }, name: key };
  };
  const plan = { decisions: [deletion], groups: groups(deleted('choir'), deleted('team')) };
  const losses = lossesOf(plan, (side, id) => (side === 'right' && id === 's-choir' ? 3 : 2));
  expect(losses).toEqual({ left: { members: 0 }, right: { contacts: 1, members: 5 } });
  expect(isLossless(losses)).toBe(false);
  expect(isLossless(lossesOf({ decisions: [], groups: groups() }, () => 9))).toBe(true);
  expect(causesLosses(deletion, [])).toBe(true);
  expect(causesLosses(writing(FULL, ['buckets'], { leaves: ['choir'] }), plan.groups.links)).toBe(false);
});

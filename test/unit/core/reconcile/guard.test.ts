import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import type { Decision, Merge } from '../../../../src/core/reconcile/decision.ts';
import type { GroupPlan } from '../../../../src/core/reconcile/groups.ts';
import type { GroupAction } from '../../../../src/core/reconcile/group-order.ts';
import * as guard from '../../../../src/core/reconcile/guard.ts';
import { causesLosses, emptiedFields, isLossless, lossesOf } from '../../../../src/core/reconcile/losses.ts';
import { destroys, type Operation } from '../../../../src/core/reconcile/operation.ts';
import { haltWords } from '../../../../src/core/view/words.ts';
import { operationOf } from '../../../support/store/rows.ts';
import { mergeOf, plannedOn } from '../../engine/support.ts';
import { halfOf, link, pairOf, present, record, values } from './support.ts';

const check = (given: Partial<guard.GuardInput>) =>
  guard.checkGuard({
    limit: { count: 10, percent: 10 },
    isWritable: { left: true, right: true },
    undoes: null,
    pairs: 50,
    losses: { left: {}, right: {} },
    recent: { left: {}, right: {} },
    present: { left: 50, right: 50 },
    tooNew: { left: 0, right: 0 },
    places: { left: 'Google', right: 'the service' },
    ...given,
  });

const groups = (...actions: readonly GroupAction[]): GroupPlan => ({
  actions,
  pairs: [],
  ended: [],
  links: [link('choir'), link('team')],
  duplicates: [],
});

test.each([
  ['a plan that changes contacts', 'review', true, false, true],
  ['a plan that creates a group', 'review', false, true, true],
  ['a plan that does nothing', 'review', false, false, false],
  ['a link that needs no review', 'run', true, true, false],
] as const)('R8: FIRST_SYNC requires no review of an empty plan: %s', (_, firstSync, changes, creates, isNeeded) => {
  const unlink: Decision = { kind: 'unlink', to: 'drop', pair: pairOf(halfOf(record('g', {})), null) };
  const create: GroupAction = { kind: 'create-group', side: 'left', key: 'family', name: 'Family' };
  const plan = { decisions: changes ? [unlink] : [], groups: groups(...(creates ? [create] : [])) };
  expect(guard.needsReview({ firstSync }, plan)).toBe(isNeeded);
});

describe('R8: DELETE_LIMIT', () => {
  test.each([
    ['a count', { count: 3, percent: null }, 1_000, 3],
    ['a percentage', { count: null, percent: 10 }, 50, 5],
    ['a percentage between two counts', { count: null, percent: 10 }, 25, 2],
    ['a fraction of a percent', { count: null, percent: 0.5 }, 1_000, 5],
    ['both, the count greater', { count: 10, percent: 10 }, 50, 10],
    ['both, the percentage greater', { count: 10, percent: 10 }, 500, 50],
    ['nothing', { count: null, percent: null }, 500, 0],
    ['zero', { count: 0, percent: 0 }, 500, 0],
    ['a count above half of a small book', { count: 10, percent: 10 }, 15, 7],
    ['a count just below half of the book', { count: 10, percent: 10 }, 21, 10],
    ['a count above half of three', { count: 10, percent: 10 }, 3, 1],
    ['a count for a single pair', { count: 10, percent: 10 }, 1, 1],
    ['no count for a single pair', { count: 0, percent: 10 }, 1, 0],
    ['a percentage, which no small book shrinks', { count: 10, percent: 100 }, 15, 15],
  ])('as %s', (_, limit, pairs, expected) => {
    expect(guard.allowedDeletes(limit, pairs)).toBe(expected);
  });

  test('counts the deletions on that side within the day, as a share of the address book before them', () => {
    const recent = { left: { contacts: 4 }, right: { contacts: 6 } };
    const after = (contacts: number) => check({ pairs: 40, recent, losses: { left: {}, right: { contacts } } });
    expect(after(4)).toBeNull();
    expect(after(5)).toMatchObject({ reason: 'too-many-deletes', side: 'right' });
    expect(after(5)?.message).toMatch(
      /delete 5 contacts at the service \(after 6 in the last 24 hours\), more than the 10 .* 40 linked contacts/u,
    );
    expect(check({ recent: { left: {}, right: { contacts: 99 } } })).toBeNull();
  });

  test('allows everything at 100%, also a field that is emptied twice within the day', () => {
    const emptied = { left: {}, right: { firstName: 1 } };
    const at = (percent: number) =>
      check({ pairs: 1, losses: emptied, recent: emptied, limit: { count: null, percent } });
    expect(at(99)).toMatchObject({ side: 'right' });
    expect(at(100)).toBeNull();
  });

  test.each([
    ['members', /delete groups with 11 members at Google/u],
    ['firstName', /empty the first name of 11 contacts at Google/u],
    ['phoneNumbers', /empty the phone numbers of 11 contacts at Google/u],
    ['buckets', /empty the buckets of 11 contacts at Google/u],
  ] as const)('applies to %s separately', (loss, message) => {
    const losses = (count: number) => ({ left: { contacts: 10, [loss]: count }, right: {} });
    expect(check({ losses: losses(10) })).toBeNull();
    expect(check({ losses: losses(11) })?.message).toMatch(message);
  });

  test('names everything that exceeds the limit on a side', () => {
    const halt = check({ losses: { left: { emailAddresses: 35, phoneNumbers: 32 }, right: {} } });
    expect(halt?.message).toMatch(/addresses of 35 contacts at Google and empty the phone numbers of 32 contacts/u);
  });
});

type Both = readonly [left: number, right: number];
test.each<[string, number, Both, Both, string | null]>([
  ['one pair is too few to tell', 1, [0, 1], [0, 0], null],
  ['two pairs are enough', 2, [0, 1], [0, 0], 'left'],
  ['R7: all but one were written recently', 50, [0, 50], [49, 0], null],
  ['R7: all but two were written recently', 50, [0, 50], [48, 0], 'left'],
  ['R7: the other side shows none', 50, [0, 0], [50, 0], 'right'],
  ['both sides are empty', 50, [0, 0], [0, 0], null],
])('R8: a side that shows no contact: %s', (_, pairs, [left, right], [fresh, other], side) => {
  const halt = check({ pairs, present: { left, right }, tooNew: { left: fresh, right: other } });
  expect([halt?.reason, halt && 'side' in halt ? halt.side : null]).toEqual(
    side === null ? [undefined, null] : ['side-emptied', side],
  );
  if (fresh === 48) expect(halt?.message).toMatch(/All 2 linked contacts/u);
});

test('R8: a halt without the commands that override it reports its cause, and nothing else is removed from a text', () => {
  const losses = { left: {}, right: { contacts: 14 } };
  const halts = ['run-1', 'run-1 --write 7', null].flatMap((undoes) => [
    check({ losses, undoes })?.message ?? '',
    check({ present: { left: 0, right: 50 }, undoes })?.message ?? '',
    guard.FIRST_SYNC.message,
  ]);
  for (const message of halts) {
    expect(message).toContain('contact-sync');
    expect(haltWords(message)).toMatch(/^[^`]*nothing was written\.$/u);
  }
  const other = guard.accountChanged('left', 'Google', 'a, not b').message;
  expect(haltWords(other)).toBe(other);
});

const FULL: Partial<Contact> = {
  firstName: 'Ada',
  title: 'Boss',
  emailAddresses: values('a@x.org', 'b@x.org'),
};

type Moves = { readonly joins?: readonly string[]; readonly leaves?: readonly string[] };

/** A merge that changes the left contact, which is in two groups. */
const writing = (change: Partial<Contact>, moves?: Moves): Merge => {
  const now = record('g1', FULL, { groupIds: ['g-choir', 'g-team'] });
  const fields = moves === undefined ? (['title', 'emailAddresses'] as const) : (['buckets'] as const);
  const writes = plannedOn('left', fields, { ...FULL, ...change }, moves);
  return mergeOf(halfOf(now), present(record('s1', FULL)), { writes });
};

test.each<[string, Merge, object]>([
  ['fields that lose all values', writing({ title: '', emailAddresses: [] }), { title: 1, emailAddresses: 1 }],
  ['no field that keeps or changes one', writing({ title: 'Chief', emailAddresses: values('a@x.example') }), {}],
  ['a contact that leaves its last group', writing({}, { leaves: ['choir', 'team'] }), { buckets: 1 }],
  ['none that keeps a group', writing({}, { leaves: ['choir'] }), {}],
  ['none that moves to another group', writing({}, { leaves: ['choir', 'team'], joins: ['other'] }), {}],
])('R8: the losses of a plan include %s', (_, decision, expected) => {
  const { left } = lossesOf({ decisions: [decision], groups: groups() }, () => 0);
  expect(left).toEqual({ ...expected, members: 0 });
});

test('R8: the losses of a plan include deleted contacts and the members of deleted groups on their side', () => {
  const right = record('s1', FULL);
  const deletion = { kind: 'delete', side: 'right', record: right, pair: pairOf(null, present(right)) } as const;
  const deleted = (key: string): GroupAction => {
    return { kind: 'delete-group', side: 'right', key, group: { id: `s-${key}`, name: key, version: '' }, name: key };
  };
  const plan = { decisions: [deletion], groups: groups(deleted('choir'), deleted('team')) };
  const losses = lossesOf(plan, (side, id) => (side === 'right' && id === 's-choir' ? 3 : 2));
  expect(losses).toEqual({ left: { members: 0 }, right: { contacts: 1, members: 5 } });
  expect([isLossless(losses), causesLosses(deletion, [])]).toEqual([false, true]);
  expect(isLossless(lossesOf({ decisions: [], groups: groups() }, () => 9))).toBe(true);
  expect(causesLosses(writing({}, { leaves: ['choir'] }), plan.groups.links)).toBe(false);
});

test('R8: a value that a side computes is no loss if nothing is computed any more', () => {
  const before = contactOf({ firstName: 'Ada', lastContacted: 'monday', notes: 'tall' });
  expect(emptiedFields(before, contactOf({ firstName: 'Ada' }), ['lastContacted', 'notes'])).toEqual(['notes']);
});

test.each<[string, Operation, boolean]>([
  ['a deletion', operationOf('delete'), true],
  ['the deletion of a group', operationOf('group-delete'), true],
  ['an update that empties a field', operationOf('update', { empties: ['title'] }), true],
  ['an update that empties no field', operationOf('update', { empties: [] }), false],
  ['a change of membership that empties no field', operationOf('membership', { leave: ['g'], empties: [] }), false],
  ['a create', operationOf('create'), false],
])('R8: of the operations within a day only those count that remove something: %s', (_, operation, expected) => {
  expect(destroys(operation)).toBe(expected);
});

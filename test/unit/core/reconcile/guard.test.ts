import { describe, expect, test } from 'vitest';
import {
  accountChanged,
  allowedDeletes,
  checkFirstSync,
  checkGuard,
  FIRST_SYNC,
} from '../../../../src/core/reconcile/guard.ts';
import { haltWords } from '../../../../src/core/view/words.ts';
import type { Decision } from '../../../../src/core/reconcile/decision.ts';
import type { GroupAction } from '../../../../src/core/reconcile/groups.ts';
import { SIDE_PAIRS } from './support.ts';

type GuardInput = Parameters<typeof checkGuard>[0];

const input = (given: Partial<GuardInput> = {}): GuardInput => ({
  limit: { count: 10, percent: 10 },
  isWritable: { left: true, right: true },
  pairs: 50,
  losses: { left: {}, right: {} },
  recent: { left: {}, right: {} },
  present: { left: 50, right: 50 },
  unsettled: { left: 0, right: 0 },
  acceptDeletes: false,
  places: { left: 'Google', right: 'the service' },
  ...given,
});

describe('[R8] FIRST_SYNC', () => {
  const NO_GROUPS = { actions: [], pairs: [], ended: [], links: [], duplicates: [] };
  const unlink = { kind: 'unlink' } as unknown as Decision;
  const group = { kind: 'create-group', side: 'left', name: 'Family' } as unknown as GroupAction;

  test.each([
    ['a plan that changes contacts', 'review', 0, [unlink], [], true],
    ['a plan that creates a group', 'review', 0, [], [group], true],
    ['a plan that does nothing', 'review', 0, [], [], false],
    ['a link that has a pair', 'review', 1, [unlink], [group], false],
    ['a link that needs no review', 'run', 0, [unlink], [group], false],
  ] as const)('%s', (_, firstSync, pairs, decisions, actions, halts) => {
    const halt = checkFirstSync({ firstSync }, { pairs }, { decisions, groups: { ...NO_GROUPS, actions } });
    expect(halt?.reason ?? null).toBe(halts ? 'first-sync' : null);
  });
});

describe('[R8] DELETE_LIMIT', () => {
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
    expect(allowedDeletes(limit, pairs)).toBe(expected);
  });

  test('counts the deletions on that side within the day, as a share of the address book before them', () => {
    const recent = { left: { contacts: 4 }, right: { contacts: 6 } };
    const after = (contacts: number) => input({ pairs: 40, recent, losses: { left: {}, right: { contacts } } });
    expect(checkGuard(after(4))).toBeNull();
    expect(checkGuard(after(5))).toMatchObject({ reason: 'too-many-deletes', side: 'right' });
    expect(checkGuard(after(5))?.message).toMatch(
      /delete 5 contacts at the service \(after 6 in the last 24 hours\), more than the 10 .* 40 linked contacts/u,
    );
    expect(checkGuard(input({ recent: { left: {}, right: { contacts: 99 } } }))).toBeNull();
  });

  test('[R8] allows everything at 100%, also a field that is emptied twice within the day', () => {
    const twice = {
      pairs: 1,
      losses: { left: {}, right: { firstName: 1 } },
      recent: { left: {}, right: { firstName: 1 } },
    };
    expect(checkGuard(input({ ...twice, limit: { count: null, percent: 99 } }))).toMatchObject({ side: 'right' });
    expect(checkGuard(input({ ...twice, limit: { count: null, percent: 100 } }))).toBeNull();
  });

  test.each([
    ['members', /delete groups with 11 members at Google/u],
    ['firstName', /empty the first name of 11 contacts at Google/u],
    ['phoneNumbers', /empty the phone numbers of 11 contacts at Google/u],
    ['buckets', /empty the buckets of 11 contacts at Google/u],
  ] as const)('applies to %s separately', (loss, message) => {
    const losses = (count: number) => ({ left: { contacts: 10, [loss]: count }, right: {} });
    expect(checkGuard(input({ losses: losses(10) }))).toBeNull();
    expect(checkGuard(input({ losses: losses(11) }))?.message).toMatch(message);
  });

  test('names everything that exceeds the limit on a side', () => {
    const halt = checkGuard(input({ losses: { left: { emailAddresses: 35, phoneNumbers: 32 }, right: {} } }));
    expect(halt?.message).toMatch(
      /email addresses of 35 contacts at Google and empty the phone numbers of 32 contacts/u,
    );
  });

  test.each(SIDE_PAIRS)('allows exactly the limit at %s and halts above it', (side) => {
    const losses = (contacts: number) => ({ left: {}, right: {}, [side]: { contacts } });
    expect(checkGuard(input({ losses: losses(10) }))).toBeNull();
    expect(checkGuard(input({ losses: losses(11) }))).toMatchObject({ reason: 'too-many-deletes', side });
  });
});

describe('[R8] a side that is suddenly empty', () => {
  test.each(SIDE_PAIRS)('halts if it is %s, even if nothing would be deleted', (side) => {
    const present = { left: 50, right: 50, [side]: 0 };
    expect(checkGuard(input({ present }))).toMatchObject({ reason: 'side-emptied', side });
    expect(checkGuard(input({ present }))?.message).toMatch(/50 linked contacts.*--accept-deletes/su);
  });

  test('halts from two pairs on', () => {
    const present = { left: 0, right: 1 };
    expect(checkGuard(input({ pairs: 1, present }))).toBeNull();
    expect(checkGuard(input({ pairs: 2, present }))).toMatchObject({ reason: 'side-emptied' });
  });

  test('[R7] does not count recent writes', () => {
    const present = { left: 0, right: 50 };
    expect(checkGuard(input({ present, unsettled: { left: 49, right: 0 } }))).toBeNull();
    const halt = checkGuard(input({ present, unsettled: { left: 48, right: 0 } }));
    expect(halt).toMatchObject({ reason: 'side-emptied', side: 'left' });
    expect(halt?.message).toMatch(/All 2 linked contacts/u);
    const lagging = { present: { left: 0, right: 0 }, unsettled: { left: 50, right: 0 } };
    expect(checkGuard(input(lagging))).toMatchObject({ reason: 'side-emptied', side: 'right' });
  });

  test('is accepted if both sides are empty', () => {
    expect(checkGuard(input({ present: { left: 0, right: 0 } }))).toBeNull();
  });
});

test('[R8] a halt without the commands that override it reports its cause, and nothing else is removed from a text', () => {
  const losses = { left: {}, right: { contacts: 14 } };
  const halts = ['run-1', 'run-1 --write 7', null].flatMap((undoes) => [
    checkGuard(input({ losses, undoes }))?.message ?? '',
    checkGuard(input({ present: { left: 0, right: 50 }, undoes }))?.message ?? '',
    FIRST_SYNC.message,
  ]);
  for (const message of halts) {
    expect(message).toContain('contact-sync');
    expect(haltWords(message)).toMatch(/^[^`]*nothing was written\.$/u);
  }
  const other = accountChanged('left', 'Google', 'a, not b').message;
  expect(haltWords(other)).toBe(other);
});

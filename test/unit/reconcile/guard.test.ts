import { describe, expect, test } from 'vitest';
import { accountChanged, allowedDeletes, checkGuard, type GuardInput } from '../../../src/reconcile/guard.ts';
import { SIDE_PAIRS } from './support.ts';

const input = (given: Partial<GuardInput> = {}): GuardInput => ({
  limit: { count: 10, percent: 10 },
  pairs: 50,
  losses: { left: {}, right: {} },
  recent: { left: {}, right: {} },
  present: { left: 50, right: 50 },
  unsettled: { left: 0, right: 0 },
  acceptDeletes: false,
  places: { left: 'Google', right: 'the service' },
  ...given,
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
  ])('as %s', (_, limit, pairs, expected) => {
    expect(allowedDeletes(limit, pairs)).toBe(expected);
  });

  test.each(SIDE_PAIRS)('lets exactly the limit pass at %s and halts above it', (side) => {
    const losses = (contacts: number) => ({ left: {}, right: {}, [side]: { contacts } });
    expect(checkGuard(input({ losses: losses(10) }))).toBeNull();
    expect(checkGuard(input({ losses: losses(11) }))).toMatchObject({ reason: 'too-many-deletes', side });
  });

  test('holds for each side by itself', () => {
    expect(checkGuard(input({ losses: { left: { contacts: 10 }, right: { contacts: 10 } } }))).toBeNull();
  });

  test('names the counts and the override in its message', () => {
    const halt = checkGuard(input({ losses: { left: {}, right: { contacts: 11 } } }));
    expect(halt?.message).toMatch(/11 contacts at the service.*\b10\b.*50.*nothing was written.*--accept-deletes/su);
  });

  test('is passed by --accept-deletes', () => {
    expect(checkGuard(input({ losses: { left: { contacts: 50 }, right: {} }, acceptDeletes: true }))).toBeNull();
  });
});

describe('[R8] a side that came back empty', () => {
  test.each(SIDE_PAIRS)('halts where it is %s, even if nothing would be deleted', (side) => {
    const present = { left: 50, right: 50, [side]: 0 };
    expect(checkGuard(input({ present }))).toMatchObject({ reason: 'side-emptied', side });
    expect(checkGuard(input({ present }))?.message).toMatch(/50 linked contacts.*--accept-deletes/su);
  });

  test('halts from two pairs on', () => {
    const present = { left: 0, right: 1 };
    expect(checkGuard(input({ pairs: 1, present }))).toBeNull();
    expect(checkGuard(input({ pairs: 2, present }))).toMatchObject({ reason: 'side-emptied' });
  });

  test('is fine where both are empty', () => {
    expect(checkGuard(input({ present: { left: 0, right: 0 } }))).toBeNull();
  });

  test('is passed by --accept-deletes', () => {
    expect(checkGuard(input({ present: { left: 0, right: 50 }, acceptDeletes: true }))).toBeNull();
  });
});

test('[R8] a changed account says which it was and what to do', () => {
  const halt = accountChanged('left', 'Google', 'it was a, it is b');
  expect(halt).toMatchObject({ reason: 'account-changed', side: 'left' });
  expect(halt.message).toMatch(/account at Google.*it was a, it is b.*nothing was written.*Sign in/su);
  expect(halt.message).not.toContain('--accept-deletes');
});

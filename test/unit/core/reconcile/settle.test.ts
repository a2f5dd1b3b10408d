import { describe, expect, test } from 'vitest';
import type { SyncedField } from '../../../../src/core/contact/contact.ts';
import { EMPTY_SNAPSHOT, settleBase } from '../../../../src/core/reconcile/settle.ts';
import { snapshot, values } from './support.ts';

const fields = (...list: SyncedField[]): ReadonlySet<SyncedField> => new Set(list);

type SettlingSide = Parameters<typeof settleBase>[0];

const settle = (given: Partial<SettlingSide>) => {
  const before = given.before ?? snapshot({});
  return settleBase({
    base: before,
    before,
    now: before,
    written: fields(),
    moved: new Set(),
    outstanding: fields(),
    other: null,
    agreedGroups: new Set(),
    ...given,
  });
};

const titled = (title: string) => snapshot({ title });
const listed = (...list: string[]) => snapshot({ emailAddresses: values(...list) });
const grouped = (...ids: string[]) => snapshot({}, ids);

describe('[R2] the base of a side', () => {
  test('is the half that the plan read if nothing was written', () => {
    const before = snapshot({ title: 'New', emailAddresses: values('b@x.org', 'a@x.org') }, ['g1']);
    expect(settle({ base: EMPTY_SNAPSHOT, before })).toEqual(before);
  });

  test('uses the side’s own response for a field that was written', () => {
    const now = snapshot({ title: 'DIRECTOR', emailAddresses: values('a@x.org') });
    const before = snapshot({ title: 'Clerk', emailAddresses: values('A@X.org', 'b@x.org') });
    expect(settle({ before, now, written: fields('title', 'emailAddresses') })).toEqual(now);
  });

  test('[R5] excludes an edit that a user made while the write was pending', () => {
    const now = snapshot({ title: 'Written', company: 'Foreign', emailAddresses: values('foreign@x.org') }, [
      'foreign',
    ]);
    const settled = settle({ before: titled('Old'), now, written: fields('title') });
    expect(settled).toEqual(titled('Written'));
  });
});

describe('[R5] a change of a side that the other side does not have yet', () => {
  test('stays out of a scalar’s base', () => {
    expect(settle({ base: titled('Old'), before: titled('New'), outstanding: fields('title') })).toEqual(titled('Old'));
  });

  test('does not keep other fields from settling', () => {
    const base = snapshot({ title: 'Old', company: 'Old' });
    const before = snapshot({ title: 'New', company: 'New' });
    const now = snapshot({ title: 'New', company: 'Written' });
    const settled = settle({ base, before, now, written: fields('company'), outstanding: fields('title') });
    expect(settled).toEqual(snapshot({ title: 'Old', company: 'Written' }));
  });

  test.each<[string, string[], string[], string[], string[]]>([
    ['an element that was added here stays new', ['a'], ['a', 'new'], ['a', 'new'], ['a']],
    ['an element that was removed here stays removed', ['a', 'old'], ['a'], ['a'], ['a', 'old']],
    ['an element that was written is in the base', ['a'], ['a', 'new'], ['a', 'new', 'brought'], ['a', 'brought']],
    ['an element that the write removed leaves the base', ['a', 'b'], ['a', 'b', 'new'], ['a', 'new'], ['a']],
    ['an element that was removed here and came back is in the base once', ['a', 'x'], ['a'], ['a', 'x'], ['a', 'x']],
    ['all of it together', ['a', 'b', 'old'], ['a', 'b', 'new'], ['a', 'new', 'brought'], ['a', 'old', 'brought']],
  ])('in a list: %s', (_, base, before, now, expected) => {
    const settled = settle({
      base: listed(...base),
      before: listed(...before),
      now: listed(...now),
      written: fields('emailAddresses'),
      outstanding: fields('emailAddresses'),
    });
    expect(settled).toEqual(listed(...expected));
  });

  test.each<{ readonly rule: string; readonly other: string[]; readonly expected: string[] }>([
    { rule: 'an element that both sides have enters the base', other: ['both'], expected: ['both', 'a'] },
    { rule: 'an element that both sides have removed leaves the base', other: ['a'], expected: ['a'] },
    { rule: 'an element that this side alone has stays out of the base', other: ['a', 'old'], expected: ['a', 'old'] },
  ])('in a list that is still to be written: $rule', ({ other, expected }) => {
    const settled = settle({
      base: listed('a', 'old'),
      before: listed('a', 'both', 'own'),
      now: listed('a', 'both', 'own'),
      outstanding: fields('emailAddresses'),
      other: listed(...other).contact,
    });
    expect(settled.contact.emailAddresses.map(({ value }) => value).toSorted()).toEqual(expected.toSorted());
  });

  test('stays out of a list’s base if nothing was written to the list', () => {
    const outstanding = fields('emailAddresses');
    const settled = settle({
      base: listed('a'),
      before: listed('a', 'b'),
      now: listed('a', 'b', 'foreign'),
      outstanding,
    });
    expect(settled).toEqual(listed('a'));
  });

  test('is everything at a first match', () => {
    const before = snapshot({ title: 'T', emailAddresses: values('a@x.org') }, ['g1']);
    const outstanding = fields('title', 'emailAddresses', 'buckets');
    expect(settle({ base: EMPTY_SNAPSHOT, before, outstanding })).toEqual(EMPTY_SNAPSHOT);
  });
});

describe('[R11] the membership in a base', () => {
  test.each<[string, Partial<SettlingSide>, string[]]>([
    ['is the membership that the plan read', { base: grouped(), before: grouped('a', 'b') }, ['a', 'b']],
    [
      'gains the groups that the write joined and loses those that it left',
      { before: grouped('a', 'b'), now: grouped('a', 'c'), moved: new Set(['b', 'c']) },
      ['a', 'c'],
    ],
    [
      'does not gain a group that the side did not accept',
      { before: grouped('a'), now: grouped('a'), moved: new Set(['c']) },
      ['a'],
    ],
    [
      'does not gain a group that a user joined in the meantime',
      { before: grouped('a'), now: grouped('a', 'c', 'foreign'), moved: new Set(['c']) },
      ['a', 'c'],
    ],
    [
      'stays old while the side’s own change is not written',
      { base: grouped('a'), before: grouped('a', 'own'), now: grouped('a', 'own'), outstanding: fields('buckets') },
      ['a'],
    ],
    [
      'stays old except for the groups that the write moved',
      {
        base: grouped('a', 'b'),
        before: grouped('a', 'b', 'own'),
        now: grouped('a', 'own', 'c'),
        moved: new Set(['b', 'c']),
        outstanding: fields('buckets'),
      },
      ['a', 'c'],
    ],
    [
      'includes a group in which both contacts were, although another move is pending',
      {
        base: grouped('old'),
        before: grouped('both', 'own'),
        now: grouped('both', 'own'),
        outstanding: fields('buckets'),
        agreedGroups: new Set(['both', 'old']),
      },
      ['both'],
    ],
    ['is sorted', { before: grouped('z', 'a') }, ['a', 'z']],
  ])('%s', (_, given, expected) => {
    expect(settle(given).groupIds).toEqual(expected);
  });
});

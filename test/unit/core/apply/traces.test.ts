import { describe, expect, test } from 'vitest';
import { movesAcross, shownFields, shownMoves, tookEffect } from '../../../../src/core/apply/traces.ts';
import type { Contact, SyncedField } from '../../../../src/core/contact/contact.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import type { GroupPair } from '../../../../src/core/reconcile/groups.ts';
import { SIDE_PAIRS, values } from '../reconcile/support.ts';

const mails = (...list: string[]): Partial<Contact> => ({ emailAddresses: values(...list) });
const titled = (title: string): Partial<Contact> => ({ title });
const EXTRA = 'lastContacted';
const shown = (text: string): Partial<Contact> => ({ [EXTRA]: text });

test.each<[string, SyncedField, Partial<Contact>, Partial<Contact>, Partial<Contact>, boolean]>([
  ['a text that is as sent', 'title', titled('New'), titled('New'), titled('Old'), true],
  ['a text that is as before', 'title', titled('New'), titled('Old'), titled('Old'), false],
  ['a text that a user changed since', 'title', titled('New'), titled('Foreign'), titled('Old'), true],
  ['an extra that is neither as before nor as sent', EXTRA, shown('May'), shown('Scribble'), shown('April'), false],
  ['an extra that is as sent', EXTRA, shown('May'), shown('May'), shown('April'), true],
  ['a list with any content: its elements are compared', 'emailAddresses', mails('a@x.org'), mails(), mails(), true],
])('[R9] a field of a write took effect: %s', (_, field, desired, found, before, expected) => {
  const fields = shownFields([field], contactOf(desired), contactOf(found), contactOf(before));
  expect([...fields]).toEqual(expected ? [field] : []);
});

const hasEffect = (
  fields: readonly SyncedField[],
  before: Partial<Contact>,
  desired: Partial<Contact>,
  now: Partial<Contact>,
) => {
  return tookEffect({ fields, before: contactOf(before), desired: contactOf(desired) }, contactOf(now));
};

describe('[R9] an update without a response took effect', () => {
  test.each<[string, string, string, string, boolean]>([
    ['a text is as sent', 'Old', 'New', 'New', true],
    ['a text is as before', 'Old', 'New', 'Old', false],
    ['a text is neither as before nor as sent', 'Old', 'New', 'Foreign', false],
    ['a text was cleared as sent', 'Old', '', '', true],
    ['a text that was to be cleared has another value', 'Old', '', 'Foreign', false],
    ['a text was cut off by its side', '', 'Analytical Engine Limited', 'Analytical Engine', true],
    ['a text was sent that already existed', 'Same', 'Same', 'Same', false],
  ])('%s: before %j, sent %j, now %j', (_, before, desired, now, expected) => {
    expect(hasEffect(['title'], titled(before), titled(desired), titled(now))).toBe(expected);
  });

  test.each<[string, string[], string[], string[], boolean]>([
    ['an element was added', ['a@x.org'], ['a@x.org', 'b@x.org'], ['a@x.org', 'B@X.org'], true],
    ['an element was not added', ['a@x.org'], ['a@x.org', 'b@x.org'], ['a@x.org'], false],
    ['an element was removed', ['a@x.org', 'b@x.org'], ['a@x.org'], ['a@x.org'], true],
    ['an element was not removed', ['a@x.org', 'b@x.org'], ['a@x.org'], ['b@x.org', 'a@x.org'], false],
    ['one of two was added', [], ['a@x.org', 'b@x.org'], ['b@x.org'], true],
  ])('if in a list %s', (_, before, desired, now, expected) => {
    expect(hasEffect(['emailAddresses'], mails(...before), mails(...desired), mails(...now))).toBe(expected);
  });

  test('is decided by the written fields, and one of them is enough', () => {
    const before = { title: 'Old', company: 'Old' };
    const desired = { title: 'New', company: 'New' };
    expect(hasEffect(['title'], before, desired, { title: 'Old', company: 'New' })).toBe(false);
    expect(hasEffect(['title', 'company'], before, desired, { title: 'Old', company: 'New' })).toBe(true);
    expect(hasEffect(['buckets'], before, desired, desired)).toBe(false);
  });
});

const group = (key: string, left: string | null, right: string | null): GroupPair => ({
  key,
  left: left === null ? null : { id: left, name: key },
  right: right === null ? null : { id: right, name: key },
  status: 'linked',
  settled: true,
});

test('[R9] a change of membership without a response took effect as far as the groups show it', () => {
  const moves = { join: ['a'], leave: ['b'] };
  expect(shownMoves(moves, ['a', 'own'])).toEqual(moves);
  expect(shownMoves(moves, ['a', 'b'])).toEqual({ join: ['a'], leave: [] });
  expect(shownMoves(moves, ['b', 'own'])).toEqual({ join: [], leave: [] });
});

test.each(SIDE_PAIRS)(
  'the moves of the %s side have the group ids of the %s side, which may lack some',
  (side, other) => {
    const ids = { left: 'g', right: 's' };
    const alone = { left: null, right: null, [side]: `${ids[side]}-alone` };
    const pairs = [group('a', 'g-a', 's-a'), group('b', 'g-b', 's-b'), group('alone', alone.left, alone.right)];
    const own = (key: string) => `${ids[side]}-${key}`;
    const moves = { join: [own('a'), own('alone'), own('unknown')], leave: [own('b')] };
    expect(movesAcross(side, moves, pairs)).toEqual({ join: [`${ids[other]}-a`], leave: [`${ids[other]}-b`] });
  },
);

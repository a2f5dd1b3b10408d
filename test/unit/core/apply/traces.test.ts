import { describe, expect, test } from 'vitest';
import {
  arrivedValues,
  writtenValues,
  movesAcross,
  shownFields,
  shownMoves,
  tookEffect,
  withMoves,
} from '../../../../src/core/apply/traces.ts';
import { type Contact, CONTACT_FIELDS, EMPTY_CONTACT, type SyncedField } from '../../../../src/core/contact/contact.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import type { GroupPair } from '../../../../src/core/reconcile/groups.ts';
import { SIDE_PAIRS, values } from '../reconcile/support.ts';

const mails = (...list: string[]): Partial<Contact> => ({ emailAddresses: values(...list) });
const mailsOf = ({ emailAddresses }: Contact) => emailAddresses.map(({ value }) => value);
const titled = (title: string): Partial<Contact> => ({ title });
const EXTRA = 'lastContacted';
const shown = (text: string): Partial<Contact> => ({ [EXTRA]: text });

describe('[R9] the fields of a write that took effect', () => {
  const fieldsOf = (
    field: SyncedField,
    desired: Partial<Contact>,
    found: Partial<Contact>,
    before: Partial<Contact>,
  ) => {
    return [...shownFields([field], contactOf(desired), contactOf(found), contactOf(before))];
  };

  test.each<[string, SyncedField, Partial<Contact>, Partial<Contact>, Partial<Contact>, boolean]>([
    ['a text that is as sent', 'title', titled('New'), titled('New'), titled('Old'), true],
    ['a text that is as before', 'title', titled('New'), titled('Old'), titled('Old'), false],
    ['a text that a user changed since', 'title', titled('New'), titled('Foreign'), titled('Old'), true],
    ['a text that was not to change', 'title', titled('Old'), titled('Old'), titled('Old'), true],
    ['an extra that is neither as before nor as sent', EXTRA, shown('May'), shown('Scribble'), shown('April'), false],
    ['an extra that is as sent', EXTRA, shown('May'), shown('May'), shown('April'), true],
    ['a list with any content: its elements are compared', 'emailAddresses', mails('a@x.org'), mails(), mails(), true],
  ])('are compared one by one: %s', (_, field, desired, found, before, expected) => {
    expect(fieldsOf(field, desired, found, before)).toEqual(expected ? [field] : []);
  });

  test('are some of the written fields', () => {
    const contact = contactOf({ title: 'New' });
    expect(shownFields(['title'], contact, contact, EMPTY_CONTACT)).toEqual(new Set(['title']));
    expect(shownFields(CONTACT_FIELDS, contact, contact, EMPTY_CONTACT)).toEqual(new Set(CONTACT_FIELDS));
  });
});

describe('[R5] the part of a write that its side contains', () => {
  const left = (desired: Partial<Contact>, found: Partial<Contact>, before: Partial<Contact> = {}) => {
    return writtenValues(contactOf(desired), contactOf(found), contactOf(before));
  };

  test.each([
    ['the current value', 'New', 'New', 'New'],
    ['a value that its side cut off', 'Analytical Engine', 'Analytical', 'Analytical'],
    ['the empty value that its side stored instead', 'New', '', ''],
    ['the value that was sent, if a user changed it since', 'New', 'Foreign', 'New'],
    ['nothing, if a value was to be removed and a user entered another one', '', 'Foreign', ''],
  ])('is %s', (_, desired, found, expected) => {
    expect(left(titled(desired), titled(found)).title).toBe(expected);
  });

  test('of a list is every sent element that exists, in the side’s spelling, without elements that a user added', () => {
    expect(mailsOf(left(mails('a@x.org', 'b@x.org'), mails('A@X.org', 'b@x.org', 'own@x.org')))).toEqual([
      'A@X.org',
      'b@x.org',
    ]);
  });

  test.each<[string, readonly string[], readonly string[], readonly string[], readonly string[]]>([
    [
      'nothing arrived',
      ['a@x.org', 'new@x.org'],
      ['a@x.org', 'b@x.org'],
      ['a@x.org', 'b@x.org'],
      ['a@x.org', 'b@x.org'],
    ],
    [
      'all of it took effect',
      ['a@x.org', 'new@x.org'],
      ['a@x.org', 'new@x.org'],
      ['a@x.org', 'b@x.org'],
      ['a@x.org', 'new@x.org'],
    ],
    ['an element was not removed, and a user added one', [], ['a@x.org', 'own@x.org'], ['a@x.org'], ['a@x.org']],
    ['an element was removed, and a user added one', [], ['own@x.org'], ['a@x.org'], []],
    ['an element was not added, and a user added one', ['new@x.org'], ['own@x.org'], [], []],
  ])('of a list is compared element by element: %s', (_, desired, found, before, expected) => {
    expect(mailsOf(left(mails(...desired), mails(...found), mails(...before)))).toEqual(expected);
  });

  test('of a list leaves an element that was not stored out of the base, and keeps a former one that was removed since', () => {
    expect(mailsOf(left(mails('kept@x.org', 'refused@x.org'), mails(), mails('kept@x.org')))).toEqual(['kept@x.org']);
  });
});

describe('[R2] the part of a source that took effect', () => {
  const source = (
    own: Partial<Contact>,
    desired: Partial<Contact>,
    now: Partial<Contact>,
    base: Partial<Contact> = {},
  ) => {
    return arrivedValues(contactOf(base), contactOf(own), contactOf(desired), contactOf(now));
  };

  test.each([
    ['a text that took effect', 'New', 'New', 'New', 'New'],
    ['a text that took effect in another spelling', 'New', 'New', 'new', 'New'],
    ['not a text that the other side lacks: it is sent again', 'New', 'New', '', ''],
    ['a text of the source that was not sent', 'Own', 'New', '', 'Own'],
  ])('is %s', (_, own, desired, now, expected) => {
    expect(source(titled(own), titled(desired), titled(now)).title).toBe(expected);
  });

  test('of a list is the elements that took effect, and those that were not sent', () => {
    const own = mails('own@x.org', 'landed@x.org', 'lost@x.org');
    const asked = mails('landed@x.org', 'lost@x.org', 'other@x.org');
    expect(mailsOf(source(own, asked, mails('LANDED@x.org', 'other@x.org')))).toEqual(['own@x.org', 'landed@x.org']);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['stays in the base while the target has it: it is removed again', ['gone@x.org'], ['gone@x.org']],
    ['leaves the base once the target lacks it', [], []],
    ['leaves the base once the target lacks it, even if a user added others', ['own@x.org'], []],
  ])('[R9] of a list that lost an element: it %s', (_, now, expected) => {
    expect(mailsOf(source(mails(), mails(), mails(...now), mails('gone@x.org')))).toEqual(expected);
  });
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
    ['an element was added, and a user added another one', [], ['b@x.org'], ['b@x.org', 'own@x.org'], true],
    ['an element was not added', ['a@x.org'], ['a@x.org', 'b@x.org'], ['a@x.org'], false],
    ['another element was added instead', ['a@x.org'], ['a@x.org', 'b@x.org'], ['a@x.org', 'own@x.org'], false],
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

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ['everything if both show', ['a', 'own'], ['a'], ['b']],
  ['only the join', ['a', 'b'], ['a'], []],
  ['only the leave', ['own'], [], ['b']],
  ['nothing if all groups are as before', ['b', 'own'], [], []],
])(
  '[R9] a change of membership without a response took effect as far as the groups show it: %s',
  (_, now, join, leave) => {
    expect(shownMoves({ join: ['a'], leave: ['b'] }, now)).toEqual({ join, leave });
  },
);

test.each(SIDE_PAIRS)(
  'the moves of the %s side have the %s side’s group ids, without groups that it lacks',
  (side, other) => {
    const ids = { left: 'g', right: 's' };
    const alone = { left: null, right: null, [side]: `${ids[side]}-alone` };
    const pairs = [group('a', 'g-a', 's-a'), group('b', 'g-b', 's-b'), group('alone', alone.left, alone.right)];
    const own = (key: string) => `${ids[side]}-${key}`;
    const moves = { join: [own('a'), own('alone'), own('unknown')], leave: [own('b')] };
    expect(movesAcross(side, moves, pairs)).toEqual({ join: [`${ids[other]}-a`], leave: [`${ids[other]}-b`] });
  },
);

test('[R3] moves change a base by element, each once, in order', () => {
  expect(withMoves(['d', 'b', 'a'], { join: ['c', 'a'], leave: ['b', 'unknown'] })).toEqual(['a', 'c', 'd']);
  expect(withMoves([], { join: [], leave: ['a'] })).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { CONTACT_FIELDS, EMPTY_CONTACT, type Contact, type SyncedField } from '../../../../src/contact/contact.ts';
import { contactOf } from '../../../../src/contact/normalise.ts';
import { arrivedValues, broughtValues, shownFields } from '../../../../src/sync/apply/traces.ts';
import { values } from '../../reconcile/support.ts';

const mails = (...list: string[]): Partial<Contact> => ({ emailAddresses: values(...list) });
const mailsOf = ({ emailAddresses }: Contact) => emailAddresses.map(({ value }) => value);
const titled = (title: string): Partial<Contact> => ({ title });
const EXTRA = 'lastContacted as Last contacted';
const shown = (text: string): Partial<Contact> => ({ [EXTRA]: text });

describe('[R9] the fields of a write that landed', () => {
  const fieldsOf = (
    field: SyncedField,
    desired: Partial<Contact>,
    found: Partial<Contact>,
    before: Partial<Contact>,
  ) => {
    return [...shownFields([field], contactOf(desired), contactOf(found), contactOf(before))];
  };

  test.each<[string, SyncedField, Partial<Contact>, Partial<Contact>, Partial<Contact>, boolean]>([
    ['a text that stands as it was to be', 'title', titled('New'), titled('New'), titled('Old'), true],
    ['a text that stands as it was before', 'title', titled('New'), titled('Old'), titled('Old'), false],
    ['a text that somebody changed since', 'title', titled('New'), titled('Foreign'), titled('Old'), true],
    ['a text that was to stay', 'title', titled('Old'), titled('Old'), titled('Old'), true],
    ['an extra that stands as nobody asked for', EXTRA, shown('May'), shown('Scribble'), shown('April'), false],
    ['an extra that stands as it was to be', EXTRA, shown('May'), shown('May'), shown('April'), true],
    ['a list, whatever it holds: its elements are judged', 'emailAddresses', mails('a@x.org'), mails(), mails(), true],
  ])('are judged one by one: %s', (_, field, desired, found, before, expected) => {
    expect(fieldsOf(field, desired, found, before)).toEqual(expected ? [field] : []);
  });

  test('are among those that were written', () => {
    const contact = contactOf({ title: 'New' });
    expect(shownFields(['title'], contact, contact, EMPTY_CONTACT)).toEqual(new Set(['title']));
    expect(shownFields(CONTACT_FIELDS, contact, contact, EMPTY_CONTACT)).toEqual(new Set(CONTACT_FIELDS));
  });
});

describe('[R5] what a write left on its side', () => {
  const left = (desired: Partial<Contact>, found: Partial<Contact>, before: Partial<Contact> = {}) => {
    return broughtValues(contactOf(desired), contactOf(found), contactOf(before));
  };

  test.each([
    ['the value as it stands', 'New', 'New', 'New'],
    ['a value that its side cut off', 'Analytical Engine', 'Analytical', 'Analytical'],
    ['a value that its side did not take', 'New', '', ''],
    ['the value that was asked for, where somebody changed it since', 'New', 'Foreign', 'New'],
    ['nothing, where a value was to go and somebody entered another one', '', 'Foreign', ''],
  ])('is %s', (_, desired, found, expected) => {
    expect(left(titled(desired), titled(found)).title).toBe(expected);
  });

  test('of a list is what was asked for and stands, in the side’s spelling, without what somebody added', () => {
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
      'all of it arrived',
      ['a@x.org', 'new@x.org'],
      ['a@x.org', 'new@x.org'],
      ['a@x.org', 'b@x.org'],
      ['a@x.org', 'new@x.org'],
    ],
    ['an element did not go, and somebody added one', [], ['a@x.org', 'own@x.org'], ['a@x.org'], ['a@x.org']],
    ['an element went, and somebody added one', [], ['own@x.org'], ['a@x.org'], []],
    ['an element did not come, and somebody added one', ['new@x.org'], ['own@x.org'], [], []],
  ])('of a list is judged element by element: %s', (_, desired, found, before, expected) => {
    expect(mailsOf(left(mails(...desired), mails(...found), mails(...before)))).toEqual(expected);
  });

  test('of a list keeps out of the base what it did not take, and in the base what stood before and was removed since', () => {
    expect(mailsOf(left(mails('kept@x.org', 'refused@x.org'), mails(), mails('kept@x.org')))).toEqual(['kept@x.org']);
  });
});

describe('[R2] what of a source arrived', () => {
  const source = (
    own: Partial<Contact>,
    desired: Partial<Contact>,
    now: Partial<Contact>,
    base: Partial<Contact> = {},
  ) => {
    return arrivedValues(contactOf(base), contactOf(own), contactOf(desired), contactOf(now));
  };

  test.each([
    ['a text that landed', 'New', 'New', 'New', 'New'],
    ['a text that landed in another spelling', 'New', 'New', 'new', 'New'],
    ['not a text that its side does not hold: it is sent once more', 'New', 'New', '', ''],
    ['a text of the source that was not asked for', 'Own', 'New', '', 'Own'],
  ])('is %s', (_, own, desired, now, expected) => {
    expect(source(titled(own), titled(desired), titled(now)).title).toBe(expected);
  });

  test('of a list is what landed, and what was not asked for', () => {
    const own = mails('own@x.org', 'landed@x.org', 'lost@x.org');
    const asked = mails('landed@x.org', 'lost@x.org', 'other@x.org');
    expect(mailsOf(source(own, asked, mails('LANDED@x.org', 'other@x.org')))).toEqual(['own@x.org', 'landed@x.org']);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['stays in the base while it did not go: it is removed once more', ['gone@x.org'], ['gone@x.org']],
    ['leaves the base once it went', [], []],
    ['leaves the base once it went, whatever somebody added', ['own@x.org'], []],
  ])('[R9] of a list that lost an element: it %s', (_, now, expected) => {
    expect(mailsOf(source(mails(), mails(), mails(...now), mails('gone@x.org')))).toEqual(expected);
  });
});

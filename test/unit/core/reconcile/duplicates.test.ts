import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import { findDuplicates } from '../../../../src/core/reconcile/duplicates.ts';
import { gone, halfOf, record, values } from './support.ts';

const person = (firstName: string, lastName: string, given: Partial<Contact> = {}): Partial<Contact> => ({
  firstName,
  lastName,
  ...given,
});
const at = (...emails: readonly string[]) => ({ emailAddresses: values(...emails) });
const called = (...phones: readonly string[]) => ({ phoneNumbers: values(...phones) });

/** The groups that are found among contacts, with the letters `a`, `b` and so on for their positions. */
const found = (...contacts: readonly Partial<Contact>[]): readonly string[] => {
  const halves = contacts.map((contact, index) => halfOf(record(String.fromCodePoint(97 + index), contact)));
  const groups = findDuplicates(halves).map((members) => members.map(({ id }) => id).join(''));
  const again = findDuplicates(halves.toReversed()).map((members) => members.map(({ id }) => id).join(''));
  expect(again).toEqual(groups);
  return groups;
};

describe('[R13] contacts of one side are likely one person', () => {
  test.each<[string, readonly Partial<Contact>[]]>([
    [
      'share an address, and their names agree',
      [person('Bob', 'Lee', at('b@x.org')), person('Robert', 'Lee', at('B@x.org'))],
    ],
    [
      'share a number and the full name',
      [person('Bob', 'Lee', called('+15551234567')), person('Bob', 'Lee', called('+1 555 123-4567'))],
    ],
    [
      'have one full name and one title',
      [person('Bob', 'Lee', { title: 'Cook' }), person('Lee', 'Bob', { title: 'cook' })],
    ],
    [
      'have one full name, and nothing contradicts it',
      [person('Bob', 'Lee', at('b@x.org')), person('Bob', 'Lee', called('+15551234567'))],
    ],
    [
      'share a number, and one name is a shorter form of the other',
      [person('Bob', 'Lee', called('+15551234567')), person('Robert', 'Lee', called('+15551234567'))],
    ],
    ['are copies', [person('Bob', 'Lee', at('b@x.org')), person('Bob', 'Lee', at('b@x.org'))]],
  ])('if they %s', (_, contacts) => {
    expect(found(...contacts)).toEqual(['ab']);
  });

  test.each<[string, readonly Partial<Contact>[]]>([
    [
      'share an address, and are two people of a family',
      [person('Bob', 'Lee', at('b@x.org')), person('Jane', 'Lee', at('b@x.org'))],
    ],
    [
      'have one full name and different addresses',
      [person('Bob', 'Lee', at('b@x.org')), person('Bob', 'Lee', at('c@x.org'))],
    ],
    [
      'have one full name and different companies',
      [person('Bob', 'Lee', { company: 'A' }), person('Bob', 'Lee', { company: 'B' })],
    ],
    [
      'share only a number',
      [person('Bob', 'Lee', called('+15551234567')), person('Jane', 'Poe', called('+15551234567'))],
    ],
    ['have no name and nothing in common', [at('b@x.org'), at('c@x.org')]],
  ])('but not if they %s', (_, contacts) => {
    expect(found(...contacts)).toEqual([]);
  });

  test('in a group in which each two match: a contact that matches two others joins one of them', () => {
    const family = [
      person('John', 'Smith', at('s@x.org')),
      person('J.', 'Smith', at('s@x.org')),
      person('Jane', 'Smith', at('s@x.org')),
    ];
    const groups = found(...family);
    expect(groups).toHaveLength(1);
    expect(groups[0]).toHaveLength(2);
    expect(groups[0]).toContain('b');
    const three = ['Bob', 'Robert', 'Bob'].map((name) => person(name, 'Lee', at('b@x.org')));
    expect(found(...three, person('Ann', 'Poe'))).toEqual(['abc']);
  });

  test('only if each of them exists', () => {
    const bob = halfOf(record('a', person('Bob', 'Lee')));
    expect(findDuplicates([bob, { ...gone('b'), record: record('b', person('Bob', 'Lee')) }])).toEqual([]);
  });

  test('but not because of a name that many contacts share', () => {
    const crowd = Array.from({ length: 30 }, (_, index) => halfOf(record(`c${index}`, person('Bob', 'Lee'))));
    expect(findDuplicates(crowd)).toEqual([]);
  });
});

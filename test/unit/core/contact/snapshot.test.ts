import { describe, expect, test } from 'vitest';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { equalSnapshots, fingerprint, type Snapshot, unordered } from '../../../../src/core/contact/snapshot.ts';

const ADDRESS = { street: 'Main 1', city: 'Rome', region: '', postalCode: '', country: '', label: null };

const snapshot = (given: Parameters<typeof contactOf>[0], groupIds: readonly string[] = []): Snapshot => ({
  contact: contactOf(given),
  groupIds,
});

const emails = (...list: string[]) => list.map((value) => ({ value, label: null }));

describe('[R1] a fingerprint', () => {
  test('does not depend on the order of an object’s keys', () => {
    const contact = contactOf({ firstName: 'Ada', addresses: [ADDRESS], emailAddresses: emails('a@x.org') });
    const reversed = <Value extends object>(value: Value): Value => {
      return Object.assign(Object.create(null), Object.fromEntries(Object.entries(value).toReversed()));
    };
    const shuffled = reversed({
      ...contact,
      addresses: contact.addresses.map(reversed),
      emailAddresses: contact.emailAddresses.map(reversed),
    });
    expect(Object.keys(shuffled)).not.toEqual(Object.keys(contact));
    expect(fingerprint({ contact: shuffled, groupIds: [] })).toBe(fingerprint({ contact, groupIds: [] }));
  });

  test.each<[string, Snapshot, Snapshot]>([
    ['a scalar', snapshot({ title: 'Dr' }), snapshot({ title: 'dr' })],
    [
      'a label',
      snapshot({ websites: [{ value: 'x.org', label: null }] }),
      snapshot({ websites: [{ value: 'x.org', label: 'work' }] }),
    ],
    [
      'the order of a list',
      snapshot({ emailAddresses: emails('a@x.org', 'b@x.org') }),
      snapshot({ emailAddresses: emails('b@x.org', 'a@x.org') }),
    ],
    [
      'a part of an address',
      snapshot({ addresses: [ADDRESS] }),
      snapshot({ addresses: [{ ...ADDRESS, city: 'Ostia' }] }),
    ],
    ['the membership', snapshot({}, ['g1']), snapshot({}, [])],
  ])('changes with %s', (_, one, other) => {
    expect(equalSnapshots(one, other)).toBe(false);
    expect(equalSnapshots(one, structuredClone(one))).toBe(true);
  });
});

describe('an unordered snapshot', () => {
  test('is equal whatever the order of lists, groups and object keys', () => {
    const addresses = [ADDRESS, { ...ADDRESS, street: 'Main 2' }];
    const one = snapshot({ emailAddresses: emails('a@x.org', 'b@x.org'), addresses }, ['g1', 'g2']);
    const other = {
      contact: {
        ...one.contact,
        addresses: addresses.toReversed(),
        emailAddresses: [
          { label: null, value: 'b@x.org' },
          { value: 'a@x.org', label: null },
        ],
      },
      groupIds: ['g2', 'g1'],
    };
    expect(equalSnapshots(unordered(one), unordered(other))).toBe(true);
    expect(equalSnapshots(one, other)).toBe(false);
  });

  test('still shows a label that differs', () => {
    const one = snapshot({ emailAddresses: [{ value: 'a@x.org', label: 'home' }] });
    const other = snapshot({ emailAddresses: emails('a@x.org') });
    expect(equalSnapshots(unordered(one), unordered(other))).toBe(false);
  });
});

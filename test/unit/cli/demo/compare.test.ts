import { expect, test } from 'vitest';
import { findDifferences } from '../../../../src/cli/demo/compare.ts';
import { EMPTY_PERSON, type Person } from '../../../../src/sandbox/people/person.ts';

const valueOf = (value: string) => ({ value, label: null });

const ANN: Person = {
  ...EMPTY_PERSON,
  givenName: 'Ann',
  familyName: 'Lee',
  company: 'Acme',
  title: 'Clerk',
  emails: [valueOf('ann@acme.example')],
  phones: [valueOf('+1 212 555 0147')],
  websites: [valueOf('https://www.acme.example/')],
  addresses: [{ street: '1 Main St', city: 'Springfield', region: '', postalCode: '', country: '', label: 'work' }],
  groups: ['Friends', 'Work'],
};
const BOB: Person = { ...ANN, givenName: 'Bob', emails: [] };
const NONE = { left: [], right: [] };

test('different spellings, orders and labels are no difference', () => {
  const spelt: Person = {
    ...ANN,
    emails: [valueOf('Ann@Acme.example')],
    phones: [valueOf('0012125550147')],
    websites: [valueOf('acme.example')],
    addresses: [{ street: '1 Main St,', city: ' Springfield', region: '', postalCode: '', country: '', label: null }],
    groups: ['Work', 'Friends'],
    notes: 'only at Google',
  };
  expect(findDifferences({ left: [ANN, BOB], right: [BOB, spelt] })).toEqual(NONE);
});

test('a contact on one side is returned, also if the other side has a contact with the same values', () => {
  const { left, right } = findDifferences({ left: [ANN, ANN], right: [ANN, BOB] });
  expect([left.length, right.length]).toEqual([1, 1]);
});

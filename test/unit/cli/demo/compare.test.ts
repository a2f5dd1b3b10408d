import { expect, test } from 'vitest';
import type { Book, BookContact } from '../../../../src/cli/demo/book.ts';
import { compareBooks } from '../../../../src/cli/demo/compare.ts';

const ANN: BookContact = {
  id: '1',
  firstName: 'Ann',
  lastName: 'Lee',
  company: 'Acme',
  title: 'Clerk',
  emails: ['ann@acme.example'],
  phones: ['+1 212 555 0147'],
  addresses: ['1 Main St, Springfield'],
  websites: ['https://www.acme.example/'],
  groups: ['Friends'],
};
const PLACES = { left: 'Google', right: 'the service' };
const BOB: BookContact = { ...ANN, id: '2', firstName: 'Bob', emails: [] };

const bookOf = (contacts: readonly BookContact[], groups: readonly string[] = ['Friends']): Book => {
  const refuse = (): never => {
    throw new Error('A comparison changes nothing.');
  };
  return {
    groupWords: { one: 'label', within: 'with the label' },
    keepsEmptyGroups: true,
    contacts: () => contacts,
    groups: () => groups,
    add: refuse,
    setTitle: refuse,
    replaceEmail: refuse,
    addPhone: refuse,
    remove: refuse,
    setGroups: refuse,
    renameGroup: refuse,
  };
};

test('different ids, spellings and orders are no difference', () => {
  const spelt: BookContact = {
    ...ANN,
    id: 'contact_7',
    emails: ['Ann@Acme.example'],
    phones: ['(212) 555-0147'],
    addresses: ['1 Main St Springfield'],
    websites: ['acme.example'],
  };
  const books = { left: bookOf([ANN, BOB]), right: bookOf([BOB, spelt]) };
  expect(compareBooks(books, PLACES)).toEqual({ contacts: 2, groups: 1, differences: [] });
});

test.each([
  [{ title: 'Boss' }, 'Ann Lee: title: Clerk at Google, Boss at the service'],
  [{ emails: [] }, 'Ann Lee: emails: ann@acme.example at Google, nothing at the service'],
  [{ phones: ['+1 212 555 0148'] }, 'Ann Lee: phones: 25550147 at Google, 25550148 at the service'],
  [{ groups: ['Friends', 'VIP'] }, 'Ann Lee: groups: Friends at Google, Friends, VIP at the service'],
])('a difference is reported with both values: %o', (change, difference) => {
  const books = { left: bookOf([ANN]), right: bookOf([{ ...ANN, ...change }]) };
  expect(compareBooks(books, PLACES).differences).toEqual([difference]);
});

test('a contact or group on one side only is reported, a second one of the same kind too', () => {
  const books = {
    left: bookOf([ANN, ANN, BOB], ['Friends', 'VIP']),
    right: bookOf([ANN, { ...BOB, lastName: 'Ray' }]),
  };
  expect(compareBooks(books, PLACES).differences).toEqual([
    'Ann Lee is only at Google.',
    'Bob Lee is only at Google.',
    'Bob Ray is only at the service.',
    'The label VIP is only at Google.',
  ]);
});

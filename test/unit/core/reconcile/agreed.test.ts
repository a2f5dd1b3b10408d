import { expect, test } from 'vitest';
import type { Contact, SyncedField } from '../../../../src/core/contact/contact.ts';
import { agreedBase } from '../../../../src/core/reconcile/agreed.ts';
import { snapshot, values } from './support.ts';

type PlannedSide = Parameters<typeof agreedBase>[0];

const agree = (given: Partial<PlannedSide>, outstanding: readonly SyncedField[] = []) =>
  agreedBase({
    base: snapshot({}),
    record: snapshot({}),
    other: snapshot({}).contact,
    agreedGroups: new Set(),
    ...given,
    outstanding: new Set(outstanding),
  });

const listed = (...list: readonly string[]): Partial<Contact> => ({ emailAddresses: values(...list) });

test('R2: everything is agreed on if nothing is to be written', () => {
  const record = snapshot({ title: 'New', ...listed('b@x.org', 'a@x.org') }, ['g1']);
  expect(agree({ record })).toEqual(record);
});

test('R5: a text that is still to be written keeps its base, and other fields are agreed on', () => {
  const [base, record] = [snapshot({ title: 'Old', company: 'Old' }), snapshot({ title: 'New', company: 'New' })];
  expect(agree({ base, record }, ['title'])).toEqual(snapshot({ title: 'Old', company: 'New' }));
});

test.each<{ readonly rule: string; readonly other: readonly string[]; readonly expected: readonly string[] }>([
  { rule: 'an element that both sides have enters the base', other: ['both'], expected: ['both', 'a'] },
  { rule: 'an element that both sides have removed leaves the base', other: ['a'], expected: ['a'] },
  { rule: 'an element that this side alone has stays out of the base', other: ['a', 'old'], expected: ['a', 'old'] },
])('R5: in a list that is still to be written, $rule', ({ other, expected }) => {
  const [base, record] = [snapshot(listed('a', 'old')), snapshot(listed('a', 'both', 'own'))];
  const { contact } = agree({ base, record, other: snapshot(listed(...other)).contact }, ['emailAddresses']);
  expect(contact.emailAddresses.map(({ value }) => value).toSorted()).toEqual(expected.toSorted());
});

test('R11: a group in which both contacts are, or neither, is agreed on while another move is to be written', () => {
  const [base, record] = [snapshot({}, ['old', 'left']), snapshot({}, ['both', 'own'])];
  const given = { base, record, agreedGroups: new Set(['both', 'old']) };
  expect(agree(given, ['buckets']).groupIds).toEqual(['both', 'left']);
  expect(agree(given).groupIds).toEqual(['both', 'own']);
});

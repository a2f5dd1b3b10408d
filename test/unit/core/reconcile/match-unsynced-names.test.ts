import { expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { UnsyncedName } from '../../../../src/core/contact/unsynced-name.ts';
import { matchContacts } from '../../../../src/core/reconcile/match.ts';
import { newTwinSearch, searchTwin, twinKeyOf, twinsIn } from '../../../../src/core/reconcile/twins.ts';
import { mail, named, phone } from './match-support.ts';
import { PREFIX, record, unpaired } from './support.ts';

type Person = Partial<Contact> & { readonly unsyncedName?: UnsyncedName };

const people = (side: 'left' | 'right', list: readonly Person[]) =>
  unpaired(
    side,
    ...list.map(({ unsyncedName, ...contact }, index) =>
      record(`${PREFIX[side]}${index + 1}`, contact, unsyncedName === undefined ? {} : { unsyncedName }),
    ),
  );

const pairsOf = (left: readonly Person[], right: readonly Person[]) =>
  matchContacts({ left: people('left', left), right: people('right', right) })
    .matches.map((found) => `${found.left.id} ${found.right.id}`)
    .toSorted();

const HOUSEHOLD = { ...mail('harrow@x.example'), ...phone('+1 202-555-0143') };
const john = (unsyncedName: UnsyncedName = {}, more: Partial<Contact> = {}): Person => ({
  ...named('John Harrow', HOUSEHOLD),
  ...more,
  ...(Object.keys(unsyncedName).length > 0 && { unsyncedName }),
});

test.each<[string, Person, Person]>([
  ['suffixes', john({ nameSuffix: 'Sr.' }), john({}, { lastName: 'Harrow Jr.' })],
  ['suffixes of two sides', john({ nameSuffix: 'Sr.' }), john({ nameSuffix: 'Jr.' })],
  ['middle names', john({ middleName: 'Robert' }), john({ middleName: 'Peter' })],
  ['a middle name in the first name', john({ middleName: 'Robert' }), john({}, { firstName: 'John Peter' })],
  ['titles', john({ namePrefix: 'Mr' }), john({ namePrefix: 'Mrs' })],
  ['spoken names', john({ phonetic: 'ゆうこ' }), john({ phonetic: 'ヒロコ' })],
])('R13: people with different %s are not paired', (_, left, right) => {
  expect(pairsOf([left], [right])).toEqual([]);
  // Nor by a phone number or by the name alone.
  for (const more of [{ emailAddresses: [] }, { emailAddresses: [], phoneNumbers: [] }]) {
    expect(pairsOf([{ ...left, ...more }], [{ ...right, ...more }])).toEqual([]);
  }
});

test.each<[string, Person, Person]>([
  ['suffix', john({ nameSuffix: 'Sr.' }), john()],
  ['middle name', john({ middleName: 'Robert' }), john()],
  ['middle name, an initial on the other side', john({ middleName: 'Robert' }), john({}, { firstName: 'John R.' })],
  ['spoken name', john({ phonetic: 'ゆうこ' }), john({ phonetic: 'ユウコ' })],
])('R13: a person is paired with the same person without the %s', (_, left, right) => {
  expect(pairsOf([left], [right])).toEqual(['g1 s1']);
});

test('R13: father and son of one household are paired by their suffixes, in any order', () => {
  const [father, son] = [john({ nameSuffix: 'Sr.' }), john({ nameSuffix: 'Jr.' })];
  expect(pairsOf([father, son], [son, father])).toEqual(['g1 s2', 'g2 s1']);
  const titled = { ...father, title: 'Baker' };
  expect(pairsOf([titled, son], [son, father])).toEqual(['g1 s2', 'g2 s1']);
});

test('R13: a large first sync does not pair two people by their content alone if their names differ', () => {
  const search = newTwinSearch([]);
  const halves = [...people('left', [john({ nameSuffix: 'Sr.' })]), ...people('right', [john({ nameSuffix: 'Jr.' })])];
  for (const half of halves)
    searchTwin(
      search,
      twinKeyOf(half, new Map(), (content) => content),
    );
  expect(twinsIn(search)).toEqual([]);
});

import { expect, test } from 'vitest';
import { EMPTY_CONTACT } from '../../src/core/contact/contact.ts';
import { SIDES } from '../../src/core/contact/side.ts';
import type { LinkContext } from '../../src/engine/session.ts';
import { type Manners, PLAIN_MANNERS } from '../support/memory/manners.ts';
import { openChangingLink, type Terms } from './changing-link.ts';
import { applyEdit } from './hard-edits.ts';
import type { Edit } from './history.ts';
import { choose, createRich, GOOGLE_CARDDAV, set, twin } from './scenario.ts';
import { liveRows } from './world.ts';

// The configuration of the link changes between two runs.

const ASK: Terms = { conflicts: 'ask' };
const readOnlyLeft = ({ remotes }: LinkContext): Partial<LinkContext> => ({
  remotes: { ...remotes, left: { ...remotes.left, readOnlyReason: () => Promise.resolve('read-only') } },
});

test.each<[string, Terms, (context: LinkContext) => Partial<LinkContext>]>([
  ['the link goes one way', { ...ASK, direction: 'to-right' }, () => ({})],
  ['the field goes one way', { ...ASK, directions: { title: 'to-right' } }, () => ({})],
  ['the other side is read-only', ASK, readOnlyLeft],
])(
  'R4: the value that a user chose stays an edit of its side while %s, and is written after that',
  async (...given) => {
    const [, terms, change] = given;
    const { world, sync, take, titles } = openChangingLink();
    applyEdit(world, twin(true));
    await sync(ASK);
    const [left, right] = titles();
    expect(left).not.toBe(right);
    await take(ASK, 'right');
    await sync(terms, { change });
    expect(titles()).toEqual([left, right]);
    await sync(ASK);
    expect(titles()).toEqual([right, right]);
    expect(await sync(ASK)).toMatchObject({ left: { updated: 0 }, right: { updated: 0 } });
  },
);

const NO_CONTACTS = { left: ['!*'], right: ['!*'] };
const WITHOUT_TITLE = choose(2);

const openRefusing = (right: Partial<Manners>) =>
  openChangingLink({ manners: { left: PLAIN_MANNERS, right: { ...PLAIN_MANNERS, ...right } } });

test.each<[string, Partial<Manners>, Terms, readonly Edit[]]>([
  ['a create, and the link goes the other way', { refusesNew: true }, { direction: 'to-left' }, []],
  ['a create, and the contact is not selected', { refusesNew: true }, { contacts: NO_CONTACTS }, []],
  ['a title, and the link does not sync titles', { refusesTitlesBy: 1 }, {}, [WITHOUT_TITLE]],
  ['a part of a title, and the link does not sync titles', { titleLength: 2 }, {}, [WITHOUT_TITLE]],
])('R2, R15: status no longer lists what a side refused when it is no longer written: %s', async (...given) => {
  const [, manners, terms, edits] = given;
  const { world, sync, skipped } = openRefusing(manners);
  applyEdit(world, createRich('left'));
  applyEdit(world, set('left', 0, 'title'));
  await sync();
  expect(await skipped()).toHaveLength(1);
  for (const edit of edits) applyEdit(world, edit);
  await sync(terms);
  expect(await skipped()).toEqual([]);
});

const WITH_NOTES = choose(1);

test('R12: a contact that was deleted and added again while the link starts to sync a field keeps its pair', async () => {
  const { world, sync } = openChangingLink({ players: GOOGLE_CARDDAV });
  const { books } = world;
  const contact = { ...EMPTY_CONTACT, firstName: 'Ada', lastName: 'Lovelace', notes: 'Analyst' };
  const first = books.left.add({ contact, extra: null, originId: null, entity: world.nextNumber() });
  await sync();
  const [kept] = liveRows(books.right);
  books.left.remove(first, 'deleted');
  books.left.add({ contact, extra: null, originId: null, entity: first.entity });
  applyEdit(world, WITH_NOTES);
  expect(await sync()).toMatchObject({ left: { created: 0 }, right: { created: 0, deleted: 0 } });
  expect(liveRows(books.right)).toEqual([kept]);
  expect(SIDES.map((side) => liveRows(books[side]).map((row) => row.contact.notes))).toEqual([
    ['Analyst'],
    ['Analyst'],
  ]);
});

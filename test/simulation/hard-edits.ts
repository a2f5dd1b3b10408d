import { otherSide, SIDES } from '../../src/core/contact/side.ts';
import { listOf, withList } from '../../src/core/contact/lists.ts';
import { isAsAnswered, type Book, type Row } from '../support/memory/book.ts';
import { numberIn } from '../support/memory/manners.ts';
import {
  addElement,
  applyPlainEdit,
  change,
  deleteGroup,
  element,
  enter,
  enterAgain,
  liveGroups,
  newContact,
  pick,
  setScalar,
} from './edits.ts';
import type { Edit, HardEdit } from './history.ts';
import type { Token } from './ledger.ts';
import { applyPeopleEdit, isPeopleEdit } from './people-edits.ts';
import { counterpart, liveRows, visibleTokens, type World } from './world.ts';

type Of<Kind extends HardEdit['kind']> = Extract<HardEdit, { kind: Kind }>;

const rowOf = (book: Book, entity: number): Row | undefined => liveRows(book).find((row) => row.entity === entity);

const moveBack = (world: World): void => {
  const { move } = world.memory;
  if (move === null) return;
  const book = world.books[move.side];
  const row = rowOf(book, move.entity);
  const group = liveGroups(book).find(({ entity }) => entity === move.group);
  if (row === undefined || group === undefined || row.groupIds.has(group.id) !== move.joined) return;
  const ids = new Set(row.groupIds);
  if (move.joined) ids.delete(group.id);
  else ids.add(group.id);
  change(world, book, row, () => book.setGroups(row, ids));
};

const flip = (world: World, { side, who, group: at }: Of<'flip'>): void => {
  const book = world.books[side];
  const [row, group] = [pick(liveRows(book), who), pick(liveGroups(book), at)];
  if (row === undefined || group === undefined) return;
  const joined = !row.groupIds.has(group.id);
  world.memory.move = { side, entity: row.entity, group: group.entity, joined };
  const ids = joined ? [...row.groupIds, group.id] : [...row.groupIds].filter((id) => id !== group.id);
  change(world, book, row, () => book.setGroups(row, ids));
};

type GroupNameEdit = Of<'swap-groups' | 'remake-group' | 'take-group-name'>;

const editGroupNames = (world: World, { kind, side, group: at }: GroupNameEdit): void => {
  const book = world.books[side];
  const [group, other] = [pick(liveGroups(book), at), pick(liveGroups(book), at + 1)];
  if (group === undefined) return;
  const { name } = group;
  world.parts.untouchable.clear();
  if (kind === 'remake-group') {
    deleteGroup(world, book, group);
    book.addGroup(name, world.nextNumber());
    return;
  }
  if (other === undefined || other === group) return;
  const otherName = other.name;
  if (kind === 'swap-groups') book.renameGroup(group, otherName);
  else deleteGroup(world, book, group);
  book.renameGroup(other, name);
};

const clash = (world: World, { who, same, side, gone, added }: Of<'clash'>): void => {
  const row = pick(liveRows(world.books[side]), who);
  const other = row === undefined ? null : counterpart(world, side, row);
  if (row === undefined || other === null) return;
  const [book, opposite] = [world.books[side], world.books[otherSide(side)]];
  const number = world.nextNumber();
  setScalar(world, book, row, same, number);
  setScalar(world, opposite, other, same, number);
  change(world, book, row, () => book.write(row, withList(row.contact, gone, listOf(row.contact, gone).slice(1))));
  addElement(world, opposite, other, added);
};

const editOther = (world: World, { field }: Of<'edit-other'>): void => {
  const { removed } = world.memory;
  if (removed === null) return;
  const book = world.books[otherSide(removed.side)];
  const row = rowOf(book, removed.entity);
  if (row !== undefined) setScalar(world, book, row, field, world.nextNumber());
};

const addAgain = (world: World, { side, who }: Of<'again'>): void => {
  const book = world.books[side];
  const row = pick(liveRows(book), who);
  // The link may not recognise a contact that was edited since its last read.
  if (row !== undefined && isAsAnswered(row)) enterAgain(world, book, row, row.contact);
};

const share = (world: World, { side, who }: Of<'share'>): void => {
  const book = world.books[side];
  // Two unpaired contacts are covered by R13.
  const holder = pick(
    liveRows(book).filter((row) => world.linked[side].has(row.id)),
    who,
  );
  const email = holder?.contact.emailAddresses[0];
  const number = email === undefined ? null : numberIn(email.value);
  if (number === null) return;
  world.memory.sharedEmails.add(number);
  const contact = newContact(world, true);
  const emails = [element('emailAddresses', number), ...contact.emailAddresses];
  enter(world, book, withList(contact, 'emailAddresses', emails), world.nextNumber());
};

const FAMILY = 5;

const family = (world: World, { side }: Of<'family'>): void => {
  const number = world.nextNumber();
  const shared = element('emailAddresses', number);
  world.memory.sharedEmails.add(number);
  for (let index = 0; index < FAMILY; index += 1) {
    const contact = newContact(world, true);
    const own = index % 2 === 0 ? [] : contact.emailAddresses;
    enter(world, world.books[side], withList(contact, 'emailAddresses', [shared, ...own]), world.nextNumber());
  }
};

/** The address books with modification stamps. */
const stamped = (world: World): readonly Book[] => {
  return SIDES.map((side) => world.books[side]).filter(({ provider }) => provider.feed === 'stamps');
};

const restore = (world: World, book: Book): void => {
  const { backup } = world.memory;
  if (backup === null || [...backup.keys()].some((row) => !book.rows.includes(row))) return;
  const compared = (row: Row): ReadonlySet<Token> => (row.state === 'live' ? visibleTokens(book, row) : new Set());
  const before = new Map(
    book.rows.map((row) => [row, { seen: visibleTokens(book, row), tokens: compared(row), state: { ...row } }]),
  );
  book.restore(backup);
  for (const [row, { seen, tokens, state }] of before) {
    world.beforeRestore.set(row, [...(world.beforeRestore.get(row) ?? []), state]);
    const after = compared(row);
    // A value that a backup restores or removes is no user's edit: it may be present or missing at rest.
    for (const token of [...seen, ...after]) {
      world.ledger.explain(token);
      world.ledger.removed.delete(token);
    }
    // To the link this is an edit of that side: the direction of a field applies to it too.
    world.ledger.changedAt(book.side, world.clock.now(), tokens, after);
    for (const token of tokens.difference(after)) world.ledger.removedByBackup.add(token);
    // To the link, a restored value is an edit of that side.
    for (const token of after.difference(tokens)) world.ledger.everRemoved[book.side].add(token);
    if (state.state !== row.state) world.ledger.ambiguous.add(row.entity);
    world.notes.set(row, row.extra);
  }
};

/** Applies an edit of a user or of a side; an edit without a target changes nothing. */
export const applyEdit = (world: World, edit: Edit): void => {
  if (isPeopleEdit(edit)) return applyPeopleEdit(world, edit);
  const [book] = stamped(world);
  switch (edit.kind) {
    case 'flip':
      return flip(world, edit);
    case 'clash':
      return clash(world, edit);
    case 'opposite':
      return moveBack(world);
    case 'edit-other':
      return editOther(world, edit);
    case 'again':
      return addAgain(world, edit);
    case 'swap-groups':
    case 'remake-group':
    case 'take-group-name':
      return editGroupNames(world, edit);
    case 'share':
      return share(world, edit);
    case 'family':
      return family(world, edit);
    case 'stamp-ahead': {
      const row = book === undefined ? undefined : pick(liveRows(book), edit.who);
      if (row !== undefined) book?.stampAhead(row, edit.aheadMs);
      return;
    }
    case 'step-back':
      return book?.stepBack(edit.byMs);
    case 'backup':
      world.memory.backup = book?.backUp() ?? null;
      return;
    case 'restore':
      if (book !== undefined) restore(world, book);
      return;
    default:
      return applyPlainEdit(world, edit);
  }
};

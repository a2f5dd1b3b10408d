import { EMPTY_CONTACT, type Contact, type ListField, type ScalarField } from '../../src/core/contact/contact.ts';
import { otherSide, SIDES, type Side } from '../../src/core/contact/side.ts';
import type { LabelledValue, PostalAddress } from '../../src/core/contact/elements.ts';
import type { ListElement } from '../../src/core/contact/keys.ts';
import { listOf, withList } from '../../src/core/contact/lists.ts';
import { dropsWebsite, refusesTitle, signText } from '../support/memory/manners.ts';
import type { Book, Group, Row } from '../support/memory/book.ts';
import { choose } from './choices.ts';
import type { Edit, HardEdit } from './history.ts';
import { recordValues, markUncertain } from './people.ts';
import { contactTokens, groupOf, tokenOf, type Token } from './ledger.ts';
import { counterpart, liveRows, visibleTokens, type Delivered, type World } from './world.ts';

const SCALAR_TEXTS: { readonly [Field in ScalarField]?: readonly [initial: string, end: string] } = {
  firstName: ['N', 'x'],
  lastName: ['L', ''],
  company: ['C', ''],
  title: ['T', ' of something longer'],
};

const scalarText = (field: ScalarField, number: number): string => {
  // No first name is a prefix of another one, because it would be its short form.
  const [initial, end] = SCALAR_TEXTS[field] ?? ['A', ''];
  return `${initial}${number}${end}`;
};

const labelled = (value: string): LabelledValue => ({ value, label: 'home' });

export const element = (field: ListField, number: number): ListElement => {
  switch (field) {
    case 'emailAddresses':
      return labelled(`E${number}@Example.com`);
    case 'phoneNumbers':
      return labelled(`+1555${String(number).padStart(7, '0')}`);
    case 'websites':
      return labelled(`w${number}.example.com`);
    case 'addresses': {
      const address: PostalAddress = {
        street: `S${number} Street`,
        city: 'Town',
        region: '',
        postalCode: '',
        country: '',
        label: null,
      };
      // A flat of its own house, one of the flats of one house, or a post box.
      const further = [
        address,
        { ...address, extended: 'Flat A' },
        { ...address, street: 'House Street', extended: `F${number} Flat` },
        { ...address, street: '', poBox: `P${number} Box` },
      ];
      return further[number % further.length] ?? address;
    }
    case 'tags':
      return labelled(signText(number));
    default:
      return labelled(`A${number}`);
  }
};

export const newContact = (world: World, rich: boolean): Contact => {
  const number = world.nextNumber();
  const plain: Contact = { ...EMPTY_CONTACT, firstName: scalarText('firstName', number) };
  const withEmail = withList(plain, 'emailAddresses', [element('emailAddresses', number)]);
  if (!rich) return withEmail;
  const title = scalarText('title', world.nextNumber());
  return withList({ ...withEmail, title }, 'phoneNumbers', [element('phoneNumbers', world.nextNumber())]);
};

export const pick = <T>(items: readonly T[], at: number): T | undefined => {
  return items.length === 0 ? undefined : items[at % items.length];
};

/** The contacts of the same person on the other side. */
const counterpartsOf = (world: World, book: Book, row: Row): readonly Row[] => {
  return liveRows(world.books[otherSide(book.side)]).filter((other) => other.entity === row.entity);
};

/** Values that a side drops are deleted with their contact. */
const explainDropped = (world: World, to: Book, row: Row): void => {
  for (const { value } of row.contact.websites) {
    if (dropsWebsite(to.manners, value)) world.ledger.explain(tokenOf('websites', value));
  }
};

const NOTHING: Delivered = { added: new Set(), removed: new Set() };

/**
 * Memberships that users ended on both sides since the start of the last completed run, and that this side restores
 * now. The link may never have read this side without them, and knows only the end on the other side.
 */
const restoredUnseen = ({ ledger, parts }: World, put: ReadonlySet<Token>): readonly Token[] => {
  const isTooRecent = (at: Side, token: Token): boolean =>
    (ledger.removedAtMs[at].get(token) ?? -Infinity) >= parts.readSinceMs;
  return [...put].filter((token) => groupOf(token) !== null && SIDES.every((at) => isTooRecent(at, token)));
};

/** Applies an edit of a user to a contact, and records it in the ledger. */
export const change = (world: World, book: Book, row: Row, how: () => void): void => {
  world.parts.untouchable.delete(row.entity);
  const before = visibleTokens(book, row);
  const former = row.contact;
  how();
  if (row.state === 'live') recordValues(world.people, row.entity, former, row.contact);
  else markUncertain(world.people, row.entity);
  const after = row.state === 'live' ? visibleTokens(book, row) : new Set<Token>();
  const unseen = restoredUnseen(world, after.difference(before));
  world.ledger.changed(row.entity, before, after);
  world.ledger.changedAt(book.side, world.clock.now(), before, after);
  for (const token of unseen) world.ledger.explain(token);
  // A value that only this side has now is new to the other side, also if both had it at the last rest.
  const others = counterpartsOf(world, book, row).map((other) =>
    visibleTokens(world.books[otherSide(book.side)], other),
  );
  for (const token of after.difference(before)) {
    if (!others.some((tokens) => tokens.has(token))) world.ledger.settled.delete(token);
  }
  const replaced = world.replaced.get(row);
  // The user replaced the merged value and the value under it.
  for (const token of before.difference(after)) world.ledger.explain(replaced?.get(token) ?? null);
  const { added: addedByLink, removed: removedByLink } = world.unanswered.get(row) ?? NOTHING;
  world.ledger.reverted(addedByLink.difference(after));
  // A value that a user restores before the answer is received is indistinguishable from a lost removal (R5).
  for (const token of removedByLink.intersection(after.difference(before))) world.ledger.explain(token);
  world.ledger.changesOf(row.entity).edited = true;
  const to = world.books[otherSide(book.side)];
  if (to.rows.some((other) => other.entity === row.entity && other.state === 'archived'))
    explainDropped(world, to, row);
  // Twins are matched by their first name and email address, as long as both keep them and their last names agree.
  const held = contactTokens(row.contact);
  const hasOtherFamily = counterpartsOf(world, book, row).some(({ contact: { lastName } }) => {
    return lastName !== '' && row.contact.lastName !== '' && lastName !== row.contact.lastName;
  });
  const isKnown = held.has(`emailAddresses ${row.entity}`) && held.has(`firstName ${row.entity}`) && !hasOtherFamily;
  const isStranger = !world.linked[book.side].has(row.id) && !isKnown;
  if (world.twins.has(row.entity) && isStranger) world.ledger.ambiguous.add(row.entity);
  // A contact of a lost create is found by its content; after an edit it is not found.
  if (world.unconfirmed.has(row)) world.ledger.ambiguous.add(row.entity);
};

type Origin = { readonly originId: string | null; readonly originScope?: string };

export const enter = (
  world: World,
  book: Book,
  contact: Contact,
  entity: number,
  origin: Origin = { originId: null },
): void => {
  const extra = `note ${world.nextNumber()}`;
  const row = book.add({ contact, extra, ...origin, entity });
  world.notes.set(row, extra);
  recordValues(world.people, entity, null, contact);
  world.ledger.changed(entity, new Set(), visibleTokens(book, row));
  world.ledger.changedAt(book.side, world.clock.now(), new Set(), visibleTokens(book, row));
  world.ledger.changesOf(entity).edited = true;
};

/** A user deletes a contact and enters its person again: a new contact in the same groups. */
export const enterAgain = (world: World, book: Book, row: Row, contact: Contact): void => {
  const { entity, extra, nameSuffix } = row;
  book.remove(row, 'deleted');
  const added = book.add({ contact, extra, originId: null, entity, nameSuffix });
  world.notes.set(added, extra);
  book.setGroups(added, row.groupIds);
  world.ledger.changesOf(entity).edited = true;
  // The new contact is matched like any other one: it lacks no value by an edit, and gets the values of its counterpart.
  world.ledger.allowReturn(entity);
  markUncertain(world.people, entity);
  world.agreed.delete(entity);
  // Its computed value counts as entered by its user.
  world.extras.everScribbled.add(added);
  if (world.extras.scribbled.has(row)) world.extras.scribbled.add(added);
};

const createTwins = (world: World, differs: boolean): void => {
  const contact = newContact(world, false);
  const entity = Number(/\d+/u.exec(contact.firstName)?.[0]);
  world.twins.add(entity);
  for (const book of [world.books.left, world.books.right]) {
    const title = scalarText('title', world.nextNumber());
    enter(world, book, differs ? { ...contact, title } : contact, entity);
    const row = book.rows.at(-1);
    // Twins that become visible at different times cannot be paired.
    if (row !== undefined) row.shown = row.shown.map((each) => ({ ...each, visibleAtMs: 0, fedAtMs: 0 }));
  }
};

/** Two people of one household, one in each address book, with one email address. */
const createHousehold = (world: World): void => {
  const shared = [element('emailAddresses', world.nextNumber())];
  for (const side of SIDES) {
    const entity = world.nextNumber();
    const contact: Contact = { ...EMPTY_CONTACT, firstName: scalarText('firstName', entity) };
    enter(world, world.books[side], withList(contact, 'emailAddresses', shared), entity);
  }
};

/** A contact with an origin id of another link. The id belongs to another contact here. */
const createStaleOrigin = (world: World, { side, who, scoped }: Of<'stale-origin'>): void => {
  const book = world.books[side];
  const stranger = pick(liveRows(world.books[otherSide(side)]), who);
  if (!book.provider.keepsOriginIds || stranger === undefined) return;
  const contact = newContact(world, false);
  const origin = { originId: stranger.id, ...(scoped ? { originScope: 'another account' } : {}) };
  enter(world, book, contact, world.nextNumber(), origin);
};

export const setScalar = (world: World, book: Book, row: Row, field: ScalarField, number: number): void => {
  const text = scalarText(field, number);
  // A side that refuses a title also refuses it from its user.
  if (field === 'title' && refusesTitle(book.manners, text)) return;
  change(world, book, row, () => book.write(row, { ...row.contact, [field]: text }));
};

const merge = (world: World, book: Book, loser: Row, survivor: Row): void => {
  const explained = [...world.ledger.explained];
  change(world, book, loser, () => {
    book.remove(loser, 'deleted');
    loser.state = 'merged';
    loser.mergedInto = survivor;
  });
  change(world, book, survivor, () => {
    let contact = survivor.contact;
    for (const field of ['emailAddresses', 'phoneNumbers', 'addresses', 'websites'] as const) {
      contact = withList(contact, field, [...listOf(contact, field), ...listOf(loser.contact, field)]);
    }
    if (book.provider.renamesContacts) survivor.formerIds.push(loser.id, ...loser.formerIds);
    for (const id of loser.groupIds) survivor.groupIds.add(id);
    book.write(survivor, contact);
  });
  // Values that moved to the survivor were not entered again.
  for (const token of explained) world.ledger.explain(token);
  const [from, to] = [loser.entity, survivor.entity];
  for (const row of [...world.books.left.rows, ...world.books.right.rows]) if (row.entity === from) row.entity = to;
  world.parts.untouchable.delete(to);
  // A shown value that the merge dropped counts as overwritten by the user, until the service computes a new one.
  world.extras.scribbled.add(survivor);
  world.extras.everScribbled.add(survivor);
  world.ledger.mergePeople(from, to);
};

export const removeContact = (world: World, book: Book, row: Row, state: 'deleted' | 'archived'): void => {
  const changes = world.ledger.changesOf(row.entity);
  const { edited } = changes;
  world.memory.removed = { entity: row.entity, side: book.side };
  for (const other of counterpartsOf(world, book, row)) explainDropped(world, book, other);
  change(world, book, row, () => book.remove(row, state));
  Object.assign(changes, { edited, deleted: true });
};

const createGroups = (world: World, side: Side, both: boolean): void => {
  world.parts.untouchable.clear();
  const entity = world.nextNumber();
  world.books[side].addGroup(`Group ${entity}`, entity);
  if (both) world.books[otherSide(side)].addGroup(`GROUP ${entity}`, entity);
};

export const deleteGroup = (world: World, book: Book, group: Group): void => {
  world.ledger.deletedGroups.add(group.entity);
  book.removeGroup(group);
};

export const liveGroups = (book: Book): Group[] => book.groups.filter((group) => group.live);

type Of<Kind extends Edit['kind']> = Extract<Edit, { kind: Kind }>;

export const addElement = (world: World, book: Book, row: Row, field: ListField): void => {
  // Tags are added in pairs, so that one contact has two tags that differ in their signs.
  const added = (field === 'tags' ? [1, 2] : [1]).map(() => element(field, world.nextNumber()));
  const elements = [...listOf(row.contact, field), ...added];
  change(world, book, row, () => book.write(row, withList(row.contact, field, elements)));
};

const editList = (world: World, edit: Of<'add' | 'drop' | 'relabel'>, book: Book, row: Row): void => {
  const { field } = edit;
  const held = listOf(row.contact, field);
  const write = (elements: readonly ListElement[]): void => {
    change(world, book, row, () => book.write(row, withList(row.contact, field, elements)));
  };
  if (edit.kind === 'add') addElement(world, book, row, field);
  else if (held.length === 0) return;
  else if (edit.kind === 'drop') write(held.filter((_, index) => index !== edit.at % held.length));
  else write(held.map((each, index) => (index === 0 ? { ...each, label: `label ${world.nextNumber()}` } : each)));
};

const editMembership = (world: World, edit: Of<'join' | 'leave'>, book: Book, row: Row): void => {
  const group = pick(liveGroups(book), edit.group);
  if (group === undefined) return;
  const ids = new Set(row.groupIds);
  if (edit.kind === 'join') ids.add(group.id);
  else ids.delete(group.id);
  world.memory.move = { side: book.side, entity: row.entity, group: group.entity, joined: edit.kind === 'join' };
  if (ids.size !== row.groupIds.size) change(world, book, row, () => book.setGroups(row, ids));
};

type ContactEdit = Exclude<
  Edit,
  | HardEdit
  | { kind: 'create' | 'twin' | 'household' | 'stale-origin' | 'group' | 'rename-group' | 'delete-group' | 'choose' }
>;

/** The side of an edit; undefined where no side supports it. */
const sideOf = (world: World, edit: ContactEdit): Side | undefined => {
  if ('side' in edit) return edit.side;
  const able = (can: 'archivesContacts' | 'renamesContacts'): Side | undefined => {
    const sides = SIDES.filter((side) => world.books[side].provider[can]);
    return pick(sides, Math.floor(edit.who / 2));
  };
  if (edit.kind === 'archive') return able('archivesContacts');
  return edit.kind === 'new-id' ? able('renamesContacts') : 'left';
};

const editContact = (world: World, edit: ContactEdit): void => {
  const side = sideOf(world, edit);
  if (side === undefined) return;
  const book = world.books[side];
  const row = pick(liveRows(book), edit.who);
  if (row === undefined) return;
  switch (edit.kind) {
    case 'set':
      return setScalar(world, book, row, edit.field, world.nextNumber());
    case 'clear':
      return change(world, book, row, () => book.write(row, { ...row.contact, [edit.field]: '' }));
    case 'agree': {
      const number = world.nextNumber();
      const twin = counterpart(world, side, row);
      setScalar(world, book, row, edit.field, number);
      if (twin !== null) setScalar(world, world.books[otherSide(side)], twin, edit.field, number);
      return;
    }
    case 'both': {
      const twin = counterpart(world, side, row);
      setScalar(world, book, row, edit.field, world.nextNumber());
      if (twin !== null) addElement(world, world.books[otherSide(side)], twin, edit.list);
      return;
    }
    case 'add':
    case 'drop':
    case 'relabel':
      return editList(world, edit, book, row);
    case 'note':
      return change(world, book, row, () => {
        row.extra = `note ${world.nextNumber()}`;
        world.notes.set(row, row.extra);
        book.touch(row);
      });
    case 'delete':
      return removeContact(world, book, row, 'deleted');
    case 'archive':
      return removeContact(world, book, row, 'archived');
    case 'merge': {
      const survivor = pick(liveRows(book), edit.into);
      if (survivor !== undefined && survivor !== row) merge(world, book, row, survivor);
      return;
    }
    case 'new-id':
      return change(world, book, row, () => book.rename(row));
    case 'join':
    case 'leave':
      return editMembership(world, edit, book, row);
  }
};

/** Applies an edit of a plain history; an edit without a target changes nothing. */
export const applyPlainEdit = (world: World, edit: Exclude<Edit, HardEdit>): void => {
  switch (edit.kind) {
    case 'create':
      return enter(world, world.books[edit.side], newContact(world, edit.rich), world.nextNumber());
    case 'twin':
      return createTwins(world, edit.differs);
    case 'household':
      return createHousehold(world);
    case 'stale-origin':
      return createStaleOrigin(world, edit);
    case 'choose':
      return choose(world.choosing, edit.choice);
    case 'group':
      return createGroups(world, edit.side, edit.both);
    case 'rename-group':
    case 'delete-group': {
      const book = world.books[edit.side];
      const group = pick(liveGroups(book), edit.group);
      if (group === undefined) return;
      world.parts.untouchable.clear();
      if (edit.kind === 'delete-group') deleteGroup(world, book, group);
      else book.renameGroup(group, `Group ${world.nextNumber()}`);
      return;
    }
    default:
      return editContact(world, edit);
  }
};

import type { GroupRecord } from '../../core/contact/record.ts';
import { normaliseText } from '../../core/contact/text.ts';
import { mapConcurrently } from '../../util/batches.ts';
import {
  InvalidError,
  isCredentialError,
  isFault,
  LimitedError,
  NotFoundError,
  type RemoteError,
  UnavailableError,
  WrongAddressError,
} from '../errors.ts';
import { settle, settleEach } from '../write-results.ts';
import { CONCURRENCY, type BookContext } from './book.ts';
import { readStored, unreadableCard } from './cards.ts';
import type { StoredCard } from './stored-form.ts';
import type { Card } from './card/content-line.ts';
import {
  categoriesOf,
  groupNameOf,
  isCategory,
  isGroupCard,
  newGroupCard,
  withCategories,
  withGroupName,
} from './group-cards.ts';
import { categoryId, categoryNameOf } from './mapper.ts';
import { groupUids } from './origin-uid.ts';
import { createUnder, requireWritable } from './push.ts';
import { listGroupCards, scanCards, searchCards } from './search.ts';
import { deleteCard, editCard, PUT } from './write-card.ts';

const groupOf = ({ id, etag, card }: StoredCard): GroupRecord => ({
  id,
  name: groupNameOf(card),
  version: etag ?? '',
});

const categoryGroup = (name: string): GroupRecord => ({ id: categoryId(name), name, version: '' });

const requireCategory = (name: string): void => {
  if (!isCategory(name)) throw new InvalidError('the name is too long for a category', PUT);
};

/** Adds a category, and returns its group. */
const addCategory = ({ categories }: BookContext, name: string): GroupRecord => {
  categories.names.add(name);
  categories.deleted.delete(name);
  return categoryGroup(name);
};

/**
 * Returns the longest part of a name that has one spelling and needs no escapes: a card may have the name in another Unicode form or with
 * other spaces, and servers search either the escaped or the unescaped form. Returns null without such a part.
 */
const searchable = (name: string): string | null => {
  const [longest = ''] = name.split(/[^!-~]|[\\,;]/u).toSorted((one, other) => other.length - one.length);
  return longest || null;
};

/**
 * Returns the contacts that have a category. A search that finds none is no evidence: some servers find nothing by a property that
 * they do not support (SOGo). Then all cards are read.
 */
const cardsWith = async (context: BookContext, name: string): Promise<readonly StoredCard[]> => {
  const filters = [{ property: 'CATEGORIES', text: searchable(name) }];
  const hasCategory = (card: Card): boolean => categoriesOf(card).includes(name);
  const found = await searchCards(context, filters, hasCategory);
  return found.length > 0 ? found : scanCards(context, hasCategory);
};

/** Searches for the categories of all cards, unless this process has listed the whole address book. */
const completeCategories = async (context: BookContext): Promise<void> => {
  const { categories } = context;
  if (categories.isComplete) return;
  const isCategorised = (card: Card): boolean => !isGroupCard(card) && categoriesOf(card).length > 0;
  for (const { card } of await searchCards(context, [{ property: 'CATEGORIES', text: null }], isCategorised)) {
    for (const name of categoriesOf(card)) categories.names.add(name);
  }
  categories.isComplete = true;
};

/** Returns all groups: the group cards, and the categories of the cards. */
export const listGroups = async (context: BookContext): Promise<readonly GroupRecord[]> => {
  const cards = await listGroupCards(context);
  await completeCategories(context);
  return [...cards.map(groupOf), ...[...context.categories.names].toSorted().map(categoryGroup)];
};

/** Returns one group, or null if it does not exist. A category without cards exists until it is deleted here. */
export const readGroup = async (context: BookContext, id: string): Promise<GroupRecord | null> => {
  const category = categoryNameOf(id);
  if (category !== null) return context.categories.deleted.has(category) ? null : categoryGroup(category);
  if (context.search.unread.has(id)) throw unreadableCard('it could not be read when its members were read');
  const stored = await readStored(context, id);
  return stored !== null && isGroupCard(stored.card) ? groupOf(stored) : null;
};

/** Returns whether new groups are cards: if the address book has some, or the server is iCloud. */
const createsCards = ({ groupStyle, search }: BookContext, bookUrl: string): boolean => {
  if (groupStyle !== 'auto') return groupStyle === 'cards';
  return (search.groupIds?.size ?? 0) > 0 || /(?:^|\.)icloud\.com$/u.test(new URL(bookUrl).hostname);
};

/** Creates a group, or returns the existing one of that name. */
export const createGroup = async (context: BookContext, spelling: string): Promise<GroupRecord> => {
  const name = normaliseText(spelling);
  const { book } = context;
  requireWritable(book);
  const cards = await listGroupCards(context);
  if (!createsCards(context, book.url)) {
    requireCategory(name);
    return addCategory(context, name);
  }
  const namesake = cards.find(({ card }) => groupNameOf(card) === name);
  if (namesake !== undefined) return groupOf(namesake);
  const cardOf = (uid: string) => newGroupCard(name, uid, book.version);
  const uids = groupUids(name, book.url, context.search.groupIds ?? new Set());
  const created = await createUnder(context, uids, cardOf);
  context.search.groupIds?.add(created.id);
  return groupOf(created);
};

/** Returns whether an error concerns all cards, so that no further card is written. */
const isOutage = (error: RemoteError): boolean =>
  isCredentialError(error) ||
  error instanceof LimitedError ||
  error instanceof WrongAddressError ||
  (error instanceof UnavailableError && !isFault(error));

/** The ids of the cards that an edit has changed, or may have changed, and the first refusal. */
type Edits = { readonly ids: readonly string[]; readonly refusal: RemoteError | null };

/** Edits cards. A card that is refused does not affect the others (R15). */
const editEach = async (context: BookContext, ids: readonly string[], edit: (card: Card) => Card): Promise<Edits> => {
  const { refusing } = context.categories;
  const results = await mapConcurrently(ids, CONCURRENCY, async (id) => {
    const result = await settle(id, () => editCard(context, id, edit));
    if (!result.ok && isOutage(result.error)) throw result.error;
    if (result.ok) refusing.delete(id);
    else refusing.add(id);
    return result;
  });
  const changed = results.filter((each) => (each.ok ? each.value?.isWritten === true : each.error.applied !== 'no'));
  const [refusal = null] = results.flatMap((each) => (each.ok ? [] : [each.error]));
  return { ids: changed.map(({ key }) => key), refusal };
};

/** The categories to add and to remove. `isWhole`: the change is made on all cards or on none. */
type CategoryChange = {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly isWhole: boolean;
};

/**
 * Adds and removes categories on all cards that have this one. Cards that refused an earlier edit are edited first, so that a
 * change that must be whole does not write the others in vain in each run (R1).
 */
const editMembers = async (
  context: BookContext,
  name: string,
  { add, remove, isWhole }: CategoryChange,
): Promise<Edits> => {
  requireWritable(context.book);
  const { refusing } = context.categories;
  const members = (await cardsWith(context, name)).map(({ id }) => id);
  const edit = (card: Card): Card => (categoriesOf(card).includes(name) ? withCategories(card, add, remove) : card);
  const doubtful = members.filter((id) => refusing.has(id));
  const first = await editEach(context, doubtful, edit);
  if (isWhole && first.refusal !== null) return first;
  const others = members.filter((id) => !doubtful.includes(id));
  const rest = await editEach(context, others, edit);
  return { ids: [...first.ids, ...rest.ids], refusal: first.refusal ?? rest.refusal };
};

/** Adds a category to all cards that have another one. If a card is refused, the others lose it again, as far as possible. */
const addToMembers = async (context: BookContext, category: string, name: string): Promise<void> => {
  const { ids, refusal } = await editMembers(context, category, { add: [name], remove: [], isWhole: true });
  if (refusal === null) return;
  await settleEach(ids, CONCURRENCY, (id) => editCard(context, id, (card) => withCategories(card, [], [name])));
  throw refusal;
};

/**
 * Renames a group. A category is another group afterwards: its cards get the new one, and keep the former one until that is deleted. So
 * no card lacks both if some of them cannot be written.
 */
export const renameGroup = async (
  context: BookContext,
  { id }: GroupRecord,
  spelling: string,
): Promise<GroupRecord> => {
  const name = normaliseText(spelling);
  const category = categoryNameOf(id);
  if (category !== null) {
    requireCategory(name);
    await addToMembers(context, category, name);
    return addCategory(context, name);
  }
  const card = await editCard(context, id, (each) => withGroupName(each, name));
  if (card === null) throw new NotFoundError('the group does not exist any more', PUT);
  return (await readGroup(context, id)) ?? { id, name, version: '' };
};

/** Deletes a group and none of its contacts. A group that does not exist counts as deleted. */
export const deleteGroup = async (context: BookContext, id: string): Promise<void> => {
  const category = categoryNameOf(id);
  if (category !== null) {
    const { refusal } = await editMembers(context, category, { add: [], remove: [category], isWhole: false });
    if (refusal !== null) throw refusal;
    context.categories.names.delete(category);
    context.categories.deleted.add(category);
    return;
  }
  requireWritable(context.book);
  const stored = await readStored(context, id);
  if (stored === null) return;
  if (!isGroupCard(stored.card)) throw new InvalidError('the card is a contact', PUT);
  await deleteCard(context, id, stored.etag);
  context.search.groupIds?.delete(id);
};

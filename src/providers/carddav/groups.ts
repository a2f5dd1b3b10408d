import type { GroupRecord } from '../../core/contact/record.ts';
import { mapConcurrently } from '../../util/batches.ts';
import { InvalidError, NotFoundError } from '../errors.ts';
import { CONCURRENCY, type BookContext } from './book.ts';
import { readStored, type StoredCard } from './cards.ts';
import type { Card } from './card/content-line.ts';
import {
  categoriesOf,
  groupNameOf,
  isGroupCard,
  listGroupCards,
  newGroupCard,
  withCategories,
  withGroupName,
} from './group-cards.ts';
import { categoryId, categoryNameOf } from './mapper.ts';
import { groupUids } from './origin-uid.ts';
import { createUnder, requireWritable } from './push.ts';
import { searchCards } from './search.ts';
import { deleteCard, editCard, PUT } from './write-card.ts';

const groupOf = ({ id, etag, card }: StoredCard): GroupRecord => ({
  id,
  name: groupNameOf(card),
  version: etag ?? '',
});

const categoryGroup = (name: string): GroupRecord => ({ id: categoryId(name), name, version: '' });

/** Returns the longest part of a name that needs no escapes: servers search either the escaped or the unescaped form. */
const searchable = (name: string): string | null => {
  const [longest = ''] = name.split(/[\\,;]/u).toSorted((one, other) => other.length - one.length);
  return longest.trim() || null;
};

/** Returns the contacts that have a category. */
const cardsWith = (context: BookContext, name: string, signal: AbortSignal): Promise<readonly StoredCard[]> => {
  const filters = [{ property: 'CATEGORIES', text: searchable(name) }];
  return searchCards(context, filters, (card) => categoriesOf(card).includes(name), signal);
};

/** Searches for the categories of all cards, unless this process has listed the whole address book. */
const completeCategories = async (context: BookContext, signal: AbortSignal): Promise<void> => {
  const { categories } = context;
  if (categories.isComplete) return;
  const isCategorised = (card: Card): boolean => !isGroupCard(card) && categoriesOf(card).length > 0;
  for (const { card } of await searchCards(context, [{ property: 'CATEGORIES', text: null }], isCategorised, signal)) {
    for (const name of categoriesOf(card)) categories.names.add(name);
  }
  categories.isComplete = true;
};

/** Returns all groups: the group cards, and the categories of the cards. */
export const listGroups = async (context: BookContext, signal: AbortSignal): Promise<readonly GroupRecord[]> => {
  const cards = await listGroupCards(context, signal);
  await completeCategories(context, signal);
  return [...cards.map(groupOf), ...[...context.categories.names].toSorted().map(categoryGroup)];
};

/** Returns one group, or null if it does not exist. A category without cards exists until it is deleted here. */
export const readGroup = async (context: BookContext, id: string, signal: AbortSignal): Promise<GroupRecord | null> => {
  const category = categoryNameOf(id);
  if (category !== null) return context.categories.deleted.has(category) ? null : categoryGroup(category);
  const stored = await readStored(context, id, signal);
  return stored !== null && isGroupCard(stored.card) ? groupOf(stored) : null;
};

/** Returns whether new groups are cards: if the address book has some, or the server is iCloud. */
const createsCards = ({ groupStyle }: BookContext, cards: readonly StoredCard[], bookUrl: string): boolean => {
  if (groupStyle !== 'auto') return groupStyle === 'cards';
  return cards.length > 0 || /(?:^|\.)icloud\.com$/u.test(new URL(bookUrl).hostname);
};

/** Creates a group, or returns the existing one of that name. */
export const createGroup = async (context: BookContext, name: string, signal: AbortSignal): Promise<GroupRecord> => {
  const book = await context.find(signal);
  requireWritable(book);
  const cards = await listGroupCards(context, signal);
  if (!createsCards(context, cards, book.url)) {
    context.categories.names.add(name);
    context.categories.deleted.delete(name);
    return categoryGroup(name);
  }
  const namesake = cards.find(({ card }) => groupNameOf(card) === name);
  if (namesake !== undefined) return groupOf(namesake);
  const cardOf = (uid: string) => newGroupCard(name, uid, book.version);
  const created = await createUnder(context, groupUids(name, book.url), cardOf, signal);
  context.search.groupIds?.add(created.id);
  return groupOf(created);
};

/** Adds and removes categories on all cards that have this one. */
const editMembers = async (
  context: BookContext,
  name: string,
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
  signal: AbortSignal,
): Promise<void> => {
  requireWritable(await context.find(signal));
  const members = await cardsWith(context, name, signal);
  await mapConcurrently(members, CONCURRENCY, ({ id }) =>
    editCard(
      context,
      id,
      (card) => (categoriesOf(card).includes(name) ? withCategories(card, add, remove) : card),
      signal,
    ),
  );
};

/**
 * Renames a group. A category is another group afterwards: its cards get the new one, and keep the former one until that is deleted. So
 * no card lacks both if some of them cannot be written.
 */
export const renameGroup = async (
  context: BookContext,
  { id }: GroupRecord,
  name: string,
  signal: AbortSignal,
): Promise<GroupRecord> => {
  const category = categoryNameOf(id);
  if (category !== null) {
    await editMembers(context, category, { add: [name], remove: [] }, signal);
    context.categories.names.add(name);
    context.categories.deleted.delete(name);
    return categoryGroup(name);
  }
  const card = await editCard(context, id, (each) => withGroupName(each, name), signal);
  if (card === null) throw new NotFoundError('the group does not exist any more', PUT);
  return (await readGroup(context, id, signal)) ?? { id, name, version: '' };
};

/** Deletes a group and none of its contacts. A group that does not exist counts as deleted. */
export const deleteGroup = async (context: BookContext, id: string, signal: AbortSignal): Promise<void> => {
  const category = categoryNameOf(id);
  if (category !== null) {
    await editMembers(context, category, { add: [], remove: [category] }, signal);
    context.categories.names.delete(category);
    context.categories.deleted.add(category);
    return;
  }
  requireWritable(await context.find(signal));
  const stored = await readStored(context, id, signal);
  if (stored === null) return;
  if (!isGroupCard(stored.card)) throw new InvalidError('the card is a contact', PUT);
  await deleteCard(context, id, stored.etag, signal);
};

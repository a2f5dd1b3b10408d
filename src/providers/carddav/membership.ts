import type { MembershipRequest } from '../../core/contact/requests.ts';
import { InvalidError, NotFoundError } from '../errors.ts';
import type { WriteResult } from '../remote.ts';
import { settle, settleEach } from '../write-results.ts';
import { CONCURRENCY, type BookContext } from './book.ts';
import { editCard, PUT } from './cards.ts';
import type { Card } from './card/content-line.ts';
import { textOf } from './card/edits.ts';
import { listGroupCards, memberKeyOf, withCategories, withMembers } from './group-cards.ts';
import { requireWritable } from './push.ts';
import { cardGroupsOf, categoryNameOf, groupIdsOf, isCardGroup, membershipsIn } from './mapper.ts';

type Result = WriteResult<readonly string[]>;

const categoriesIn = (groupIds: readonly string[]): readonly string[] =>
  groupIds.flatMap((id) => categoryNameOf(id) ?? []);

/** Writes the categories of one contact. Returns its card afterwards. */
const writeCategories = async (
  context: BookContext,
  { id, add, remove }: MembershipRequest,
  signal: AbortSignal,
): Promise<Card> => {
  const edit = (card: Card): Card => withCategories(card, categoriesIn(add), categoriesIn(remove));
  const card = await editCard(context, id, edit, signal);
  if (card === null) throw new NotFoundError('the card does not exist any more', PUT);
  for (const name of categoriesIn(add)) context.categories.names.add(name);
  return card;
};

/** The cards to add to and remove from one group card. */
type GroupChange = { readonly add: Card[]; readonly remove: Card[]; readonly keys: Set<string> };

/** Returns the changes of group cards, by the ids of the groups. */
const groupChanges = (
  batch: readonly MembershipRequest[],
  cards: ReadonlyMap<string, Card>,
): ReadonlyMap<string, GroupChange> => {
  const changes = new Map<string, GroupChange>();
  for (const { key, add, remove } of batch) {
    const card = cards.get(key);
    if (card === undefined) continue;
    for (const groupId of [...add, ...remove].filter(isCardGroup)) {
      const change = changes.get(groupId) ?? { add: [], remove: [], keys: new Set<string>() };
      change.keys.add(key);
      (add.includes(groupId) ? change.add : change.remove).push(card);
      changes.set(groupId, change);
    }
  }
  return changes;
};

const writeGroup = async (
  context: BookContext,
  groupId: string,
  { add, remove }: GroupChange,
  signal: AbortSignal,
): Promise<void> => {
  const uids = add.map((card) => textOf(card, 'UID'));
  if (uids.some((uid) => uid.trim() === '')) throw new InvalidError('a card without a UID cannot join a group', PUT);
  const card = await editCard(context, groupId, (each) => withMembers(each, uids, remove.map(memberKeyOf)), signal);
  // A deleted group has no members: a removal is done, an addition is impossible.
  if (card === null && add.length > 0) throw new InvalidError('the group does not exist any more', PUT);
};

/** Returns the groups of each contact after the changes. */
const membershipsAfter = async (
  context: BookContext,
  cards: ReadonlyMap<string, Card>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const memberships = membershipsIn(await listGroupCards(context, signal));
  return new Map([...cards].map(([key, card]) => [key, groupIdsOf(card, cardGroupsOf(card, memberships))]));
};

/** Changes memberships: categories one contact at a time, group cards one group at a time. */
export const changeMembership = async (
  context: BookContext,
  batch: readonly MembershipRequest[],
  signal: AbortSignal,
): Promise<readonly Result[]> => {
  requireWritable(await context.find(signal));
  const written = await settleEach(batch, CONCURRENCY, (request) => writeCategories(context, request, signal));
  const cards = new Map(written.flatMap((result) => (result.ok ? [[result.key, result.value] as const] : [])));
  const errors = new Map(written.flatMap((result) => (result.ok ? [] : [[result.key, result.error] as const])));
  for (const [groupId, change] of groupChanges(batch, cards)) {
    const result = await settle(groupId, () => writeGroup(context, groupId, change, signal));
    if (!result.ok) for (const key of change.keys) errors.set(key, result.error);
  }
  const after = await membershipsAfter(context, cards, signal);
  return written.map(({ key }): Result => {
    const error = errors.get(key);
    return error === undefined ? { key, ok: true, value: after.get(key) ?? [] } : { key, ok: false, error };
  });
};

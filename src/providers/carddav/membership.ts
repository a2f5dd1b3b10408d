import { fieldsIn } from '../../core/contact/contact.ts';
import type { AlteredContact, MembershipRequest } from '../../core/contact/requests.ts';
import { equalIn } from '../../core/contact/snapshot.ts';
import { InvalidError, NotFoundError, type RemoteError } from '../errors.ts';
import type { MembershipResult, WriteResult } from '../remote.ts';
import { settle, settleEach } from '../write-results.ts';
import { CONCURRENCY, type BookContext, noteCategories } from './book.ts';
import { type CardReading, readCards } from './cards.ts';
import type { StoredCard } from './stored-form.ts';
import type { Card } from './card/content-line.ts';
import { textOf } from './card/edits.ts';
import { memberKeyOf, withCategories, withMembers } from './group-cards.ts';
import { cardGroupsOf, categoryNameOf, groupIdsOfCard, isCardGroup, membershipsIn } from './mapper.ts';
import { orNothing, requireWritable, unconfirmed } from './push.ts';
import { findByUid, listGroupCards } from './search.ts';
import { editCard, type EditedCard, PUT } from './write-card.ts';

const categoriesIn = (groupIds: readonly string[]): readonly string[] =>
  groupIds.flatMap((id) => categoryNameOf(id) ?? []);

/** Writes the categories of one contact. Returns the card that was sent, or the unchanged one. */
const writeCategories = async (
  context: BookContext,
  { id, add, remove }: MembershipRequest,
  known: CardReading | undefined,
): Promise<EditedCard> => {
  const edit = (card: Card): Card => withCategories(card, categoriesIn(add), categoriesIn(remove));
  const edited = await editCard(context, id, edit, known);
  if (edited === null) throw new NotFoundError('the card does not exist any more', PUT);
  return edited;
};

/** A card that was sent, or the unchanged one, and the card as the server stores it, if it was read afterwards. */
type WrittenCard = { readonly sent: Card; readonly read: StoredCard | null };

/** Returns the cards as the server stores them. After an answer without a strong ETag, they are read (R2). */
const readBack = async (
  context: BookContext,
  edited: readonly WriteResult<EditedCard>[],
): Promise<readonly WriteResult<WrittenCard>[]> => {
  const unsure = edited.flatMap((each) =>
    each.ok && each.value.isWritten && each.value.stored.etag === null ? [each.value.stored.id] : [],
  );
  const readings = await orNothing(readCards(context, unsure));
  return edited.map((each) => {
    if (!each.ok) return each;
    const { id, card: sent } = each.value.stored;
    if (!unsure.includes(id)) return { ...each, value: { sent, read: null } };
    const reading = readings.get(id);
    if (reading?.kind !== 'card') return { key: each.key, ok: false, error: unconfirmed() };
    return { ...each, value: { sent, read: reading.stored } };
  });
};

/** Returns the differences between a stored card and the one that was sent; null if there are none. */
const alterationOf = (
  { mapping, records }: BookContext,
  { sent, read }: WrittenCard,
  groupIds: readonly string[],
): AlteredContact | null => {
  if (read === null) return null;
  const own = mapping.read(sent).contact;
  const record = records.recordOf(read, groupIds.filter(isCardGroup));
  const fields = fieldsIn(own, record.contact).filter((field) => !equalIn(field, own, record.contact));
  const altered = new Set(groupIdsOfCard(sent, [])).symmetricDifference(new Set(groupIdsOfCard(read.card, [])));
  return fields.length + altered.size === 0 ? null : { record, fields, groupIds: [...altered] };
};

/** A contact that joins or leaves a group card. */
type Move = { readonly key: string; readonly id: string; readonly card: Card };

/** The contacts to add to and remove from one group card. */
type GroupChange = { readonly add: Move[]; readonly remove: Move[] };

/** Returns the changes of group cards, by the ids of the groups. */
const groupChanges = (
  batch: readonly MembershipRequest[],
  cards: ReadonlyMap<string, Card>,
): ReadonlyMap<string, GroupChange> => {
  const changes = new Map<string, GroupChange>();
  for (const { key, id, add, remove } of batch) {
    const card = cards.get(key);
    if (card === undefined) continue;
    for (const groupId of [...add, ...remove].filter(isCardGroup)) {
      const change = changes.get(groupId) ?? { add: [], remove: [] };
      if (add.includes(groupId)) change.add.push({ key, id, card });
      // A card without a UID is no member.
      else if (memberKeyOf(card) !== '') change.remove.push({ key, id, card });
      changes.set(groupId, change);
    }
  }
  return changes;
};

/** The reasons why contacts cannot join or leave a group card, by their keys. */
type Refusals = ReadonlyMap<string, RemoteError>;

const memberOf = ({ card }: Pick<Move, 'card'>): string => memberKeyOf(card);

/** Returns the refused contacts of a change: a member is a UID, so each card with that UID joins and leaves with it. */
const refusedMoves = async (context: BookContext, { add, remove }: GroupChange): Promise<Refusals> => {
  const leaving = new Set(remove.map(({ id }) => id));
  const found = await findByUid(context, remove.map(memberOf));
  const shared = new Set(found.filter(({ id }) => !leaving.has(id)).map(memberOf));
  const without = add.filter((move) => memberOf(move) === '');
  return new Map<string, RemoteError>([
    ...without.map(({ key }) => [key, new InvalidError('a card without a UID cannot join a group', PUT)] as const),
    ...remove
      .filter((move) => shared.has(memberOf(move)))
      .map(
        ({ key }) => [key, new InvalidError('another card with the same UID would leave the group, too', PUT)] as const,
      ),
  ]);
};

/** Changes the members of a group card. Returns the refused contacts. */
const writeGroup = async (context: BookContext, groupId: string, change: GroupChange): Promise<Refusals> => {
  const refused = await refusedMoves(context, change);
  const accepted = (moves: readonly Move[]) => moves.filter(({ key }) => !refused.has(key));
  const [add, remove] = [accepted(change.add), accepted(change.remove)];
  const edit = (group: Card): Card =>
    withMembers(
      group,
      add.map(({ card }) => textOf(card, 'UID')),
      remove.map(memberOf),
    );
  const edited = await editCard(context, groupId, edit);
  // A deleted group has no members: a removal is done, an addition is impossible.
  if (edited === null && add.length > 0) throw new InvalidError('the group does not exist any more', PUT);
  return refused;
};

/** Returns the groups of each contact after the changes. */
const membershipsAfter = async (
  context: BookContext,
  cards: ReadonlyMap<string, Card>,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const memberships = membershipsIn(await listGroupCards(context));
  return new Map([...cards].map(([key, card]) => [key, groupIdsOfCard(card, cardGroupsOf(card, memberships))]));
};

/** Changes memberships: categories one contact at a time, group cards one group at a time. */
export const changeMembership = async (
  context: BookContext,
  batch: readonly MembershipRequest[],
): Promise<readonly MembershipResult[]> => {
  requireWritable(context.book);
  const ids = batch.map(({ id }) => id);
  const known = await readCards(context, ids, true);
  const edited = await settleEach(batch, CONCURRENCY, (request) =>
    writeCategories(context, request, known.get(request.id)),
  );
  const written = await readBack(context, edited);
  const found = new Map(written.flatMap((result) => (result.ok ? [[result.key, result.value] as const] : [])));
  const cards = new Map([...found].map(([key, { sent, read }]) => [key, read?.card ?? sent]));
  const errors = new Map(written.flatMap((result) => (result.ok ? [] : [[result.key, result.error] as const])));
  for (const [groupId, change] of groupChanges(batch, cards)) {
    const result = await settle(groupId, () => writeGroup(context, groupId, change));
    const refused = result.ok
      ? result.value
      : new Map([...change.add, ...change.remove].map(({ key }) => [key, result.error] as const));
    for (const [key, error] of refused) errors.set(key, error);
  }
  const after = await membershipsAfter(context, cards);
  noteCategories(context, [...after.values()].flat());
  return written.map(({ key }): MembershipResult => {
    const error = errors.get(key);
    if (error !== undefined) return { key, ok: false, error };
    const own = found.get(key);
    const value = after.get(key) ?? [];
    const altered = own === undefined ? null : alterationOf(context, own, value);
    return { key, ok: true, value, ...(altered !== null && { altered }) };
  });
};

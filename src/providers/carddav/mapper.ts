import type { ContactRecord } from '../../core/contact/record.ts';
import { normaliseText } from '../../core/contact/text.ts';
import { sortedIds } from '../groups.ts';
import { createRowDigest } from '../listing.ts';
import type { CardMapping } from './card/card-mapping.ts';
import type { Card } from './card/content-line.ts';
import type { StoredCard } from './stored-form.ts';
import { categoriesOf, memberKeyOf, membersOf } from './group-cards.ts';
import { originMarkOf } from './origin-uid.ts';

const CATEGORY = 'category:';

/** Returns the id of a category as a group. It contains only the name, in the spelling of `categoriesOf`. */
export const categoryId = (name: string): string => `${CATEGORY}${normaliseText(name)}`;

/** Returns the category name in a group id; null for a group that is a card. */
export const categoryNameOf = (groupId: string): string | null =>
  groupId.startsWith(CATEGORY) ? groupId.slice(CATEGORY.length) : null;

/** Returns whether a group is a card. */
export const isCardGroup = (groupId: string): boolean => categoryNameOf(groupId) === null;

/** The group cards, by the keys of their members. */
export type Memberships = ReadonlyMap<string, readonly string[]>;

export const membershipsIn = (groups: readonly Pick<StoredCard, 'id' | 'card'>[]): Memberships => {
  const byMember = new Map<string, string[]>();
  for (const { id, card } of groups) {
    for (const key of membersOf(card)) byMember.set(key, [...(byMember.get(key) ?? []), id]);
  }
  return byMember;
};

/** Returns the group cards that contain a card. */
export const cardGroupsOf = (card: Card, memberships: Memberships): readonly string[] =>
  memberships.get(memberKeyOf(card)) ?? [];

/** Returns the groups of a card: its categories and its group cards. */
export const groupIdsOfCard = (card: Card, cardGroups: readonly string[]): readonly string[] =>
  sortedIds([...categoriesOf(card).map(categoryId), ...cardGroups]);

/**
 * Creates the digests of cards ({@link ContactRecord.digest}). For a card without groups it depends only on the id and the ETag,
 * so that the card is known before it is read. An ETag identifies a version of one card only: those of SOGo count the versions of
 * each card. For any other card the digest also depends on its group cards.
 */
const rowDigests = ({ reader }: CardMapping) => {
  const digestOf = createRowDigest(reader);
  return (id: string, etag: string | null, groupIds: readonly string[]): string | null => {
    if (etag === null) return null;
    return digestOf(groupIds.length === 0 ? [id, etag] : [id, etag, groupIds.filter(isCardGroup)]);
  };
};

type ReadCard = Omit<StoredCard, 'isOriginal'>;

/** A card of which no record is made yet, with its groups and its digest. */
export type CardRow = ReadCard & { readonly groupIds: readonly string[]; readonly digest: string | null };

/** Makes records of the cards of an address book. */
export const createRecords = (mapping: CardMapping) => {
  const digestOf = rowDigests(mapping);
  const rowOf = (read: ReadCard, cardGroups: readonly string[]): CardRow => {
    const groupIds = groupIdsOfCard(read.card, cardGroups);
    return { ...read, groupIds, digest: digestOf(read.id, read.etag, groupIds) };
  };
  const recordOfRow = ({ card, digest, etag, groupIds, id, modifiedAtMs }: CardRow): ContactRecord => {
    const { unsyncable, ...read } = mapping.read(card);
    const originMark = originMarkOf(card);
    return {
      id,
      version: etag ?? '',
      modifiedAtMs,
      ...(modifiedAtMs !== null && { isClaimedTime: true }),
      ...read,
      groupIds,
      // A write reads the card again, so unmapped data stays on the server.
      raw: '{}',
      originId: null,
      ...(originMark !== null && { originMark }),
      ...(unsyncable.length > 0 && { unsyncable }),
      ...(digest !== null && { digest }),
    };
  };
  return {
    digestOf,
    rowOf,
    recordOfRow,
    recordOf: (read: ReadCard, cardGroups: readonly string[]): ContactRecord => recordOfRow(rowOf(read, cardGroups)),
  };
};

export type Records = ReturnType<typeof createRecords>;

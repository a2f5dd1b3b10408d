import { isUnselected, type Half } from '../contact/half.ts';
import { emailKey } from '../contact/keys.ts';
import { isEmptyContact } from '../contact/contact.ts';
import { rankBy } from '../contact/search.ts';
import type { PairStatus } from '../reconcile/decision.ts';
import type { HalfQuery, Member } from './store.ts';

/** A half by what is asked of a member. */
type MemberHalf = Omit<Member, 'groupId'> & { readonly groupIds: readonly string[] };

/** The halves as members of the groups asked for, one for each of its groups. */
export const membersOf = (halves: readonly MemberHalf[], groupIds: readonly string[]): readonly Member[] => {
  const asked = new Set(groupIds);
  return halves.flatMap(({ groupIds: own, ...half }) => {
    return own.filter((id) => asked.has(id)).map((groupId) => ({ ...half, groupId }));
  });
};

/** Whether a half's record holds an email address of one of the keys. */
export const holdsEmail = (keys: readonly string[]): ((half: Half) => boolean) => {
  const asked = new Set(keys);
  return ({ record }) => record.contact.emailAddresses.some(({ value }) => asked.has(emailKey(value)));
};

/** The status of a pair; undefined where there is no such pair. */
export type StatusOf = (pair: number) => PairStatus | undefined;

/** What {@link HalfQuery} means: whether the query asks for a half. */
export const asksFor = (query: HalfQuery, statusOf: StatusOf): ((half: Half) => boolean) => {
  const status = ({ pair }: Half): PairStatus | undefined => (pair === null ? undefined : statusOf(pair));
  switch (query.by) {
    case 'id': {
      const ids = new Set(query.ids);
      return ({ side, id }) => side === query.side && ids.has(id);
    }
    case 'pair': {
      const pairs = new Set(query.pairs);
      return ({ pair }) => pair !== null && pairs.has(pair);
    }
    case 'state': {
      const states = new Set(query.states);
      return ({ side, state }) => states.has(state) && (query.side ?? side) === side;
    }
    case 'alone':
      return (half) => status(half) === 'kept' || status(half) === 'dormant';
    case 'asleep':
      return (half) => status(half) === 'asleep';
    case 'unselected':
      return isUnselected;
    case 'email': {
      const isHolder = holdsEmail(query.keys);
      return (half) => half.side === query.side && isHolder(half);
    }
    case 'search': {
      const rank = rankBy(query.text);
      return ({ record }) => rank(record.contact) !== null;
    }
    case 'blank':
      return ({ pair, record }) => pair === null && isEmptyContact(record.contact);
    case 'all':
      return () => true;
  }
};

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** The halves in the order in which the store answers them. */
export const inOrder = (halves: readonly Half[]): Half[] =>
  halves.toSorted((one, other) => compare(one.side, other.side) || compare(one.id, other.id));

/** Of halves that a text names so many at most, those that it names best. */
export const bestOf = (
  halves: readonly Half[],
  { text, limit }: Extract<HalfQuery, { by: 'search' }>,
): readonly Half[] => {
  const rank = rankBy(text);
  const ranked = inOrder(halves).map((half) => ({ half, rank: rank(half.record.contact) ?? Infinity }));
  const best = ranked.toSorted((one, other) => one.rank - other.rank).slice(0, limit);
  return inOrder(best.map(({ half }) => half));
};

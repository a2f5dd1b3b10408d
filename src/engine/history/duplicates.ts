import { createHash } from 'node:crypto';
import type { Half } from '../../core/contact/half.ts';
import { SIDES, type Side } from '../../core/contact/side.ts';
import { findDuplicates } from '../../core/reconcile/duplicates.ts';
import type { Store } from '../../store/store.ts';
import { likenessOf, nameOf } from '../../core/view/values.ts';
import type { DuplicatesView, Why } from '../../core/view/views.ts';

const ID_LENGTH = 8;

/** The same as long as the members are. */
const idOf = (side: Side, members: readonly Half[]): string =>
  createHash('sha256')
    .update(JSON.stringify([side, ...members.map(({ id }) => id)]))
    .digest('hex')
    .slice(0, ID_LENGTH);

/** What any two of the members have in common, each reason once. */
const reasonsOf = (members: readonly Half[]): readonly Why[] => {
  const reasons = new Map<string, Why>();
  for (const [index, one] of members.entries()) {
    for (const other of members.slice(index + 1)) {
      const why = likenessOf(one.record.contact, other.record.contact);
      if (why !== null) reasons.set(JSON.stringify(why), why);
    }
  }
  return [...reasons.values()];
};

/**
 * The contacts of each side that are likely one person, as the last run saw them, in groups; asks neither side. A group that
 * gains or loses a member is another one.
 */
export const listDuplicates = async (store: Store, link: string): Promise<readonly DuplicatesView[]> => {
  const halves = await store.halves(link, { by: 'all' });
  return SIDES.flatMap((side) =>
    findDuplicates(halves.filter((half) => half.side === side)).map((members): DuplicatesView => ({
      id: idOf(side, members),
      side,
      members: members.map(({ id, pair, record }) => ({ id, name: nameOf(record.contact), isLinked: pair !== null })),
      why: reasonsOf(members),
    })),
  );
};

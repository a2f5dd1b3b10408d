import { createHash } from 'node:crypto';
import { isPresent, type Half } from '../../core/contact/half.ts';
import { type Side, SIDES, bySide, type Sides } from '../../core/contact/side.ts';
import { findDuplicates } from '../../core/reconcile/duplicates.ts';
import type { Verdict } from '../../core/reconcile/verdict.ts';
import { nameOf, likenessOf } from '../../core/view/values.ts';
import type { DuplicatesView, Why } from '../../core/view/views.ts';
import type { Store } from '../../store/store.ts';

const ID_LENGTH = 8;

/** Returns an id that changes with the members. */
const idOf = (side: Side, members: readonly Half[]): string =>
  createHash('sha256')
    .update(JSON.stringify([side, ...members.map(({ id }) => id)]))
    .digest('hex')
    .slice(0, ID_LENGTH);

/** Returns the reasons why two of the members are alike, each once. */
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
 * Returns the contacts of each side that are likely one person, in groups, as the last run stored them. The id of a group
 * changes with its members.
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

/** A user's decision about two contacts, with their names; null for a contact that no run has read. */
export type VerdictView = Verdict & { readonly names: Sides<string | null> };

/** Returns the decisions of users about contacts that are not paired, the newest first (R13). */
export const listVerdicts = async (store: Store, link: string): Promise<readonly VerdictView[]> => {
  const { verdicts } = await store.link(link);
  if (verdicts.length === 0) return [];
  const ids = { left: verdicts.map(({ leftId }) => leftId), right: verdicts.map(({ rightId }) => rightId) };
  const found = await Promise.all(SIDES.map((side) => store.halves(link, { by: 'id', side, ids: ids[side] })));
  const halves = found.flat().filter(isPresent);
  const names = new Map(halves.map(({ side, id, record }) => [`${side} ${id}`, nameOf(record.contact)]));
  const nameIn = ({ leftId, rightId }: Verdict) =>
    bySide((side) => names.get(`${side} ${side === 'left' ? leftId : rightId}`) ?? null);
  return verdicts.map((verdict) => ({ ...verdict, names: nameIn(verdict) })).toSorted((a, b) => b.atMs - a.atMs);
};

import { type Contact, listsIn, scalarsIn, textIn, withValue } from '../contact/contact.ts';
import { type Half, stands } from '../contact/half.ts';
import { keyLists, listOf, withList } from '../contact/lists.ts';
import { SIDES } from '../contact/side.ts';
import type { Merge, Pair, Unlink } from './decision.ts';
import type { GroupLink } from './membership.ts';
import { membershipOn } from './planned.ts';
import type { Selection } from './selection.ts';

type Selects = Selection['selects'];

/** Whether the side of a half selects it as it stands. */
export const isSelected = ({ side, record }: Half, selects: Selects): boolean => selects(side, record);

/** The base's contact with what both sides came to agree on: equal texts, and elements that neither has any longer. */
const agreedContact = (base: Contact, own: Contact, other: Contact): Contact => {
  let agreed = base;
  for (const field of scalarsIn(base, own, other)) {
    if (textIn(own, field) === textIn(other, field)) agreed = withValue(agreed, field, textIn(own, field));
  }
  for (const field of listsIn(base, own, other)) {
    const keyed = keyLists(field, { base: listOf(base, field), own: listOf(own, field), other: listOf(other, field) });
    const kept = [...keyed.base].filter(([key]) => keyed.own.has(key) || keyed.other.has(key));
    if (kept.length < keyed.base.size) {
      agreed = withList(
        agreed,
        field,
        kept.map(([, element]) => element),
      );
    }
  }
  return agreed;
};

/**
 * The half as it sleeps. What both sides came to agree on enters its base: put back at one side later, it is a change, and
 * not what the other side has taken away. Groups that unite their members now unite with it when it wakes, as if it had
 * been in none of them.
 */
const asleep = (half: Half, other: Half, links: readonly GroupLink[]): Half => {
  const { base, record, side } = half;
  if (base === null) return half;
  const ids = new Set(base.groupIds);
  for (const link of links) {
    const [own, like] = [link[side], link[other.side]];
    if (own === null) continue;
    const isIn = record.groupIds.includes(own);
    const isAgreed = like !== null && isIn === other.record.groupIds.includes(like);
    if (!link.settled || (isAgreed && !isIn)) ids.delete(own);
    else if (isAgreed) ids.add(own);
  }
  const contact = agreedContact(base.contact, record.contact, other.record.contact);
  return { ...half, base: { ...base, contact, groupIds: [...ids].toSorted() } };
};

/**
 * What selection decides of a pair before anything else is asked: it falls asleep, sleeps on, or ends because a half was
 * deleted while it slept; null: it is decided as any other.
 */
export const decideSleep = (pair: Pair, links: readonly GroupLink[], selects: Selects): Unlink | null => {
  const { left, right } = pair;
  if (stands(left) && stands(right)) {
    if (isSelected(left, selects) || isSelected(right, selects)) return null;
    const halves = { left: asleep(left, right, links), right: asleep(right, left, links) };
    return { kind: 'unlink', pair: { ...pair, ...halves }, to: 'asleep' };
  }
  if (pair.status !== 'asleep') return null;
  return { kind: 'unlink', pair, to: stands(left) || stands(right) ? 'kept' : 'drop' };
};

/** The merge, which ends in sleep where no side selects the memberships that it leaves. */
export const withSleep = (merge: Merge, links: readonly GroupLink[], selects: Selects): Merge => {
  const staysSelected = SIDES.some((side) => {
    const { record } = merge.pair[side];
    const { joins = [], leaves = [] } = membershipOn(merge.writes, side) ?? {};
    const idsOf = (keys: readonly string[]): readonly string[] =>
      links.flatMap((link) => (keys.includes(link.key) ? [link[side] ?? link.key] : []));
    const left = new Set(idsOf(leaves));
    return selects(side, { ...record, groupIds: [...record.groupIds.filter((id) => !left.has(id)), ...idsOf(joins)] });
  });
  return staysSelected ? merge : { ...merge, sleeps: true };
};

/** The contacts of no pair of which it has changed whether their side selects them, as they are to be stored. */
export const restOf = (unpaired: readonly Half[], selects: Selects): readonly Half[] =>
  unpaired.flatMap((half) => {
    const state = isSelected(half, selects) ? 'changed' : 'settled';
    return half.state === state ? [] : [{ ...half, state } as const];
  });

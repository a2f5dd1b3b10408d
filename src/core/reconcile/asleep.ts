import { type Contact, listsIn, scalarsIn, textIn, withValue } from '../contact/contact.ts';
import { type Half, isPresent } from '../contact/half.ts';
import { keyListsIn, withKeyed } from '../contact/lists.ts';
import { SIDES } from '../contact/side.ts';
import type { Merge, Pair, Unlink } from './decision.ts';
import type { GroupLink } from './membership.ts';
import { membershipOn } from './planned.ts';
import type { Selection } from './selection.ts';

type Selects = Selection['selects'];

/** Returns whether the side of a half selects its current contact. */
export const isSelected = ({ side, record }: Half, selects: Selects): boolean => selects(side, record);

/**
 * Adds to the base the changes that both sides agree on: equal texts, and the removal of elements that neither side has any longer.
 */
const agreedContact = (base: Contact, own: Contact, other: Contact): Contact => {
  let agreed = base;
  for (const field of scalarsIn(base, own, other)) {
    if (textIn(own, field) === textIn(other, field)) agreed = withValue(agreed, field, textIn(own, field));
  }
  for (const field of listsIn(base, own, other)) {
    const keyed = keyListsIn(field, { base, own, other });
    const kept = [...keyed.base].filter(([key]) => keyed.own.has(key) || keyed.other.has(key));
    if (kept.length < keyed.base.size) agreed = withKeyed(agreed, field, kept);
  }
  return agreed;
};

/**
 * Returns the half of a pair that falls asleep. Values that both sides agree on enter its base. If one side later restores an old
 * value, this is then a change of that side and not a removal by the other side. Groups whose members are united in this run are
 * removed from the base. They are united with the contact when it wakes.
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
 * Returns the decision that follows from the selection alone: the pair falls asleep, stays asleep, or ends because a half was
 * deleted while it was asleep. Returns null if the pair is decided like any other pair.
 */
export const decideSleep = (pair: Pair, links: readonly GroupLink[], selects: Selects): Unlink | null => {
  const { left, right } = pair;
  if (isPresent(left) && isPresent(right)) {
    if (isSelected(left, selects) || isSelected(right, selects)) return null;
    const halves = { left: asleep(left, right, links), right: asleep(right, left, links) };
    return { kind: 'unlink', pair: { ...pair, ...halves }, to: 'asleep' };
  }
  if (pair.status !== 'asleep') return null;
  return { kind: 'unlink', pair, to: isPresent(left) || isPresent(right) ? 'kept' : 'drop' };
};

/** Marks the merge with `sleeps` if no side selects the memberships that it leaves. */
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

/** Returns the unpaired contacts whose selection by their side has changed, as they are to be stored. */
export const restOf = (unpaired: readonly Half[], selects: Selects): readonly Half[] =>
  unpaired.flatMap((half) => {
    const state = isSelected(half, selects) ? 'changed' : 'settled';
    return half.state === state ? [] : [{ ...half, state } as const];
  });

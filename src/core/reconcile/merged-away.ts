import { keepChosen, without, withoutExtras } from '../contact/chosen.ts';
import {
  type Contact,
  type ContactField,
  EMPTY_CONTACT,
  listsIn,
  scalarsIn,
  textIn,
  withValue,
} from '../contact/contact.ts';
import { keyListsIn, listOf, withKeyed, withList } from '../contact/lists.ts';
import { type Half, halfKey, isPresent } from '../contact/half.ts';
import { namesAgree } from '../contact/name-agreement.ts';
import { unsyncableFields, unsyncableIn } from '../contact/record.ts';
import { withWholeName } from '../contact/unsynced-name.ts';
import { bySide, otherSide, type Side, SIDES, type Sides } from '../contact/side.ts';
import type { Pair } from '../contact/pair.ts';
import type { Conflict, Decision, Deletion, Merge, SideWrites } from './decision.ts';
import { mayWrite, type Policy, unwrittenFields } from './policy.ts';
import { aliasLeftovers } from './similar.ts';

/** Returns the values of a contact that its other half (`taken`) does not have; the other fields are empty. */
const missingFrom = (contact: Contact, taken: Contact): Contact => {
  let rest = EMPTY_CONTACT;
  for (const field of scalarsIn(contact)) {
    if (textIn(taken, field) === '') rest = withValue(rest, field, textIn(contact, field));
  }
  for (const field of listsIn(contact)) {
    const lists = keyListsIn(field, { left: taken, right: contact, leftBase: taken, rightBase: contact });
    // A value that the other half has in another spelling is not missing.
    const { right, leftBase } = aliasLeftovers(lists);
    rest = withKeyed(
      rest,
      field,
      [...right].filter(([key]) => !leftBase.has(key)),
    );
  }
  return rest;
};

/**
 * Separates the values for which the survivor has none from those for which it has another value: conflicts that the survivor wins.
 */
const settleScalars = (survivor: Sides<Contact>, rest: Contact, side: Side) => {
  let free = rest;
  const conflicts: Conflict[] = [];
  for (const field of scalarsIn(rest)) {
    const value = textIn(survivor[side], field) || textIn(survivor[otherSide(side)], field);
    const added = textIn(rest, field);
    if (value === '' || added === '') continue;
    free = withValue(free, field, '');
    if (value === added) continue;
    const [left, right] = side === 'left' ? [added, value] : [value, added];
    conflicts.push({ field, left, right, winner: otherSide(side) });
  }
  return { free, conflicts };
};

/** Adds the values and elements of `more` that the contact lacks. Returns the contact and the fields that were changed. */
const withMissing = (contact: Contact, more: Contact) => {
  const fields: ContactField[] = [];
  let desired = contact;
  for (const field of scalarsIn(more)) {
    if (textIn(contact, field) !== '' || textIn(more, field) === '') continue;
    fields.push(field);
    desired = withValue(desired, field, textIn(more, field));
  }
  for (const field of listsIn(more)) {
    const keyed = keyListsIn(field, { own: contact, more });
    const gained = [...keyed.more].filter(([key]) => !keyed.own.has(key)).map(([, element]) => element);
    if (gained.length === 0) continue;
    fields.push(field);
    desired = withList(desired, field, [...listOf(contact, field), ...gained]);
  }
  return { desired, fields };
};

/**
 * Moves the values that only the deleted contact has to the survivor. Returns the survivor's decision and the deletion. The values
 * are written on the side of the deletion, like an edit of its user, so that a later plan copies them to the other side even if
 * this run is interrupted. A field that is synced only to the other side is written there. Values of `taken`, which the survivor
 * already has, are left out. Returns null if a value would replace one of the survivor that is not synced (R15).
 */
const giveToSurvivor = (
  survivor: Merge,
  deletion: Deletion,
  policy: Policy,
  taken: Contact = EMPTY_CONTACT,
): { readonly survivor: Merge; readonly deletion: Deletion } | null => {
  const { side, record } = deletion;
  const contacts = bySide((of) => survivor.writes[of].update?.desired ?? survivor.pair[of].record.contact);
  const { free, conflicts } = settleScalars(contacts, missingFrom(withoutExtras(record.contact), taken), side);
  const unwritten = unwrittenFields(policy, side);
  const oneWay = new Set(unwritten).difference(new Set(unwrittenFields(policy, otherSide(side))));
  const gifts = bySide((to) => {
    const rest = to === side ? without(free, unwritten) : keepChosen(free, oneWay);
    return withMissing(contacts[to], mayWrite(policy, to) ? rest : EMPTY_CONTACT);
  });
  const isBlocked = (to: Side): boolean => {
    const unsyncable = unsyncableFields(survivor.pair[to].record);
    return gifts[to].fields.some((field) => unsyncable.has(field));
  };
  if (SIDES.some(isBlocked)) return null;
  const after = { survivorId: survivor.pair[side].id, fields: bySide((to) => gifts[to].fields) };
  const writes = bySide((to): SideWrites => {
    const { fields: gained, desired } = gifts[to];
    const planned = survivor.writes[to];
    if (gained.length === 0) return planned;
    const fields = [...new Set([...(planned.update?.fields ?? []), ...gained])];
    return { ...planned, update: { fields, desired } };
  });
  const next: Merge = { ...survivor, writes, conflicts: [...survivor.conflicts, ...conflicts] };
  return { survivor: next, deletion: { ...deletion, after } };
};

const NAMING_FIELDS = ['emailAddresses', 'phoneNumbers'] as const;

/** For each email address and phone number, the contacts of a side that got it since the sides last agreed. */
type Takers = ReadonlyMap<string, readonly Merge[]>;

const keysOf = (contact: Contact): readonly string[] =>
  NAMING_FIELDS.flatMap((field) => {
    const { own } = keyListsIn(field, { own: contact });
    return [...own.keys()].map((key) => `${field} ${key}`);
  });

const takersOn = (decisions: readonly Decision[], side: Side): Takers => {
  const merges = decisions.filter((decision) => decision.kind === 'merge');
  const gains = merges.flatMap((merge) => {
    const { base, record } = merge.pair[side];
    const gained = new Set(keysOf(record.contact)).difference(new Set(keysOf(base?.contact ?? EMPTY_CONTACT)));
    return [...gained].map((key) => ({ key, merge }));
  });
  const byKey = Map.groupBy(gains, ({ key }) => key);
  return new Map([...byKey].map(([key, all]) => [key, all.map(({ merge }) => merge)]));
};

/**
 * Returns the id of the contact that a deletion's other half was merged into; null if it is unknown. A side may report a merge only
 * as a deletion. Then the survivor is the one contact that now has all email addresses and phone numbers of the deleted contact,
 * and lacked some of them before. The names must agree, because a successor or a spouse may have taken over addresses and numbers.
 */
const survivorOf = ({ side, pair }: Deletion, takers: Sides<Takers>): string | null => {
  const own = otherSide(side);
  const half = pair[own];
  if (half === null) return null;
  if (half.mergedInto !== null) return half.mergedInto;
  const keys = keysOf(half.record.contact);
  const some = new Set(keys.flatMap((key) => takers[own].get(key) ?? []));
  const [survivor, ...others] = [...some].filter((merge) => {
    const { record } = merge.pair[own];
    const present = new Set(keysOf(record.contact));
    return keys.every((key) => present.has(key)) && namesAgree(withWholeName(record), withWholeName(half.record), []);
  });
  return survivor === undefined || others.length > 0 ? null : survivor.pair[own].id;
};

/** Returns the unlink that keeps the contact of a deletion. A later plan may match it. */
const kept = ({ pair }: Deletion): Decision => ({ kind: 'unlink', pair, to: 'kept' });

/** Returns the keys of the halves that this plan leaves alone in their pair. */
const aloneIn = (decisions: readonly Decision[]): ReadonlySet<string> =>
  new Set(
    decisions.flatMap((decision) => {
      if (decision.kind !== 'unlink' || decision.to === 'drop' || decision.to === 'unselected') return [];
      return SIDES.flatMap((side) => (isPresent(decision.pair[side]) ? [halfKey(decision.pair[side])] : []));
    }),
  );

/** Returns the deletions with their positions, by the key of the contact that they delete. */
const deletionPlaces = (
  decisions: readonly Decision[],
): ReadonlyMap<string, { readonly deletion: Deletion; readonly place: number }> =>
  new Map(
    [...decisions.entries()].flatMap(([place, each]) =>
      each.kind === 'delete'
        ? [[halfKey({ side: each.side, id: each.record.id }), { deletion: each, place }] as const]
        : [],
    ),
  );

/**
 * Returns the key of the contact that a deletion's other half was merged into. If that contact is deleted, too, it is the contact that
 * its own other half was merged into, and so on. `passed` has the positions of these deletions. The key is null if there is no such
 * contact: one of them was deleted and not merged, or they were merged in a circle.
 */
const lastSurvivorOf = (deletion: Deletion, deletions: ReturnType<typeof deletionPlaces>, takers: Sides<Takers>) => {
  const passed: number[] = [];
  let current = deletion;
  for (;;) {
    const id = survivorOf(current, takers);
    if (id === null) return { key: null, passed };
    const key = halfKey({ side: otherSide(current.side), id });
    const next = deletions.get(key);
    if (next === undefined) return { key, passed };
    if (next.deletion === deletion || passed.includes(next.place)) return { key: null, passed };
    passed.push(next.place);
    current = next.deletion;
  }
};

/** Returns the positions of the decisions about merge survivors, by the key of their halves. */
const placesOf = (decisions: readonly Decision[]): ReadonlyMap<string, number> => {
  const places = new Map<string, number>();
  for (const [place, decision] of decisions.entries()) {
    if (decision.kind === 'create') places.set(`${otherSide(decision.side)} ${decision.source.id}`, place);
    if (decision.kind !== 'merge') continue;
    for (const half of [decision.pair.left, decision.pair.right]) places.set(halfKey(half), place);
  }
  return places;
};

/** Returns the keys of the contacts to which this plan writes nothing, because no side selects them or because they are alone. */
const unwrittenIn = (decisions: readonly Decision[]): ReadonlySet<string> => {
  const unlinked = decisions.flatMap((decision) => {
    const isUnlinked =
      decision.kind === 'merge' ? decision.unlinks : decision.kind === 'unlink' && decision.to === 'unselected';
    return isUnlinked ? SIDES.flatMap((side) => decision.pair?.[side] ?? []) : [];
  });
  return new Set(unlinked.map(halfKey)).union(aloneIn(decisions));
};

type Decided = readonly (Decision | null)[];

/** Returns the decisions after the values of a deleted contact were given to the survivor at that position. */
const withGift = (
  decided: Decided,
  place: number,
  deletion: Deletion,
  survivorPlace: number,
  policy: Policy,
): Decided => {
  // A value that is not synced cannot be moved.
  if (unsyncableIn(deletion.record).length > 0) return decided.with(place, kept(deletion));
  const survivor = decided[survivorPlace];
  // A survivor that is yet to be created: the deletion waits.
  if (survivor?.kind !== 'merge') return decided.with(place, null);
  const taken = deletion.pair[otherSide(deletion.side)]?.base?.contact;
  const given = giveToSurvivor(survivor, deletion, policy, taken);
  if (given === null) return decided.with(place, kept(deletion));
  return decided.with(survivorPlace, given.survivor).with(place, given.deletion);
};

/** Decides about two contacts that are paired as at a first meeting. `pair` is that of one of them. */
type Meet = (pair: Pair, halves: Sides<Half>) => Decision;

/** Returns the contact of a side that a decision deletes or leaves alone, with its pair. */
const loneContact = (decision: Decision | null, side: Side): { readonly pair: Pair; readonly half: Half } | null => {
  if (decision?.kind !== 'delete' && decision?.kind !== 'unlink') return null;
  const isLone = decision.kind === 'delete' ? decision.side === side : decision.to === 'kept';
  const half = decision.pair[side];
  return isLone && isPresent(half) ? { pair: decision.pair, half } : null;
};

/**
 * Returns the decisions with the contact of a deletion and the survivor paired with each other if the survivor has no other half
 * either: a user merged the two into one person.
 */
const reunited = (decided: Decided, place: number, deletion: Deletion, takers: Sides<Takers>, meet: Meet): Decided => {
  const { pair, side } = deletion;
  const own = otherSide(side);
  const [half, survivorId] = [pair[side], survivorOf(deletion, takers)];
  const survivorPlace = decided.findIndex((each) => loneContact(each, own)?.half.id === survivorId);
  const survivor = loneContact(decided[survivorPlace] ?? null, own);
  if (survivor === null || half === null) return decided;
  const halves = { left: half, right: half, [own]: survivor.half };
  return decided.with(place, { kind: 'unlink', pair, to: 'drop' }).with(survivorPlace, meet(survivor.pair, halves));
};

/** Returns the decisions with the contacts of these deletions kept. */
const keepAll = (decided: Decided, places: readonly number[]): Decided =>
  decided.map((decision, place) => (places.includes(place) && decision?.kind === 'delete' ? kept(decision) : decision));

/**
 * Keeps values of contacts that are deleted because of a merge on the other side (R12). When two contacts of a side are merged into
 * one, one of their two counterparts is deleted. Values that only this counterpart has are moved to the remaining counterpart. If
 * the remaining one is yet to be created, the deletion waits for a later plan. If the survivor is deleted itself or is alone in its
 * pair, the person would be lost: the two are paired with each other. Nothing is deleted if no side selects the survivor any more.
 * `others` has the keys of contacts without a decision that are alone or not selected.
 */
export const keepMergedValues = (
  decisions: readonly Decision[],
  policy: Policy,
  others: ReadonlySet<string>,
  meet: Meet,
): readonly Decision[] => {
  const deletions = deletionPlaces(decisions);
  if (deletions.size === 0) return decisions;
  const places = placesOf(decisions);
  const takers = bySide((side) => takersOn(decisions, side));
  const unwritten = others.union(unwrittenIn(decisions));
  const spared = new Set<number>();
  let next: Decided = decisions;
  for (const { deletion, place } of deletions.values()) {
    if (spared.has(place)) continue;
    const { key, passed } = lastSurvivorOf(deletion, deletions, takers);
    const survivorPlace = places.get(key ?? '');
    if (unwritten.has(key ?? '') || (passed.length > 0 && survivorPlace === undefined)) {
      next = keepAll(reunited(next, place, deletion, takers, meet), [place, ...passed]);
      for (const each of passed) spared.add(each);
    } else if (survivorPlace !== undefined) next = withGift(next, place, deletion, survivorPlace, policy);
  }
  return next.filter((decision) => decision !== null);
};

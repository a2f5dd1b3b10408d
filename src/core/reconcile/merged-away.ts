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
import { keyLists, listOf, withList } from '../contact/lists.ts';
import { namesAgree } from '../contact/name-agreement.ts';
import { unsyncableIn } from '../contact/record.ts';
import { bySide, otherSide, type Side, SIDES, type Sides } from '../contact/side.ts';
import type { Conflict, Decision, Deletion, Merge } from './decision.ts';
import { updateOn, withPlanned } from './planned.ts';
import { mayWrite, type Policy, unwrittenFields } from './policy.ts';
import { aliasLeftovers } from './similar.ts';

/** What a contact holds that its other half, as `taken` shows, never took; empty in all other fields. */
const missingFrom = (contact: Contact, taken: Contact): Contact => {
  let rest = EMPTY_CONTACT;
  for (const field of scalarsIn(contact)) {
    if (textIn(taken, field) === '') rest = withValue(rest, field, textIn(contact, field));
  }
  for (const field of listsIn(contact)) {
    const [own, other] = [listOf(contact, field), listOf(taken, field)];
    const lists = keyLists(field, { left: other, right: own, leftBase: other, rightBase: own });
    // What the other half holds in another spelling, it has taken.
    const { right, leftBase } = aliasLeftovers(lists);
    const elements = [...right].filter(([key]) => !leftBase.has(key)).map(([, element]) => element);
    rest = withList(rest, field, elements);
  }
  return rest;
};

/** The values that the survivor does not fill otherwise, and those that it does as conflicts that it wins. */
const settleScalars = (survivor: Readonly<Record<Side, Contact>>, rest: Contact, side: Side) => {
  let free = rest;
  const conflicts: Conflict[] = [];
  for (const field of scalarsIn(rest)) {
    const value = textIn(survivor[side], field) || textIn(survivor[otherSide(side)], field);
    const given = textIn(rest, field);
    if (value === '' || given === '') continue;
    free = withValue(free, field, '');
    if (value === given) continue;
    const [left, right] = side === 'left' ? [given, value] : [value, given];
    conflicts.push({ field, left, right, winner: otherSide(side) });
  }
  return { free, conflicts };
};

/** The contact with the values and elements that it lacks of `given`, and the fields that they are in. */
const withGiven = (contact: Contact, given: Contact) => {
  const fields: ContactField[] = [];
  let desired = contact;
  for (const field of scalarsIn(given)) {
    if (textIn(contact, field) !== '' || textIn(given, field) === '') continue;
    fields.push(field);
    desired = withValue(desired, field, textIn(given, field));
  }
  for (const field of listsIn(given)) {
    const keyed = keyLists(field, { own: listOf(contact, field), given: listOf(given, field) });
    const gained = [...keyed.given].filter(([key]) => !keyed.own.has(key)).map(([, element]) => element);
    if (gained.length === 0) continue;
    fields.push(field);
    desired = withList(desired, field, [...listOf(contact, field), ...gained]);
  }
  return { desired, fields };
};

/**
 * The survivor's decision and the deletion, once the survivor is given what nobody else holds: on the side of the deletion, as
 * if its user had entered it there, so that a later plan brings it to the other side whatever becomes of this run. A field
 * that goes to the other side only is given there. What the survivor has `taken` already is left out.
 */
export const giveToSurvivor = (
  survivor: Merge,
  deletion: Deletion,
  policy: Policy,
  taken: Contact = EMPTY_CONTACT,
): { readonly survivor: Merge; readonly deletion: Deletion } => {
  const { side, record } = deletion;
  const contacts = bySide((of) => updateOn(survivor.writes, of)?.desired ?? survivor.pair[of].record.contact);
  const { free, conflicts } = settleScalars(contacts, missingFrom(withoutExtras(record.contact), taken), side);
  const unwritten = unwrittenFields(policy, side);
  const oneWay = new Set(unwritten).difference(new Set(unwrittenFields(policy, otherSide(side))));
  const gifts = bySide((to) => {
    const rest = to === side ? without(free, unwritten) : keepChosen(free, oneWay);
    return withGiven(contacts[to], mayWrite(policy, to) ? rest : EMPTY_CONTACT);
  });
  const after = { survivorId: survivor.pair[side].id, fields: bySide((to) => gifts[to].fields) };
  const writes = SIDES.reduce((planned, to) => {
    const { fields: gained, desired } = gifts[to];
    if (gained.length === 0) return planned;
    const update = updateOn(planned, to);
    const fields = [...new Set([...(update?.fields ?? []), ...gained])];
    const given = to === side ? { given: [...new Set([...(update?.given ?? []), ...gained])] } : {};
    return withPlanned(planned, { ...update, kind: 'update', side: to, fields, desired, ...given });
  }, survivor.writes);
  const next: Merge = { ...survivor, writes, conflicts: [...survivor.conflicts, ...conflicts] };
  return { survivor: next, deletion: { ...deletion, after } };
};

const NAMING_FIELDS = ['emailAddresses', 'phoneNumbers'] as const;

/** Of each email address and phone number, the contacts of a side that came to hold it since the sides last agreed. */
type Takers = ReadonlyMap<string, readonly Merge[]>;

const keysOf = (contact: Contact): readonly string[] =>
  NAMING_FIELDS.flatMap((field) => {
    const { own } = keyLists(field, { own: contact[field] });
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
 * The contact that a deletion's other half was merged into; null where none is known. A side may show a merge as a deletion
 * alone: then it is the one contact that now holds all that named the deleted one, and did not hold some of it before. A
 * successor or a spouse may have taken over addresses and numbers, so their names must agree.
 */
const survivorOf = ({ side, pair }: Deletion, takers: Sides<Takers>): string | null => {
  const own = otherSide(side);
  const half = pair[own];
  if (half === null) return null;
  if (half.mergedInto !== null) return half.mergedInto;
  const keys = keysOf(half.record.contact);
  const some = new Set(keys.flatMap((key) => takers[own].get(key) ?? []));
  const [survivor, ...others] = [...some].filter((merge) => {
    const { contact } = merge.pair[own].record;
    const held = new Set(keysOf(contact));
    return keys.every((key) => held.has(key)) && namesAgree(contact, half.record.contact, []);
  });
  return survivor === undefined || others.length > 0 ? null : survivor.pair[own].id;
};

/** The places of the decisions about merge survivors, by the side and id of their contacts. */
const placesOf = (decisions: readonly Decision[]): ReadonlyMap<string, number> => {
  const places = new Map<string, number>();
  for (const [place, decision] of decisions.entries()) {
    if (decision.kind === 'unlink' && decision.to === 'asleep') {
      for (const side of SIDES) places.set(`${side} ${decision.pair[side]?.id}`, place);
    }
    if (decision.kind === 'create') places.set(`${otherSide(decision.side)} ${decision.source.id}`, place);
    if (decision.kind !== 'merge') continue;
    for (const side of SIDES) places.set(`${side} ${decision.pair[side].id}`, place);
  }
  return places;
};

/**
 * Two contacts that became one on a side leave two on the other, of which one is to go. Whatever that one alone holds, since
 * the side where they were merged never took it, goes to the one that stays (R12). Where that one is only about to be made,
 * the deletion waits for a later plan; where it is set apart, nothing is deleted.
 */
export const keepMergedValues = (decisions: readonly Decision[], policy: Policy): readonly Decision[] => {
  if (!decisions.some(({ kind }) => kind === 'delete')) return decisions;
  const places = placesOf(decisions);
  const takers = bySide((side) => takersOn(decisions, side));
  const next: (Decision | null)[] = [...decisions];
  for (const [place, deletion] of decisions.entries()) {
    if (deletion.kind !== 'delete') continue;
    const survivorPlace = places.get(`${otherSide(deletion.side)} ${survivorOf(deletion, takers)}`);
    if (survivorPlace === undefined) continue;
    // A value that is not synced cannot move to the survivor.
    if (unsyncableIn(deletion.record).length > 0) {
      next[place] = { kind: 'unlink', pair: deletion.pair, to: 'kept' };
      continue;
    }
    const survivor = next[survivorPlace];
    if (survivor?.kind === 'merge') {
      const taken = deletion.pair[otherSide(deletion.side)]?.base?.contact;
      ({ survivor: next[survivorPlace], deletion: next[place] } = giveToSurvivor(survivor, deletion, policy, taken));
      // Nothing is written to a contact that is set apart, so that what the merged-away one alone holds stays with it.
    } else if (survivor?.kind === 'unlink') next[place] = { kind: 'unlink', pair: deletion.pair, to: 'kept' };
    else next[place] = null;
  }
  return next.filter((decision) => decision !== null);
};

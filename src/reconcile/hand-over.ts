import { EMPTY_CONTACT, LIST_FIELDS, SCALAR_FIELDS, type Contact, type ContactField } from '../contact/contact.ts';
import { otherSide, SIDES, type Side } from '../contact/side.ts';
import { keyLists, listOf, withList } from '../contact/lists.ts';
import type { Conflict, Decision } from './decision.ts';
import { mayWrite, type Policy } from './policy.ts';
import { aliasLeftovers } from './similar.ts';

type Merge = Extract<Decision, { kind: 'merge' }>;
type Deletion = Extract<Decision, { kind: 'delete' }>;

/** What a contact holds that its other half, as `taken` tells, never took; empty in all other fields. */
const untakenOf = (contact: Contact, taken: Contact): Contact => {
  let untaken = EMPTY_CONTACT;
  for (const field of SCALAR_FIELDS) if (taken[field] === '') untaken = { ...untaken, [field]: contact[field] };
  for (const field of LIST_FIELDS) {
    const [own, other] = [listOf(contact, field), listOf(taken, field)];
    const lists = keyLists(field, { left: other, right: own, leftBase: other, rightBase: own });
    // What the other half holds in another spelling, it has taken.
    const { right, leftBase } = aliasLeftovers(lists);
    const elements = [...right].filter(([key]) => !leftBase.has(key)).map(([, element]) => element);
    untaken = withList(untaken, field, elements);
  }
  return untaken;
};

/** The values that the heir does not fill otherwise, and those that it does as conflicts that it wins. */
const settleScalars = (heir: Readonly<Record<Side, Contact>>, untaken: Contact, side: Side) => {
  let free = untaken;
  const conflicts: Conflict[] = [];
  for (const field of SCALAR_FIELDS) {
    const value = heir[side][field] || heir[otherSide(side)][field];
    if (value === '' || untaken[field] === '') continue;
    free = { ...free, [field]: '' };
    if (value === untaken[field]) continue;
    const [left, right] = side === 'left' ? [untaken[field], value] : [value, untaken[field]];
    conflicts.push({ field, left, right, winner: otherSide(side) });
  }
  return { free, conflicts };
};

/** The contact with the values and elements that it lacks of `given`, and the fields that they are in. */
const withGiven = (contact: Contact, given: Contact) => {
  const fields: ContactField[] = SCALAR_FIELDS.filter((field) => contact[field] === '' && given[field] !== '');
  let desired = contact;
  for (const field of fields) desired = { ...desired, [field]: given[field] };
  for (const field of LIST_FIELDS) {
    const keyed = keyLists(field, { own: listOf(contact, field), given: listOf(given, field) });
    const gained = [...keyed.given].filter(([key]) => !keyed.own.has(key)).map(([, element]) => element);
    if (gained.length === 0) continue;
    fields.push(field);
    desired = withList(desired, field, [...listOf(contact, field), ...gained]);
  }
  return { desired, fields };
};

/**
 * The heir's decision and the deletion, once the heir is given what nobody else holds: on both sides, as if its user had
 * entered it there.
 */
const bequeath = (
  heir: Merge,
  deletion: Deletion,
  policy: Policy,
): { readonly heir: Merge; readonly deletion: Deletion } => {
  const { side, pair, record } = deletion;
  const half = pair[otherSide(side)];
  const taken = half.kind === 'gone' ? half.base?.contact : undefined;
  const wanted = (of: Side): Contact => heir[of]?.desired ?? heir.pair[of].record.contact;
  const contacts = { left: wanted('left'), right: wanted('right') };
  const { free, conflicts } = settleScalars(contacts, untakenOf(record.contact, taken ?? EMPTY_CONTACT), side);
  const given = withGiven(contacts[side], free);
  if (given.fields.length === 0 && conflicts.length === 0) return { heir, deletion };
  let next: Merge = { ...heir, conflicts: [...heir.conflicts, ...conflicts] };
  for (const to of SIDES.filter((each) => mayWrite(policy, each))) {
    const { desired, fields } = withGiven(contacts[to], free);
    const all = [...new Set([...(heir[to]?.fields ?? []), ...fields])];
    if (fields.length > 0) next = { ...next, [to]: { joins: [], leaves: [], ...heir[to], fields: all, desired } };
  }
  const handsOver = { heirId: heir.pair[side].record.id, fields: given.fields };
  return { heir: next, deletion: { ...deletion, handsOver } };
};

/** The contact that a deletion's other half was merged into; null where none is known. */
const heirOf = ({ side, pair }: Deletion): string | null => {
  const half = pair[otherSide(side)];
  return half.kind === 'gone' ? half.mergedInto : null;
};

/** The places of the decisions that a contact may inherit through, by the side and id of their contacts. */
const placesOf = (decisions: readonly Decision[]): ReadonlyMap<string, number> => {
  const places = new Map<string, number>();
  for (const [place, decision] of decisions.entries()) {
    if (decision.kind === 'create') places.set(`${otherSide(decision.side)} ${decision.source.id}`, place);
    if (decision.kind !== 'merge') continue;
    for (const side of SIDES) places.set(`${side} ${decision.pair[side].record.id}`, place);
  }
  return places;
};

/**
 * Two contacts that became one on a side leave two on the other, of which one is to go. Whatever that one alone holds, since
 * the side where they were merged never took it, goes to the one that stays (R12). Where that one is only about to be made,
 * the deletion waits for a later plan.
 */
export const handOver = (decisions: readonly Decision[], policy: Policy): readonly Decision[] => {
  const isMergedAway = (decision: Decision) => decision.kind === 'delete' && heirOf(decision) !== null;
  if (!decisions.some(isMergedAway)) return decisions;
  const places = placesOf(decisions);
  const next: (Decision | null)[] = [...decisions];
  for (const [place, deletion] of decisions.entries()) {
    if (deletion.kind !== 'delete') continue;
    const heirPlace = places.get(`${otherSide(deletion.side)} ${heirOf(deletion)}`);
    if (heirPlace === undefined) continue;
    const heir = next[heirPlace];
    if (heir?.kind === 'merge') ({ heir: next[heirPlace], deletion: next[place] } = bequeath(heir, deletion, policy));
    else next[place] = null;
  }
  return next.filter((decision) => decision !== null);
};

import {
  EMPTY_CONTACT,
  LIST_FIELDS,
  otherSide,
  SCALAR_FIELDS,
  SIDES,
  type Contact,
  type Side,
} from '../contact/contact.ts';
import { keyLists, listOf, withList } from '../contact/lists.ts';
import type { Conflict, Decision } from './decision.ts';
import { aliasLeftovers } from './similar.ts';

type Merge = Extract<Decision, { kind: 'merge' }>;
type Deletion = Extract<Decision, { kind: 'delete' }>;

/** What a contact holds that its other half, as `taken` tells, never took; empty in all other fields. */
const untakenOf = (contact: Contact, taken: Contact): Contact => {
  let untaken = EMPTY_CONTACT;
  for (const field of SCALAR_FIELDS) if (taken[field] === '') untaken = { ...untaken, [field]: contact[field] };
  for (const field of LIST_FIELDS) {
    const [own, other] = [listOf(contact, field), listOf(taken, field)];
    const lists = keyLists(field, { google: other, service: own, googleBase: other, serviceBase: own });
    // What the other half holds in another spelling, it has taken.
    const { service, googleBase } = aliasLeftovers(lists);
    const elements = [...service].filter(([key]) => !googleBase.has(key)).map(([, element]) => element);
    untaken = withList(untaken, field, elements);
  }
  return untaken;
};

/** The heir's contact with what it lacks of `untaken`; a field that it fills otherwise is a conflict that it wins. */
const inherit = (heir: Contact, untaken: Contact, side: Side) => {
  let desired = heir;
  const conflicts: Conflict[] = [];
  for (const field of SCALAR_FIELDS) {
    if (heir[field] === '') desired = { ...desired, [field]: untaken[field] };
    else if (untaken[field] !== '' && untaken[field] !== heir[field]) {
      const values = { [otherSide(side)]: heir[field], [side]: untaken[field] };
      const { google = '', service = '' } = values;
      conflicts.push({ field, google, service, winner: otherSide(side) });
    }
  }
  for (const field of LIST_FIELDS) {
    const keyed = keyLists(field, { heir: listOf(heir, field), untaken: listOf(untaken, field) });
    const gained = [...keyed.untaken].filter(([key]) => !keyed.heir.has(key)).map(([, element]) => element);
    desired = withList(desired, field, [...listOf(heir, field), ...gained]);
  }
  const scalars = SCALAR_FIELDS.filter((field) => desired[field] !== heir[field]);
  const lists = LIST_FIELDS.filter((field) => listOf(desired, field).length !== listOf(heir, field).length);
  return { desired, fields: [...scalars, ...lists], conflicts };
};

/** The heir's decision and the deletion, once the heir is given what nobody else holds. */
const bequeath = (heir: Merge, deletion: Deletion): { readonly heir: Merge; readonly deletion: Deletion } => {
  const { side, pair, record } = deletion;
  const half = pair[otherSide(side)];
  const taken = half.kind === 'gone' ? half.base?.contact : undefined;
  const untaken = untakenOf(record.contact, taken ?? EMPTY_CONTACT);
  const write = heir[side];
  const current = write?.desired ?? heir.pair[side].record.contact;
  const { desired, fields, conflicts } = inherit(current, untaken, side);
  if (fields.length === 0 && conflicts.length === 0) return { heir, deletion };
  const all = [...new Set([...(write?.fields ?? []), ...fields])];
  const given = all.length === 0 ? null : { joins: [], leaves: [], ...write, fields: all, desired };
  return {
    heir: { ...heir, [side]: given, conflicts: [...heir.conflicts, ...conflicts] },
    deletion: { ...deletion, handsOver: { heirId: heir.pair[side].record.id, fields } },
  };
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
export const handOver = (decisions: readonly Decision[]): readonly Decision[] => {
  const isMergedAway = (decision: Decision) => decision.kind === 'delete' && heirOf(decision) !== null;
  if (!decisions.some(isMergedAway)) return decisions;
  const places = placesOf(decisions);
  const next: (Decision | null)[] = [...decisions];
  for (const [place, deletion] of decisions.entries()) {
    if (deletion.kind !== 'delete') continue;
    const heirPlace = places.get(`${otherSide(deletion.side)} ${heirOf(deletion)}`);
    if (heirPlace === undefined) continue;
    const heir = next[heirPlace];
    if (heir?.kind === 'merge') ({ heir: next[heirPlace], deletion: next[place] } = bequeath(heir, deletion));
    else next[place] = null;
  }
  return next.filter((decision) => decision !== null);
};

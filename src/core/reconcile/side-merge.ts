import { contactFieldsOf } from '../contact/chosen.ts';
import {
  type Contact,
  type ContactField,
  listsIn,
  listsOf,
  scalarsIn,
  scalarsOf,
  textIn,
  withValue,
} from '../contact/contact.ts';
import { isExtraField } from '../contact/fields.ts';
import { type Half, stands } from '../contact/half.ts';
import { type KeyedList, keyLists, listOf, withList } from '../contact/lists.ts';
import { type ContactRecord, unsyncableFields } from '../contact/record.ts';
import { bySide, type Side, type Sides, SIDES } from '../contact/side.ts';
import { equalIn } from '../contact/snapshot.ts';
import type { Merge, Pair } from './decision.ts';
import { updateOn, withPlanned } from './planned.ts';
import { type Policy, unwrittenFields } from './policy.ts';

type Keys = Pick<KeyedList, 'has' | 'keys' | 'size'>;

/** Whether the other contact's elements have taken the place of the survivor's own, whatever its user added since. */
export const isReplaced = (own: Keys, after: Keys, mergedAway: Keys): boolean => {
  const isLost = (key: string): boolean => mergedAway.has(key) || !after.has(key);
  return [...mergedAway.keys()].every((key) => after.has(key)) && [...own.keys()].every(isLost);
};

/** What a merge made of the merge survivor's fields: it took over what the other contact held. */
export const shownBy = (before: Contact, after: Contact, mergedAway: Contact): Contact => {
  let shown = before;
  for (const field of scalarsIn(before, after, mergedAway)) {
    const now = textIn(after, field);
    if (now === textIn(mergedAway, field)) shown = withValue(shown, field, now);
  }
  for (const field of listsIn(before, after, mergedAway)) {
    const [own, now, other] = [listOf(before, field), listOf(after, field), listOf(mergedAway, field)];
    const lists = keyLists(field, { own, now, other });
    const kept = [...lists.own].filter(([key]) => lists.now.has(key) || !isReplaced(lists.own, lists.now, lists.other));
    const gained = [...lists.now].filter(([key]) => !lists.own.has(key) && lists.other.has(key));
    const elements = [...kept, ...gained].map(([, element]) => element);
    shown = withList(shown, field, elements);
  }
  return shown;
};

/** The fields that users give at this side alone: what a merge by the side puts over them, no value of the other side brings back. */
export const ownFields = (policy: Policy, side: Side): readonly ContactField[] =>
  contactFieldsOf(unwrittenFields(policy, side)).filter((field) => !isExtraField(field));

/** A merge that this link had a side make: the merge survivor before it, and the contact that was merged away. */
export type PastMerge = { readonly side: Side; readonly survivor: ContactRecord; readonly mergedAway: ContactRecord };

/** The field as a contact held it before a merge by its side, with what its user made of it since. */
const beforeMerge = (field: ContactField, now: Contact, before: Contact, shown: Contact): Contact => {
  let contact = now;
  for (const name of scalarsOf([field])) contact = withValue(contact, name, textIn(before, name));
  for (const name of listsOf([field])) {
    const keyed = keyLists(name, {
      now: listOf(now, name),
      before: listOf(before, name),
      shown: listOf(shown, name),
    });
    const kept = [...keyed.now].filter(([key]) => keyed.before.has(key) || !keyed.shown.has(key));
    const lost = [...keyed.before].filter(([key]) => !keyed.shown.has(key) && !keyed.now.has(key));
    const elements = [...kept, ...lost].map(([, element]) => element);
    contact = withList(contact, name, elements);
  }
  return contact;
};

/** What a merge survivor is to hold again, in which fields, and of which contacts it got what it holds instead. */
type GivenBack = {
  readonly contact: Contact;
  readonly fields: readonly ContactField[];
  readonly mergedAway: ReadonlySet<string>;
};

/** What merge survivors are to be given back, by side and id. */
export type GivenBacks = ReadonlyMap<string, GivenBack>;

const nameOf = (side: Side, id: string): string => `${side} ${id}`;

const givenBackTo = ({ base, record, side }: Half, merges: readonly PastMerge[], policy: Policy): GivenBack => {
  const unsyncable = unsyncableFields(record);
  const own = ownFields(policy, side).filter((field) => !unsyncable.has(field));
  let { contact } = record;
  for (const {
    survivor: { contact: before },
    mergedAway,
  } of merges) {
    const shown = shownBy(before, contact, mergedAway.contact);
    // What the base has taken in, the sides have agreed on.
    const isOpen = (field: ContactField): boolean =>
      !equalIn(field, shown, before) && base !== null && !equalIn(field, shown, base.contact);
    for (const field of own.filter(isOpen)) contact = beforeMerge(field, contact, before, shown);
  }
  const fields = own.filter((field) => !equalIn(field, contact, record.contact));
  return { contact, fields, mergedAway: new Set(merges.map((merge) => merge.mergedAway.id)) };
};

/**
 * What merge survivors are to be given back in fields that only users of their side give, where a merge by the side itself
 * was not followed by that: no other half holds it (R12).
 */
export const givenBacks = (pairs: readonly Pair[], merges: readonly PastMerge[], policy: Policy): GivenBacks => {
  const bySurvivor = Map.groupBy(merges, ({ side, survivor }) => nameOf(side, survivor.id));
  const halves = pairs.flatMap((pair) => SIDES.flatMap((side) => pair[side] ?? []));
  const all = halves.flatMap((half): [string, GivenBack][] => {
    const name = nameOf(half.side, half.id);
    const own = bySurvivor.get(name);
    if (own === undefined || !stands(half)) return [];
    const back = givenBackTo(half, own, policy);
    return back.fields.length === 0 ? [] : [[name, back]];
  });
  return new Map(all);
};

/** Whether a merge survivor is still to be given back what this contact's merge took: until then its pair tells of it. */
export const isAwaited = (pair: Pair, backs: GivenBacks): boolean =>
  SIDES.some((side) => backs.values().some(({ mergedAway }) => mergedAway.has(pair[side]?.id ?? '')));

/** The halves as they stand once they are given back what a merge took. */
export const restoredHalves = (halves: Sides<Half>, backs: GivenBacks): Sides<Half> =>
  bySide((side) => {
    const half = halves[side];
    const contact = backs.get(nameOf(side, half.id))?.contact;
    return contact === undefined ? half : { ...half, record: { ...half.record, contact } };
  });

/** A merge that was decided for the halves as they stand once they are restored, with the writes that restore them. */
export const withGivenBack = (merge: Merge, halves: Sides<Half>, backs: GivenBacks): Merge => {
  const writes = SIDES.reduce((planned, side) => {
    const back = backs.get(nameOf(side, halves[side].id));
    if (back === undefined) return planned;
    const update = updateOn(planned, side);
    const fields = [...new Set([...(update?.fields ?? []), ...back.fields])];
    const given = [...new Set([...(update?.given ?? []), ...back.fields])];
    return withPlanned(planned, { kind: 'update', side, desired: update?.desired ?? back.contact, fields, given });
  }, merge.writes);
  return { ...merge, pair: { ...merge.pair, ...halves }, writes };
};

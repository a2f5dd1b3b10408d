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
import { type Half, halfKey, isPresent } from '../contact/half.ts';
import { type KeyedList, keyListsIn, withKeyed } from '../contact/lists.ts';
import { type ContactRecord, unsyncableFields } from '../contact/record.ts';
import { bySide, type Side, type Sides, SIDES } from '../contact/side.ts';
import { equalIn } from '../contact/snapshot.ts';
import type { Merge, Pair } from './decision.ts';
import { updateOn, withPlanned } from './planned.ts';
import { type Policy, unwrittenFields } from './policy.ts';

type Keys = Pick<KeyedList, 'has' | 'keys' | 'size'>;

/** Returns whether the other contact's elements replaced the survivor's own; elements that its user added since are ignored. */
export const isReplaced = (own: Keys, after: Keys, mergedAway: Keys): boolean => {
  const isLost = (key: string): boolean => mergedAway.has(key) || !after.has(key);
  return [...mergedAway.keys()].every((key) => after.has(key)) && [...own.keys()].every(isLost);
};

/** Returns the survivor's fields as the merge left them: with the values that it took over from the other contact. */
export const shownBy = (before: Contact, after: Contact, mergedAway: Contact): Contact => {
  let shown = before;
  for (const field of scalarsIn(before, after, mergedAway)) {
    const now = textIn(after, field);
    if (now === textIn(mergedAway, field)) shown = withValue(shown, field, now);
  }
  for (const field of listsIn(before, after, mergedAway)) {
    const lists = keyListsIn(field, { own: before, now: after, other: mergedAway });
    const kept = [...lists.own].filter(([key]) => lists.now.has(key) || !isReplaced(lists.own, lists.now, lists.other));
    const gained = [...lists.now].filter(([key]) => !lists.own.has(key) && lists.other.has(key));
    shown = withKeyed(shown, field, [...kept, ...gained]);
  }
  return shown;
};

/**
 * Returns the fields that only users of this side edit. If a merge by the side overwrites them, the other side has
 * no value to restore them.
 */
export const ownFields = (policy: Policy, side: Side): readonly ContactField[] =>
  contactFieldsOf(unwrittenFields(policy, side)).filter((field) => !isExtraField(field));

/** A merge that a side performed for this link: the survivor before the merge, and the contact that was merged away. */
export type PastMerge = { readonly side: Side; readonly survivor: ContactRecord; readonly mergedAway: ContactRecord };

/** Returns the contact with one field as before a merge by its side, keeping edits that its user made since. */
const beforeMerge = (field: ContactField, now: Contact, before: Contact, shown: Contact): Contact => {
  let contact = now;
  for (const name of scalarsOf([field])) contact = withValue(contact, name, textIn(before, name));
  for (const name of listsOf([field])) {
    const keyed = keyListsIn(name, { now, before, shown });
    const kept = [...keyed.now].filter(([key]) => keyed.before.has(key) || !keyed.shown.has(key));
    const lost = [...keyed.before].filter(([key]) => !keyed.shown.has(key) && !keyed.now.has(key));
    contact = withKeyed(contact, name, [...kept, ...lost]);
  }
  return contact;
};

/** The restored contact of a merge survivor, the restored fields, and the ids of the contacts whose values replaced them. */
type GivenBack = {
  readonly contact: Contact;
  readonly fields: readonly ContactField[];
  readonly mergedAway: ReadonlySet<string>;
};

/** The values to restore on merge survivors, by side and id. */
type GivenBacks = ReadonlyMap<string, GivenBack>;

const givenBackTo = ({ base, record, side }: Half, merges: readonly PastMerge[], policy: Policy): GivenBack => {
  const unsyncable = unsyncableFields(record);
  const own = ownFields(policy, side).filter((field) => !unsyncable.has(field));
  let { contact } = record;
  for (const {
    survivor: { contact: before },
    mergedAway,
  } of merges) {
    const shown = shownBy(before, contact, mergedAway.contact);
    // Values that the base contains were agreed on by both sides.
    const isOpen = (field: ContactField): boolean =>
      !equalIn(field, shown, before) && base !== null && !equalIn(field, shown, base.contact);
    for (const field of own.filter(isOpen)) contact = beforeMerge(field, contact, before, shown);
  }
  const fields = own.filter((field) => !equalIn(field, contact, record.contact));
  return { contact, fields, mergedAway: new Set(merges.map((merge) => merge.mergedAway.id)) };
};

/**
 * Returns the values to restore on merge survivors: values of fields that only users of their side edit, if a merge by the side
 * replaced them and they were not restored yet. No other half has these values (R12).
 */
export const givenBacks = (pairs: readonly Pair[], merges: readonly PastMerge[], policy: Policy): GivenBacks => {
  const bySurvivor = Map.groupBy(merges, ({ side, survivor }) => halfKey({ side, id: survivor.id }));
  const halves = pairs.flatMap((pair) => SIDES.flatMap((side) => pair[side] ?? []));
  const all = halves.flatMap((half): [string, GivenBack][] => {
    const key = halfKey(half);
    const own = bySurvivor.get(key);
    if (own === undefined || !isPresent(half)) return [];
    const back = givenBackTo(half, own, policy);
    return back.fields.length === 0 ? [] : [[key, back]];
  });
  return new Map(all);
};

/**
 * Returns whether a merge survivor still waits to get back values that this pair's contact replaced. The pair is kept until then.
 */
export const isAwaited = (pair: Pair, backs: GivenBacks): boolean =>
  SIDES.some((side) => backs.values().some(({ mergedAway }) => mergedAway.has(pair[side]?.id ?? '')));

/** Returns the halves with the values restored that a merge replaced. */
export const restoredHalves = (halves: Sides<Half>, backs: GivenBacks): Sides<Half> =>
  bySide((side) => {
    const half = halves[side];
    const contact = backs.get(halfKey(half))?.contact;
    return contact === undefined ? half : { ...half, record: { ...half.record, contact } };
  });

/** Returns the merge that was decided for the restored halves, with the writes that restore them. */
export const withGivenBack = (merge: Merge, halves: Sides<Half>, backs: GivenBacks): Merge => {
  const writes = SIDES.reduce((planned, side) => {
    const back = backs.get(halfKey(halves[side]));
    if (back === undefined) return planned;
    const update = updateOn(planned, side);
    const fields = [...new Set([...(update?.fields ?? []), ...back.fields])];
    const given = [...new Set([...(update?.given ?? []), ...back.fields])];
    return withPlanned(planned, { kind: 'update', side, desired: update?.desired ?? back.contact, fields, given });
  }, merge.writes);
  return { ...merge, pair: { ...merge.pair, ...halves }, writes };
};

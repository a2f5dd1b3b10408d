import { without, withoutExtras } from '../contact/chosen.ts';
import { listsIn, scalarsIn, textIn, withValue, type Contact, type SyncedField } from '../contact/contact.ts';
import { isDeleted, isPresent, type Half } from '../contact/half.ts';
import { differingKeys, keyListsIn, listOf, withList } from '../contact/lists.ts';
import { compareNames } from '../contact/name-agreement.ts';
import { wasMadeFor } from '../contact/origin.ts';
import { hasName, personNameOf } from '../contact/person-name.ts';
import { bySide, otherSide, SIDES, type Sides } from '../contact/side.ts';
import { equalSnapshots, unordered, type Snapshot } from '../contact/snapshot.ts';
import { idAt, type Pair } from '../contact/pair.ts';
import { matchContacts } from './match.ts';
import { areDistinguished } from './match-evidence.ts';
import { personReader } from './matchable-person.ts';
import { apartFrom, type Verdict } from './verdict.ts';

/** A linked pair of which one half was deleted or is `unseen`, but was not merged into another contact. */
type OneSided = { readonly pair: Pair; readonly gone: Half; readonly remaining: Half };

/** Returns the pairs of which one half may have been replaced. */
const oneSidedPairs = (pairs: readonly Pair[]): readonly OneSided[] =>
  pairs.flatMap((pair) =>
    SIDES.flatMap((side): OneSided[] => {
      const [gone, remaining] = [pair[side], pair[otherSide(side)]];
      if (gone === null || gone.mergedInto !== null) return [];
      if (!isDeleted(gone) && gone.state !== 'unseen') return [];
      return isPresent(remaining) ? [{ pair, gone, remaining }] : [];
    }),
  );

const ADDRESSES = ['emailAddresses', 'phoneNumbers'] as const;

const shareAddress = (one: Contact, other: Contact): boolean =>
  ADDRESSES.some((field) => {
    const keyed = keyListsIn(field, { one, other });
    return [...keyed.one.keys()].some((key) => keyed.other.has(key));
  });

/** The fields that the link has only started to sync are not compared: a contact that was deleted before lacks them. */
const areCopies = (one: Contact, other: Contact, joining: readonly SyncedField[]): boolean => {
  const content = (contact: Contact) => unordered({ contact: without(withoutExtras(contact), joining), groupIds: [] });
  return equalSnapshots(content(one), content(other));
};

/** Returns whether the names agree. A missing name agrees only with a missing name, because the other name may be a successor's. */
const haveOneName = (known: Contact, added: Contact): boolean => {
  const [former, name] = [personNameOf(known), personNameOf(added)];
  return hasName(former) === hasName(name) && compareNames(former, name) !== 'different';
};

/** Returns whether there is more evidence than a name. A namesake may be another person. */
const isSure = (
  { record: { contact: known } }: Half,
  { record: { contact: added } }: Half,
  joining: readonly SyncedField[],
): boolean => (shareAddress(known, added) && haveOneName(known, added)) || areCopies(known, added, joining);

const personOf = personReader([]);

/** Returns whether parts of the contact's name that the link does not sync show that the added contact is another person. */
const isOtherPerson = (known: Half, added: Half): boolean => {
  if (known.record.unsyncedName === undefined) return false;
  const [one, other] = [personOf(known), personOf(added)];
  return areDistinguished(one, other) && compareNames(one.naming.names, other.naming.names) !== 'different';
};

/** A pair and the contact that was added in place of its deleted half, or of one that may be deleted. */
export type Replacement = OneSided & { readonly added: Half };

/** The decisions of people and the terms of the link that {@link findReplacements} depends on. */
type ReplacementTerms = {
  readonly joining: readonly SyncedField[];
  readonly verdicts: readonly Verdict[];
  /** The ids of each side's account in origins (R9). */
  readonly scopes: Sides<string>;
};

/** Finds the added contacts that were created for the remaining half of a pair: the stored state may be older, from a backup. */
const matchMade = (
  pairs: readonly OneSided[],
  added: readonly Half[],
  scopes: Sides<string>,
): readonly Replacement[] => {
  const byOrigin = Map.groupBy(added, ({ record }) => record.originId);
  return pairs.flatMap((each): Replacement[] => {
    const { id, side, record } = each.remaining;
    const origin = { id, scope: scopes[side], contact: record.contact };
    const made = byOrigin.get(id)?.find((half) => wasMadeFor(half.record, origin));
    return made === undefined ? [] : [{ ...each, added: made }];
  });
};

/** Matches one half of each pair (`known`) with the added contacts. */
const matchAdded = (
  pairs: readonly OneSided[],
  added: readonly Half[],
  known: 'gone' | 'remaining',
): readonly Replacement[] => {
  const byHalf = new Map(pairs.map((each) => [each[known], each]));
  const { matches } = matchContacts({ left: [...byHalf.keys()], right: added });
  return matches.flatMap(({ left, right }): Replacement[] => {
    const each = byHalf.get(left);
    if (each === undefined || [each.remaining, each.gone].some((half) => isOtherPerson(half, right))) return [];
    return [{ ...each, added: right }];
  });
};

/** Returns whether a person decided with which contact this one is paired. */
const isJoined = (verdicts: readonly Verdict[], { side, id }: Half): boolean =>
  verdicts.some((verdict) => verdict.says === 'together' && idAt(verdict, side) === id);

type Step = (pairs: readonly OneSided[], added: readonly Half[]) => readonly Replacement[];

/** Performs the steps for each side. No contact is in two replacements, and none is kept apart from the remaining half by a person. */
const inSteps = (
  unpaired: Sides<readonly Half[]>,
  pairs: readonly Pair[],
  verdicts: readonly Verdict[],
  steps: readonly Step[],
): readonly Replacement[] =>
  SIDES.flatMap((side) => {
    const own = oneSidedPairs(pairs).filter(({ gone }) => gone.side === side);
    if (own.length === 0) return [];
    const isAllowed = ({ remaining, added }: Replacement): boolean =>
      !isJoined(verdicts, added) && !apartFrom(verdicts, remaining.side, remaining.id).includes(added.id);
    return steps.reduce<readonly Replacement[]>((found, step) => {
      const taken = new Set(found.flatMap(({ gone, added }) => [gone, added]));
      const rest = own.filter(({ gone }) => !taken.has(gone));
      const free = unpaired[side].filter((half) => !taken.has(half));
      return [...found, ...step(rest, free).filter(isAllowed)];
    }, []);
  });

/**
 * Finds contacts that were deleted on a side and added there again (R12): unpaired contacts that match the last state of the
 * deleted contact or its other half (R13), or were created for that half, and that no person keeps apart from it.
 * They belong to their former pair, also if another new contact matches them: a relative may have the same name, address and
 * number. The result includes those that match an `unseen` contact. Pure.
 */
export const findReplacements = (
  unpaired: Sides<readonly Half[]>,
  pairs: readonly Pair[],
  { joining, verdicts, scopes }: ReplacementTerms,
): readonly Replacement[] =>
  inSteps(unpaired, pairs, verdicts, [
    (rest, free) =>
      matchAdded(rest, free, 'gone').filter(({ gone, added }) =>
        areCopies(gone.record.contact, added.record.contact, joining),
      ),
    (rest, free) => matchMade(rest, free, scopes),
    (rest, free) => matchAdded(rest, free, 'gone').filter((each) => isSure(each.gone, each.added, joining)),
    (rest, free) => matchAdded(rest, free, 'remaining').filter((each) => isSure(each.remaining, each.added, joining)),
  ]);

/**
 * Returns the halves of a pair of which one half was replaced. A field in which the new contact equals the base stays agreed (R2).
 * All other fields are merged like those of a first match, so that a missing value deletes nothing (R13). Pure.
 */
export const meetReplacement = ({ added, gone, remaining }: Replacement): Sides<Half> => {
  const halves = bySide((side) => (side === gone.side ? added : remaining));
  if (gone.base === null || remaining.base === null) return bySide((side) => ({ ...halves[side], base: null }));
  const now = added.record.contact;
  let [own, other] = [gone.base.contact, remaining.base.contact];
  for (const field of scalarsIn(own, other, now)) {
    if (textIn(own, field) === textIn(now, field)) continue;
    [own, other] = [withValue(own, field, ''), withValue(other, field, '')];
  }
  for (const field of listsIn(own, other, now)) {
    if (differingKeys(field, listOf(own, field), listOf(now, field)).length > 0)
      [own, other] = [withList(own, field, []), withList(other, field, [])];
  }
  const inSameGroups = added.record.groupIds.toSorted().join() === gone.base.groupIds.toSorted().join();
  const baseOf = (contact: Contact, base: Snapshot): Snapshot => ({
    ...base,
    contact,
    groupIds: inSameGroups ? base.groupIds : [],
  });
  const bases = { own: baseOf(own, gone.base), other: baseOf(other, remaining.base) };
  return bySide((side) => ({ ...halves[side], base: side === gone.side ? bases.own : bases.other }));
};

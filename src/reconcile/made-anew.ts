import { withoutExtras } from '../contact/chosen.ts';
import { listsIn, scalarsIn, textIn, withValue, type Contact, type ListField } from '../contact/contact.ts';
import { isDeleted, stands, type Half } from '../contact/half.ts';
import { keyLists, listOf, withList } from '../contact/lists.ts';
import { bySide, otherSide, SIDES, type Sides } from '../contact/side.ts';
import { equalSnapshots, unordered, type Snapshot } from '../contact/snapshot.ts';
import type { Pair } from './decision.ts';
import { matchContacts } from './match.ts';
import { apartFrom, type Verdict } from './verdict.ts';

/** A pair, in step or asleep, of which one half is gone, though not into another contact, and what is left of it. */
export type Bereaved = { readonly pair: Pair; readonly gone: Half; readonly left: Half };

/** The pairs of which one half may have been made anew. */
export const bereavedPairs = (pairs: readonly Pair[]): readonly Bereaved[] =>
  pairs.flatMap((pair) =>
    SIDES.flatMap((side): Bereaved[] => {
      const [gone, left] = [pair[side], pair[otherSide(side)]];
      if (gone === null || !isDeleted(gone) || gone.mergedInto !== null) return [];
      return stands(left) ? [{ pair, gone, left }] : [];
    }),
  );

const haveSameKeys = (field: ListField, one: Contact, other: Contact): boolean => {
  const keyed = keyLists(field, { one: listOf(one, field), other: listOf(other, field) });
  return new Set(keyed.one.keys()).symmetricDifference(new Set(keyed.other.keys())).size === 0;
};

const ADDRESSES = ['emailAddresses', 'phoneNumbers'] as const;

const shareAddress = (one: Contact, other: Contact): boolean =>
  ADDRESSES.some((field) => {
    const keyed = keyLists(field, { one: one[field], other: other[field] });
    return [...keyed.one.keys()].some((key) => keyed.other.has(key));
  });

const areCopies = (one: Contact, other: Contact): boolean => {
  const content = (contact: Contact) => unordered({ contact: withoutExtras(contact), groupIds: [] });
  return equalSnapshots(content(one), content(other));
};

/** Whether more than a name speaks for it: of a deleted contact's namesakes, any may be somebody else. */
const isSure = (gone: Half, anew: Half): boolean =>
  shareAddress(gone.record.contact, anew.record.contact) || areCopies(gone.record.contact, anew.record.contact);

/** What is left of a pair, and the contact that was made in place of its other half. */
export type MadeAnew = Bereaved & { readonly anew: Half };

/**
 * Finds contacts that were deleted on a side and made there anew (R12): those of no pair that are one person with what the
 * deleted one last was (R13), and that nobody keeps apart from its other half. Pure.
 */
export const findAnew = (
  unpaired: Sides<readonly Half[]>,
  bereaved: readonly Bereaved[],
  verdicts: readonly Verdict[],
): readonly MadeAnew[] =>
  SIDES.flatMap((side) => {
    const own = new Map(bereaved.flatMap((each) => (each.gone.side === side ? [[each.gone, each] as const] : [])));
    const { matches } = matchContacts({ left: [...own.keys()], right: unpaired[side] });
    return matches.flatMap(({ left: gone, right: anew }): MadeAnew[] => {
      const each = own.get(gone);
      if (each === undefined || !isSure(gone, anew)) return [];
      return apartFrom(verdicts, each.left.side, each.left.id).includes(anew.id) ? [] : [{ ...each, anew }];
    });
  });

/**
 * The halves of a pair of which one was made anew. Where it says what both sides agreed on, that stays agreed (R2); in
 * everything else the two meet for the first time, so that nothing goes because the new one lacks it (R13). Pure.
 */
export const meetAnew = ({ anew, gone, left }: MadeAnew): Sides<Half> => {
  const halves = bySide((side) => (side === gone.side ? anew : left));
  if (gone.base === null || left.base === null) return bySide((side) => ({ ...halves[side], base: null }));
  const now = anew.record.contact;
  let [own, other] = [gone.base.contact, left.base.contact];
  for (const field of scalarsIn(own, other, now)) {
    if (textIn(own, field) === textIn(now, field)) continue;
    [own, other] = [withValue(own, field, ''), withValue(other, field, '')];
  }
  for (const field of listsIn(own, other, now)) {
    if (!haveSameKeys(field, own, now)) [own, other] = [withList(own, field, []), withList(other, field, [])];
  }
  const inSameGroups = anew.record.groupIds.toSorted().join() === gone.base.groupIds.toSorted().join();
  const baseOf = (contact: Contact, { groupIds }: Snapshot): Snapshot => ({
    contact,
    groupIds: inSameGroups ? groupIds : [],
  });
  const bases = { own: baseOf(own, gone.base), other: baseOf(other, left.base) };
  return bySide((side) => ({ ...halves[side], base: side === gone.side ? bases.own : bases.other }));
};

import { withoutExtras } from '../contact/chosen.ts';
import type { Contact } from '../contact/contact.ts';
import { stands, type Half } from '../contact/half.ts';
import { keyLists } from '../contact/lists.ts';
import { bySide, SIDES, type Side, type Sides } from '../contact/side.ts';
import { equalSnapshots, unordered } from '../contact/snapshot.ts';
import type { Pair } from './decision.ts';
import { matchContacts, type Match, type MatchInput } from './match.ts';

/** The pair as one that stays for the half that stands, where the other one is gone and no merge is known to have taken it. */
const bereaved = (pair: Pair): Pair | null => {
  const [gone, ...others] = SIDES.filter((side) => !stands(pair[side]));
  if (pair.status !== 'linked' || gone === undefined || others.length > 0) return null;
  return pair[gone] === null || pair[gone].mergedInto !== null ? null : { ...pair, status: 'kept', [gone]: null };
};

/** The pairs in step of which one half is gone. */
export const bereavedPairs = (pairs: readonly Pair[]): readonly Pair[] => pairs.flatMap((pair) => bereaved(pair) ?? []);

const ADDRESSES = ['emailAddresses', 'phoneNumbers'] as const;

const shareAddress = (left: Contact, right: Contact): boolean =>
  ADDRESSES.some((field) => {
    const lists = keyLists(field, { left: left[field], right: right[field] });
    return [...lists.left.keys()].some((key) => lists.right.has(key));
  });

const areCopies = (left: Contact, right: Contact): boolean => {
  const content = (contact: Contact) => unordered({ contact: withoutExtras(contact), groupIds: [] });
  return equalSnapshots(content(left), content(right));
};

/** Whether more than a name speaks for it: of a deleted contact's namesakes, any may be somebody else. */
const isSure = ({ left, right }: Match): boolean =>
  shareAddress(left.record.contact, right.record.contact) || areCopies(left.record.contact, right.record.contact);

/**
 * Finds contacts that were deleted on a side and made there anew (R12): those of no pair that are one person with what is
 * left of a pair. Pure.
 */
export const matchAnew = (
  unpaired: Sides<readonly Half[]>,
  pairs: readonly Pair[],
  terms: Omit<MatchInput, Side>,
): readonly Match[] => {
  const left = bySide((side) => pairs.flatMap((pair) => (stands(pair[side]) ? [pair[side]] : [])));
  return SIDES.flatMap((side) => {
    const candidates = bySide((each) => (each === side ? left : unpaired)[each]);
    return matchContacts({ ...terms, ...candidates }).matches.filter(isSure);
  });
};

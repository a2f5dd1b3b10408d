import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import { matchContacts } from '../../../../src/core/reconcile/match.ts';
import { PREFIX, record, unpaired, values } from './support.ts';

export type Given = Partial<Contact>;

export const people = (side: Side, list: readonly Given[]): readonly Half[] =>
  unpaired(side, ...list.map((given, index) => record(`${PREFIX[side]}${index + 1}`, given)));

/** Matches contacts; ids are `g1`, `g2`... and `s1`, `s2`... by position. */
export const match = (left: readonly Given[], right: readonly Given[]) => {
  const { matches, ambiguous } = matchContacts({ left: people('left', left), right: people('right', right) });
  return {
    matches: matches.map((found) => `${found.left.id} ${found.right.id}`).toSorted(),
    ambiguous: ambiguous.map((candidates) => ({ left: candidates.left, right: candidates.right })),
  };
};

/** The contacts that are left unpaired and reported, with the reasons. */
export const reasons = (left: readonly Given[], right: readonly Given[]) =>
  matchContacts({ left: people('left', left), right: people('right', right) }).ambiguous;

export const named = (name: string, given: Given = {}): Given => {
  const [firstName = '', lastName = ''] = name.split(' ');
  return { firstName, lastName, ...given };
};

export const mail = (...list: string[]): Given => ({ emailAddresses: values(...list) });
export const phone = (...list: string[]): Given => ({ phoneNumbers: values(...list) });

export const NOBODY = { matches: [], ambiguous: [] };

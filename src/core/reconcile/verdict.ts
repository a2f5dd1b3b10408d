import { idAt } from '../contact/pair.ts';
import type { Half } from '../contact/half.ts';
import { otherSide, type Side, type Sides } from '../contact/side.ts';

/** A person's decision that a contact of each side are the same person, or two persons. */
export type Verdict = {
  readonly leftId: string;
  readonly rightId: string;
  readonly says: 'together' | 'apart';
  readonly atMs: number;
};

/** The effect of a verdict. */
type VerdictEffect =
  /** The verdict applies to the next plan. */
  | 'binds'
  /** One of the contacts is deleted, or neither side lists it any more. */
  | 'gone'
  /** The contacts are the two halves of one pair. */
  | 'paired'
  /** The verdict joins the contacts, but one of them is linked to another contact. */
  | 'linked elsewhere';

/** The stored contact of a verdict. `isLinked`: it belongs to a pair whose two halves are in sync. */
type VerdictHalf = { readonly half: Half; readonly isLinked: boolean };

/** Returns the effect of a verdict; a contact is null if it is not stored. Pure. */
export const effectOf = (
  { says }: Pick<Verdict, 'says'>,
  { left, right }: Sides<VerdictHalf | null>,
): VerdictEffect => {
  if (left === null || right === null) return 'gone';
  if (left.half.state === 'gone' || right.half.state === 'gone') return 'gone';
  if (left.half.pair !== null && left.half.pair === right.half.pair) return 'paired';
  return says === 'together' && (left.isLinked || right.isLinked) ? 'linked elsewhere' : 'binds';
};

/** Returns the ids of the contacts of the other side that must not be paired with this contact. Pure. */
export const apartFrom = (verdicts: readonly Verdict[], side: Side, id: string): readonly string[] =>
  verdicts.flatMap((verdict) =>
    verdict.says === 'apart' && idAt(verdict, side) === id ? [idAt(verdict, otherSide(side))] : [],
  );

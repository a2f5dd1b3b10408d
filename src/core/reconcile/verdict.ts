import type { Half } from '../contact/half.ts';
import type { Side, Sides } from '../contact/side.ts';

/** What a person said of a contact of each side: they are one person, or two. */
export type Verdict = {
  readonly leftId: string;
  readonly rightId: string;
  readonly says: 'together' | 'apart';
  readonly atMs: number;
};

/** What became of the two contacts of a verdict. */
export type VerdictFate =
  /** It binds the next plan. */
  | 'binds'
  /** One of them is deleted, or no side shows it any more. */
  | 'gone'
  /** They are the two halves of one pair. */
  | 'paired'
  /** They were to be one person, and one of them is linked to another contact. */
  | 'linked elsewhere';

/** A contact of a verdict as it is stored, and whether it belongs to a pair whose two halves are in step. */
export type VerdictHalf = { readonly half: Half; readonly isLinked: boolean };

/** What becomes of a verdict; null stands for a contact that is not known. Pure. */
export const fateOf = ({ says }: Pick<Verdict, 'says'>, { left, right }: Sides<VerdictHalf | null>): VerdictFate => {
  if (left === null || right === null) return 'gone';
  if (left.half.state === 'gone' || right.half.state === 'gone') return 'gone';
  if (left.half.pair !== null && left.half.pair === right.half.pair) return 'paired';
  return says === 'together' && (left.isLinked || right.isLinked) ? 'linked elsewhere' : 'binds';
};

/** The contacts that may not become one with this one, by their ids on the other side. Pure. */
export const apartFrom = (verdicts: readonly Verdict[], side: Side, id: string): readonly string[] =>
  verdicts.flatMap(({ leftId, rightId, says }) => {
    if (says !== 'apart' || (side === 'left' ? leftId : rightId) !== id) return [];
    return [side === 'left' ? rightId : leftId];
  });

import { SIDES, type Side, type Sides } from '../contact/side.ts';
import type { DeleteLimit } from './policy.ts';

export type HaltReason = 'too-many-deletes' | 'side-emptied' | 'account-changed';

/** Why a run stops before it writes anything (R8). */
export type Halt = { readonly reason: HaltReason; readonly side: Side; readonly message: string };

export type GuardInput = {
  readonly limit: DeleteLimit;
  /** Contacts linked with each other. */
  readonly pairs: number;
  /** Contacts that the plan would delete on each side. */
  readonly deletes: Readonly<Record<Side, number>>;
  /** Contacts that each side is known to hold now. */
  readonly present: Readonly<Record<Side, number>>;
  readonly acceptDeletes: boolean;
  /** The run that is put back, where the plan is that of an undo. */
  readonly undoes?: string | null;
  /** How the sides are called within a sentence. */
  readonly places: Sides<string>;
};

/** How many contacts a run may delete on one side; exactly that many still pass. */
export const allowedDeletes = (limit: DeleteLimit, pairs: number): number => {
  const share = limit.percent === null ? 0 : Math.floor((pairs * limit.percent) / 100);
  return Math.max(limit.count ?? 0, share);
};

const override = (undoes: string | null): string => {
  const [look, run] = undoes === null ? ['plan', 'sync'] : [`undo ${undoes} --dry-run`, `undo ${undoes}`];
  return `Look at \`contact-sync ${look}\`; to let these deletions pass once, run \`contact-sync ${run} --accept-deletes\`.`;
};

/** The halt for a side on which none of the linked contacts stands any more. */
export const sideEmptied = (side: Side, place: string, pairs: number, undoes: string | null = null): Halt => ({
  reason: 'side-emptied',
  side,
  message: `All ${pairs} linked contacts are missing at ${place}; nothing was written. ${override(undoes)}`,
});

/** Halts a plan that deletes too much, or that follows from a side that came back empty. Both sides empty is fine. Pure. */
export const checkGuard = (input: GuardInput): Halt | null => {
  if (input.acceptDeletes) return null;
  if (input.pairs >= 2 && input.present.left + input.present.right > 0) {
    const emptied = SIDES.find((side) => input.present[side] === 0);
    if (emptied !== undefined) return sideEmptied(emptied, input.places[emptied], input.pairs, input.undoes);
  }
  const allowed = allowedDeletes(input.limit, input.pairs);
  const side = SIDES.find((candidate) => input.deletes[candidate] > allowed);
  if (side === undefined) return null;
  return {
    reason: 'too-many-deletes',
    side,
    message:
      `The run would delete ${input.deletes[side]} contacts at ${input.places[side]}, more than the ${allowed} that ` +
      `DELETE_LIMIT allows for ${input.pairs} linked contacts; nothing was written. ${override(input.undoes ?? null)}`,
  };
};

/** The halt for a credential that opens another account than the link was made with; no option passes it. */
export const accountChanged = (side: Side, place: string, detail: string): Halt => ({
  reason: 'account-changed',
  side,
  message:
    `The account at ${place} is not the one this link was made with (${detail}); nothing was written. ` +
    'Sign in with the first account again, or give the new account a link and a DATA_DIR of its own.',
});

import type { JournalRow, JournalState, StoreChange } from '../state/rows.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Sides } from '../contact/side.ts';

/** The outcome of an operation, stored when its journal entry is closed. */
export type Outcome = {
  readonly applied: boolean;
  /** The current contact; null if it does not exist or is unknown. */
  readonly after: ContactRecord | null;
  /** The reason why it counts as not applied, or why the outcome can never be determined; otherwise null. */
  readonly error: string | null;
};

export const NOT_APPLIED: Outcome = { applied: false, after: null, error: null };

/** The contact could not be read: the operation stays open, and the stored contact does not change (R9, R15). */
export type Unreadable = { readonly unreadable: string };

/** Both groups of each group pair; null for a group that does not exist. */
export type GroupHalves = readonly Sides<{ readonly id: string } | null>[];

/** Further values that an outcome is applied with. `lagMs`: the delay of the side of the operation, see `RemoteCapabilities`. */
export type ApplyContext = { readonly groupPairs: GroupHalves; readonly lagMs: number; readonly atMs: number };

/** Returns the change that closes the journal entry of an operation; none for `intended`, which leaves it open. */
export const changesToClose = (
  id: JournalRow['id'],
  state: JournalState,
  { after, error }: Omit<Outcome, 'applied'>,
  atMs: number,
): readonly StoreChange[] => (state === 'intended' ? [] : [{ kind: 'journal', id, state, after, error, atMs }]);

import type { JournalRow, JournalState, StoreChange } from '../state/rows.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Sides } from '../contact/side.ts';

/** An event of a journaled write. */
export type JournalEvent =
  /** The remote responded that it was done. */
  | 'answered'
  /** The remote responded that it was not done, or was not reachable. */
  | 'refused'
  /** There was no answer: recovery must determine the outcome. */
  | 'unanswered'
  /** Recovery found that it was done. */
  | 'found'
  /** Recovery found that it was not done, or cannot determine the outcome: the next plan decides again. */
  | 'not-found';

/** A journal entry is written as `intended`; the state after an event is final, except after `unanswered`. */
const JOURNAL_TRANSITIONS: Readonly<Record<JournalEvent, JournalState>> = {
  answered: 'done',
  refused: 'failed',
  unanswered: 'intended',
  found: 'done',
  'not-found': 'abandoned',
};

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

/** Further values that an outcome is applied with. */
export type Known = {
  /** Both groups of each group pair; null for a group that does not exist. */
  readonly groupPairs: readonly Sides<{ readonly id: string } | null>[];
  readonly atMs: number;
};

/** Returns the change that closes the journal entry of an operation; none if the event leaves it open. */
export const changesToClose = (
  id: JournalRow['id'],
  event: JournalEvent,
  { after, error }: Omit<Outcome, 'applied'>,
  atMs: number,
): readonly StoreChange[] => {
  const state = JOURNAL_TRANSITIONS[event];
  return state === 'intended' ? [] : [{ kind: 'journal', id, state, after, error, atMs }];
};

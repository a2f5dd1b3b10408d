import type { JournalState } from './rows.ts';

/** An event of a journaled write. */
export type JournalEvent =
  /** The remote responded that it was done. */
  | 'answered'
  /** The remote responded that it was not done, or was not reachable. */
  | 'refused'
  /** There was no response: recovery must determine the outcome. */
  | 'unanswered'
  /** Recovery found that it was done. */
  | 'found'
  /** Recovery found that it was not done, or cannot determine the outcome: the next plan decides again. */
  | 'not-found';

/** A journal entry is written as `intended`; the state after an event is final, except after `unanswered`. */
export const JOURNAL_TRANSITIONS: Readonly<Record<JournalEvent, JournalState>> = {
  answered: 'done',
  refused: 'failed',
  unanswered: 'intended',
  found: 'done',
  'not-found': 'abandoned',
};

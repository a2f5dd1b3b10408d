import { isReviewable } from '../../core/reconcile/guard.ts';
import type { PairIds } from '../../core/contact/pair.ts';
import { count } from '../../core/view/words.ts';
import type { LinkStatus } from './link-status.ts';

/** `bad`: no run works until a user acts; `warn`: a user can improve it; `info`: not decided yet; `good`: nothing to do. */
const SEVERITIES = ['bad', 'warn', 'info', 'good'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Sorts the most severe first. */
export const bySeverity = (one: Severity, other: Severity): number =>
  SEVERITIES.indexOf(one) - SEVERITIES.indexOf(other);

/** Whether a user can or must act. */
export const isTroubled = (severity: Severity): boolean => severity === 'bad' || severity === 'warn';

/** The state of a link in a few words. `group` is the text for several such links, if it differs. */
type Headline = { readonly severity: Severity; readonly text: string; readonly group?: string };

type Described = Pick<LinkStatus, 'state' | 'reason' | 'pausedByHandAtMs' | 'pairs' | 'openConflicts'> & {
  readonly lastSync: Pick<NonNullable<LinkStatus['lastSync']>, 'outcome'> | null;
  readonly refused: readonly PairIds[];
  readonly skipped: readonly PairIds[];
  readonly isRunning: boolean;
};

/** Returns the number of contacts of which a value is not synced; a contact counts once. */
export const countNotSynced = ({ refused, skipped }: Pick<Described, 'refused' | 'skipped'>): number =>
  new Set([...refused, ...skipped].map(({ leftId, rightId }) => `${leftId} ${rightId}`)).size;

/** The headline of an active link whose last sync did not complete; null if it completed. */
const unfinished = ({ lastSync, reason }: Pick<Described, 'lastSync' | 'reason'>): Headline | null => {
  // An active link has a reason only after a new sign-in.
  if (reason !== null) return { severity: 'info', text: 'signed in again, waiting for the next run' };
  if (lastSync === null) return { severity: 'info', text: 'not synced yet' };
  if (lastSync.outcome === 'stopped') return { severity: 'info', text: 'the last run was stopped' };
  return lastSync.outcome === 'completed' ? null : { severity: 'warn', text: 'the last run did not complete' };
};

const haltedBecause = (reason: string): Headline =>
  isReviewable(reason)
    ? { severity: 'warn', text: 'waiting for your review' }
    : { severity: 'bad', text: 'stopped because of its accounts' };

/**
 * Returns the headline of a link, the same on every screen. A link is called in sync only after a completed run with linked contacts,
 * if every value is synced and no conflict waits for a decision. Pure.
 */
export const headlineOf = (link: Described): Headline => {
  const { state, reason, pausedByHandAtMs, pairs, openConflicts, isRunning } = link;
  if (isRunning) return { severity: 'info', text: 'sync in progress' };
  if (state === 'halted') return haltedBecause(reason ?? '');
  if (state === 'paused') return { severity: 'bad', text: 'sign-in needed' };
  if (state === 'failing') return { severity: 'bad', text: 'sync is failing' };
  if (pausedByHandAtMs !== null) return { severity: 'warn', text: 'paused by hand' };
  const headline = unfinished(link);
  if (headline !== null) return headline;
  const missing = countNotSynced(link);
  if (missing > 0) {
    return { severity: 'warn', text: `${count(missing, 'contact')} not synced`, group: 'with contacts not synced' };
  }
  if (openConflicts > 0) {
    return {
      severity: 'warn',
      text: `${count(openConflicts, 'conflict')} to decide`,
      group: 'with conflicts to decide',
    };
  }
  return pairs === 0 ? { severity: 'info', text: 'no contacts linked yet' } : { severity: 'good', text: 'in sync' };
};

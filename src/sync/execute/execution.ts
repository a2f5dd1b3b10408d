import type { SyncedField } from '../../contact/contact.ts';
import type { Side, Sides } from '../../contact/side.ts';
import type { PairIds } from '../../reconcile/actions.ts';
import type { Rejection } from '../../store/store.ts';
import type { Session } from '../context.ts';
import type { GroupIds } from './writes.ts';

/** What the writes of one pass share. */
export type Execution = {
  readonly session: Session;
  /** Filled in as groups are created. */
  readonly groupIds: Map<string, { left: string | null; right: string | null }> & GroupIds;
  /** What names each side's account in the origins that are left at the other side (R9). */
  readonly scopes: Sides<string>;
  readonly rejections: ReadonlyMap<string, Rejection>;
  /** Contacts that must be looked at again before the run ends: stale, gone, or of an unknown outcome. */
  readonly again: { needed: boolean };
  /** How many calls in a row on each side left it open whether anything was written. */
  readonly unansweredCalls: Record<Side, number>;
  readonly progress: Record<Side, { done: number; readonly total: number }>;
};

/** Reports that writes of a side are done with, for the progress bar. */
export const advance = (execution: Execution, side: Side, count: number): void => {
  const progress = execution.progress[side];
  progress.done += count;
  execution.session.emit({ kind: 'written', side, done: progress.done, total: progress.total });
};

/** Reports which of the fields that were written the side did not take (R2). */
export const reportNotTaken = (session: Session, ids: PairIds, side: Side, fields: readonly SyncedField[]): void => {
  if (fields.length > 0) session.emit({ kind: 'not-taken', side, fields, ...ids });
};

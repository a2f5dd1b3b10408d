import type { PairIds } from '../core/contact/pair.ts';
import type { Conflict } from '../core/reconcile/decision.ts';
import type { StoredRunKind } from '../core/state/rows.ts';
import type { SyncedField } from '../core/contact/contact.ts';
import type { Side, Sides } from '../core/contact/side.ts';
import type { AmbiguousMatch } from '../core/reconcile/match.ts';

/** An event that a run reports: for the log, the progress bar and the summary. Plain data. */
export type RunEvent =
  | { readonly kind: 'started'; readonly runKind: StoredRunKind }
  | {
      readonly kind: 'listed';
      readonly side: Side;
      readonly whole: boolean;
      readonly contacts: number;
      readonly total: number | null;
    }
  /** The cursor has expired: the side is listed whole. */
  | { readonly kind: 'relisting'; readonly side: Side; readonly reason: string }
  | { readonly kind: 'recovered'; readonly writes: number }
  /** The number of contacts to write on each side, including those that the run has written already. */
  | { readonly kind: 'planned'; readonly contacts: Sides<number> }
  /** The numbers of written contacts of a side, and of all to write. `remainingMs` is the remaining time; null if it is not known. */
  | {
      readonly kind: 'written';
      readonly side: Side;
      readonly done: number;
      readonly total: number;
      readonly remainingMs: number | null;
    }
  | ({ readonly kind: 'conflict'; readonly conflict: Conflict } & PairIds)
  /** A contact that a side refused, or that could not be read. The run continues without it. */
  | ({ readonly kind: 'skipped'; readonly side: Side; readonly reason: string } & PairIds)
  /** Values that a side did not store although it accepted the write. They are not sent again until they change. */
  | ({ readonly kind: 'not-taken'; readonly side: Side; readonly fields: readonly SyncedField[] } & PairIds)
  /** Contacts that may be one person and were not paired: a user decides (R13). */
  | ({ readonly kind: 'ambiguous' } & AmbiguousMatch)
  | {
      readonly kind: 'group';
      readonly side: Side;
      readonly action: 'created' | 'renamed' | 'deleted' | 'duplicate' | 'refused';
      readonly name: string;
      readonly reason: string | null;
    };

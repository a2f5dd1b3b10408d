import type { SyncedField } from '../contact/contact.ts';
import type { Side } from '../contact/side.ts';
import type { Conflict } from '../reconcile/decision.ts';
import type { Rivals } from '../reconcile/match.ts';
import type { StoredRunKind } from '../store/store.ts';

type ContactIds = { readonly leftId: string | null; readonly rightId: string | null };

/** What a run tells while it works: for the logs, for a progress bar, for a summary. Plain data. */
export type RunEvent =
  | { readonly kind: 'started'; readonly runKind: StoredRunKind }
  | {
      readonly kind: 'listed';
      readonly side: Side;
      readonly whole: boolean;
      readonly contacts: number;
      readonly total: number | null;
    }
  /** The change feed cannot go on: the side is listed whole. */
  | { readonly kind: 'relisting'; readonly side: Side; readonly reason: string }
  | { readonly kind: 'recovered'; readonly writes: number }
  | { readonly kind: 'planned'; readonly writes: Readonly<Record<Side, number>> }
  /** How far a side's writes are; `leftMs` is how long the others take, null where that is not known. */
  | {
      readonly kind: 'written';
      readonly side: Side;
      readonly done: number;
      readonly total: number;
      readonly leftMs: number | null;
    }
  | ({ readonly kind: 'conflict'; readonly conflict: Conflict } & ContactIds)
  /** A contact that a side refused, or that could not be read; it is left alone, the others go on. */
  | ({ readonly kind: 'skipped'; readonly side: Side; readonly reason: string } & ContactIds)
  /** Values that a side silently did not take; they are not sent again until they change. */
  | ({ readonly kind: 'not-taken'; readonly side: Side; readonly fields: readonly SyncedField[] } & ContactIds)
  /** A pair differed and no rule explains it: the sides are merged in these fields. */
  | ({ readonly kind: 'repaired'; readonly fields: readonly SyncedField[] } & ContactIds)
  /** Contacts that may be one person and were not paired: a decision for a person (R13). */
  | ({ readonly kind: 'ambiguous' } & Rivals)
  | {
      readonly kind: 'group';
      readonly side: Side;
      readonly action: 'created' | 'renamed' | 'deleted' | 'duplicate' | 'refused';
      readonly name: string;
      readonly reason: string | null;
    };

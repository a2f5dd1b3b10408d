import type { PairIds } from '../core/contact/pair.ts';
import type { LinkState, RunKind } from '../core/state/rows.ts';
import type { ChosenFields } from '../core/contact/chosen.ts';
import { type Side, type Sides, SIDES, type SideWords } from '../core/contact/side.ts';
import type { Policy } from '../core/reconcile/policy.ts';
import type { Remote } from '../providers/remote.ts';
import type { Progress } from './progress.ts';
import type { LeaseParts } from './lease.ts';
import type { LinkWriter } from './link-writer.ts';
import type { RunEvent } from './run-event.ts';
import type { Tally, CallCount } from './tally.ts';

/** The settings, remotes and services of a run over one link. */
export type LinkContext = LeaseParts & {
  readonly link: string;
  /** The name of each side. */
  readonly sides: Sides<SideWords>;
  readonly policy: Policy;
  /** The fields that the link syncs. Its remotes were opened for the same fields. */
  readonly fields: ChosenFields;
  readonly sweepIntervalMs: number;
  /** The retention period of the writes of runs; null: without limit. */
  readonly retentionMs: number | null;
  /** The wait before each search for the contact of a create without an answer (R9). */
  readonly looksAfterMs: readonly number[];
  /** The number of contacts of a first sync that are planned at a time (`parts.ts`). Default: 1,500. */
  readonly partSize?: number;
  readonly remotes: Sides<Remote>;
  /** The provider and the address of each side. Ids are unique within an endpoint. */
  readonly endpoints: Sides<string>;
  /** A one-way digest of each side's credential. The account is checked if it changes. */
  readonly credentials: Sides<string>;
};

/** An acceptance by a user of what the guard halts (R8). */
export type Acceptance =
  /** The losses; of a sync, those that the last run showed when it halted. */
  | { readonly kind: 'losses' }
  /** The halt with this message only. Without `loses`, deletions were restored: a side that is still empty is accepted, and no loss. */
  | { readonly kind: 'halt'; readonly message: string; readonly loses: boolean };

export type RunOptions = {
  readonly kind: RunKind;
  /** Left out if nothing is accepted. */
  readonly accepts?: Acceptance;
  /** Ends the run at once and aborts its requests. */
  readonly signal: AbortSignal;
  /** Ends the run before its next page or write; requests in flight are finished. */
  readonly stop?: AbortSignal;
  /** Called under the lease before the run starts. The run does not start if it throws. */
  readonly onLease?: () => Promise<void>;
  /** Called with each event of the run and the run's id. */
  readonly onEvent: (event: RunEvent, run: string) => void;
};

/** The context of one run, for all its steps. */
export type Session = LinkContext &
  Omit<RunOptions, 'onLease' | 'onEvent'> & {
    readonly run: string;
    readonly startedAtMs: number;
    /** The run that this one reverts; null for an ordinary run. */
    readonly undoes: string | null;
    /** The directions of the configuration (`directionsText`). A side that may only be read changes the policy of the run. */
    readonly directions: string;
    readonly emit: (event: RunEvent) => void;
    /** Changes stored rows of the link, under the run's lease. */
    readonly writer: LinkWriter;
    /** Returns the link's state after the last commit of the run. */
    readonly state: () => LinkState;
    readonly tally: Tally;
    readonly progress: Progress;
    readonly countCall: CallCount;
    /** Returns the account of a side; null if it does not report one. It is requested once in a run. */
    readonly identify: (side: Side) => Promise<string | null>;
  };

export const DAY_MS = 86_400_000;

/**
 * Returns the time from which runs and their writes are kept; null if all are kept. It is at least a day ago, because the guard
 * counts the losses of a day (R8). Times are epoch milliseconds.
 */
export const keptSinceMs = (retentionMs: number | null, nowMs: number): number | null =>
  retentionMs === null ? null : nowMs - Math.max(retentionMs, DAY_MS);

/** Reports and counts something that this run skips. */
export const reportSkipped = (
  { emit, tally }: Pick<Session, 'emit' | 'tally'>,
  side: Side,
  reason: string,
  { leftId, rightId }: PairIds,
): void => {
  tally.skipped += 1;
  emit({ kind: 'skipped', side, reason, leftId, rightId });
};

/** Runs a step for both sides at once and waits for both, so that no step continues after an error. */
export const onBothSides = async <T>(step: (side: Side) => Promise<T>): Promise<Sides<T>> => {
  const [left, right] = await Promise.allSettled([step('left'), step('right')]);
  if (left.status === 'rejected') throw left.reason;
  if (right.status === 'rejected') throw right.reason;
  return { left: left.value, right: right.value };
};

/** Returns the sides of which this run has completed a listing. */
export const listedSides = ({ startedAtMs, state }: Pick<Session, 'startedAtMs' | 'state'>): ReadonlySet<Side> => {
  const { cursors } = state();
  return new Set(SIDES.filter((side) => (cursors[side].listedAtMs ?? 0) >= startedAtMs));
};

import type { Half, HalfState } from '../core/contact/half.ts';
import type { RowDigest } from '../core/contact/requests.ts';
import type { Side, Sides } from '../core/contact/side.ts';
import type { OperationKind } from '../core/reconcile/operation.ts';
import type {
  ConflictRow,
  NarrowHalf,
  JournalRow,
  LinkState,
  NotificationState,
  PairRow,
  RunOutcome,
  RunRow,
  StoreChange,
} from '../core/state/rows.ts';

export { CredentialsError, FenceError, StoreError } from './errors.ts';

// Times are epoch milliseconds.

/** Halves, and the pairs that they belong to. */
export type HalvesWithPairs = { readonly halves: readonly Half[]; readonly pairs: readonly PairRow[] };

/** A half as a member of a group. */
export type Member = Pick<Half, 'side' | 'id' | 'pair' | 'state'> & { readonly groupId: string };

/** The contacts of a page: all, those on one side only, or those that runs have written. */
export type ContactPage = 'all' | 'alone' | 'written';

export type HalfQuery =
  | { readonly by: 'id'; readonly side: Side; readonly ids: readonly string[] }
  | { readonly by: 'pair'; readonly pairs: readonly number[] }
  | { readonly by: 'state'; readonly states: readonly HalfState[]; readonly side?: Side }
  /** Halves whose pair has one half only (kept, dormant). */
  | { readonly by: 'alone' }
  /** Halves of no pair that are `settled`: their side does not select them. */
  | { readonly by: 'unselected' }
  /** Halves of a side, of a pair or not, whose record holds an email address of one of these keys (`emailKey`). */
  | { readonly by: 'email'; readonly side: Side; readonly keys: readonly string[] }
  /** Halves whose contacts a text names (`rankBy`); those of the first names if there are more than the limit. */
  | { readonly by: 'search'; readonly text: string; readonly limit: number }
  /**
   * A page of contacts, one half for each: all, or those on one side only, in the order of their search text; or the halves
   * that runs have written, the newest first.
   */
  | { readonly by: 'page'; readonly of: ContactPage; readonly offset: number; readonly limit: number }
  /** Halves of no pair whose record has no value (`isEmptyContact`). */
  | { readonly by: 'blank' }
  | { readonly by: 'all' };

/** The most halves of a kind that an {@link Opening} contains. */
export const MOST_OPENING_HALVES = 200;

/** The first read of a run, all at one moment: the link, and the rows that most runs need several times. */
export type Opening = {
  readonly state: LinkState;
  /** Entries whose outcome is unknown. */
  readonly openJournal: readonly JournalRow[];
  /** As {@link Store.conflicts} returns them without `all`. */
  readonly conflicts: readonly ConflictRow[];
  readonly hasCompletedRun: boolean;
  readonly anyPresent: Sides<boolean>;
  /** The halves that are not `settled`; null if there are more than {@link MOST_OPENING_HALVES}. */
  readonly open: readonly Half[] | null;
  /** The halves whose pair has one half only; null if there are more than that. */
  readonly alone: readonly Half[] | null;
};

export type Counts = {
  /** Pairs that are linked. */
  readonly pairs: number;
  /** Halves of no pair that their side does not select. */
  readonly unselected: Sides<number>;
  /** Halves that are neither `missing` nor `gone`. */
  readonly present: Sides<number>;
};

export type WriteCounts = Partial<Readonly<Record<OperationKind, number>>>;

/** Contacts by their ids on either side, and by the pairs that they belong or belonged to. */
type ContactScope = { readonly ids: readonly string[]; readonly pairIds: readonly number[] };

export type JournalQuery =
  /** Entries whose outcome is unknown. */
  | { readonly open: true }
  /** Deletes of contacts that are done. */
  | { readonly deletions: true }
  /** Writes that destroy and are done, journaled at that time or later. */
  | { readonly destroyedSinceMs: number }
  /** Entries of a run: of these kinds alone, from that id on, so many at most. */
  | {
      readonly run: string;
      readonly kinds?: readonly OperationKind[];
      readonly fromId?: number;
      readonly limit?: number;
    }
  /** Every entry from that id on, so many at most. */
  | { readonly fromId: number; readonly limit: number }
  /** Entries that name, or were answered with, one of these contacts, or that name one of these pairs. */
  | ContactScope;

export type RunQuery =
  /**
   * The latest that ended, the latest with that outcome, or the latest whose journal holds a write that is done. For `completed`, an undo
   * does not count: it does not compare the two sides.
   */
  | { readonly latest: RunOutcome | 'ended' | 'writing' }
  /** All whose id begins so, the newest first. */
  | { readonly idPrefix: string }
  /** At most this number of runs that began before that one and match the filter, the newest first. */
  | { readonly newest: number; readonly before?: RunRow; readonly of?: RunFilter };

/** Runs of a kind, or with an outcome. */
type RunFilter = Partial<Pick<RunRow, 'kind' | 'outcome'>>;

/** The number of runs that are pruned with their writes in one step, so that no step takes long. Runs without writes do not count. */
export const PRUNED_AT_ONCE = 500;

/** The reason of a run whose process died, or lost its lease, before it could store how it ended. */
export const INTERRUPTED = 'interrupted';

/**
 * The stored state of all links. Each method is one atomic step and waits for no remote. Values are parsed when they are read: any
 * method throws {@link StoreError} if a row does not parse.
 */
export interface Store {
  /**
   * A name that every process uses for this store, on each host, and that no other store has. Null for a store in DATA_DIR, which
   * only the processes with that directory share.
   */
  sharedId(): Promise<string | null>;
  /** Every link, by name. */
  links(): Promise<readonly LinkState[]>;
  /** One link, made on first use. */
  link(name: string): Promise<LinkState>;
  /** Returns the first read of a run. The link must exist: a lease makes it. */
  opening(link: string): Promise<Opening>;
  /**
   * Acquires the lease if it is free, expired or the owner's own. Returns the fencing token, which grows with each change of
   * owner and does not change on renewal; null if another process holds the lease. A lease that ends more than a minute after
   * `nowMs` counts as expired: the clock was set back.
   */
  acquireLease(link: string, owner: string, nowMs: number, untilMs: number): Promise<number | null>;
  /** The owner of the lease, even of an expired one; null if it is free. */
  leaseOwner(link: string): Promise<string | null>;
  /** Frees the lease if it is the owner's; its token is void from then on. */
  releaseLease(link: string, owner: string): Promise<void>;
  /** Since when a user has paused the link, read from the database; null if it is not paused by hand. */
  pausedByHandAtMs(link: string): Promise<number | null>;
  /**
   * Pauses a link, or resumes it with null; an earlier pause keeps its time. Returns whether that changed anything. Requires no
   * lease, because no run stores this.
   */
  setPausedByHand(link: string, atMs: number | null): Promise<boolean>;
  /** Replaces the notification state of a link if it is still `before`. Returns whether it was. Requires no lease. */
  swapNotificationState(link: string, before: NotificationState, after: NotificationState): Promise<boolean>;
  /** The halves of a link that a query means, each once, the left side's first and by id. */
  halves(link: string, query: HalfQuery): Promise<readonly Half[]>;
  /** The halves of these ids and of these pairs, with the pairs that they belong to whole; each once, in no order. */
  wholePairs(
    link: string,
    asked: { readonly ids: Sides<readonly string[]>; readonly pairs: readonly number[] },
  ): Promise<HalvesWithPairs>;
  /** Those of the pairs that exist, by id. */
  pairs(link: string, ids: readonly number[]): Promise<readonly PairRow[]>;
  /** Every half of a side, in no order; cheap, as the wide columns are not read. */
  index(link: string, side: Side): Promise<readonly NarrowHalf[]>;
  /** The members of these groups, of a pair or not, one for each group of a half, in no order, without their wide parts. */
  members(link: string, groupIds: readonly string[]): Promise<readonly Member[]>;
  /** The ids that the listing under way has shown, as often as it showed them. */
  shown(link: string, side: Side): Promise<readonly string[]>;
  /** The digests of those rows for which a half with that very id holds that very digest. */
  known(link: string, side: Side, rows: readonly RowDigest[]): Promise<ReadonlySet<string>>;
  /** Whether each side has a half that is neither `missing` nor `gone`; cheap, as nothing is counted. */
  anyPresent(link: string): Promise<Sides<boolean>>;
  counts(link: string): Promise<Counts>;
  /**
   * Makes the changes in their order, all or none. Returns the new ids in the order of the changes: one for each new pair and for
   * each `intend`.
   *
   * @throws {FenceError} if the token is not that of the link's current lease: nothing is changed.
   */
  commit(link: string, token: number, changes: readonly StoreChange[]): Promise<readonly number[]>;
  /** The oldest first. */
  journal(link: string, query: JournalQuery): Promise<readonly JournalRow[]>;
  /** The number of entries that a run journaled, by kind. Kinds without entries are left out. */
  writeCounts(link: string, run: string): Promise<WriteCounts>;
  runs(link: string, query: RunQuery): Promise<readonly RunRow[]>;
  /** The oldest first; without `all` only those that have not ended. */
  conflicts(link: string, options: { readonly all: boolean }): Promise<readonly ConflictRow[]>;
  /** The value that was last saved under the key; null without one. */
  budget(key: string): Promise<string | null>;
  saveBudget(key: string, stateJson: string): Promise<void>;
  /** Copies a link into a temporary store, which the caller closes. Changes of the copy do not change this store. */
  scratch(link: string): Promise<Store>;
  /** Erases deleted and replaced rows from the disk. Takes seconds, and needs as much free space as the database has. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

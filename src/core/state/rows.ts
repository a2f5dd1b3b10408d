import type { SyncedField } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Side, Sides } from '../contact/side.ts';
import type { PairIds, PairStatus } from '../contact/pair.ts';
import type { Conflict, RecordedConflict } from '../reconcile/decision.ts';
import type { Refusal } from '../reconcile/defer.ts';
import type { GroupPair } from '../reconcile/groups.ts';
import type { Operation } from '../reconcile/operation.ts';
import type { Verdict } from '../reconcile/verdict.ts';

// The rows of a link as values. Times are epoch milliseconds.

/** The fields that a link's stored contacts contain (`core/contact/chosen.ts`). */
type LinkFields = {
  /** The name of the choice of fields. */
  readonly name: string;
  /**
   * The fields that were added since a run last completed; null if the choice has not changed since then. Fields that are not in
   * the choice are being removed: some stored contacts may still contain them.
   */
  readonly joining: readonly SyncedField[] | null;
};

/** The notifications that were sent about a link. */
export type NotificationState = {
  /** The problem that was last notified; null if none was notified, or its end was notified, too. */
  readonly trouble: 'halted' | 'paused' | 'failing' | null;
  /** The time since which the link is failing; null if it was not failing when last checked. */
  readonly failingSinceMs: number | null;
};

export type LinkStateName = 'active' | 'paused' | 'resuming' | 'halted' | 'failing';

export type RunKind = 'incremental' | 'full';

/** The kind of a stored run; an undo is a separate run. */
export type StoredRunKind = RunKind | 'undo';

export type RunOutcome = 'completed' | 'halted' | 'failed';

/** The read position of a side's change feed and of its full listings. */
export type Cursor = {
  /** The start of the next incremental read; null if the whole side must be listed. Opaque. */
  readonly cursor: string | null;
  /** The time at which the feed was last read to its end. */
  readonly readAtMs: number | null;
  /** The position at which an interrupted full listing continues; null if no listing is in progress. Opaque. */
  readonly resume: string | null;
  readonly listingStartedAtMs: number | null;
  /** The end of the last complete listing. */
  readonly listedAtMs: number | null;
};

/** The cursor of a side that has not been read yet. */
export const NO_CURSOR: Cursor = {
  cursor: null,
  readAtMs: null,
  resume: null,
  listingStartedAtMs: null,
  listedAtMs: null,
};

/** Something that a side refused to store, or that could not be read, and the time of the next attempt. */
export type Rejection = Refusal & PairIds & { readonly reason: string; readonly attempts: number };

/** A link with all its small tables, read in one step. */
export type LinkState = {
  readonly name: string;
  readonly state: LinkStateName;
  readonly reason: string | null;
  /** The account that the link was created with, as each side names it; null until a run has read it. */
  readonly accounts: Sides<string | null>;
  /**
   * Identifies the two accounts with their providers and addresses, in either order: links with equal keys connect the same
   * accounts. Null until a run has read the accounts, or if a side does not report its account.
   */
  readonly accountsKey: string | null;
  /** A one-way digest of the credential of the last run. */
  readonly credentials: Sides<string | null>;
  /** The last run that was allowed to pass the guard, and its time. Losses before it and by it no longer count (R8). */
  readonly acceptedDeletes: { readonly run: string; readonly atMs: number } | null;
  /**
   * The selection that the stored contacts were last filtered with (R18); null means no filter. An empty key:
   * they must be filtered again.
   */
  readonly selection: { readonly patterns: string; readonly key: string } | null;
  /** The directions with which both sides were last listed (`directionsText`); null until then. */
  readonly directions: string | null;
  /** The problem that was reported last to the webhook, and the state of its report. */
  readonly notificationState: NotificationState;
  /** The time since which a person has paused scheduled runs of the link; null if it is not paused by hand. Runs do not change it. */
  readonly pausedByHandAtMs: number | null;
  readonly fields: LinkFields;
  /** The end of the last run that wrote, other than an undo; null if no run has written anything. */
  readonly lastChangeAtMs: number | null;
  readonly cursors: Sides<Cursor>;
  /** Ordered by key. */
  readonly groupPairs: readonly GroupPair[];
  /** Ordered by key, then by side. */
  readonly rejections: readonly Rejection[];
  /** Decisions of a person about two contacts, ordered by their ids on the left, then on the right side. */
  readonly verdicts: readonly Verdict[];
};

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

// The order of the small rows of a link.

export const byKey = (one: Pick<GroupPair, 'key'>, other: Pick<GroupPair, 'key'>): number =>
  compare(one.key, other.key);

export const byKeyAndSide = (one: Pick<Rejection, 'key' | 'side'>, other: Pick<Rejection, 'key' | 'side'>): number =>
  compare(one.key, other.key) || compare(one.side, other.side);

export const byIds = (one: Pick<Verdict, 'leftId' | 'rightId'>, other: Pick<Verdict, 'leftId' | 'rightId'>): number =>
  compare(one.leftId, other.leftId) || compare(one.rightId, other.rightId);

type Small = 'cursors' | 'groupPairs' | 'rejections' | 'verdicts';

type Patched = Exclude<keyof LinkState, 'name' | 'notificationState' | 'pausedByHandAtMs' | Small>;

export type PairRow = { readonly id: number; readonly status: PairStatus };

/** A half without its large columns. */
export type NarrowHalf = Pick<Half, 'id' | 'pair' | 'state' | 'absences' | 'heardAtMs'>;

/**
 * - `intended`: the outcome is not known yet.
 * - `done`: an answer or a read showed that the write was applied.
 * - `failed`: the side answered that it was not applied, or was not reached.
 * - `abandoned`: recovery found that it was not applied, or cannot find out: the next plan decides again.
 */
export type JournalState = 'intended' | 'done' | 'failed' | 'abandoned';

/** A journaled operation with its outcome. */
export type JournalRow = Operation & {
  readonly id: number;
  readonly run: string;
  readonly intendedAtMs: number;
  readonly state: JournalState;
  /** The contact in the side's response, or in the read that settled the entry; null if there was none. */
  readonly after: ContactRecord | null;
  readonly error: string | null;
  /** Null while the entry is open. */
  readonly settledAtMs: number | null;
};

/** The numbers of contacts, and of groups, that a run wrote on one side. `groupsChanged`: created or renamed. */
type Wrote = Readonly<Record<'created' | 'updated' | 'deleted' | 'groupsChanged' | 'groupsDeleted', number>>;

export type RunRow = {
  readonly id: string;
  readonly link: string;
  readonly kind: StoredRunKind;
  /** For an undo: the run that it reverts. */
  readonly undoes: string | null;
  readonly outcome: RunOutcome | 'running';
  readonly reason: string | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  /**
   * For a halted run: a nonce that allows its plan to pass the guard once. Only a reader of this store can
   * provide it. Otherwise null.
   */
  readonly override: string | null;
  /** For a halted run: the losses of its plan, which `--accept-deletes` accepts; left out if there are none. */
  readonly shown?: readonly string[];
  /** The writes of the run; null until it has ended normally. */
  readonly wrote: Sides<Wrote> | null;
};

export type RunStart = Pick<RunRow, 'id' | 'kind' | 'undoes' | 'startedAtMs'>;

type RunEnd = {
  readonly outcome: RunOutcome;
  readonly reason: string | null;
  /**
   * Stored as JSON. For an undo it contains `undoes` again, which replaces the value of the start. For a halted run it contains
   * `override` and `shown`. The writes of the run are in `left` and `right`.
   */
  readonly summary: object;
  readonly endedAtMs: number;
};

/** A field that both sides changed: both values, the winner by rule, and the choice of a user. */
export type ConflictRow = RecordedConflict & {
  readonly id: number;
  readonly run: string;
  readonly atMs: number;
  /** The time since which the contacts have other values, so that no value can be chosen; null before. */
  readonly endedAtMs: number | null;
};

/** A half to be stored. */
export type HalfPut = {
  readonly half: Half;
  /** The digest by which {@link Store.known} finds it; null if a row with equal content must still be read. */
  readonly digest: string | null;
  /** True if a half of its side and id is stored with the same record: then the record is not written again. */
  readonly keepsRecord?: boolean;
};

/** Rows that a change stores, by table. */
type PutRows = {
  /** A pair with an id below zero is new. {@link Store.commit} returns its id, which its halves in the same commit get. */
  readonly pairs: PairRow;
  readonly halves: HalfPut;
  readonly cursors: Cursor & { readonly side: Side };
  readonly groupPairs: GroupPair;
  readonly rejections: Rejection;
  readonly verdicts: Verdict;
};

/** The values that identify the rows which a change deletes, by table. */
type DroppedRows = {
  readonly halves: Pick<Half, 'side' | 'id'>;
  /** Deletes only the row: its halves are dropped or put by separate changes. */
  readonly pairs: Pick<PairRow, 'id'>;
  readonly shownPages: { readonly side: Side };
  readonly groupPairs: Pick<GroupPair, 'key'>;
  readonly rejections: Pick<Rejection, 'side' | 'key'>;
  readonly verdicts: Pick<Verdict, 'leftId' | 'rightId'>;
  readonly conflicts: Pick<ConflictRow, 'leftId'>;
  /** The entry may have any state. */
  readonly journal: Pick<JournalRow, 'id'>;
};

/** One change for each table: `Name` is the property with the values of the table. */
type ByTable<Rows, Kind extends string, Name extends string> = {
  readonly [Table in keyof Rows]: { readonly kind: Kind; readonly table: Table } & Readonly<Record<Name, Rows[Table]>>;
}[keyof Rows];

/** A change of stored rows. All rules were applied before. */
export type StoreChange =
  /** Adds a row, or replaces the one with its key. */
  | ByTable<PutRows, 'put', 'row'>
  | ByTable<DroppedRows, 'drop', 'where'>
  /** The ids on one page of a listing in progress. */
  | { readonly kind: 'shown'; readonly side: Side; readonly ids: readonly string[] }
  | { readonly kind: 'link'; readonly patch: Partial<Pick<LinkState, Patched>> }
  /** Journals an operation before its request. {@link Store.commit} returns the entry's id. */
  | { readonly kind: 'intend'; readonly run: string; readonly operation: Operation; readonly atMs: number }
  /** Settles an open entry. A settled entry does not change. */
  | {
      readonly kind: 'journal';
      readonly id: number;
      readonly state: Exclude<JournalState, 'intended'>;
      readonly after: ContactRecord | null;
      readonly error: string | null;
      readonly atMs: number;
    }
  /** Adds a conflict. With `endedAtMs` it has ended already. */
  | ({ readonly kind: 'conflict'; readonly conflict: Conflict } & Pick<
      ConflictRow,
      'run' | 'leftId' | 'rightId' | 'atMs'
    > &
      Partial<Pick<ConflictRow, 'endedAtMs'>>)
  /** Ends the conflicts about these fields of a contact. */
  | ({ readonly kind: 'end-conflicts'; readonly fields: readonly SyncedField[] | 'all' } & Pick<
      ConflictRow,
      'leftId' | 'atMs'
    >)
  /** Stores the side whose value a user chose for the conflict of a field that has not ended; null removes the choice. */
  | ({ readonly kind: 'decide-conflict' } & Pick<ConflictRow, 'leftId' | 'field' | 'decided'>)
  /** Adds a run. Any other run of the link that is still `running` becomes `failed` with the reason `interrupted`. */
  | { readonly kind: 'run-started'; readonly run: RunStart }
  /** Stores how a run has ended. */
  | { readonly kind: 'patch-run'; readonly id: string; readonly set: RunEnd }
  /** Deletes the identity mapping and the journal: all rows of the link except its own row and its runs (R8). */
  | { readonly kind: 'forget-mapping' }
  /**
   * Deletes old rows:
   * - the entries of the oldest {@link PRUNED_AT_ONCE} runs that ended before that time and have no open entry, and these runs,
   *   with all runs before that time that wrote nothing, except the latest that ended and the latest that completed;
   * - conflicts that ended before that time, or were recorded before that time with a winner and no choice of a user;
   * - refusals whose next attempt was due before that time.
   */
  | { readonly kind: 'prune'; readonly beforeMs: number }
  /** Deletes all rows of the link, including its own row with the lease, and its runs. */
  | { readonly kind: 'forget-link' };

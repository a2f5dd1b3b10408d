import type { SyncedField } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Side, Sides } from '../contact/side.ts';
import type { Conflict, PairStatus, Review } from '../reconcile/decision.ts';
import type { GroupPair } from '../reconcile/groups.ts';
import type { Operation, StoredOperation } from '../reconcile/operation.ts';
import type { Verdict } from '../reconcile/verdict.ts';

// The rows of a link as values. Times are epoch milliseconds.

/** When the people behind a link work, as far as its runs have seen. */
export type Activity = {
  /** When a run last wrote something; null where none has. */
  readonly lastChangeAtMs: number | null;
  /**
   * For each hour of the day in UTC, on how many days runs wrote something in it, as of the last change: a day counts half
   * after two weeks. Empty where there was no change yet.
   */
  readonly hours: readonly number[];
};

/** Of a link that no run has written anything of. */
export const NO_ACTIVITY: Activity = { lastChangeAtMs: null, hours: [] };

/** Which fields a link's stored contacts hold (`core/contact/chosen.ts`). */
export type LinkFields = {
  /** The choice of fields, by its name. */
  readonly name: string;
  /**
   * The fields that have joined since a run last completed; null where the choice was the same then. Those that are not of the
   * choice are being taken away: some contacts may hold them still.
   */
  readonly joining: readonly SyncedField[] | null;
};

/** What is stored of a link that never chose fields. */
export const NO_CHOICE: LinkFields = { name: '', joining: null };

/** What the receiver of notices knows of a link. */
export type NotificationState = {
  /** The trouble that it was told of; null where it was told of none, or that it is over. */
  readonly trouble: 'halted' | 'paused' | 'failing' | null;
  /** Since when the link has been seen failing; null where it was last seen otherwise. */
  readonly failingSinceMs: number | null;
  /** Until when a process has it to itself to tell the receiver something; null where none has. */
  readonly claimedUntilMs: number | null;
};

/** Of a link that no notice was about. */
export const NO_NOTIFICATION: NotificationState = { trouble: null, failingSinceMs: null, claimedUntilMs: null };

/** The part of a link's state that a person sets; no run changes it. */
type PausedByHand = {
  /** Since when a person wants no run of the link to begin by itself; null where nobody does. */
  readonly pausedByHandAtMs: number | null;
};

export type LinkStateName = 'active' | 'paused' | 'resuming' | 'halted' | 'failing';

export type RunKind = 'incremental' | 'full';

/** What a stored run was; an undo is a run of its own. */
export type StoredRunKind = RunKind | 'undo';

export type RunOutcome = 'completed' | 'halted' | 'failed';

/** How far a side's change feed and its full listings were read. */
export type Cursor = {
  /** Where the next incremental read starts; null where the side must be listed whole. Opaque. */
  readonly cursor: string | null;
  /** When the feed was last read to its end. */
  readonly readAtMs: number | null;
  /** Where a full listing that was cut off goes on; null where none is under way. Opaque. */
  readonly resume: string | null;
  readonly listingStartedAtMs: number | null;
  /** When the side was last listed whole. */
  readonly listedAtMs: number | null;
};

/** A side of which nothing has been read yet. */
export const NO_CURSOR: Cursor = {
  cursor: null,
  readAtMs: null,
  resume: null,
  listingStartedAtMs: null,
  listedAtMs: null,
};

/** A contact that a side refused to take, and when it may be tried again. */
export type Rejection = {
  readonly side: Side;
  /** Names the write that was refused, by the ids of the contacts that it follows from. */
  readonly key: string;
  readonly leftId: string | null;
  readonly rightId: string | null;
  readonly reason: string;
  readonly sourceFingerprint: string;
  readonly attempts: number;
  readonly retryAtMs: number;
};

/** A link with everything of it that is small, read in one step. */
export type LinkState = PausedByHand & {
  readonly name: string;
  readonly state: LinkStateName;
  readonly reason: string | null;
  /** The account that the link was made with, as each side names it; null until a run has asked. */
  readonly accounts: Sides<string | null>;
  /**
   * Names the two accounts together with their providers and addresses, in either order: links with equal keys connect the
   * same accounts. Null until a run has asked, and where a side does not report its account.
   */
  readonly accountsKey: string | null;
  /** A one-way digest of the credential of the last run. */
  readonly credentials: Sides<string | null>;
  /** The last run that was let past the guard, and when: what was destroyed before it and by it counts no more (R8). */
  readonly acceptedDeletes: { readonly run: string; readonly atMs: number } | null;
  /** What the stored contacts were last held against (R18); null: everybody. An empty key: they must be held against it again. */
  readonly selection: { readonly patterns: string; readonly key: string } | null;
  readonly told: NotificationState;
  readonly fields: LinkFields;
  readonly activity: Activity;
  /** When a contact was last forgotten (epoch milliseconds): what was kept in memory before that may show it. */
  readonly forgottenAtMs: number | null;
  readonly cursors: Sides<Cursor>;
  /** Ordered by key. */
  readonly groupPairs: readonly GroupPair[];
  /** Ordered by key, then by side. */
  readonly rejections: readonly Rejection[];
  /** What a person said of two contacts, ordered by their ids on the left, then on the right side. */
  readonly verdicts: readonly Verdict[];
};

type Small = 'cursors' | 'groupPairs' | 'rejections' | 'verdicts';

type Patched = Exclude<keyof LinkState, 'name' | 'told' | keyof PausedByHand | Small>;

export type PairRow = { readonly id: number; readonly status: PairStatus };

/** A half without its wide parts. */
export type HalfKey = Pick<Half, 'id' | 'pair' | 'state' | 'absences' | 'heardAtMs'>;

/** `intended`: the outcome is unknown as long as it stands so. */
export type JournalState = 'intended' | 'done' | 'failed' | 'abandoned';

/** A journaled operation with its outcome. */
export type JournalRow = StoredOperation & {
  readonly id: number;
  readonly run: string;
  readonly intendedAtMs: number;
  readonly state: JournalState;
  /** The contact as the side answered with it; null where it gave none. */
  readonly after: ContactRecord | null;
  readonly error: string | null;
  /** Null while the entry is open. */
  readonly settledAtMs: number | null;
};

/** The contacts that a run wrote on one side; as groups count only those that it deleted. */
type Wrote = Readonly<Record<'created' | 'updated' | 'deleted' | 'groupsDeleted', number>>;

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
  /** For a halted run: the nonce by which somebody who reads this store lets its plan pass, once; null for any other. */
  readonly override: string | null;
  /** What it wrote; null until it has ended by itself. */
  readonly wrote: Sides<Wrote> | null;
  /** Linked pairs that it found to differ without an explanation, and merged. */
  readonly repaired: number;
};

export type RunStart = Pick<RunRow, 'id' | 'kind' | 'undoes' | 'startedAtMs'>;

type RunEnd = {
  readonly outcome: RunOutcome;
  readonly reason: string | null;
  /**
   * Kept as JSON. Of an undo it holds `undoes` again: what it says replaces what the start said. Of a halted run it holds
   * `override`. It holds what the run wrote as `left` and `right`.
   */
  readonly summary: object;
  readonly endedAtMs: number;
};

/** A field that both sides had changed: both values, and which one stands. */
export type ConflictRow = Conflict & {
  readonly id: number;
  readonly run: string;
  readonly leftId: string;
  readonly rightId: string;
  readonly atMs: number;
  /** When a later change of the same field settled it; null while it is open. */
  readonly resolvedAtMs: number | null;
  /** What a person said of it, and when; null where nobody has reviewed it. */
  readonly review: Review | null;
  readonly reviewedAtMs: number | null;
};

/** A half to be stored. */
export type HalfPut = {
  readonly half: Half;
  /** The digest by which {@link Store.known} finds it; null where a row that says the same must be read all the same. */
  readonly digest: string | null;
  /** Whether a half of its side and id is stored that holds this very record: then the record is not written again. */
  readonly keepsRecord?: boolean;
};

/** Rows that a change puts as they are, by their tables. */
type PutRows = {
  readonly cursors: Cursor & { readonly side: Side };
  readonly groupPairs: GroupPair;
  readonly rejections: Rejection;
  readonly verdicts: Verdict;
};

/** The values that identify the rows which a change deletes, by their tables. */
type DroppedRows = {
  readonly halves: Pick<Half, 'side' | 'id'>;
  /** The row alone: its halves are dropped or put by changes of their own. */
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

/** A change of stored rows. All rules have been applied before. */
export type StoreChange =
  /** Adds a row, or replaces the one with its key. */
  | ByTable<PutRows, 'put', 'row'>
  | ByTable<DroppedRows, 'drop', 'where'>
  /** Adds the half, or replaces the one with its side and id. */
  | ({ readonly kind: 'put-half' } & HalfPut)
  /** Puts a pair, and its halves with the pair's id. A null id makes a new pair, whose id {@link Store.commit} returns. */
  | ({ readonly kind: 'put-pair'; readonly id: number | null; readonly halves: readonly HalfPut[] } & Pick<
      PairRow,
      'status'
    >)
  /** Ids that a listing under way showed on one page. */
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
  /** Adds a conflict, open unless `resolvedAtMs` is given. */
  | ({ readonly kind: 'conflict'; readonly conflict: Conflict } & Pick<
      ConflictRow,
      'run' | 'leftId' | 'rightId' | 'atMs'
    > &
      Partial<Pick<ConflictRow, 'resolvedAtMs'>>)
  /** Settles the open conflicts about these fields of a contact. */
  | ({ readonly kind: 'resolve-conflicts'; readonly fields: readonly SyncedField[] } & Pick<
      ConflictRow,
      'leftId' | 'atMs'
    >)
  /** Stores what a person decided about the open conflict of a field of a contact; null removes the decision. */
  | ({ readonly kind: 'review-conflict'; readonly atMs: number } & Pick<ConflictRow, 'leftId' | 'field' | 'review'>)
  /** Adds a run. Any other run of the link that is still `running` becomes `failed` with the reason `interrupted`. */
  | { readonly kind: 'run-started'; readonly run: RunStart }
  /** Replaces these values of a run. */
  | { readonly kind: 'patch-run'; readonly id: string; readonly set: RunEnd | Pick<RunEnd, 'reason' | 'summary'> }
  /** Deletes the identity mapping and the journal: all rows of the link except its own row and its runs (R8). */
  | { readonly kind: 'forget-mapping' }
  /**
   * Deletes old rows:
   * - the entries of the oldest {@link PRUNED_AT_ONCE} runs that ended before that time and have no open entry, and these runs,
   *   except the latest that ended and the latest that completed;
   * - conflicts that were settled, or dismissed by a person, before that time;
   * - refusals whose next attempt was due before that time.
   */
  | { readonly kind: 'prune'; readonly beforeMs: number }
  /** Replaces the operation of a journal entry and erases its answer and its error; its outcome stays. */
  | { readonly kind: 'redact-entry'; readonly id: number; readonly operation: StoredOperation }
  /** Deletes all rows of the link, its own row with the lease and its runs included. */
  | { readonly kind: 'forget-link' };

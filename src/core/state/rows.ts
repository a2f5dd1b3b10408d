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

/** Rows only: a change says what stands in a row afterwards; every rule has been applied before. */
export type StoreChange =
  /** Adds the half, or replaces the one with its side and id. */
  | ({ readonly kind: 'put-half' } & HalfPut)
  | { readonly kind: 'drop-half'; readonly side: Side; readonly id: string }
  /** A pair with its status; a null id makes a new pair, whose id {@link Store.commit} answers. The halves given are put with the pair's id in place of their own. */
  | ({ readonly kind: 'put-pair'; readonly id: number | null; readonly halves: readonly HalfPut[] } & Pick<
      PairRow,
      'status'
    >)
  /** The row alone: its halves are dropped or put by changes of their own. */
  | { readonly kind: 'drop-pair'; readonly id: number }
  | { readonly kind: 'cursor'; readonly side: Side; readonly cursor: Cursor }
  /** Ids that a listing under way showed on one page. */
  | { readonly kind: 'shown'; readonly side: Side; readonly ids: readonly string[] }
  | { readonly kind: 'forget-shown'; readonly side: Side }
  | { readonly kind: 'link'; readonly patch: Partial<Pick<LinkState, Patched>> }
  /** Journals a write ahead of its request; {@link Store.commit} answers the entry's id. */
  | { readonly kind: 'intend'; readonly run: string; readonly operation: Operation; readonly atMs: number }
  /** Settles an open entry; one that is settled already stays as it is. */
  | {
      readonly kind: 'journal';
      readonly id: number;
      readonly state: Exclude<JournalState, 'intended'>;
      readonly after: ContactRecord | null;
      readonly error: string | null;
      readonly atMs: number;
    }
  | { readonly kind: 'group-pair'; readonly pair: GroupPair }
  | { readonly kind: 'drop-group-pair'; readonly key: string }
  /** Adds a conflict; one that is settled from the beginning leaves another one about its field as it is. */
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
  /** Says what a person decided about the open conflict of a field of a contact; null takes that back. */
  | ({ readonly kind: 'review-conflict'; readonly atMs: number } & Pick<ConflictRow, 'leftId' | 'field' | 'review'>)
  /** Forgets the conflicts of a contact, open or not. */
  | { readonly kind: 'drop-conflicts'; readonly leftId: string }
  | { readonly kind: 'reject'; readonly rejection: Rejection }
  | { readonly kind: 'accept'; readonly side: Side; readonly key: string }
  /** Adds what a person said of two contacts, or replaces what was said of them before. */
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  | { readonly kind: 'drop-verdict'; readonly leftId: string; readonly rightId: string }
  /** Begins a run. One of the link that is `running` still ended without storing so: it has failed, `interrupted`. */
  | { readonly kind: 'run-started'; readonly run: RunStart }
  | { readonly kind: 'run-ended'; readonly id: string; readonly end: RunEnd }
  /** Forgets the identity mapping and what was written: everything of the link but its row and its runs (R8). */
  | { readonly kind: 'forget-mapping' }
  /**
   * Drops what is over since before then: of the oldest {@link PRUNED_AT_ONCE} runs that ended before and have no open
   * entry, the entries, and the runs themselves but for the latest that ended and the latest that completed; conflicts
   * that were settled, or dismissed by a person, before; refusals whose next attempt was due before.
   */
  | { readonly kind: 'prune'; readonly beforeMs: number }
  /** Drops a journal entry, whatever its state. */
  | { readonly kind: 'drop-entry'; readonly id: number }
  /** Replaces the operation of a journal entry and erases its answer and its error; its outcome stays. */
  | { readonly kind: 'redact-entry'; readonly id: number; readonly operation: StoredOperation }
  /** Replaces the reason of a run; nothing else of its summary remains than what {@link RunRow} has of it. */
  | {
      readonly kind: 'run-reason';
      readonly run: Pick<RunRow, 'id' | 'undoes' | 'override' | 'repaired' | 'wrote'>;
      readonly reason: string | null;
    }
  /** Drops everything of the link, itself, its runs and its lease included. */
  | { readonly kind: 'forget-link' };

import type { SyncedField } from '../contact/contact.ts';
import type { Half, HalfState } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Side, Sides } from '../contact/side.ts';
import type { Conflict, PairStatus, Review } from '../reconcile/decision.ts';
import type { GroupPair } from '../reconcile/groups.ts';
import type { Operation, OperationKind, StoredOperation } from '../reconcile/operation.ts';
import type { Verdict } from '../reconcile/verdict.ts';
import type { Activity } from './activity.ts';
import type { LinkFields } from './link-fields.ts';
import type { PausedByHand, PauseStore } from './pause.ts';
import type { SharedStore } from './shared.ts';
import type { Told, ToldStore } from './told.ts';

export { CredentialsError, FenceError, StoreError } from './errors.ts';
export type { Activity } from './activity.ts';

// Times are epoch milliseconds.

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
  readonly told: Told;
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

/** Halves, and the pairs that they belong to. */
export type WholePairs = { readonly halves: readonly Half[]; readonly pairs: readonly PairRow[] };

/** A half as a member of a group. */
export type Member = Pick<Half, 'side' | 'id' | 'pair' | 'state'> & { readonly groupId: string };

export type HalfQuery =
  | { readonly by: 'id'; readonly side: Side; readonly ids: readonly string[] }
  | { readonly by: 'pair'; readonly pairs: readonly number[] }
  | { readonly by: 'state'; readonly states: readonly HalfState[]; readonly side?: Side }
  /** Halves whose pair has one half only (kept, dormant). */
  | { readonly by: 'alone' }
  /** Halves whose pair is asleep. */
  | { readonly by: 'asleep' }
  /** Halves of no pair that are `settled`: their side does not select them. */
  | { readonly by: 'unselected' }
  /** Halves of a side, of a pair or not, whose record holds an email address of one of these keys (`emailKey`). */
  | { readonly by: 'email'; readonly side: Side; readonly keys: readonly string[] }
  /** Those that a text may name (`rankBy`): the best first where there are more than the limit. */
  | { readonly by: 'search'; readonly text: string; readonly limit: number }
  /** Halves of no pair whose record says nothing (`isEmptyContact`). */
  | { readonly by: 'blank' }
  | { readonly by: 'all' };

/** A row of a listing: its contact, and the digest of its text. */
export type RowDigest = { readonly id: string; readonly digest: string };

export type Counts = {
  /** Pairs that are linked. */
  readonly pairs: number;
  readonly asleep: number;
  /** Halves of no pair that their side does not select. */
  readonly unselected: Sides<number>;
  /** Halves that are neither `missing` nor `gone`. */
  readonly present: Sides<number>;
};

export type WriteCounts = Partial<Readonly<Record<OperationKind, number>>>;

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

/** Contacts by their ids on either side, and by the pairs that they belong or belonged to. */
export type ContactScope = { readonly ids: readonly string[]; readonly pairIds: readonly number[] };

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

export type RunQuery =
  /** The latest that ended, the latest with that outcome, or the latest whose journal holds a write that is done. */
  | { readonly latest: RunOutcome | 'ended' | 'writing' }
  /** All whose id begins so, the newest first. */
  | { readonly idPrefix: string }
  /** So many at most, the newest first: those that began before that one and match the filter. */
  | { readonly newest: number; readonly before?: RunRow; readonly of?: RunFilter };

/** Runs of a kind, with an outcome, or with journaled writes. */
type RunFilter = Partial<Pick<RunRow, 'kind' | 'outcome'>> & { readonly hasWrites?: true };

/** So many runs are pruned in one step, so that none of them takes long. */
export const PRUNED_AT_ONCE = 500;

/** The reason of a run whose process died, or lost its lease, before it could store how it ended. */
export const INTERRUPTED = 'interrupted';

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

/**
 * Everything that lasts. Each method is one atomic step; none waits for a remote. Values read back are parsed: any method
 * throws {@link StoreError} where a row does not parse.
 */
export interface Store extends ToldStore, PauseStore, SharedStore {
  /** Every link, by name. */
  links(): Promise<readonly LinkState[]>;
  /** One link, made on first use. */
  link(name: string): Promise<LinkState>;
  /**
   * Takes the lease where it is free, expired or the owner's own. Answers the fencing token, which grows with every change
   * of owner and stays on renewal; null where another process holds the lease.
   */
  acquireLease(link: string, owner: string, nowMs: number, untilMs: number): Promise<number | null>;
  /** Who took the lease last and has not freed it, whether it has expired or not; null where it is free. */
  leaseOwner(link: string): Promise<string | null>;
  /** Frees the lease where it is the owner's; its token is void from then on. */
  releaseLease(link: string, owner: string): Promise<void>;
  /** The halves of a link that a query means, each once, the left side's first and by id. */
  halves(link: string, query: HalfQuery): Promise<readonly Half[]>;
  /** The halves of these ids and of these pairs, with the pairs that they belong to whole; each once, in no order. */
  wholePairs(
    link: string,
    asked: { readonly ids: Sides<readonly string[]>; readonly pairs: readonly number[] },
  ): Promise<WholePairs>;
  /** Those of the pairs that exist, by id. */
  pairs(link: string, ids: readonly number[]): Promise<readonly PairRow[]>;
  /** Every half of a side, in no order; cheap, as the wide columns are not read. */
  index(link: string, side: Side): Promise<readonly HalfKey[]>;
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
   * Makes the changes in their order, all or none. Answers the ids that came of them, in their order: of each new pair and
   * of each `intend`.
   *
   * @throws {FenceError} where the token is not that of the link's current lease: nothing is changed.
   */
  commit(link: string, token: number, changes: readonly StoreChange[]): Promise<readonly number[]>;
  /** The oldest first. */
  journal(link: string, query: JournalQuery): Promise<readonly JournalRow[]>;
  /** How many entries of each kind a run journaled; of a kind that is left out none. */
  writeCounts(link: string, run: string): Promise<WriteCounts>;
  runs(link: string, query: RunQuery): Promise<readonly RunRow[]>;
  /** The oldest first; the open ones alone unless `all`. */
  conflicts(link: string, options: { readonly all: boolean }): Promise<readonly ConflictRow[]>;
  /** What was last saved under the key; null where nothing was. */
  budget(key: string): Promise<string | null>;
  saveBudget(key: string, stateJson: string): Promise<void>;
  /** Copies a link into a store in memory of its own, which the caller closes: what is done there changes nothing here. */
  scratch(link: string): Promise<Store>;
  /** Leaves nothing on the disk of what was dropped or replaced; takes seconds, and as much room again for as long. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

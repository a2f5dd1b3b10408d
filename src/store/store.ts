import type { Contact, SyncedField } from '../contact/contact.ts';
import type { Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Snapshot } from '../contact/snapshot.ts';
import type { Conflict, Pair, PairStatus } from '../reconcile/decision.ts';
import type { GroupPair } from '../reconcile/groups.ts';

export type LinkState = 'active' | 'paused' | 'halted' | 'failing';
export type RunKind = 'incremental' | 'full';
/** What a stored run was; an undo is a run of its own. */
export type StoredRunKind = RunKind | 'undo';
export type RunOutcome = 'completed' | 'halted' | 'failed';

export type LinkRow = {
  readonly name: string;
  readonly state: LinkState;
  readonly reason: string | null;
  /** The account that the link was made with, as each side names it; null until a run has asked. */
  readonly accounts: Readonly<Record<Side, string | null>>;
  /** A one-way digest of the credential of the last run. */
  readonly credentials: Readonly<Record<Side, string | null>>;
};

export type FeedState = {
  readonly cursor: string | null;
  /** When the feed was last read to its end. */
  readonly readAtMs: number | null;
  /** Where a full listing that was cut off goes on; null where none is under way. */
  readonly resume: string | null;
  readonly listingStartedAtMs: number | null;
  /** When the side was last listed whole. */
  readonly listedAtMs: number | null;
};

/** One page of a feed, to be staged in one step together with where the feed now stands. */
export type StagedPage = {
  readonly upserts: readonly { readonly record: ContactRecord; readonly previousIds: readonly string[] }[];
  readonly tombstones: readonly string[];
  /** Ids of contacts in rows that are known: they stand as their pairs hold them. */
  readonly unchanged: readonly string[];
  /** Ids that stand on the side but could not be read. */
  readonly unreadable: readonly string[];
  readonly resume: string | null;
  readonly cursor: string | null;
  readonly atMs: number;
};

export type ListingResult = {
  readonly seen: number;
  /** Pairs with a contact on that side, and how many of those contacts the listing showed. */
  readonly paired: number;
  readonly pairedSeen: number;
};

export type MissingContact = { readonly id: string; readonly absences: number; readonly writtenAtMs: number | null };

/** What needs a decision in this run. */
export type Workload = {
  readonly pairs: readonly Pair[];
  readonly survivors: readonly Pair[];
  readonly unpaired: Readonly<Record<Side, readonly ContactRecord[]>>;
};

export type Counts = {
  readonly pairs: number;
  /** Contacts that each side is known to hold now. */
  readonly present: Readonly<Record<Side, number>>;
};

type WriteKind = 'create' | 'update' | 'membership' | 'delete';

/** What a write asked for: enough to recognise it at the remote, and to tell its story later. */
export type WriteIntent = {
  readonly fields: readonly SyncedField[];
  /** What the side was to hold; null for a delete or a mere change of membership. */
  readonly desired: Contact | null;
  readonly join: readonly string[];
  readonly leave: readonly string[];
  /**
   * For an update: the contact that it follows from, as the other side held it; where an undo brings a contact back, its
   * own last image. Null for any other create: what it follows from stands in the store until the create is settled.
   */
  readonly source: ContactRecord | null;
  /** Whether the write puts back what an earlier one changed: nothing travels by it. */
  readonly undoes: boolean;
};

export type JournalEntry = {
  readonly side: Side;
  readonly kind: WriteKind;
  readonly pairId: number | null;
  readonly leftId: string | null;
  readonly rightId: string | null;
  readonly intent: WriteIntent;
  readonly before: ContactRecord | null;
};

export type JournalRow = JournalEntry & {
  readonly id: number;
  readonly run: string;
  readonly intendedAtMs: number;
};

/** A journaled write with what became of it. */
export type WriteStory = JournalRow & {
  readonly state: 'intended' | 'done' | 'failed' | 'abandoned';
  readonly after: ContactRecord | null;
  readonly error: string | null;
  readonly settledAtMs: number | null;
};

/** Contacts by their ids on either side, and by the mapping rows that they belong or belonged to. */
export type ContactScope = { readonly ids: readonly string[]; readonly pairIds: readonly number[] };

export type SideValue = {
  readonly record: ContactRecord;
  readonly base: Snapshot;
  /** Whether the contact must be looked at again: its change has not arrived on the other side. */
  readonly unsettled: boolean;
};

/** One change of the store; a list of them is committed in one step. */
export type StoreChange =
  | {
      readonly kind: 'pair';
      /** Null: the row that already holds one of the two contacts, else a new one. */
      readonly pairId: number | null;
      readonly status: PairStatus;
      readonly left: SideValue | null;
      readonly right: SideValue | null;
      /** The side that was just written, if any. */
      readonly writtenSide: Side | null;
      readonly atMs: number;
    }
  | { readonly kind: 'drop-pair'; readonly pairId: number }
  | { readonly kind: 'stage'; readonly side: Side; readonly record: ContactRecord; readonly atMs: number }
  | { readonly kind: 'stage-tombstone'; readonly side: Side; readonly id: string; readonly atMs: number }
  /** Missing, but written too lately to be gone: it stays, and the next run reads it again (R7). */
  | { readonly kind: 'stage-settling'; readonly side: Side; readonly id: string; readonly atMs: number }
  | { readonly kind: 'unstage'; readonly side: Side; readonly id: string }
  | { readonly kind: 'absent-again'; readonly side: Side; readonly id: string }
  | {
      readonly kind: 'rename';
      readonly side: Side;
      readonly from: string;
      readonly record: ContactRecord;
      readonly atMs: number;
    }
  | {
      readonly kind: 'journal';
      readonly id: number;
      readonly state: 'done' | 'failed' | 'abandoned';
      readonly after: ContactRecord | null;
      readonly error: string | null;
      readonly atMs: number;
    }
  | { readonly kind: 'group-pair'; readonly pair: GroupPair }
  | { readonly kind: 'drop-group-pair'; readonly key: string }
  | {
      readonly kind: 'conflict';
      readonly run: string;
      readonly leftId: string;
      readonly rightId: string;
      readonly conflict: Conflict;
      readonly atMs: number;
    }
  /** A later change of these fields settles earlier conflicts about them. */
  | {
      readonly kind: 'resolve-conflicts';
      readonly leftId: string;
      readonly fields: readonly SyncedField[];
      readonly atMs: number;
    }
  | { readonly kind: 'reject'; readonly rejection: Rejection }
  | { readonly kind: 'accept'; readonly side: Side; readonly key: string };

export type Rejection = {
  readonly side: Side;
  readonly key: string;
  readonly leftId: string | null;
  readonly rightId: string | null;
  readonly reason: string;
  readonly sourceFingerprint: string;
  readonly attempts: number;
  readonly retryAtMs: number;
};

export type RunRow = {
  readonly id: string;
  readonly link: string;
  readonly kind: StoredRunKind;
  /** For an undo: the run that it puts back. */
  readonly undoes: string | null;
  readonly outcome: RunOutcome | 'running';
  readonly reason: string | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
};

export type RunStart = Pick<RunRow, 'id' | 'link' | 'kind' | 'undoes' | 'startedAtMs'>;

export type RunEnd = {
  readonly outcome: RunOutcome;
  readonly reason: string | null;
  readonly summary: object;
  readonly endedAtMs: number;
};

export type ConflictRow = Conflict & {
  readonly run: string;
  readonly leftId: string;
  readonly rightId: string;
  readonly atMs: number;
};

/**
 * Everything that lasts. Each method is one atomic step; no method waits for a remote. Values read back are parsed;
 * a row that does not parse throws {@link StoreError}.
 */
export interface Store {
  /** The link's row, made on first use. */
  link(name: string): Promise<LinkRow>;
  links(): Promise<readonly LinkRow[]>;
  updateLink(name: string, patch: Partial<Omit<LinkRow, 'name'>>): Promise<void>;
  /** Takes the lease where it is free, expired or the owner's own; false where another process holds it. */
  acquireLease(name: string, owner: string, nowMs: number, untilMs: number): Promise<boolean>;
  releaseLease(name: string, owner: string): Promise<void>;
  /**
   * Forgets who is who in the link and what it wrote, and takes the account for the side's own: the next run is a first
   * meeting, which deletes nothing.
   */
  replaceAccount(name: string, side: Side, account: string): Promise<void>;

  feed(link: string, side: Side): Promise<FeedState>;
  /** Starts a full listing from its beginning: forgets the cursor and what an earlier listing had seen. */
  beginListing(link: string, side: Side, nowMs: number): Promise<void>;
  /** Stages what a page changed and stores where the feed stands, together; answers how many contacts really differ. */
  stagePage(link: string, side: Side, page: StagedPage): Promise<number>;
  /**
   * The digests of those rows that say just what their contact's pair holds as record and as base, where nothing is staged
   * for the contact: staging them would change nothing.
   */
  knownRows(
    link: string,
    side: Side,
    rows: readonly { readonly id: string; readonly digest: string }[],
  ): Promise<ReadonlySet<string>>;
  /** Marks the pairs' contacts that a finished listing did not show as missing, and forgets unpaired ones. */
  finishListing(link: string, side: Side, nowMs: number): Promise<ListingResult>;
  /** Forgets a listing's findings and the cursor: the next run lists that side whole. */
  discardListing(link: string, side: Side): Promise<void>;
  missing(link: string, side: Side): Promise<readonly MissingContact[]>;

  /** What needs a decision; the members of `groupIds` too, whether anything of theirs changed or not. */
  workload(link: string, groupIds: readonly string[]): Promise<Workload>;
  counts(link: string): Promise<Counts>;
  /** The ids of a side that belong to a pair. */
  pairedIds(link: string, side: Side): Promise<ReadonlySet<string>>;
  groupPairs(link: string): Promise<readonly GroupPair[]>;
  rejections(link: string): Promise<readonly Rejection[]>;

  /** Writes the intents ahead of the requests; answers their ids in order. */
  intend(link: string, run: string, entries: readonly JournalEntry[], nowMs: number): Promise<readonly number[]>;
  intended(link: string): Promise<readonly JournalRow[]>;
  commit(link: string, changes: readonly StoreChange[]): Promise<void>;

  startRun(run: RunStart): Promise<void>;
  endRun(id: string, end: RunEnd): Promise<void>;
  /** The link's latest run that has ended: any, or one that ended so. */
  lastRun(link: string, outcome?: RunOutcome): Promise<RunRow | null>;
  /** The last run that wrote anything on either side; null where none did. */
  lastWritingRun(link: string): Promise<RunRow | null>;
  /** The runs whose id begins so, the newest first. */
  findRuns(link: string, idPrefix: string): Promise<readonly RunRow[]>;
  /** The writes of a run, or those that concern certain contacts; the oldest first. */
  journalOf(link: string, of: { readonly run: string } | ContactScope): Promise<readonly WriteStory[]>;
  /** The mapping rows of certain contacts, with what is staged for them. */
  pairsWith(link: string, of: ContactScope): Promise<readonly Pair[]>;
  /** Every contact that the store has an image of: paired, staged, or deleted by a run. */
  knownContacts(link: string): Promise<readonly { readonly side: Side; readonly record: ContactRecord }[]>;
  conflicts(link: string, options: { readonly all: boolean }): Promise<readonly ConflictRow[]>;

  loadBudget(key: string): Promise<string | null>;
  saveBudget(key: string, stateJson: string): Promise<void>;
  close(): Promise<void>;
}

/** The database cannot be used as it is: corrupt, of a newer version, or not writable. The file is left untouched. */
export class StoreError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'StoreError';
  }
}

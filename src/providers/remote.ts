import type { ContactRecord, GroupRecord } from '../core/contact/record.ts';
import type {
  CreateRequest,
  FeedPage,
  MembershipRequest,
  ReadAnswer,
  RowDigest,
  UpdateRequest,
} from '../core/contact/requests.ts';
import type { RemoteError } from './errors.ts';

/** Answers the digests of those rows whose text is exactly what is known of their contacts already. */
export type KnownRows = (rows: readonly RowDigest[]) => Promise<ReadonlySet<string>>;

export type PullRequest =
  /** What changed since `cursor`. Throws {@link CursorExpiredError} when the side no longer knows it. */
  | { readonly mode: 'changes'; readonly cursor: string }
  /**
   * Every contact; goes on from `resume` where given, and throws {@link CursorExpiredError} when the side no longer knows that
   * walk. Rows that are known are not read again.
   */
  | { readonly mode: 'whole'; readonly resume: string | null; readonly known?: KnownRows };

export type WriteResult<T> =
  | { readonly key: string; readonly ok: true; readonly value: T }
  | { readonly key: string; readonly ok: false; readonly error: RemoteError };

/** How many writes of a kind go into one request, and how many requests may be under way at once. */
export type RemoteCapabilities = {
  readonly createBatch: number;
  readonly updateBatch: number;
  readonly deleteBatch: number;
  readonly readBatch: number;
  readonly writeConcurrency: number;
  /**
   * How many contacts join or leave one group with one request; `written`: only contacts that the run has written and that
   * leave no group; any other contact needs a separate request.
   */
  readonly moveBatch: { readonly size: number; readonly of: 'all' | 'written' };
  /** Whether a create carries the membership with it. */
  readonly createsWithGroups: boolean;
  /**
   * Whether the side may let only one contact hold an email address: it may refuse it to a second one, or answer a create
   * with the contact that holds it, changed or not.
   */
  readonly mayForbidSharedEmails: boolean;
  /** Whether the change feed names deleted contacts. Where it does not, only a full listing finds deletions (a sweep). */
  readonly namesDeletions: boolean;
  /**
   * After how many complete listings in a row that miss a contact it counts as deleted although a read by its id still
   * finds it; null where a read never finds a deleted contact.
   */
  readonly confirmsAbsenceAfter: number | null;
  /** How long after a write listings and reads may still miss the contact, in milliseconds (R7). */
  readonly settlesWithinMs: number;
};

/**
 * The port that every provider implements, so that all remotes look the same to a run.
 *
 * Reads and listings retry by themselves what may be retried and throw a {@link RemoteError} when that does not help.
 * Writes answer for each item: an item's error never hides another item's success. An error of the credential (revoked,
 * unauthenticated, disabled) ends the batch: items that were not sent have no result. Where nothing of the batch was written
 * it is thrown. Apart from it, a write throws only the abort of `signal`. The adapter repeats a write only if it certainly
 * was not applied; the result of an item that may have been applied has `applied: 'unknown'`.
 */
export interface Remote {
  readonly capabilities: RemoteCapabilities;
  /** Every HTTP request sent to this side since the start, retries and token calls too. */
  requestCount(): number;
  /**
   * How long the rate limits take to let so many more writes pass, each as a request, in milliseconds; absent where no
   * limit is kept.
   */
  readonly timeToSendMs?: (requests: number) => number;
  /** A stable id of the account behind the credential; null if the side reports none. */
  identify(signal: AbortSignal): Promise<string | null>;
  pull(request: PullRequest, signal: AbortSignal): AsyncIterable<FeedPage>;
  /** Reads contacts by id; any number. The answers' keys are the ids asked for. */
  read(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, ReadAnswer>>;

  /** At most `createBatch` creates. */
  create(batch: readonly CreateRequest[], signal: AbortSignal): Promise<readonly WriteResult<ContactRecord>[]>;
  /** At most `updateBatch` updates. */
  update(batch: readonly UpdateRequest[], signal: AbortSignal): Promise<readonly WriteResult<ContactRecord>[]>;
  /** At most `deleteBatch` deletes; keys are the ids. A contact that does not exist counts as deleted. */
  delete(ids: readonly string[], signal: AbortSignal): Promise<readonly WriteResult<null>[]>;
  /** Any number of changes, written in as few requests as the side allows; the value is the membership afterwards. */
  changeMembership(
    batch: readonly MembershipRequest[],
    signal: AbortSignal,
  ): Promise<readonly WriteResult<readonly string[]>[]>;
  /**
   * Merges the contact `mergedAwayId` into `survivorId` by the side's own merge, so that what no contact field expresses
   * stays too (R10, R12); absent where the side has none. The value is the survivor as the side answers with it; its fields
   * may be either contact's, and have to be written as they are wanted. Only a read shows the outcome for the other one:
   * deleted, moved to the survivor, or, where the side keeps merged contacts, still found. If it is unknown whether a merge
   * was applied, the result has `applied: 'unknown'`, and both contacts are read. A {@link NotFoundError} means that one of
   * them does not exist. The result's key is `mergedAwayId`.
   */
  readonly merge?: (
    survivorId: string,
    mergedAwayId: string,
    signal: AbortSignal,
  ) => Promise<WriteResult<ContactRecord>>;
  /**
   * Contacts that earlier creates, whose answers were lost, did make after all (R9): by `originId`, of the same
   * account and with a name or an address of the draft, where the side holds it, else by content among the contacts
   * created since `sinceMs`. `isTaken` knows the ids that belong to something else. Throws an {@link UnreadableError}
   * where a contact that cannot be understood may be what one of them made.
   */
  findCreated(
    requests: readonly CreateRequest[],
    sinceMs: number,
    isTaken: (id: string) => boolean,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ContactRecord>>;

  /** All groups that a user made: labels, buckets. */
  listGroups(signal: AbortSignal): Promise<readonly GroupRecord[]>;
  /** Returns one group, or null if it does not exist. */
  readGroup(id: string, signal: AbortSignal): Promise<GroupRecord | null>;
  /**
   * Creates a group, or adopts the one of that name if the side reports that it exists. `details` are those of a deleted
   * group that is restored (`GroupRecord.details`). Throws {@link RemoteError}.
   */
  createGroup(name: string, signal: AbortSignal, details?: string): Promise<GroupRecord>;
  /** Throws {@link RemoteError}. */
  renameGroup(group: GroupRecord, name: string, signal: AbortSignal): Promise<GroupRecord>;
  /** Deletes the group and none of its contacts; a group that does not exist counts as deleted. Throws {@link RemoteError}. */
  deleteGroup(id: string, signal: AbortSignal): Promise<void>;
}

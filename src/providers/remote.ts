import type { Contact, ContactField } from '../contact/contact.ts';
import type { ContactRecord, GroupRecord } from '../contact/record.ts';
import type { RemoteError } from './errors.ts';

/** One thing that a change feed or a listing brought. */
export type FeedChange =
  | {
      readonly kind: 'upsert';
      readonly record: ContactRecord;
      /** Ids under which the side knew this contact before (rename, merge); usually empty. */
      readonly previousIds: readonly string[];
    }
  | { readonly kind: 'tombstone'; readonly id: string }
  | {
      /** A row that could not be understood: it is reported and left alone; `id` where even that was unreadable is null. */
      readonly kind: 'unreadable';
      readonly id: string | null;
      readonly reason: string;
    };

/** A row of a listing: the contact that it shows, and the digest of its text (`ContactRecord.digest`). */
type RowDigest = { readonly id: string; readonly digest: string };

/** Answers the digests of those rows whose text is exactly what is known of their contacts already. */
export type KnownRows = (rows: readonly RowDigest[]) => Promise<ReadonlySet<string>>;

export type FeedPage = {
  readonly changes: readonly FeedChange[];
  /** Contacts that the page shows in rows that are known; nothing more is said of them. */
  readonly unchanged: readonly string[];
  /** Where to go on when the walk is cut off after this page; null on the last page. Opaque, durable text. */
  readonly resume: string | null;
  /** The cursor that the next incremental pull starts from; only on the last page. Opaque, durable text. */
  readonly cursor: string | null;
  /** How many contacts the walk will bring in all, where the side says so. */
  readonly total: number | null;
};

export type PullRequest =
  /** What changed since `cursor`. Throws {@link CursorExpiredError} when the side no longer knows it. */
  | { readonly mode: 'changes'; readonly cursor: string }
  /**
   * Every contact; goes on from `resume` where given, and throws {@link CursorExpiredError} when the side no longer knows that
   * walk. Rows that are known are not read again.
   */
  | { readonly mode: 'whole'; readonly resume: string | null; readonly known?: KnownRows };

/** What a read of one id found. */
export type ReadAnswer =
  | { readonly kind: 'found'; readonly record: ContactRecord }
  /** The side answered with another contact: the one asked for was merged into it. */
  | { readonly kind: 'moved'; readonly record: ContactRecord }
  | { readonly kind: 'gone' }
  /**
   * The side refuses to show this contact, and no other. It may be gone, or out of reach for a while: a deletion only where
   * a complete listing does not show it either (R7).
   */
  | { readonly kind: 'withheld'; readonly reason: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

export type CreateRequest = {
  /** The caller's name for this request; comes back in the result. */
  readonly key: string;
  readonly draft: Contact;
  /** Groups of this side to be a member of; all are written with the create where `createsWithGroups`, else some or none. */
  readonly groupIds: readonly string[];
  /** The contact's id on the other side, left on the new contact where the side can hold it. */
  readonly originId: string;
  /** Names the account that `originId` is an id of, and is left with it. */
  readonly originScope?: string;
};

export type UpdateRequest = {
  readonly key: string;
  /** The contact as this side last gave it: what is not in `fields` is left as it stands there. */
  readonly current: ContactRecord;
  readonly desired: Contact;
  /** The fields to write, never empty. */
  readonly fields: readonly ContactField[];
};

export type MembershipRequest = {
  readonly key: string;
  readonly id: string;
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** The membership that the side answered with when this run wrote the contact; null: it was not written. */
  readonly knownGroupIds: readonly string[] | null;
  /** The membership as this side last gave it, however long ago; absent: not known, so that it is read where needed. */
  readonly heldGroupIds?: readonly string[];
};

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
   * leave no group, any other takes a request of its own.
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
 * it is thrown; beside it only the abort of `signal` is thrown from a write. A write is repeated by the
 * adapter only where it surely was not applied; an item that perhaps was applied comes back with `applied: 'unknown'`.
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
  /** A stable id of the account behind the credential; null where the side does not say. */
  identify(signal: AbortSignal): Promise<string | null>;
  pull(request: PullRequest, signal: AbortSignal): AsyncIterable<FeedPage>;
  /** Reads contacts by id; any number. The answers' keys are the ids asked for. */
  read(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, ReadAnswer>>;

  /** At most `createBatch` creates. */
  create(batch: readonly CreateRequest[], signal: AbortSignal): Promise<readonly WriteResult<ContactRecord>[]>;
  /** At most `updateBatch` updates. */
  update(batch: readonly UpdateRequest[], signal: AbortSignal): Promise<readonly WriteResult<ContactRecord>[]>;
  /** At most `deleteBatch` deletes; keys are the ids. A contact that was gone already counts as deleted. */
  delete(ids: readonly string[], signal: AbortSignal): Promise<readonly WriteResult<null>[]>;
  /** Any number of changes, written in as few requests as the side allows; the value is the membership afterwards. */
  changeMembership(
    batch: readonly MembershipRequest[],
    signal: AbortSignal,
  ): Promise<readonly WriteResult<readonly string[]>[]>;
  /**
   * Merges the contact `mergedAwayId` into `survivorId` by the side's own merge, so that what no contact field expresses
   * stays too (R10, R12); absent where the side has none. The value is the survivor as the side answers with it; its fields
   * may be either contact's, and have to be written as they are wanted. What became of the other one only a read tells:
   * gone, moved to the survivor, or, where the side keeps merged contacts, still found. A merge of which nobody knows
   * whether it was applied comes back with `applied: 'unknown'`, and is settled by reading both; a
   * {@link NotFoundError} says that either is gone. The result's key is `mergedAwayId`.
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
  /** One group, or null where it is gone. */
  readGroup(id: string, signal: AbortSignal): Promise<GroupRecord | null>;
  /**
   * Creates a group, or adopts the one of that name where the side says that it exists. `details` are those of a deleted
   * group that comes back (`GroupRecord.details`). Throws {@link RemoteError}.
   */
  createGroup(name: string, signal: AbortSignal, details?: string): Promise<GroupRecord>;
  /** Throws {@link RemoteError}. */
  renameGroup(group: GroupRecord, name: string, signal: AbortSignal): Promise<GroupRecord>;
  /** Deletes the group and none of its contacts; a group already gone counts as deleted. Throws {@link RemoteError}. */
  deleteGroup(id: string, signal: AbortSignal): Promise<void>;
}

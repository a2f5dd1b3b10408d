import type { ContactRecord, GroupRecord } from '../core/contact/record.ts';
import type {
  AlteredContact,
  CreateRequest,
  FeedPage,
  MembershipRequest,
  ReadAnswer,
  RowDigest,
  UpdateRequest,
} from '../core/contact/requests.ts';
import type { RemoteError } from './errors.ts';

/** Returns the digests of those rows that equal the stored rows of their contacts. */
export type KnownRows = (rows: readonly RowDigest[]) => Promise<ReadonlySet<string>>;

export type PullRequest =
  /** The changes since `cursor`. Throws {@link CursorExpiredError} if the side no longer accepts it. */
  | { readonly mode: 'changes'; readonly cursor: string }
  /**
   * Every contact. Continues from `resume` if it is given, and throws {@link CursorExpiredError} if the side no longer accepts
   * it. Known rows are not parsed again.
   */
  | { readonly mode: 'whole'; readonly resume: string | null; readonly known?: KnownRows };

export type WriteResult<T> =
  | { readonly key: string; readonly ok: true; readonly value: T }
  | { readonly key: string; readonly ok: false; readonly error: RemoteError };

/** The membership after a change; `altered` if the side stored other values than those that were sent. */
export type MembershipResult = WriteResult<readonly string[]> & { readonly altered?: AlteredContact };

/** The capabilities of a remote, with the maximum number of items in one call. */
export type RemoteCapabilities = {
  /** For creates, updates and deletions. */
  readonly writeBatch: number;
  readonly readBatch: number;
  /** True if a call needs a request for each contact that it creates, updates or deletes. */
  readonly writesOneByOne?: true;
  /**
   * The number of contacts that one request can add to or remove from one group. `written`: only contacts that the run has
   * written and that leave no group. Any other contact needs a separate request.
   */
  readonly moveBatch: { readonly size: number; readonly of: 'all' | 'written' };
  /** True if a create includes the membership. */
  readonly createsWithGroups: boolean;
  /**
   * Whether the side may allow an email address for only one contact. It may refuse the address for a second contact, or answer
   * a create with the contact that has it, changed or not.
   */
  readonly mayForbidSharedEmails: boolean;
  /** True if the change feed reports deleted contacts. If not, only a full listing (a sweep) finds deletions. */
  readonly namesDeletions: boolean;
  /** True if cursors expire after some days, so that a full listing follows without a sweep. */
  readonly cursorsExpire: boolean;
  /**
   * The number of consecutive complete listings without a contact after which it counts as deleted, although a read by id still
   * finds it. Null if a read never finds a deleted contact.
   */
  readonly confirmsAbsenceAfter: number | null;
  /** The time after a write in which listings and reads may still miss the contact, in milliseconds (R7). */
  readonly lagMs: number;
  /**
   * True if an update is applied only to the state that the caller has read, and a create returns only its own contact. Then no
   * other client has made a difference between that state and the response, so the whole response is the base (R2).
   */
  readonly writesConditionally?: true;
};

/**
 * The port that every provider implements, so that a run uses all remotes in the same way.
 *
 * Reads and listings retry by themselves, and throw a {@link RemoteError} if that does not help. Writes have a result for
 * each item: an item's error never hides another item's success. A credential error (revoked, unauthenticated, disabled) ends
 * the batch: items that were not sent have no result. If nothing of the batch was written, the error is thrown. Otherwise a
 * write throws only the abort of `signal`. The adapter repeats a write only if it certainly was not applied. The result of an
 * item that may have been applied has `applied: 'unknown'`.
 */
export interface Remote {
  readonly capabilities: RemoteCapabilities;
  /** Returns the number of HTTP requests sent to this side since the start, including retries and token requests. */
  requestCount(): number;
  /** Returns the time that the rate limits require for `requests` more writes, one request each, in milliseconds. */
  timeToSendMs(requests: number): number;
  /** Returns a stable id of the account behind the credential; null if the side reports none. */
  identify(signal: AbortSignal): Promise<string | null>;
  /** Returns why the account may only be read; null if it may be written. Absent if the side has no such accounts. */
  readonly readOnlyReason?: (signal: AbortSignal) => Promise<string | null>;
  pull(request: PullRequest, signal: AbortSignal): AsyncIterable<FeedPage>;
  /** Reads any number of contacts by id. The keys of the result are the requested ids. */
  read(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, ReadAnswer>>;

  /** Creates at most `writeBatch` contacts. */
  create(batch: readonly CreateRequest[], signal: AbortSignal): Promise<readonly WriteResult<ContactRecord>[]>;
  /** Updates at most `writeBatch` contacts. */
  update(batch: readonly UpdateRequest[], signal: AbortSignal): Promise<readonly WriteResult<ContactRecord>[]>;
  /** Deletes at most `writeBatch` contacts; keys are the ids. A contact that does not exist counts as deleted. */
  delete(ids: readonly string[], signal: AbortSignal): Promise<readonly WriteResult<null>[]>;
  /** Writes any number of changes in as few requests as the side allows. The value is the membership afterwards. */
  changeMembership(batch: readonly MembershipRequest[], signal: AbortSignal): Promise<readonly MembershipResult[]>;
  /**
   * Merges the contact `mergedAwayId` into `survivorId` with the side's own merge, which keeps data that no contact field
   * expresses (R10, R12). Absent if the side has no merge. The value is the survivor as the side returned it. Its fields may be
   * those of either contact, and must be written as desired. Only a read shows the outcome for the other contact: deleted, moved
   * to the survivor, or still found if the side keeps merged contacts. If it is unknown whether a merge was applied, the result
   * has `applied: 'unknown'`, and both contacts are read. A {@link NotFoundError} means that one of them does not exist. The
   * key of the result is `mergedAwayId`.
   */
  readonly merge?: (
    survivorId: string,
    mergedAwayId: string,
    signal: AbortSignal,
  ) => Promise<WriteResult<ContactRecord>>;
  /**
   * Finds contacts that were created although the answer was lost (R9). If the side stores `originId`, it finds them by that id
   * of the same account, with a name or an address of the draft. Otherwise it compares contacts created since `sinceMs` by
   * content. `isTaken` returns true for ids of other contacts. Throws an {@link UnreadableError} if an unreadable contact may
   * be the result of one of the creates.
   */
  findCreated(
    requests: readonly CreateRequest[],
    sinceMs: number,
    isTaken: (id: string) => boolean,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ContactRecord>>;

  /**
   * Returns the ids of these contacts of the other side by the marks (`ContactRecord.originMark`) that a create for them stores (R9).
   * Absent if records have no marks.
   */
  readonly originMarks?: (
    originIds: readonly string[],
    originScope: string,
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, string>>;

  /** Lists all groups that a user created: labels, buckets, group cards. */
  listGroups(signal: AbortSignal): Promise<readonly GroupRecord[]>;
  /** Returns one group, or null if it does not exist. */
  readGroup(id: string, signal: AbortSignal): Promise<GroupRecord | null>;
  /**
   * Creates a group. If the side reports that the name exists, adopts the group of that name. `details` are those of a deleted
   * group that is restored (`GroupRecord.details`). Throws {@link RemoteError}.
   */
  createGroup(name: string, signal: AbortSignal, details?: string): Promise<GroupRecord>;
  /**
   * Renames a group. A side whose groups are words on their members returns another group with the same members, and keeps the former one
   * until it is deleted. Throws {@link RemoteError}.
   */
  renameGroup(group: GroupRecord, name: string, signal: AbortSignal): Promise<GroupRecord>;
  /** Deletes the group and none of its contacts. A missing group counts as deleted. Throws {@link RemoteError}. */
  deleteGroup(id: string, signal: AbortSignal): Promise<void>;
}

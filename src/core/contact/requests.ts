import type { Contact, ContactField } from './contact.ts';
import type { ContactRecord } from './record.ts';

// The requests to a remote and its answers, as values.

/** One change from a change feed or a listing. */
export type FeedChange =
  | {
      readonly kind: 'upsert';
      readonly record: ContactRecord;
      /** Former ids of this contact on the side (rename, merge); usually empty. */
      readonly previousIds: readonly string[];
    }
  | { readonly kind: 'tombstone'; readonly id: string }
  | {
      /** A row that cannot be parsed. It is reported and not changed. `id` is null if the id cannot be parsed either. */
      readonly kind: 'unreadable';
      readonly id: string | null;
      readonly reason: string;
    };

/** A row of a listing: the contact that it shows, and the digest of its text (`ContactRecord.digest`). */
export type RowDigest = { readonly id: string; readonly digest: string };

export type FeedPage = {
  readonly changes: readonly FeedChange[];
  /** Ids of the contacts whose rows on the page are known and unchanged. */
  readonly unchanged: readonly string[];
  /** Where to go on when the walk is cut off after this page; null on the last page. Opaque, durable text. */
  readonly resume: string | null;
  /** The cursor that the next incremental pull starts from; only on the last page. Opaque, durable text. */
  readonly cursor: string | null;
  /** The number of contacts in the whole walk, if the side reports it. */
  readonly total: number | null;
};

/** The result of a read by id. */
export type ReadAnswer =
  | { readonly kind: 'found'; readonly record: ContactRecord }
  /** The side answered with another contact: the one asked for was merged into it. */
  | { readonly kind: 'moved'; readonly record: ContactRecord }
  | { readonly kind: 'gone' }
  /**
   * The side refuses to show this contact, and no other. It may be deleted or temporarily inaccessible: a deletion only where
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
  /** The contact as this side last returned it. Fields that are not in `fields` stay unchanged there. */
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

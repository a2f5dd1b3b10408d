import type { Contact, ContactField } from './contact.ts';
import type { ContactRecord } from './record.ts';

// The requests to a remote and its responses, as values.

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

/** A row of a listing: the id of its contact, and the digest of its text (`ContactRecord.digest`). */
export type RowDigest = { readonly id: string; readonly digest: string };

export type FeedPage = {
  readonly changes: readonly FeedChange[];
  /** Ids of the contacts whose rows on the page are known and unchanged. */
  readonly unchanged: readonly string[];
  /** The position to continue at if the walk is interrupted after this page; null on the last page. Opaque, durable text. */
  readonly resume: string | null;
  /** The cursor that the next incremental pull starts from; null except on the last page. Opaque, durable text. */
  readonly cursor: string | null;
  /** The number of contacts in the whole walk, if the side reports it. */
  readonly total: number | null;
};

/** The result of a read by id. */
export type ReadAnswer =
  | { readonly kind: 'found'; readonly record: ContactRecord }
  /** The side returned another contact: the requested one was merged into it. */
  | { readonly kind: 'moved'; readonly record: ContactRecord }
  | { readonly kind: 'gone' }
  /**
   * The side refuses access to this contact, and only to this one. It may be deleted or temporarily inaccessible: it counts as
   * deleted only if a complete listing does not contain it either (R7).
   */
  | { readonly kind: 'withheld'; readonly reason: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

export type CreateRequest = {
  /** The caller's key of this request; it is returned with the result. */
  readonly key: string;
  readonly draft: Contact;
  /** Groups of this side to join. All are written with the create if `createsWithGroups` is set, otherwise some or none. */
  readonly groupIds: readonly string[];
  /** The contact's id on the other side, stored on the new contact if the side can store it. */
  readonly originId: string;
  /** Identifies the account that `originId` belongs to, and is stored with it. */
  readonly originScope: string;
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
  /** The membership that the side returned when this run wrote the contact; null if it was not written. */
  readonly knownGroupIds: readonly string[] | null;
  /** The membership that this side last returned, of any age; absent if unknown: then it is read when needed. */
  readonly lastGroupIds?: readonly string[];
};

/** A contact after a change of its membership, if its side altered it on this occasion (R2). */
export type AlteredContact = {
  readonly record: ContactRecord;
  /** The fields in which the side stored another value than was sent. */
  readonly fields: readonly ContactField[];
  /** The groups that the contact joined or left without a request. */
  readonly groupIds: readonly string[];
};

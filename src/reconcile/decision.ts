import type { Contact, ContactField, SyncedField } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Side, Sides } from '../contact/side.ts';

/** How a pair stands: in step; unlinked by `DELETE_POLICY=keep`; or waiting for the source of a one-way link to change. */
export type PairStatus = 'linked' | 'kept' | 'dormant';

/** Two halves of one person. A pair that is kept or dormant has one half only. */
export type Pair = {
  /** The mapping row's id; null for contacts that are paired by this very plan. */
  readonly id: number | null;
  readonly status: PairStatus;
} & Sides<Half | null>;

/** A pair of which both halves stand. */
export type WholePair = Pair & Sides<Half>;

/** What one side is to be given. */
export type SideWrite = {
  /** Never empty; `buckets` where the membership changes. */
  readonly fields: readonly SyncedField[];
  readonly desired: Contact;
  /** Group pairs to join and to leave, by the group pair's key. */
  readonly joins: readonly string[];
  readonly leaves: readonly string[];
};

export type Conflict = {
  readonly field: SyncedField;
  readonly left: string;
  readonly right: string;
  readonly winner: Side;
};

/** What a person said of a conflict: the side whose value is to stand after all, or that it stays as it was decided. */
export type Review = Side | 'dismissed';

/** A conflict of two contacts that was recorded and has not been settled since. */
export type OpenConflict = Conflict & {
  readonly leftId: string;
  readonly rightId: string;
  /** Null, or left out, where nobody has reviewed it. */
  readonly review?: Review | null;
};

/** A field whose value of that side is to stand at both. */
export type Taken = { readonly field: SyncedField; readonly from: Side };

export type Merge = {
  readonly kind: 'merge';
  readonly pair: WholePair;
  /** What each side is to be given; null where it stays as it is. */
  readonly writes: Sides<SideWrite | null>;
  readonly conflicts: readonly Conflict[];
  /** Whether a person said that the two contacts, which meet for the first time, are one person; left out where nobody did. */
  readonly byHand?: true;
  /** Fields in which a person took a side's value of a conflict; left out where there are none. */
  readonly taken?: readonly Taken[];
  /** Fields whose change on that side stays there: the link is one-way, or the write is deferred. */
  readonly held: Sides<readonly SyncedField[]>;
  /** Whether a write was left out of this run and must be looked at again in the next. */
  readonly deferred: boolean;
};

export type Creation = {
  readonly kind: 'create';
  /** Where the new contact is written. */
  readonly side: Side;
  readonly source: ContactRecord;
  /** The pair whose other half comes back (R6); null for a contact that is new. */
  readonly pair: Pair | null;
  readonly joins: readonly string[];
  /** The contacts of `side` that a person keeps apart from the source, by id; left out where there are none. */
  readonly apartFrom?: readonly string[];
};

export type Deletion = {
  readonly kind: 'delete';
  readonly side: Side;
  readonly record: ContactRecord;
  readonly pair: Pair;
  /** It was merged into this contact of `side`, and goes only when these fields of that one have been written (R12). */
  readonly after?: { readonly survivorId: string; readonly fields: readonly ContactField[] };
};

/** The pair ends (`drop`) or stays for the half that stands alone; nothing is written. */
export type Unlink = { readonly kind: 'unlink'; readonly pair: Pair; readonly to: 'drop' | 'kept' | 'dormant' };

/** What the plan decided for one contact. Plain data: printed by `plan`, performed by `sync`. */
export type Decision = Merge | Creation | Deletion | Unlink;

/** Whether the two halves are paired by this very decision. */
export const isNewPairing = ({ pair }: Merge): boolean => pair.id === null || pair.status !== 'linked';

import type { Contact, ContactField, SyncedField } from '../contact/contact.ts';
import type { Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Snapshot } from '../contact/snapshot.ts';

/** How a pair stands: in step; unlinked by `DELETE_POLICY=keep`; or waiting for the source of a one-way link to change. */
export type PairStatus = 'linked' | 'kept' | 'dormant';

/** What is known of one side of a pair. */
export type PairSide =
  | { readonly kind: 'present'; readonly record: ContactRecord; readonly base: Snapshot | null }
  /** There is evidence of its deletion (R7). */
  | {
      readonly kind: 'gone';
      readonly id: string;
      readonly base: Snapshot | null;
      /** The contact of the same side that it was merged into, where that is known (R12). */
      readonly mergedInto: string | null;
    }
  /** Nothing stands there: the pair is kept or dormant. */
  | { readonly kind: 'none' };

export type Pair = {
  /** The mapping row's id; null for contacts that meet for the first time in this plan. */
  readonly id: number | null;
  readonly status: PairStatus;
  readonly left: PairSide;
  readonly right: PairSide;
};

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

/** What the plan decided for one contact. Plain data: printed by `plan`, performed by `sync`. */
export type Decision =
  | {
      readonly kind: 'merge';
      readonly pair: Pair & { readonly left: PresentSide; readonly right: PresentSide };
      readonly left: SideWrite | null;
      readonly right: SideWrite | null;
      readonly conflicts: readonly Conflict[];
      /** Fields whose change on that side stays there: the link is one-way, or the write is put off. */
      readonly held: { readonly left: readonly SyncedField[]; readonly right: readonly SyncedField[] };
      /** Whether a write was left out of this run and must be looked at again in the next. */
      readonly deferred: boolean;
    }
  | {
      readonly kind: 'create';
      /** Where the new contact is written. */
      readonly side: Side;
      readonly source: ContactRecord;
      /** The mapping row whose other half comes back (R6); null for a contact that is new. */
      readonly pair: Pair | null;
      readonly joins: readonly string[];
      /**
       * An undo brings a deleted contact back: `source` is its own last image on `side`, and it stands for itself where
       * the pair has no other half.
       */
      readonly restores?: true;
      /** The contact, where an undo that was cut off has brought it back already: it only joins its groups. */
      readonly standing?: ContactRecord;
    }
  | {
      readonly kind: 'delete';
      readonly side: Side;
      readonly record: ContactRecord;
      readonly pair: Pair;
      /** The other half stays in the mapping for itself, so that the contact is not created again. */
      readonly keepsOther?: true;
      /** It was merged away, and goes only when these fields of its heir on `side` have been written (R12). */
      readonly handsOver?: { readonly heirId: string; readonly fields: readonly ContactField[] };
    }
  /** The mapping row ends (`drop`) or stays for the surviving half alone; nothing is written. */
  | { readonly kind: 'unlink'; readonly pair: Pair; readonly to: 'drop' | 'kept' | 'dormant' };

export type PresentSide = Extract<PairSide, { kind: 'present' }>;

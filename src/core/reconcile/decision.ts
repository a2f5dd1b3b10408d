import { without } from '../contact/chosen.ts';
import type { Contact, ContactField, SyncedField } from '../contact/contact.ts';
import type { Pair, WholePair } from '../contact/pair.ts';
import type { ContactRecord } from '../contact/record.ts';
import { bySide, type Side, type Sides } from '../contact/side.ts';

/** The fields of an existing contact that get the values of `desired`. */
type PlannedUpdate = {
  /** Never empty. */
  readonly fields: readonly ContactField[];
  readonly desired: Contact;
};

/** The writes that a plan makes to the contact of one side. At execution they become operations, which are journaled. */
export type SideWrites = {
  readonly update: PlannedUpdate | null;
  /** Email addresses that another contact of the side has: each is added by an operation of its own (`shared-emails.ts`). */
  readonly shares: Contact['emailAddresses'];
  /** The keys of the group pairs that the contact joins. */
  readonly joins: readonly string[];
  /** The keys of the group pairs that the contact leaves. */
  readonly leaves: readonly string[];
};

export const NO_WRITES: SideWrites = { update: null, shares: [], joins: [], leaves: [] };

/** Returns the writes of a decision that writes to one side only. */
export const writesTo = (side: Side, writes: Partial<SideWrites>): Sides<SideWrites> =>
  bySide((each) => (each === side ? { ...NO_WRITES, ...writes } : NO_WRITES));

/** Returns whether the membership of the contact changes. */
export const isMoved = ({ joins, leaves }: SideWrites): boolean => joins.length + leaves.length > 0;

/** Returns the fields of an existing contact that writes change; `buckets` if its membership changes. */
export const writtenFields = (writes: SideWrites): readonly SyncedField[] => {
  const { update, shares } = writes;
  const emails = shares.length > 0 ? ['emailAddresses' as const] : [];
  return [...new Set([...(update?.fields ?? []), ...emails, ...(isMoved(writes) ? ['buckets' as const] : [])])];
};

/** A text that both sides changed to different values. */
export type Conflict = {
  readonly field: SyncedField;
  readonly left: string;
  readonly right: string;
  /** Null: a person decides, and until then both sides keep their values. */
  readonly winner: Side | null;
};

/** A recorded conflict of two contacts that has not ended. It waits for a user, or it is settled and may be decided otherwise. */
export type RecordedConflict = Conflict & {
  readonly leftId: string;
  readonly rightId: string;
  /** The side whose value the user chose and that did not win by rule; null if there is no such choice. */
  readonly decided: Side | null;
};

export type Merge = {
  readonly kind: 'merge';
  readonly pair: WholePair;
  readonly writes: Sides<SideWrites>;
  readonly conflicts: readonly Conflict[];
  /** Set if a person decided that the two contacts, which are paired for the first time, are one person; otherwise left out. */
  readonly byHand?: true;
  /** Fields in which a user chose the value of side `from` of a conflict; left out if there are none. */
  readonly taken?: readonly { readonly field: SyncedField; readonly from: Side }[];
  /** Earlier conflicts that end when their fields are written, also under a former id of the left contact; left out if there are none. */
  readonly ends?: readonly Pick<RecordedConflict, 'leftId' | 'field'>[];
  /**
   * Set if a group whose members are united in this run was removed from the bases; otherwise left out. The bases are
   * stored before the writes.
   */
  readonly isUniting?: true;
  /** Fields whose change on that side stays there: the link is one-way, or the write is deferred. */
  readonly localFields: Sides<readonly SyncedField[]>;
  /** Group ids of that side in which both contacts are members, or neither, although a base differs; left out if there are none. */
  readonly agreedGroups?: Sides<readonly string[]>;
  /** True if a write was left out of this run and must be considered again in the next run. */
  readonly deferred: boolean;
  /** The side on which the contact of the pair was deleted and added again (R12); left out elsewhere. */
  readonly replacedOn?: Side;
  /** Set if the pair is unlinked after all writes, because no side selects the resulting contacts (R18); otherwise left out. */
  readonly unlinks?: true;
};

export type Creation = {
  readonly kind: 'create';
  /** The side of the new contact. */
  readonly side: Side;
  readonly source: ContactRecord;
  /** The pair whose other half is created again (R6); null for a new contact. */
  readonly pair: Pair | null;
  readonly writes: Sides<SideWrites>;
  /** The fields that are not written to `side`: never, or because a value is not synced; left out if there are none. */
  readonly localFields?: readonly SyncedField[];
  /** The ids of the contacts of `side` that a person keeps apart from the source; left out if there are none. */
  readonly apartFrom?: readonly string[];
};

/** Restores a contact that a run deleted; part of an undo. */
export type Restoration = {
  readonly kind: 'restore';
  readonly side: Side;
  /** The last record of the contact, with its former id. */
  readonly image: ContactRecord;
  /** The pair that the contact belonged to; null if the other half does not exist. */
  readonly pair: Pair | null;
  readonly writes: Sides<SideWrites>;
  /** The contact, if an interrupted undo has already restored it: then it only joins its groups. */
  readonly existing: ContactRecord | null;
};

/** Returns whether a decision creates a contact on the side. */
export const isCreatedOn = (decision: Merge | Creation | Restoration, side: Side): boolean => {
  if (decision.kind === 'merge' || decision.side !== side) return false;
  return decision.kind === 'create' || decision.existing === null;
};

/** Returns the contact that is created. */
export const draftOf = (decision: Creation | Restoration): Contact =>
  decision.kind === 'restore' ? decision.image.contact : without(decision.source.contact, decision.localFields ?? []);

export type Deletion = {
  readonly kind: 'delete';
  readonly side: Side;
  readonly record: ContactRecord;
  readonly pair: Pair;
  /**
   * Set if the contact was merged into this contact of `side`: it is deleted only after these fields of its pair are written (R12).
   */
  readonly after?: { readonly survivorId: string; readonly fields: Sides<readonly ContactField[]> };
};

/** The pair ends (`drop`, and `unselected` if both contacts stay without a pair) or stays for its only half; nothing is written. */
export type Unlink = {
  readonly kind: 'unlink';
  readonly pair: Pair;
  readonly to: 'drop' | 'kept' | 'dormant' | 'unselected';
};

/** The plan's decision about one contact. Plain data: printed by `plan`, performed by `sync`. */
export type Decision = Merge | Creation | Deletion | Unlink;

/** Returns whether this decision pairs the two halves. */
export const isNewPairing = ({ pair }: Pick<Merge, 'pair'>): boolean =>
  pair.id === null || pair.status === 'kept' || pair.status === 'dormant';

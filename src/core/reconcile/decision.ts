import { without } from '../contact/chosen.ts';
import type { Contact, ContactField, SyncedField } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Side, Sides } from '../contact/side.ts';
import type { PlannedOperation } from './planned.ts';

/**
 * How a pair stands: in step; unlinked by `DELETE_POLICY=keep`; waiting for the source of a one-way link to change; or
 * asleep, its contacts set apart because no side selects them.
 */
export type PairStatus = 'linked' | 'kept' | 'dormant' | 'asleep';

/** Two halves of one person. A pair that is kept or dormant has one half only. */
export type Pair = {
  /** The mapping row's id; null for contacts that are paired by this very plan. */
  readonly id: number | null;
  readonly status: PairStatus;
} & Sides<Half | null>;

/** A pair of which both halves stand. */
export type WholePair = Pair & Sides<Half>;

/** A text that both sides changed to different values. */
export type Conflict = {
  readonly field: SyncedField;
  readonly left: string;
  readonly right: string;
  /** Null: a person is asked, and both sides keep their value until somebody says which one is to stand. */
  readonly winner: Side | null;
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

export type Merge<Of extends Pair = WholePair> = {
  readonly kind: 'merge';
  readonly pair: Of;
  /** Set in the plan of an undo, which propagates nothing. */
  readonly cause?: 'undo';
  /** Of each side at most one update and one change of membership. */
  readonly writes: readonly PlannedOperation[];
  readonly conflicts: readonly Conflict[];
  /** Whether a person said that the two contacts, which meet for the first time, are one person; left out where nobody did. */
  readonly byHand?: true;
  /** Fields in which a person took a side's value of a conflict; left out where there are none. */
  readonly taken?: readonly Taken[];
  /** Fields in which a side is given back what an open conflict was decided for; left out where there are none. */
  readonly restored?: readonly SyncedField[];
  /** There where its bases lost a group that unites its members now: they are stored so ahead of what is written; left out else. */
  readonly unites?: true;
  /** Fields whose change on that side stays there: the link is one-way, or the write is deferred. */
  readonly held: Sides<readonly SyncedField[]>;
  /**
   * Group ids of that side in which both contacts are members, or neither, although a base says otherwise; left out where
   * there are none.
   */
  readonly agreedGroups?: Sides<readonly string[]>;
  /** Whether a write was left out of this run and must be looked at again in the next. */
  readonly deferred: boolean;
  /** The side on which the contact of the pair was deleted and added again (R12); left out elsewhere. */
  readonly replacedOn?: Side;
  /** There where the pair falls asleep once everything is written: no side selects what it leaves; left out else. */
  readonly sleeps?: true;
};

export type Creation = {
  readonly kind: 'create';
  /** Where the new contact is written. */
  readonly side: Side;
  readonly source: ContactRecord;
  /** The pair whose other half comes back (R6); null for a contact that is new. */
  readonly pair: Pair | null;
  readonly joins: readonly string[];
  /** The fields that are not written to `side`: never, or for a value that is not synced; left out where there are none. */
  readonly held?: readonly SyncedField[];
  /** The contacts of `side` that a person keeps apart from the source, by id; left out where there are none. */
  readonly apartFrom?: readonly string[];
};

/** An undo restores a contact that a run deleted. */
export type Restoration = {
  readonly kind: 'restore';
  readonly side: Side;
  /** Its last image, under its former id. */
  readonly image: ContactRecord;
  /** The pair that it belonged to; null where the other half does not exist. */
  readonly pair: Pair | null;
  readonly joins: readonly string[];
  /** The contact, where an interrupted undo has restored it already: it only joins its groups. */
  readonly standing: ContactRecord | null;
};

/** The contact that is created. */
export const draftOf = (decision: Creation | Restoration): Contact =>
  decision.kind === 'restore' ? decision.image.contact : without(decision.source.contact, decision.held ?? []);

export type Deletion = {
  readonly kind: 'delete';
  readonly side: Side;
  readonly record: ContactRecord;
  readonly pair: Pair;
  /** It was merged into this contact of `side`, and goes only when these fields of its pair have been written (R12). */
  readonly after?: { readonly survivorId: string; readonly fields: Sides<readonly ContactField[]> };
  /** Whether a person has it merged on this side: the next plan decides about its pair (R12). Else left out. */
  readonly byHand?: true;
  /** Set in the plan of an undo: the other half stays, and is not copied to this side again. */
  readonly cause?: 'undo';
};

/** The pair ends (`drop`), stays for the half that stands alone, or sleeps with both; nothing is written. */
export type Unlink = {
  readonly kind: 'unlink';
  readonly pair: Pair;
  readonly to: 'drop' | 'kept' | 'dormant' | 'asleep';
};

/** What the plan decided for one contact. Plain data: printed by `plan`, performed by `sync`. */
export type Decision = Merge | Creation | Deletion | Unlink;

/** Whether a decision reverts an earlier run. */
export const isOfUndo = (decision: Merge<Pair> | Creation | Restoration | Deletion): boolean =>
  decision.kind === 'restore' || ('cause' in decision && decision.cause === 'undo');

/** The operations of a decision. */
export const writesOf = (decision: Merge<Pair> | Creation | Restoration): readonly PlannedOperation[] => {
  if (decision.kind === 'merge') return decision.writes;
  const { side, joins } = decision;
  const exists = decision.kind === 'restore' && decision.standing !== null;
  return [
    ...(exists ? [] : [{ kind: 'create', side } as const]),
    ...(joins.length > 0 ? [{ kind: 'membership', side, joins, leaves: [] } as const] : []),
  ];
};

/** Whether the two halves are paired by this very decision. */
export const isNewPairing = ({ pair }: Pick<Merge<Pair>, 'pair'>): boolean =>
  pair.id === null || pair.status === 'kept' || pair.status === 'dormant';

/** Whether a decision sets contacts apart that are kept in step until now. */
export const setsApart = (decision: Decision): boolean => {
  if (decision.kind === 'merge') {
    return decision.sleeps === true && decision.pair.status === 'linked' && !isNewPairing(decision);
  }
  return decision.kind === 'unlink' && decision.to === 'asleep' && decision.pair.status === 'linked';
};

/** A contact by the ids that it has on both sides. */
export type PairIds = { readonly leftId: string | null; readonly rightId: string | null };

/** The ids of a pair's halves; null where a half is missing. */
export const idsOf = ({ left, right }: Pair): PairIds => ({ leftId: left?.id ?? null, rightId: right?.id ?? null });

/** The ids where just one side's is known. */
export const idsOn = (side: Side, id: string | null): PairIds => {
  return side === 'left' ? { leftId: id, rightId: null } : { leftId: null, rightId: id };
};

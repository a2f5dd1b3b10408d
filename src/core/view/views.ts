import type { PairIds } from '../contact/pair.ts';
import type { ConflictRow, JournalState, RunRow, StoredRunKind } from '../state/rows.ts';
import type { SyncedField } from '../contact/contact.ts';
import type { Side, Sides } from '../contact/side.ts';
import type { ChangeTimes, decidedBy } from '../reconcile/conflict-policy.ts';
import type { AmbiguousMatch } from '../reconcile/match.ts';

// Plain data of everything that is displayed: the terminal, JSON documents and pages render the same values.

/** The reason why something is written, linked or left unchanged. */
export type Why =
  /** New, changed or deleted at that side. */
  | { readonly kind: 'new' | 'changed' | 'deleted'; readonly at: Side }
  /** Two contacts are matched for the first time: the value of that side is copied to the other one. */
  | { readonly kind: 'first-meeting'; readonly at: Side }
  /** Deleted on the side that is written, and edited on the other side or kept there by a user (R6). */
  | { readonly kind: 'edit-beats-delete'; readonly at: Side }
  /**
   * Both sides changed a text; `isFirst`: the two contacts were matched for the first time, with different values. `changedAtMs` are
   * the times that decided it; absent if another rule did.
   */
  | { readonly kind: 'conflict'; readonly winner: Side; readonly isFirst: boolean; readonly changedAtMs?: ChangeTimes }
  /** Changed on both sides; a person decides. */
  | { readonly kind: 'asked'; readonly isFirst: boolean }
  /** A person chose that side's value of a conflict. */
  | { readonly kind: 'taken'; readonly at: Side }
  /** Two contacts were merged into one on that side (R12). */
  | { readonly kind: 'merged'; readonly at: Side }
  /** Both contacts have this value; `name` if it is the whole name. */
  | { readonly kind: 'alike'; readonly in: 'emailAddresses' | 'phoneNumbers' | 'name'; readonly value: string }
  /** A person decided that the two contacts are the same person. */
  | { readonly kind: 'by-hand' }
  /** Deleted on that side, and deletions are not propagated; `dormant` in a one-way link, until its source changes it. */
  | { readonly kind: 'kept' | 'dormant'; readonly at: Side }
  /** Deleted at both sides. */
  | { readonly kind: 'gone' }
  /** The remaining contact of the pair is paired with another one. */
  | { readonly kind: 'paired-again' }
  /** No side selects the two contacts any longer, or a side selects one of them again. */
  | { readonly kind: 'unselected' | 'selected' }
  /** Reverts a write of that run; null if the run is no longer stored. */
  | { readonly kind: 'undo'; readonly of: string | null };

/**
 * The change of one field: its values before and after; a text has one value or none. For `asked`, the values of the left and of
 * the right side, which both stay.
 */
export type FieldChange = {
  /** `name` is the name of a group. */
  readonly field: SyncedField | 'name';
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly why: Why;
};

type ChangeBase = {
  /** The side that is written. */
  readonly side: Side;
  readonly changes: readonly FieldChange[];
  readonly why: Why;
};

/** A change of one contact on one side. */
export type ContactChange = ChangeBase &
  PairIds & {
    /** `membership`: only the groups of the contact change. `ask`: nothing is written, a person decides. */
    readonly action: 'create' | 'update' | 'membership' | 'delete' | 'pair' | 'unlink' | 'ask';
    /** The person's name, else a company or an address; null if the contact has none of them. */
    readonly name: string | null;
    readonly fields: readonly SyncedField[];
  };

/** A change of a group on one side. */
type GroupChange = ChangeBase & {
  readonly action: 'create-group' | 'rename-group' | 'delete-group';
  readonly name: string;
};

/** One change of a plan, an undo or a run. */
export type Change = ContactChange | GroupChange;

/** The kinds of changes, in the order in which they are shown. */
export const CHANGE_KINDS = ['deletes', 'conflicts', 'creates', 'updates', 'pairings', 'unlinks'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

const KIND_OF_ACTION = {
  create: 'creates',
  update: 'updates',
  membership: 'updates',
  delete: 'deletes',
  pair: 'pairings',
  unlink: 'unlinks',
  ask: 'conflicts',
  'create-group': 'creates',
  'rename-group': 'updates',
  'delete-group': 'deletes',
} as const satisfies Record<Change['action'], ChangeKind>;

/** Returns the kind of a change. A change that decides a conflict is a conflict, regardless of its other content. */
export const changeKindOf = ({ action, changes }: Pick<Change, 'action' | 'changes'>): ChangeKind =>
  changes.some(({ why }) => why.kind === 'conflict') ? 'conflicts' : KIND_OF_ACTION[action];

/** Contacts that may be one person and are left unpaired: a decision for a person (R13). */
export type Unpaired = Sides<readonly { readonly id: string; readonly name: string | null }[]> &
  Pick<AmbiguousMatch, 'why'>;

/** One write of the journal, completed or attempted. */
export type WriteView = Change & {
  /** Its number in the journal. */
  readonly write: number;
  readonly atMs: number;
  readonly run: string;
  /** Null if the run is no longer stored. */
  readonly kind: StoredRunKind | null;
  /** The id of the written contact or group; empty if unknown. */
  readonly id: string;
  /**
   * `failed`: the side refused it. `abandoned`: the side never received it, and it was planned again. `intended`: its outcome is
   * unknown.
   */
  readonly state: JournalState;
  readonly error: string | null;
};

/** A run of the history; `stopped`: the program was stopped during the run, which is not a failure. */
export type Run = Omit<RunRow, 'outcome' | 'override'> & { readonly outcome: RunRow['outcome'] | 'stopped' };

/** A field that both sides changed. `winner`: the side that the user chose, else the side that won by rule. */
export type ConflictView = Sides<string> &
  Pick<ConflictRow, 'id' | 'run' | 'leftId' | 'rightId' | 'field' | 'winner' | 'atMs'> & {
    readonly name: string | null;
    /** `open`: it waits for a decision of the user, and both sides keep their values. */
    readonly state: 'open' | 'settled';
    /** The reason why `winner` won. */
    readonly by: ReturnType<typeof decidedBy>;
    /** The sides whose values the user may choose now. */
    readonly choices: readonly Side[];
    /** When each side had changed the contact, as the side reported it; null if it is unknown. */
    readonly changedAtMs: ChangeTimes;
  };

/** The values of a field on both sides, and the source and age of the current one. */
export type FieldComparison = Sides<readonly string[]> & {
  readonly field: SyncedField;
  /**
   * The side that the value came from; null if it was identical at the first match, if a side did not take it, or if
   * the source is unknown.
   */
  readonly from: Side | null;
  /** Null if no run has written it. */
  readonly sinceMs: number | null;
  readonly why: Why | null;
};

import type { SyncedField } from '../contact/contact.ts';
import type { Side, Sides } from '../contact/side.ts';
import type { PairIds } from '../reconcile/pair-ids.ts';
import type { Doubt } from '../reconcile/match.ts';
import type { ConflictRow, JournalState, RunRow, StoredRunKind } from '../store/store.ts';

// What people are shown. Plain data: the terminal, JSON documents and pages render the same values.

/** Why something is written, linked or left. */
export type Why =
  /** It is new, changed or deleted at that side. */
  | { readonly kind: 'new' | 'changed' | 'deleted'; readonly at: Side }
  /** Two contacts meet for the first time: what the contact of that side has, the other one gets. */
  | { readonly kind: 'first-meeting'; readonly at: Side }
  /** It was deleted on the side that is written, and edited at that one (R6). */
  | { readonly kind: 'edit-beats-delete'; readonly at: Side }
  /** Both sides had changed it. */
  | { readonly kind: 'conflict'; readonly winner: Side }
  /** Both sides had changed it, and a person is asked. */
  | { readonly kind: 'asked' }
  /** A person took that side's value of a conflict. */
  | { readonly kind: 'taken'; readonly at: Side }
  /** Two contacts became one at that side (R12). */
  | { readonly kind: 'merged'; readonly at: Side }
  /** Both contacts hold this value; `name` where it is the whole name. */
  | { readonly kind: 'alike'; readonly in: 'emailAddresses' | 'phoneNumbers' | 'name'; readonly value: string }
  /** A person said that the two contacts are one. */
  | { readonly kind: 'by-hand' }
  /** Deleted at that side, and deletions are not propagated; `dormant` in a one-way link, until its source changes it. */
  | { readonly kind: 'kept' | 'dormant'; readonly at: Side }
  /** Deleted at both sides. */
  | { readonly kind: 'gone' }
  /** The contact that remained of the pair is paired with another one. */
  | { readonly kind: 'paired-again' }
  /** No side selects it any longer; or a side selects it again. */
  | { readonly kind: 'unselected' | 'selected' }
  /** It reverts what that run wrote; null where the run is not known any more. */
  | { readonly kind: 'undo'; readonly of: string | null };

/**
 * What becomes of one field: its values before and after; a text has one value or none. Where a person is asked, the value of
 * the left side and that of the right one, which both stay.
 */
export type FieldChange = {
  /** `name` is that of a group. */
  readonly field: SyncedField | 'name';
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly why: Why;
};

type Shown = {
  /** The side that is written. */
  readonly side: Side;
  readonly changes: readonly FieldChange[];
  readonly why: Why;
};

/** What happens to one contact on one side. */
export type ContactChange = Shown &
  PairIds & {
    /** `membership`: nothing but the groups that the contact belongs to. `ask`: nothing is written, a person is to decide. */
    readonly action: 'create' | 'update' | 'membership' | 'delete' | 'pair' | 'unlink' | 'set-apart' | 'wake' | 'ask';
    /** The person's name, else a company or an address; null where the contact has none of them, or was forgotten. */
    readonly name: string | null;
    readonly fields: readonly SyncedField[];
  };

/** What happens to a group on one side. */
export type GroupChange = Shown & {
  readonly action: 'create-group' | 'rename-group' | 'delete-group';
  readonly name: string;
};

/** One thing that a run does, would do, or did. */
export type Change = ContactChange | GroupChange;

/** What happens, in the order in which people are to look at it. */
export const HAPPENINGS = [
  'deletes',
  'set-apart',
  'conflicts',
  'creates',
  'updates',
  'pairings',
  'woken',
  'unlinks',
] as const;
export type Happening = (typeof HAPPENINGS)[number];

const HAPPENS = {
  create: 'creates',
  update: 'updates',
  membership: 'updates',
  delete: 'deletes',
  pair: 'pairings',
  unlink: 'unlinks',
  'set-apart': 'set-apart',
  wake: 'woken',
  ask: 'conflicts',
  'create-group': 'creates',
  'rename-group': 'updates',
  'delete-group': 'deletes',
} as const satisfies Record<Change['action'], Happening>;

/** What a change does. One that decides a conflict is a conflict, whatever else it brings. */
export const happeningOf = ({ action, changes }: Pick<Change, 'action' | 'changes'>): Happening => {
  return changes.some(({ why }) => why.kind === 'conflict') ? 'conflicts' : HAPPENS[action];
};

/** Contacts that may be one person and are left unpaired: a decision for a person (R13). */
export type Unpaired = Sides<readonly { readonly id: string; readonly name: string | null }[]> & {
  readonly why: Doubt;
};

/** One write as the journal has it: something that a run did, or tried. */
export type Write = Change & {
  /** Its number in the journal. */
  readonly write: number;
  readonly atMs: number;
  readonly run: string;
  /** Null where the run is not known any more. */
  readonly kind: StoredRunKind | null;
  /** The contact or group on the side that was written; empty where it is not known. */
  readonly id: string;
  /** `failed`: the side refused it; `abandoned`: it never arrived and was planned again; `intended`: its outcome is unknown. */
  readonly state: JournalState;
  readonly error: string | null;
};

/** A run of the history; `stopped` where somebody stopped the program, which is no failure. */
export type Run = Omit<RunRow, 'outcome' | 'override'> & { readonly outcome: RunRow['outcome'] | 'stopped' };

/**
 * How a conflict stands. The policy decides it at once, or asks a person; it is `open` until a person reviews it or a later
 * change of the field makes it past (`superseded`). `taking`: reviewed, and the next run writes the value that was taken.
 */
export type ConflictState = 'open' | 'taking' | 'reviewed' | 'superseded';

/** A field that both sides had changed. */
export type ConflictView = Sides<string> &
  Pick<ConflictRow, 'id' | 'run' | 'leftId' | 'rightId' | 'field' | 'winner' | 'atMs'> & {
    readonly name: string | null;
    readonly state: ConflictState;
    /** What decided it. */
    readonly by: 'one-way' | 'preferred side' | 'newer edit' | 'longer value' | 'earlier policy' | 'nobody yet';
    readonly reviewedAtMs: number | null;
  };

/** Contacts of one side that are likely one person. */
export type DuplicatesView = {
  /** The same as long as the members are. */
  readonly id: string;
  readonly side: Side;
  readonly members: readonly {
    readonly id: string;
    readonly name: string | null;
    /** Whether it has a counterpart at the other side. */
    readonly isLinked: boolean;
  }[];
  /** What members have in common that a person sees first. */
  readonly why: readonly Why[];
};

/** Whose value of a field stands, and since when. */
export type Standing = Sides<readonly string[]> & {
  readonly field: SyncedField;
  /** The side that the value came from; null where both had it when they were paired, or nothing is known of it. */
  readonly from: Side | null;
  /** Null where no run has written it. */
  readonly sinceMs: number | null;
  readonly why: Why | null;
};

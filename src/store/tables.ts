import type { JournalState, LinkStateName, RunOutcome, StoredRunKind } from '../core/state/rows.ts';
import type { HalfState } from '../core/contact/half.ts';
import type { Side } from '../core/contact/side.ts';
import type { PairStatus } from '../core/contact/pair.ts';
import type { GroupPair } from '../core/reconcile/groups.ts';
import type { Verdict } from '../core/reconcile/verdict.ts';
import type { OperationKind } from '../core/reconcile/operation.ts';

// The tables of the database, on every dialect. Times are epoch milliseconds. A column whose property ends in `Json` holds
// text that is parsed with zod when it is read. The migrations make these tables; a test compares both.

/** A column of a table, read as `Value`. */
export type Column<Value> = {
  /** The name in the database. */
  readonly name: string;
  readonly type: 'text' | 'number' | 'boolean' | 'texts';
  /** A column that only PostgreSQL has. */
  readonly isDerived?: true;
  /** Carries the type of the values only. */
  readonly value?: Value;
};

type Columns = Readonly<Record<string, Column<unknown>>>;

/** A table. Where `hasLink` is set, its rows belong to a link, which its column `link` names. */
export type Table<Of extends Columns = Columns> = {
  readonly name: string;
  readonly columns: Of;
  readonly hasLink: boolean;
  /** The properties that identify a row, within its link if it has one. */
  readonly key: readonly string[];
};

/** A row of a table, by property. The name of its link is not part of it. */
export type RowOf<Of> =
  Of extends Table<infer Found> ? { readonly [Property in keyof Found]: ValueOf<Found[Property]> } : never;
type ValueOf<Of> = Of extends Column<infer Value> ? Value : never;

const text = (name: string): Column<string> => ({ name, type: 'text' });
const maybeText = (name: string): Column<string | null> => ({ name, type: 'text' });
/** A text that is one of few. */
const oneOf = <Value extends string | null>(name: string): Column<Value> => ({ name, type: 'text' });
const number = (name: string): Column<number> => ({ name, type: 'number' });
const maybeNumber = (name: string): Column<number | null> => ({ name, type: 'number' });
/** A list that follows from other columns, which PostgreSQL finds rows by. */
const derivedTexts = (name: string): Column<readonly string[]> => ({ name, type: 'texts', isDerived: true });
const boolean = (name: string): Column<boolean> => ({ name, type: 'boolean' });

const table = <Of extends Columns>(made: Table<Of> & { readonly key: readonly (keyof Of)[] }): Table<Of> => made;

/** One row per link: its state, the accounts it was made with, and the lease of the process that works on it. */
export const links = table({
  name: 'links',
  hasLink: false,
  key: ['name'],
  columns: {
    name: text('name'),
    state: oneOf<LinkStateName>('state'),
    reason: maybeText('reason'),
    leftAccount: maybeText('left_account'),
    rightAccount: maybeText('right_account'),
    accountsKey: maybeText('accounts_key'),
    leftCredential: maybeText('left_credential'),
    rightCredential: maybeText('right_credential'),
    /** The fencing token: grows whenever the lease gets another owner. */
    leaseToken: number('lease_token'),
    acceptedRun: maybeText('accepted_run'),
    acceptedAtMs: maybeNumber('accepted_at_ms'),
    selectionPatterns: maybeText('selection_patterns'),
    selectionKey: maybeText('selection_key'),
    directions: maybeText('directions'),
    toldTrouble: oneOf<'halted' | 'paused' | 'failing' | null>('told_trouble'),
    failingSinceMs: maybeNumber('failing_since_ms'),
    pausedByHandAtMs: maybeNumber('paused_by_hand_at_ms'),
    fieldsName: text('fields_name'),
    fieldsJoining: maybeText('fields_joining'),
    lastChangeAtMs: maybeNumber('last_change_at_ms'),
  },
});

/** The position of each side's feed, and of a full listing under way. */
export const cursors = table({
  name: 'cursors',
  hasLink: true,
  key: ['side'],
  columns: {
    side: oneOf<Side>('side'),
    cursor: maybeText('cursor'),
    readAtMs: maybeNumber('read_at_ms'),
    resume: maybeText('resume'),
    listingStartedAtMs: maybeNumber('listing_started_at_ms'),
    listedAtMs: maybeNumber('listed_at_ms'),
  },
});

/** The identity mapping: halves that name the same pair are the same contact. */
export const pairs = table({
  name: 'pairs',
  hasLink: true,
  key: ['id'],
  columns: { id: number('id'), status: oneOf<PairStatus>('status') },
});

/** One row per contact of a side. */
export const halves = table({
  name: 'halves',
  hasLink: true,
  key: ['side', 'id'],
  columns: {
    side: oneOf<Side>('side'),
    id: text('id'),
    pair: maybeNumber('pair'),
    formerPair: maybeNumber('former_pair'),
    state: oneOf<HalfState>('state'),
    absences: number('absences'),
    lastListedAtMs: maybeNumber('last_listed_at_ms'),
    heardAtMs: number('heard_at_ms'),
    writtenAtMs: maybeNumber('written_at_ms'),
    editWrittenAtMs: maybeNumber('edit_written_at_ms'),
    editedAtMs: maybeNumber('edited_at_ms'),
    mergedInto: maybeText('merged_into'),
    /** Null if the row that the record was read from must be read again. */
    digest: maybeText('digest'),
    /** `{}` if the base equals the record. */
    baseJson: maybeText('base_json'),
    recordJson: text('record_json'),
    /** The text that contacts are searched by (`searchText`). */
    search: text('search'),
    groupIds: derivedTexts('group_ids'),
    emailKeys: derivedTexts('email_keys'),
  },
});

/** Contact ids that a full listing under way has shown: one row for each page. */
const shownPages = table({
  name: 'shown_pages',
  hasLink: true,
  key: ['id'],
  columns: { id: number('id'), side: oneOf<Side>('side'), idsJson: text('ids_json') },
});

/** Groups of both sides that belong together. */
export const groupPairs = table({
  name: 'group_pairs',
  hasLink: true,
  key: ['key'],
  columns: {
    key: text('key'),
    status: oneOf<GroupPair['status']>('status'),
    isUnited: boolean('united'),
    leftId: maybeText('left_id'),
    leftName: maybeText('left_name'),
    leftNextName: maybeText('left_next_name'),
    rightId: maybeText('right_id'),
    rightName: maybeText('right_name'),
    rightNextName: maybeText('right_next_name'),
  },
});

/** The write-ahead record of each write to a contact, and of each deletion of a group. */
export const journal = table({
  name: 'journal',
  hasLink: true,
  key: ['id'],
  columns: {
    id: number('id'),
    run: text('run'),
    side: oneOf<Side>('side'),
    kind: oneOf<OperationKind>('kind'),
    state: oneOf<JournalState>('state'),
    pairId: maybeNumber('pair_id'),
    leftId: maybeText('left_id'),
    rightId: maybeText('right_id'),
    intentJson: text('intent_json'),
    beforeJson: maybeText('before_json'),
    afterJson: maybeText('after_json'),
    error: maybeText('error'),
    intendedAtMs: number('intended_at_ms'),
    settledAtMs: maybeNumber('settled_at_ms'),
    destroys: boolean('destroys'),
  },
});

/** One row per run. */
export const runs = table({
  name: 'runs',
  hasLink: true,
  key: ['id'],
  columns: {
    id: text('id'),
    kind: oneOf<StoredRunKind>('kind'),
    outcome: oneOf<RunOutcome | 'running'>('outcome'),
    reason: maybeText('reason'),
    /** The fencing token of its lease. Runs have this order, because the clock may be set back. */
    fence: number('fence'),
    startedAtMs: number('started_at_ms'),
    endedAtMs: maybeNumber('ended_at_ms'),
    summaryJson: maybeText('summary_json'),
  },
});

/** Fields that both sides changed: both values, the side that won by rule, and the one that a user chose instead. */
export const conflicts = table({
  name: 'conflicts',
  hasLink: true,
  key: ['id'],
  columns: {
    id: number('id'),
    run: text('run'),
    leftId: text('left_id'),
    rightId: text('right_id'),
    field: text('field'),
    left: text('left'),
    right: text('right'),
    /** Null: a user decides. */
    winner: oneOf<Side | null>('winner'),
    atMs: number('at_ms'),
    endedAtMs: maybeNumber('ended_at_ms'),
    decided: oneOf<Side | null>('decided'),
  },
});

/** Writes that a side refused, and contacts and outcomes that could not be read: the reason, and the time of the next attempt. */
export const rejections = table({
  name: 'rejections',
  hasLink: true,
  key: ['side', 'key'],
  columns: {
    side: oneOf<Side>('side'),
    /** Names the refused write by the ids of the contacts that it follows from. */
    key: text('key'),
    leftId: maybeText('left_id'),
    rightId: maybeText('right_id'),
    reason: text('reason'),
    sourceFingerprint: text('source_fingerprint'),
    attempts: number('attempts'),
    retryAtMs: number('retry_at_ms'),
  },
});

/** A person's decision that two contacts are the same, or are not. */
export const verdicts = table({
  name: 'verdicts',
  hasLink: true,
  key: ['leftId', 'rightId'],
  columns: {
    leftId: text('left_id'),
    rightId: text('right_id'),
    says: oneOf<Verdict['says']>('says'),
    atMs: number('at_ms'),
  },
});

/** Request budgets, kept so that a restart in the middle of a window does not exceed a limit. */
export const budgets = table({
  name: 'budgets',
  hasLink: false,
  key: ['key'],
  columns: { key: text('key'), stateJson: text('state_json') },
});

/** One row: the salt of keys that are derived from a passphrase, as base64. */
export const keySalt = table({
  name: 'key_salt',
  hasLink: false,
  key: ['id'],
  columns: {
    id: number('id'),
    salt: text('salt'),
  },
});

/** The tokens that `connect` stored, by the name of the side. */
export const credentials = table({
  name: 'credentials',
  hasLink: false,
  key: ['link', 'side'],
  columns: { link: text('link'), side: text('side'), sealedJson: text('sealed_json') },
});

/** The tables whose rows belong to a link. */
export const LINK_TABLES = {
  cursors,
  pairs,
  halves,
  shownPages,
  groupPairs,
  journal,
  conflicts,
  rejections,
  verdicts,
  runs,
} as const;
export type LinkTableName = keyof typeof LINK_TABLES;
export const LINK_TABLE_NAMES = Object.keys(LINK_TABLES) as readonly LinkTableName[];

/** The tables that a commit may change. */
export const TABLES = { links, ...LINK_TABLES } as const;
export type TableName = keyof typeof TABLES;

/** The tables that a link forgets with its mapping (R8): all but its own row and its runs. */
export const MAPPING_TABLES = LINK_TABLE_NAMES.filter((name) => name !== 'runs');

import { HALF_STATES } from '../../contact/half.ts';
import type { LinkTable } from '../changes.ts';
import { bigint, boolean, index, integer, pgTable, primaryKey, sql, text } from './drizzle.ts';

// Times are epoch milliseconds. A column named `...Json` holds text that is parsed with zod when it is read: a type of the
// database's own would not keep it character for character. Every key begins with the link, whose rows lie together.

const SIDES = ['left', 'right'] as const;

const number = (name: string) => bigint(name, { mode: 'number' });

/** Where pairs, entries, conflicts and pages get their ids: those of a link grow with time, whichever host gives them. */
export const ROW_IDS = 'row_ids';

/** One row per link: its state, the accounts it was made with, and the lease of the process that works on it. */
export const links = pgTable('links', {
  name: text('name').primaryKey(),
  state: text('state', { enum: ['active', 'paused', 'resuming', 'halted', 'failing'] }).notNull(),
  reason: text('reason'),
  leftAccount: text('left_account'),
  rightAccount: text('right_account'),
  /** Names both accounts together (`LinkState.accountsKey`). */
  accountsKey: text('accounts_key'),
  leftCredential: text('left_credential'),
  rightCredential: text('right_credential'),
  leaseOwner: text('lease_owner'),
  leaseUntilMs: number('lease_until_ms'),
  /** The fencing token: grows whenever the lease gets another owner. */
  leaseToken: number('lease_token').notNull().default(0),
  /** Names the last commit: one whose answer was lost is not made twice. */
  commitKey: text('commit_key'),
  acceptedRun: text('accepted_run'),
  acceptedAtMs: number('accepted_at_ms'),
  selectionPatterns: text('selection_patterns'),
  selectionKey: text('selection_key'),
  toldTrouble: text('told_trouble', { enum: ['halted', 'paused', 'failing'] }),
  failingSinceMs: number('failing_since_ms'),
  claimedUntilMs: number('told_claimed_until_ms'),
  /** Since when a person wants no run to begin by itself. */
  pausedByHandAtMs: number('paused_by_hand_at_ms'),
  /** Names the choice of fields that the link's contacts are stored by; those that have joined since a run last completed. */
  fieldsName: text('fields_name').notNull().default(''),
  fieldsJoining: text('fields_joining'),
  /** When runs wrote something (`Activity`). */
  activityJson: text('activity_json'),
  /** When a contact of the link was last forgotten. */
  forgottenAtMs: number('forgotten_at_ms'),
});

/** Where each side's feed was read to, and how far a full listing under way has come. */
export const cursors = pgTable(
  'cursors',
  {
    link: text('link').notNull(),
    side: text('side', { enum: SIDES }).notNull(),
    cursor: text('cursor'),
    readAtMs: number('read_at_ms'),
    resume: text('resume'),
    listingStartedAtMs: number('listing_started_at_ms'),
    listedAtMs: number('listed_at_ms'),
  },
  (table) => [primaryKey({ columns: [table.link, table.side] })],
);

/** The identity mapping: the halves that name a pair are one person. */
export const pairs = pgTable(
  'pairs',
  {
    link: text('link').notNull(),
    id: number('id').notNull(),
    status: text('status', { enum: ['linked', 'kept', 'dormant', 'asleep'] }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.link, table.id] })],
);

/** One row per contact of a side. */
export const halves = pgTable(
  'halves',
  {
    link: text('link').notNull(),
    side: text('side', { enum: SIDES }).notNull(),
    id: text('id').notNull(),
    pair: number('pair'),
    state: text('state', { enum: HALF_STATES }).notNull(),
    absences: integer('absences').notNull().default(0),
    lastListedAtMs: number('last_listed_at_ms'),
    heardAtMs: number('heard_at_ms').notNull(),
    writtenAtMs: number('written_at_ms'),
    mergedInto: text('merged_into'),
    /** Null where the row that the record was read from must be read again whatever it says. */
    digest: text('digest'),
    /** `{}` where the base says just what the record says. */
    baseJson: text('base_json'),
    recordJson: text('record_json').notNull(),
    /** What the record says, to be found by: the ids of its groups, and the keys of its email addresses. */
    groupIds: text('group_ids').array().notNull(),
    emailKeys: text('email_keys').array().notNull(),
    /** What people find the contact by (`searchText`). */
    search: text('search').notNull().default(''),
  },
  (table) => [
    primaryKey({ columns: [table.link, table.side, table.id] }),
    index('halves_pair')
      .on(table.link, table.pair)
      .where(sql`${table.pair} is not null`),
    index('halves_blank')
      .on(table.link)
      .where(sql`${table.search} = ''`),
    index('halves_open')
      .on(table.link, table.state)
      .where(sql`${table.state} <> 'settled'`),
  ],
);

/** What a full listing under way has shown so far: one row for each page, its ids as a JSON array. */
export const shownPages = pgTable(
  'shown_pages',
  {
    link: text('link').notNull(),
    id: number('id').notNull(),
    side: text('side', { enum: SIDES }).notNull(),
    idsJson: text('ids_json').notNull(),
  },
  (table) => [primaryKey({ columns: [table.link, table.id] })],
);

/** Groups of both sides that belong together. */
export const groupPairs = pgTable(
  'group_pairs',
  {
    link: text('link').notNull(),
    key: text('key').notNull(),
    status: text('status', { enum: ['linked', 'kept'] }).notNull(),
    settled: boolean('settled').notNull(),
    leftId: text('left_id'),
    leftName: text('left_name'),
    rightId: text('right_id'),
    rightName: text('right_name'),
  },
  (table) => [primaryKey({ columns: [table.link, table.key] })],
);

/** The write-ahead record of every remote write. */
export const journal = pgTable(
  'journal',
  {
    link: text('link').notNull(),
    id: number('id').generatedByDefaultAsIdentity({ name: ROW_IDS }),
    run: text('run').notNull(),
    side: text('side', { enum: SIDES }).notNull(),
    kind: text('kind', { enum: ['create', 'update', 'membership', 'delete', 'group-delete'] }).notNull(),
    state: text('state', { enum: ['intended', 'done', 'failed', 'abandoned'] })
      .notNull()
      .default('intended'),
    pairId: number('pair_id'),
    leftId: text('left_id'),
    rightId: text('right_id'),
    /** What was asked for: enough to recognise it at the remote when the answer was lost. */
    intentJson: text('intent_json').notNull(),
    /** The contact as it stood before; null for a create. */
    beforeJson: text('before_json'),
    afterJson: text('after_json'),
    error: text('error'),
    intendedAtMs: number('intended_at_ms').notNull(),
    settledAtMs: number('settled_at_ms'),
    /** Whether the guard counts the write. */
    destroys: boolean('destroys').notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.link, table.id] }),
    index('journal_destroys')
      .on(table.link, table.intendedAtMs)
      .where(sql`${table.destroys}`),
    index('journal_intended')
      .on(table.link)
      .where(sql`${table.state} = 'intended'`),
    index('journal_deletions')
      .on(table.link)
      .where(sql`${table.kind} = 'delete' and ${table.state} = 'done'`),
    // In the order of the entries, and with all that counting them asks for.
    index('journal_run').on(table.link, table.run, table.id, table.kind),
    index('journal_left')
      .on(table.link, table.leftId)
      .where(sql`${table.leftId} is not null`),
    index('journal_right')
      .on(table.link, table.rightId)
      .where(sql`${table.rightId} is not null`),
    index('journal_pair')
      .on(table.link, table.pairId)
      .where(sql`${table.pairId} is not null`),
    // What a create brought into being is named by the answer alone.
    index('journal_answered')
      .on(table.link, sql`(${table.afterJson}::json ->> 'id')`)
      .where(sql`${table.afterJson} is not null`),
  ],
);

/** One row per run. */
export const runs = pgTable(
  'runs',
  {
    link: text('link').notNull(),
    id: text('id').notNull(),
    kind: text('kind', { enum: ['incremental', 'full', 'undo'] }).notNull(),
    outcome: text('outcome', { enum: ['running', 'completed', 'halted', 'failed'] })
      .notNull()
      .default('running'),
    reason: text('reason'),
    startedAtMs: number('started_at_ms').notNull(),
    endedAtMs: number('ended_at_ms'),
    summaryJson: text('summary_json'),
  },
  (table) => [
    primaryKey({ columns: [table.link, table.id] }),
    index('runs_started').on(table.link, table.startedAtMs),
    index('runs_running')
      .on(table.link)
      .where(sql`${table.outcome} = 'running'`),
  ],
);

/** Fields that both sides had changed: both values, and which one stands. */
export const conflicts = pgTable(
  'conflicts',
  {
    link: text('link').notNull(),
    id: number('id').notNull(),
    run: text('run').notNull(),
    leftId: text('left_id').notNull(),
    rightId: text('right_id').notNull(),
    field: text('field').notNull(),
    left: text('left').notNull(),
    right: text('right').notNull(),
    winner: text('winner', { enum: SIDES }),
    atMs: number('at_ms').notNull(),
    /** When a later change of the same field settled the matter; null while the conflict is open. */
    resolvedAtMs: number('resolved_at_ms'),
    /** What a person said of it: whose value is to stand, or that it stays as it was decided. */
    review: text('review', { enum: [...SIDES, 'dismissed'] }),
    reviewedAtMs: number('reviewed_at_ms'),
  },
  (table) => [primaryKey({ columns: [table.link, table.id] })],
);

/** Contacts that a side refused, why, and when they may be tried again. */
export const rejections = pgTable(
  'rejections',
  {
    link: text('link').notNull(),
    side: text('side', { enum: SIDES }).notNull(),
    /** The write that was refused, by the ids of the contacts that it follows from. */
    key: text('key').notNull(),
    leftId: text('left_id'),
    rightId: text('right_id'),
    reason: text('reason').notNull(),
    sourceFingerprint: text('source_fingerprint').notNull(),
    attempts: integer('attempts').notNull(),
    retryAtMs: number('retry_at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.link, table.side, table.key] })],
);

/** What a person said of a contact of each side: one person, or two. */
export const verdicts = pgTable(
  'verdicts',
  {
    link: text('link').notNull(),
    leftId: text('left_id').notNull(),
    rightId: text('right_id').notNull(),
    says: text('says', { enum: ['together', 'apart'] }).notNull(),
    atMs: number('at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.link, table.leftId, table.rightId] })],
);

/** Budgets of requests, kept so that a restart in mid-window does not exceed a limit. */
export const budgets = pgTable('budgets', {
  key: text('key').primaryKey(),
  stateJson: text('state_json').notNull(),
});

/** One row: what the hosts have in common. */
export const hosting = pgTable('hosting', {
  id: integer('id').primaryKey(),
  /** What keys that come of a passphrase are made with, as base64. */
  salt: text('salt').notNull(),
  /** Grows with each change of the settings of links that stand here. */
  linksRevision: number('links_revision').notNull().default(0),
});

/** The tokens that `connect` stored, sealed; a link's side is known by its name there. */
export const credentials = pgTable(
  'credentials',
  {
    link: text('link').notNull(),
    side: text('side').notNull(),
    sealedJson: text('sealed_json').notNull(),
  },
  (table) => [primaryKey({ columns: [table.link, table.side] })],
);

/** Access tokens, sealed, and who is getting a new one. Nothing of it is missed. */
export const accessTokens = pgTable('access_tokens', {
  name: text('name').primaryKey(),
  /** Null until the first one was got. */
  sealedJson: text('sealed_json'),
  digest: text('digest'),
  expiresAtMs: number('expires_at_ms'),
  owner: text('owner'),
  ownedUntilMs: number('owned_until_ms'),
});

/** The settings of links that stand beside those of the configuration file, sealed. */
export const linkSettings = pgTable('link_settings', {
  name: text('name').primaryKey(),
  sealedJson: text('sealed_json').notNull(),
});

/** The tables whose rows belong to a link. */
export const TABLES = {
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
} satisfies Record<LinkTable, unknown>;

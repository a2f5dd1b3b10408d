import { index, integer, primaryKey, sql, sqliteTable, text } from './drizzle.ts';
import { HALF_STATES } from '../../contact/half.ts';

// Times are epoch milliseconds. A column named `...Json` holds JSON that is parsed with zod when it is read.

const SIDES = ['left', 'right'] as const;

/** One row per link: its state, the accounts it was made with, and the lease of the process that works on it. */
export const links = sqliteTable('links', {
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
  leaseUntilMs: integer('lease_until_ms'),
  /** The fencing token: grows whenever the lease gets another owner. */
  leaseToken: integer('lease_token').notNull().default(0),
  /** The last run that was let past the guard, and when. */
  acceptedRun: text('accepted_run'),
  acceptedAtMs: integer('accepted_at_ms'),
  /** What the stored contacts were last held against: the patterns of both sides, and the selection's key. */
  selectionPatterns: text('selection_patterns'),
  selectionKey: text('selection_key'),
  /** What the receiver of notices was told of, since when the link fails, and until when a process tells it something. */
  toldTrouble: text('told_trouble', { enum: ['halted', 'paused', 'failing'] }),
  failingSinceMs: integer('failing_since_ms'),
  claimedUntilMs: integer('told_claimed_until_ms'),
  /** Since when a person wants no run to begin by itself. */
  pausedByHandAtMs: integer('paused_by_hand_at_ms'),
  /** Names the choice of fields that the link's contacts are stored by; those that have joined since a run last completed. */
  fieldsName: text('fields_name').notNull().default(''),
  fieldsJoining: text('fields_joining'),
  /** When runs wrote something (`Activity`). */
  activityJson: text('activity_json'),
  /** When a contact of the link was last forgotten. */
  forgottenAtMs: integer('forgotten_at_ms'),
});

/** Where each side's feed was read to, and how far a full listing under way has come. */
export const cursors = sqliteTable(
  'cursors',
  {
    link: text('link').notNull(),
    side: text('side', { enum: SIDES }).notNull(),
    cursor: text('cursor'),
    readAtMs: integer('read_at_ms'),
    resume: text('resume'),
    listingStartedAtMs: integer('listing_started_at_ms'),
    listedAtMs: integer('listed_at_ms'),
  },
  (table) => [primaryKey({ columns: [table.link, table.side] })],
);

/** The identity mapping: the halves that name a pair are one person. */
export const pairs = sqliteTable(
  'pairs',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    link: text('link').notNull(),
    status: text('status', { enum: ['linked', 'kept', 'dormant', 'asleep'] }).notNull(),
  },
  (table) => [index('pairs_link').on(table.link, table.status)],
);

/** One row per contact of a side. */
export const halves = sqliteTable(
  'halves',
  {
    link: text('link').notNull(),
    side: text('side', { enum: SIDES }).notNull(),
    id: text('id').notNull(),
    pair: integer('pair'),
    state: text('state', { enum: HALF_STATES }).notNull(),
    absences: integer('absences').notNull().default(0),
    lastListedAtMs: integer('last_listed_at_ms'),
    heardAtMs: integer('heard_at_ms').notNull(),
    writtenAtMs: integer('written_at_ms'),
    mergedInto: text('merged_into'),
    /** Null where the row that the record was read from must be read again whatever it says. */
    digest: text('digest'),
    /** `{}` where the base says just what the record says. */
    baseJson: text('base_json'),
    recordJson: text('record_json').notNull(),
    /** What people find the contact by (`searchText`). */
    search: text('search').notNull().default(''),
  },
  (table) => [
    primaryKey({ columns: [table.link, table.side, table.id] }),
    // Serves lookups by pair, and holds all that a light reading or a search asks for: the wide rows are not touched.
    index('halves_light').on(
      table.link,
      table.side,
      table.pair,
      table.state,
      table.absences,
      table.heardAtMs,
      table.id,
      table.search,
    ),
    // A full listing asks for every digest: each is found without touching its wide row.
    index('halves_known')
      .on(table.link, table.side, table.digest, table.id)
      .where(sql`${table.digest} is not null`),
    index('halves_blank')
      .on(table.link)
      .where(sql`${table.search} = ''`),
    index('halves_open')
      .on(table.link, table.side, table.state)
      .where(sql`${table.state} <> 'settled'`),
  ],
);

/** What a full listing under way has shown so far: one row for each page, its ids as a JSON array. */
export const shownPages = sqliteTable(
  'shown_pages',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    link: text('link').notNull(),
    side: text('side', { enum: SIDES }).notNull(),
    idsJson: text('ids_json').notNull(),
  },
  (table) => [index('shown_pages_place').on(table.link, table.side)],
);

/** Groups of both sides that belong together. */
export const groupPairs = sqliteTable(
  'group_pairs',
  {
    link: text('link').notNull(),
    key: text('key').notNull(),
    status: text('status', { enum: ['linked', 'kept'] }).notNull(),
    settled: integer('settled', { mode: 'boolean' }).notNull(),
    leftId: text('left_id'),
    leftName: text('left_name'),
    rightId: text('right_id'),
    rightName: text('right_name'),
  },
  (table) => [primaryKey({ columns: [table.link, table.key] })],
);

/** The write-ahead record of every remote write. */
export const journal = sqliteTable(
  'journal',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    link: text('link').notNull(),
    run: text('run').notNull(),
    side: text('side', { enum: SIDES }).notNull(),
    kind: text('kind', { enum: ['create', 'update', 'membership', 'delete', 'group-delete'] }).notNull(),
    state: text('state', { enum: ['intended', 'done', 'failed', 'abandoned'] }).notNull(),
    pairId: integer('pair_id'),
    leftId: text('left_id'),
    rightId: text('right_id'),
    /** What was asked for: enough to recognise it at the remote when the answer was lost. */
    intentJson: text('intent_json').notNull(),
    /** The contact as it stood before; null for a create. */
    beforeJson: text('before_json'),
    afterJson: text('after_json'),
    error: text('error'),
    intendedAtMs: integer('intended_at_ms').notNull(),
    settledAtMs: integer('settled_at_ms'),
    /** Whether the guard counts the write. */
    destroys: integer('destroys', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    index('journal_destroys')
      .on(table.link, table.intendedAtMs)
      .where(sql`${table.destroys} = 1`),
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
      .on(table.link, sql`${table.afterJson} ->> 'id'`)
      .where(sql`${table.afterJson} is not null`),
  ],
);

/** One row per run. */
export const runs = sqliteTable(
  'runs',
  {
    id: text('id').primaryKey(),
    link: text('link').notNull(),
    kind: text('kind', { enum: ['incremental', 'full', 'undo'] }).notNull(),
    outcome: text('outcome', { enum: ['running', 'completed', 'halted', 'failed'] }).notNull(),
    reason: text('reason'),
    startedAtMs: integer('started_at_ms').notNull(),
    endedAtMs: integer('ended_at_ms'),
    summaryJson: text('summary_json'),
  },
  (table) => [index('runs_link').on(table.link, table.startedAtMs)],
);

/** Fields that both sides had changed: both values, and which one stands. */
export const conflicts = sqliteTable(
  'conflicts',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    link: text('link').notNull(),
    run: text('run').notNull(),
    leftId: text('left_id').notNull(),
    rightId: text('right_id').notNull(),
    field: text('field').notNull(),
    left: text('left').notNull(),
    right: text('right').notNull(),
    /** Null: a person is asked. */
    winner: text('winner', { enum: SIDES }),
    atMs: integer('at_ms').notNull(),
    /** When a later change of the same field settled the matter; null while the conflict is open. */
    resolvedAtMs: integer('resolved_at_ms'),
    /** What a person said of it: whose value is to stand, or that it stays as it was decided. */
    review: text('review', { enum: [...SIDES, 'dismissed'] }),
    reviewedAtMs: integer('reviewed_at_ms'),
  },
  (table) => [index('conflicts_link').on(table.link, table.id)],
);

/** Contacts that a side refused, why, and when they may be tried again. */
export const rejections = sqliteTable(
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
    retryAtMs: integer('retry_at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.link, table.side, table.key] })],
);

/** What a person said of a contact of each side: one person, or two. */
export const verdicts = sqliteTable(
  'verdicts',
  {
    link: text('link').notNull(),
    leftId: text('left_id').notNull(),
    rightId: text('right_id').notNull(),
    says: text('says', { enum: ['together', 'apart'] }).notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.link, table.leftId, table.rightId] })],
);

/** Budgets of requests, kept so that a restart in mid-window does not exceed a limit. */
export const budgets = sqliteTable('budgets', {
  key: text('key').primaryKey(),
  stateJson: text('state_json').notNull(),
});

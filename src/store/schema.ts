import { index, integer, primaryKey, sql, sqliteTable, text, uniqueIndex } from './drizzle.ts';

// Times are epoch milliseconds. A column named `...Json` holds JSON that is parsed with zod when it is read.

/** One row per link: its state, the accounts it was made with, and the lease of the process that works on it. */
export const links = sqliteTable('links', {
  name: text('name').primaryKey(),
  state: text('state', { enum: ['active', 'paused', 'halted', 'failing'] }).notNull(),
  reason: text('reason'),
  leftAccount: text('google_account'),
  rightAccount: text('service_account'),
  leftCredential: text('google_credential'),
  rightCredential: text('service_credential'),
  leaseOwner: text('lease_owner'),
  leaseUntilMs: integer('lease_until_ms'),
});

/** Where each side's feed was read to, and how far a full listing under way has come. */
export const cursors = sqliteTable(
  'cursors',
  {
    link: text('link').notNull(),
    side: text('side', { enum: ['left', 'right'] }).notNull(),
    cursor: text('cursor'),
    readAtMs: integer('read_at_ms'),
    resume: text('resume'),
    listingStartedAtMs: integer('listing_started_at_ms'),
    listedAtMs: integer('listed_at_ms'),
  },
  (table) => [primaryKey({ columns: [table.link, table.side] })],
);

/** The mapping table: who is who, each side's base, and the contact as that side last gave it. */
export const pairs = sqliteTable(
  'pairs',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    link: text('link').notNull(),
    status: text('status', { enum: ['linked', 'kept', 'dormant'] }).notNull(),
    leftId: text('google_id'),
    rightId: text('service_id'),
    leftBaseJson: text('google_base_json'),
    rightBaseJson: text('service_base_json'),
    leftRecordJson: text('google_record_json'),
    rightRecordJson: text('service_record_json'),
    leftWrittenAtMs: integer('google_written_at_ms'),
    rightWrittenAtMs: integer('service_written_at_ms'),
    /** The row that the record was read from, by its digest; null unless the record says just what the base says, with nothing left to settle. */
    leftDigest: text('google_digest'),
    rightDigest: text('service_digest'),
    /** In how many full listings in a row the contact was missing although a read still found it. */
    leftAbsences: integer('google_absences').notNull().default(0),
    rightAbsences: integer('service_absences').notNull().default(0),
  },
  (table) => [
    uniqueIndex('pairs_google').on(table.link, table.leftId),
    uniqueIndex('pairs_service').on(table.link, table.rightId),
    // A full listing asks for every digest: each is found without touching its wide row.
    index('pairs_google_known')
      .on(table.link, table.leftDigest, table.leftId)
      .where(sql`${table.leftDigest} is not null`),
    index('pairs_service_known')
      .on(table.link, table.rightDigest, table.rightId)
      .where(sql`${table.rightDigest} is not null`),
    index('pairs_google_absent')
      .on(table.link)
      .where(sql`${table.leftAbsences} <> 0`),
    index('pairs_service_absent')
      .on(table.link)
      .where(sql`${table.rightAbsences} <> 0`),
    index('pairs_alone')
      .on(table.link)
      .where(sql`${table.status} <> 'linked'`),
  ],
);

/** What the feeds brought and no run has settled yet. Contacts without a counterpart stay here. */
export const staged = sqliteTable(
  'staged',
  {
    link: text('link').notNull(),
    side: text('side', { enum: ['left', 'right'] }).notNull(),
    id: text('id').notNull(),
    /** `missing`: a full listing did not show it; `settling`: nor did a read, but it was written too lately to be gone. */
    kind: text('kind', { enum: ['upsert', 'tombstone', 'missing', 'settling'] }).notNull(),
    /** Null where the contact is gone, or is as its pair holds it. */
    recordJson: text('record_json'),
    /** Of a contact that is gone: the one of the same side that it was merged into (R12). */
    mergedInto: text('merged_into'),
    stagedAtMs: integer('staged_at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.link, table.side, table.id] })],
);

/** What a full listing under way has shown so far: one row for each page, its ids as a JSON array. */
export const shownPages = sqliteTable(
  'shown_pages',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    link: text('link').notNull(),
    side: text('side', { enum: ['left', 'right'] }).notNull(),
    idsJson: text('ids_json').notNull(),
  },
  (table) => [index('shown_pages_place').on(table.link, table.side)],
);

/** Buckets and the labels they belong to. */
export const groupPairs = sqliteTable(
  'group_pairs',
  {
    link: text('link').notNull(),
    key: text('key').notNull(),
    status: text('status', { enum: ['linked', 'kept'] }).notNull(),
    settled: integer('settled', { mode: 'boolean' }).notNull(),
    leftId: text('google_id'),
    leftName: text('google_name'),
    rightId: text('service_id'),
    rightName: text('service_name'),
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
    side: text('side', { enum: ['left', 'right'] }).notNull(),
    kind: text('kind', { enum: ['create', 'update', 'membership', 'delete'] }).notNull(),
    state: text('state', { enum: ['intended', 'done', 'failed', 'abandoned'] }).notNull(),
    pairId: integer('pair_id'),
    leftId: text('google_id'),
    rightId: text('service_id'),
    /** What was asked for: enough to recognise it at the remote when the answer was lost. */
    intentJson: text('intent_json').notNull(),
    /** The contact as it stood before; null for a create. */
    beforeJson: text('before_json'),
    afterJson: text('after_json'),
    error: text('error'),
    intendedAtMs: integer('intended_at_ms').notNull(),
    settledAtMs: integer('settled_at_ms'),
  },
  (table) => [
    index('journal_intended')
      .on(table.link)
      .where(sql`${table.state} = 'intended'`),
    index('journal_run').on(table.run),
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

/** Fields that both sides had changed: both values, and whose stands. */
export const conflicts = sqliteTable(
  'conflicts',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    link: text('link').notNull(),
    run: text('run').notNull(),
    leftId: text('google_id').notNull(),
    rightId: text('service_id').notNull(),
    field: text('field').notNull(),
    left: text('left').notNull(),
    right: text('right').notNull(),
    winner: text('winner', { enum: ['left', 'right'] }).notNull(),
    atMs: integer('at_ms').notNull(),
    /** When a later change of the same field settled the matter; null while the conflict is open. */
    resolvedAtMs: integer('resolved_at_ms'),
  },
  (table) => [index('conflicts_link').on(table.link, table.id)],
);

/** Contacts that a side refused, why, and when they may be tried again. */
export const rejections = sqliteTable(
  'rejections',
  {
    link: text('link').notNull(),
    side: text('side', { enum: ['left', 'right'] }).notNull(),
    /** The contact that was to be written: `google <id>` or `service <id>` of the one it follows from. */
    key: text('key').notNull(),
    leftId: text('google_id'),
    rightId: text('service_id'),
    reason: text('reason').notNull(),
    sourceFingerprint: text('source_fingerprint').notNull(),
    attempts: integer('attempts').notNull(),
    retryAtMs: integer('retry_at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.link, table.side, table.key] })],
);

/** The service's budget of requests, kept so that a restart in mid-window does not exceed the limit. */
export const budgets = sqliteTable('budgets', {
  key: text('key').primaryKey(),
  stateJson: text('state_json').notNull(),
});

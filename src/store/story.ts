import { and, desc, eq, inArray, ne, or, sql } from './drizzle.ts';
import { SIDES, type Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Pair } from '../reconcile/decision.ts';
import { decodeIntent, decodeRecord, decodeUndoes } from './codec.ts';
import type { Db } from './database.ts';
import { indexStaged, pairOf, type PairRow } from './pair-rows.ts';
import { journal, pairs, runs, staged } from './schema.ts';
import type { ContactScope, JournalRow, RunOutcome, RunRow, WriteStory } from './store.ts';

type StoredWrite = typeof journal.$inferSelect;

/** The intent's part of a journal row. */
export const journalRowOf = (row: StoredWrite): JournalRow => ({
  id: row.id,
  run: row.run,
  side: row.side,
  kind: row.kind,
  pairId: row.pairId,
  leftId: row.leftId,
  rightId: row.rightId,
  intent: decodeIntent(row.intentJson),
  before: row.beforeJson === null ? null : decodeRecord(row.beforeJson),
  intendedAtMs: row.intendedAtMs,
});

const storyOf = (row: StoredWrite): WriteStory => ({
  ...journalRowOf(row),
  state: row.state,
  after: row.afterJson === null ? null : decodeRecord(row.afterJson),
  error: row.error,
  settledAtMs: row.settledAtMs,
});

/** SQLite takes a bounded number of values in one statement. */
const CHUNK = 500;

const chunked = <T, Row>(values: readonly T[], read: (chunk: readonly T[]) => readonly Row[]): Row[] => {
  return Array.from({ length: Math.ceil(values.length / CHUNK) }, (_, index) =>
    read(values.slice(index * CHUNK, (index + 1) * CHUNK)),
  ).flat();
};

const byId = <Row extends { readonly id: number }>(rows: readonly Row[]): Row[] => {
  return [...new Map(rows.map((row) => [row.id, row])).values()].toSorted((a, b) => a.id - b.id);
};

const writesTo = (db: Db, link: string, { ids, pairIds }: ContactScope): StoredWrite[] => {
  const read = (where: ReturnType<typeof or>) =>
    db.orm
      .select()
      .from(journal)
      .where(and(eq(journal.link, link), where))
      .all();
  const named = chunked(ids, (chunk) => {
    // A contact that a create brought into being is named by the answer alone.
    const answered = inArray(sql`json_extract(${journal.afterJson}, '$.id')`, [...chunk]);
    return read(or(inArray(journal.leftId, [...chunk]), inArray(journal.rightId, [...chunk]), answered));
  });
  return byId([...named, ...chunked(pairIds, (chunk) => read(inArray(journal.pairId, [...chunk])))]);
};

export const readJournal = (
  db: Db,
  link: string,
  of: { readonly run: string } | ContactScope,
): readonly WriteStory[] => {
  if (!('run' in of)) return writesTo(db, link, of).map(storyOf);
  const own = and(eq(journal.link, link), eq(journal.run, of.run));
  return db.orm.select().from(journal).where(own).orderBy(journal.id).all().map(storyOf);
};

const runOf = (row: typeof runs.$inferSelect): RunRow => {
  const { id, link, kind, outcome, reason, startedAtMs, endedAtMs, summaryJson } = row;
  const undoes = summaryJson === null ? null : decodeUndoes(summaryJson);
  return { id, link, kind, outcome, reason, startedAtMs, endedAtMs, undoes };
};

export const readLastRun = (db: Db, link: string, outcome?: RunOutcome): RunRow | null => {
  const asked = outcome === undefined ? ne(runs.outcome, 'running') : eq(runs.outcome, outcome);
  const ended = and(eq(runs.link, link), asked);
  const row = db.orm.select().from(runs).where(ended).orderBy(desc(runs.startedAtMs)).limit(1).get();
  return row === undefined ? null : runOf(row);
};

export const readLastWritingRun = (db: Db, link: string): RunRow | null => {
  const done = and(eq(journal.link, link), eq(journal.state, 'done'));
  const write = db.orm.select({ run: journal.run }).from(journal).where(done).orderBy(desc(journal.id)).limit(1).get();
  if (write === undefined) return null;
  const row = db.orm.select().from(runs).where(eq(runs.id, write.run)).get();
  return row === undefined ? null : runOf(row);
};

export const findRuns = (db: Db, link: string, idPrefix: string): readonly RunRow[] => {
  const begins = sql`substr(${runs.id}, 1, ${idPrefix.length}) = ${idPrefix}`;
  const rows = db.orm
    .select()
    .from(runs)
    .where(and(eq(runs.link, link), begins));
  return rows.orderBy(desc(runs.startedAtMs)).all().map(runOf);
};

export const readPairsWith = (db: Db, link: string, { ids, pairIds }: ContactScope): readonly Pair[] => {
  const read = (where: ReturnType<typeof or>): PairRow[] =>
    db.orm
      .select()
      .from(pairs)
      .where(and(eq(pairs.link, link), where))
      .all();
  const named = chunked(ids, (chunk) =>
    read(or(inArray(pairs.leftId, [...chunk]), inArray(pairs.rightId, [...chunk]))),
  );
  const rows = byId([...named, ...chunked(pairIds, (chunk) => read(inArray(pairs.id, [...chunk])))]);
  const changes = chunked(
    rows.flatMap((row) => [row.leftId, row.rightId].filter((id) => id !== null)),
    (chunk) =>
      db.orm
        .select()
        .from(staged)
        .where(and(eq(staged.link, link), inArray(staged.id, [...chunk])))
        .all(),
  );
  const stagedOf = indexStaged(changes);
  return rows.map((row) => pairOf(row, stagedOf));
};

type KnownContact = { readonly side: Side; readonly record: ContactRecord };

export const readKnownContacts = (db: Db, link: string): readonly KnownContact[] => {
  const paired = db.orm.select().from(pairs).where(eq(pairs.link, link)).all();
  const waiting = db.orm.select().from(staged).where(eq(staged.link, link)).all();
  const isDeletion = and(eq(journal.link, link), eq(journal.kind, 'delete'), eq(journal.state, 'done'));
  const deleted = db.orm.select().from(journal).where(isDeletion).all();
  const known = (side: Side, text: string | null): KnownContact[] => {
    return text === null ? [] : [{ side, record: decodeRecord(text) }];
  };
  return [
    ...paired.flatMap((row) => {
      return SIDES.flatMap((side) => known(side, side === 'left' ? row.leftRecordJson : row.rightRecordJson));
    }),
    ...waiting.flatMap((row) => known(row.side, row.recordJson)),
    ...deleted.flatMap((row) => known(row.side, row.beforeJson)),
  ];
};

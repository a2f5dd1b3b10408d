import type { SQL } from 'drizzle-orm';
import { and, eq, isNull, placeholder, sql } from './drizzle.ts';
import { SYNCED_FIELDS } from '../contact/contact.ts';
import type { Db, Orm } from './database.ts';
import { conflicts, journal, rejections } from './schema.ts';
import type { ConflictRow, JournalEntry, JournalRow, Rejection } from './store.ts';
import { journalRowOf } from './story.ts';

const insertIntent = (orm: Orm) =>
  orm
    .insert(journal)
    .values({
      link: placeholder('link'),
      run: placeholder('run'),
      side: placeholder('side'),
      kind: placeholder('kind'),
      state: 'intended',
      pairId: placeholder('pairId'),
      leftId: placeholder('googleId'),
      rightId: placeholder('serviceId'),
      intentJson: placeholder('intent'),
      beforeJson: placeholder('before'),
      intendedAtMs: placeholder('atMs'),
    })
    .returning({ id: journal.id })
    .prepare();

const selectIntended = (orm: Orm) =>
  orm
    .select()
    .from(journal)
    // Written out: the value of a bound parameter would have SQLite plan the statement anew each time.
    .where(and(eq(journal.link, placeholder('link')), sql`${journal.state} = 'intended'`))
    .orderBy(journal.id)
    .prepare();

const selectRejections = (orm: Orm) =>
  orm
    .select()
    .from(rejections)
    .where(eq(rejections.link, placeholder('link')))
    .orderBy(rejections.key)
    .prepare();

const selectingConflicts = (orm: Orm, where?: SQL) =>
  orm
    .select()
    .from(conflicts)
    .where(and(eq(conflicts.link, placeholder('link')), where))
    .orderBy(conflicts.id)
    .prepare();

const selectConflicts = (orm: Orm) => selectingConflicts(orm);

const selectOpenConflicts = (orm: Orm) => selectingConflicts(orm, isNull(conflicts.resolvedAtMs));

export const writeIntents = (
  db: Db,
  place: { readonly link: string; readonly run: string; readonly atMs: number },
  entries: readonly JournalEntry[],
): readonly number[] => {
  const insert = db.prepared(insertIntent);
  return entries.map((entry) => {
    const { side, kind, pairId, leftId, rightId } = entry;
    const intent = JSON.stringify(entry.intent);
    const before = entry.before === null ? null : JSON.stringify(entry.before);
    return insert.get({ ...place, side, kind, pairId, leftId, rightId, intent, before }).id;
  });
};

export const readIntended = (db: Db, link: string): readonly JournalRow[] =>
  db.prepared(selectIntended).all({ link }).map(journalRowOf);

export const readConflicts = (db: Db, link: string, all: boolean): readonly ConflictRow[] => {
  const rows = db.prepared(all ? selectConflicts : selectOpenConflicts).all({ link });
  return rows.flatMap((row) => {
    const field = SYNCED_FIELDS.find((name) => name === row.field);
    return field === undefined ? [] : [{ ...row, field }];
  });
};

export const readRejections = (db: Db, link: string): readonly Rejection[] =>
  db.prepared(selectRejections).all({ link });

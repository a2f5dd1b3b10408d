import { and, eq, isNull } from 'drizzle-orm';
import type { Orm } from './database.ts';
import { conflicts, journal, rejections } from './schema.ts';
import { SYNCED_FIELDS } from '../contact/contact.ts';
import type { ConflictRow, JournalEntry, JournalRow, Rejection } from './store.ts';
import { journalRowOf } from './story.ts';

export const writeIntents = (
  orm: Orm,
  place: { readonly link: string; readonly run: string; readonly nowMs: number },
  entries: readonly JournalEntry[],
): readonly number[] => {
  return entries.map((entry) => {
    const row = {
      link: place.link,
      run: place.run,
      side: entry.side,
      kind: entry.kind,
      state: 'intended' as const,
      pairId: entry.pairId,
      googleId: entry.googleId,
      serviceId: entry.serviceId,
      intentJson: JSON.stringify(entry.intent),
      beforeJson: entry.before === null ? null : JSON.stringify(entry.before),
      intendedAtMs: place.nowMs,
    };
    return orm.insert(journal).values(row).returning({ id: journal.id }).get().id;
  });
};

export const readIntended = (orm: Orm, link: string): readonly JournalRow[] => {
  const rows = orm
    .select()
    .from(journal)
    .where(and(eq(journal.link, link), eq(journal.state, 'intended')))
    .orderBy(journal.id)
    .all();
  return rows.map(journalRowOf);
};

export const readConflicts = (orm: Orm, link: string, all: boolean): readonly ConflictRow[] => {
  const open = all ? undefined : isNull(conflicts.resolvedAtMs);
  const rows = orm
    .select()
    .from(conflicts)
    .where(and(eq(conflicts.link, link), open))
    .orderBy(conflicts.id)
    .all();
  return rows.flatMap((row) => {
    const field = SYNCED_FIELDS.find((name) => name === row.field);
    return field === undefined ? [] : [{ ...row, field }];
  });
};

export const readRejections = (orm: Orm, link: string): readonly Rejection[] => {
  return orm.select().from(rejections).where(eq(rejections.link, link)).orderBy(rejections.key).all();
};

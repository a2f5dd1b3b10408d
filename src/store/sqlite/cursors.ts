import { decodeIds } from '../codec.ts';
import type { CursorColumns } from '../rows.ts';
import type { Db, Orm } from './database.ts';
import { and, eq, placeholder, sql } from './drizzle.ts';
import type { Place } from './halves.ts';
import { cursors, shownPages } from './schema.ts';

const atPlace = and(eq(shownPages.link, placeholder('link')), eq(shownPages.side, placeholder('side')));

const upsertCursor = (orm: Orm) =>
  orm
    .insert(cursors)
    .values({
      link: placeholder('link'),
      side: placeholder('side'),
      cursor: placeholder('cursor'),
      readAtMs: placeholder('readAtMs'),
      resume: placeholder('resume'),
      listingStartedAtMs: placeholder('listingStartedAtMs'),
      listedAtMs: placeholder('listedAtMs'),
    })
    .onConflictDoUpdate({
      target: [cursors.link, cursors.side],
      set: {
        cursor: sql`excluded.cursor`,
        readAtMs: sql`excluded.read_at_ms`,
        resume: sql`excluded.resume`,
        listingStartedAtMs: sql`excluded.listing_started_at_ms`,
        listedAtMs: sql`excluded.listed_at_ms`,
      },
    })
    .prepare();

const insertShown = (orm: Orm) =>
  orm
    .insert(shownPages)
    .values({ link: placeholder('link'), side: placeholder('side'), idsJson: placeholder('ids') })
    .prepare();

const selectShown = (orm: Orm) =>
  orm.select({ idsJson: shownPages.idsJson }).from(shownPages).where(atPlace).orderBy(shownPages.id).prepare();

const deleteShown = (orm: Orm) => orm.delete(shownPages).where(atPlace).prepare();

export const putCursor = (db: Db, link: string, row: CursorColumns): void => {
  db.prepared(upsertCursor).run({ ...row, link });
};

export const putShown = (db: Db, place: Place, ids: readonly string[]): void => {
  db.prepared(insertShown).run({ ...place, ids: JSON.stringify(ids) });
};

export const forgetShown = (db: Db, place: Place): void => {
  db.prepared(deleteShown).run(place);
};

export const readShown = (db: Db, place: Place): readonly string[] =>
  db
    .prepared(selectShown)
    .all(place)
    .flatMap(({ idsJson }) => decodeIds(idsJson));

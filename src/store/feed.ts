import { and, count, eq, inArray, isNotNull, lt, notExists, notInArray, placeholder, sql } from './drizzle.ts';
import { bySide } from '../contact/side.ts';
import type { Db, Orm } from './database.ts';
import { idColumn } from './pair-rows.ts';
import { cursors, pairs, shownPages, staged } from './schema.ts';
import { findStaged, putStaged, renameContact, stageRecord, stageTombstone, type Place } from './staging.ts';
import type { FeedState, ListingResult, MissingContact, StagedPage } from './store.ts';

const atPlace = (table: typeof cursors | typeof staged | typeof shownPages) =>
  and(eq(table.link, placeholder('link')), eq(table.side, placeholder('side')));

const absencesColumn = bySide((side) => (side === 'left' ? pairs.leftAbsences : pairs.rightAbsences));
const digestColumn = bySide((side) => (side === 'left' ? pairs.leftDigest : pairs.rightDigest));
const writtenColumn = bySide((side) => (side === 'left' ? pairs.leftWrittenAtMs : pairs.rightWrittenAtMs));

const selectFeed = (orm: Orm) => orm.select().from(cursors).where(atPlace(cursors)).prepare();

const upsertFeed = (orm: Orm) =>
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

const deleteShown = (orm: Orm) => orm.delete(shownPages).where(atPlace(shownPages)).prepare();

const insertShown = (orm: Orm) =>
  orm
    .insert(shownPages)
    .values({ link: placeholder('link'), side: placeholder('side'), idsJson: placeholder('ids') })
    .prepare();

/** The ids that the listing has shown. */
const shown = sql`(
  select shown.value from ${shownPages}, json_each(${shownPages.idsJson}) as shown where ${atPlace(shownPages)}
)`;

const countShown = (orm: Orm) =>
  orm
    .select({ n: sql<number>`coalesce(sum(json_array_length(${shownPages.idsJson})), 0)` })
    .from(shownPages)
    .where(atPlace(shownPages))
    .prepare();

/** The pairs' contacts of the digests asked about, a JSON array, for which nothing is staged. */
const selectKnown = bySide((side) => (orm: Orm) => {
  const [id, digest] = [idColumn[side], digestColumn[side]];
  const waiting = and(atPlace(staged), eq(staged.id, id));
  return orm
    .select({ id, digest })
    .from(sql`json_each(${placeholder('digests')}) as asked`)
    .crossJoin(pairs)
    .where(
      and(
        eq(pairs.link, placeholder('link')),
        sql`${digest} = asked.value`,
        notExists(orm.select({ id: staged.id }).from(staged).where(waiting)),
      ),
    )
    .prepare();
});

const deleteMissing = (orm: Orm) =>
  orm
    .delete(staged)
    .where(and(atPlace(staged), eq(staged.kind, 'missing')))
    .prepare();

const pairedOn = bySide((side) => and(eq(pairs.link, placeholder('link')), isNotNull(idColumn[side])));

const countPaired = bySide(
  (side) => (orm: Orm) => orm.select({ n: count() }).from(pairs).where(pairedOn[side]).prepare(),
);

const countPairedShown = bySide((side) => (orm: Orm) => {
  const isShown = and(pairedOn[side], inArray(idColumn[side], shown));
  return orm.select({ n: count() }).from(pairs).where(isShown).prepare();
});

const selectAbsent = bySide((side) => (orm: Orm) => {
  const isAbsent = and(pairedOn[side], notInArray(idColumn[side], shown));
  return orm.select({ id: idColumn[side] }).from(pairs).where(isAbsent).prepare();
});

const forgiveShown = bySide((side) => (orm: Orm) => {
  // The few that were absent are looked up among those shown, not the other way round.
  const isShown = sql`+${idColumn[side]} in ${shown}`;
  const wasAbsent = and(eq(pairs.link, placeholder('link')), sql`${absencesColumn[side]} <> 0`, isShown);
  const set = side === 'left' ? { leftAbsences: 0 } : { rightAbsences: 0 };
  return orm.update(pairs).set(set).where(wasAbsent).prepare();
});

const deleteStaleUpserts = (orm: Orm) => {
  const isStale = and(eq(staged.kind, 'upsert'), lt(staged.stagedAtMs, placeholder('startedAtMs')));
  return orm
    .delete(staged)
    .where(and(atPlace(staged), isStale, notInArray(staged.id, shown)))
    .prepare();
};

const selectMissing = bySide((side) => (orm: Orm) => {
  const isAway = inArray(staged.kind, ['missing', 'settling']);
  return orm
    .select({ id: staged.id, absences: absencesColumn[side], writtenAtMs: writtenColumn[side] })
    .from(staged)
    .innerJoin(pairs, and(eq(pairs.link, staged.link), eq(idColumn[side], staged.id)))
    .where(and(atPlace(staged), isAway))
    .prepare();
});

const countAbsence = bySide((side) => (orm: Orm) => {
  const set =
    side === 'left'
      ? { leftAbsences: sql`${pairs.leftAbsences} + 1` }
      : { rightAbsences: sql`${pairs.rightAbsences} + 1` };
  const same = and(eq(pairs.link, placeholder('link')), eq(idColumn[side], placeholder('id')));
  return orm.update(pairs).set(set).where(same).prepare();
});

export const readFeed = (db: Db, place: Place): FeedState => {
  const row = db.prepared(selectFeed).get(place);
  if (row === undefined)
    return { cursor: null, readAtMs: null, resume: null, listingStartedAtMs: null, listedAtMs: null };
  const { cursor, readAtMs, resume, listingStartedAtMs, listedAtMs } = row;
  return { cursor, readAtMs, resume, listingStartedAtMs, listedAtMs };
};

const writeFeed = (db: Db, place: Place, patch: Partial<FeedState>): void => {
  db.prepared(upsertFeed).run({ ...place, ...readFeed(db, place), ...patch });
};

export const startListing = (db: Db, place: Place, nowMs: number): void => {
  db.prepared(deleteShown).run(place);
  writeFeed(db, place, { cursor: null, resume: null, listingStartedAtMs: nowMs });
};

export const dropListing = (db: Db, place: Place): void => {
  db.prepared(deleteShown).run(place);
  db.prepared(deleteMissing).run(place);
  writeFeed(db, place, { cursor: null, resume: null, listingStartedAtMs: null });
};

export const putPage = (db: Db, place: Place, page: StagedPage): number => {
  let changed = 0;
  for (const { record, previousIds } of page.upserts) {
    for (const from of previousIds) renameContact(db, place, from, record.id, page.atMs);
    if (stageRecord(db, place, record, page.atMs)) changed += 1;
  }
  for (const id of page.tombstones) if (stageTombstone(db, place, id, page.atMs)) changed += 1;
  const ids = [...page.upserts.map(({ record }) => record.id), ...page.unchanged, ...page.unreadable];
  const isListing = readFeed(db, place).listingStartedAtMs !== null;
  if (isListing && ids.length > 0) db.prepared(insertShown).run({ ...place, ids: JSON.stringify(ids) });
  const end = page.cursor === null ? {} : { cursor: page.cursor, readAtMs: page.atMs };
  writeFeed(db, place, { resume: page.resume, ...end });
  return changed;
};

/** What is staged for a contact, of whatever kind, has to be weighed against the row: such a row is not known. */
export const findKnownRows = (
  db: Db,
  place: Place,
  rows: readonly { readonly id: string; readonly digest: string }[],
): ReadonlySet<string> => {
  const idOf = new Map(rows.map(({ id, digest }) => [digest, id]));
  const found = db.prepared(selectKnown[place.side]).all({ ...place, digests: JSON.stringify([...idOf.keys()]) });
  return new Set(found.flatMap(({ id, digest }) => (digest !== null && idOf.get(digest) === id ? [digest] : [])));
};

/** Marks what the listing did not show as missing, but for what was heard of otherwise since it began. */
const markMissing = (db: Db, place: Place, startedAtMs: number): void => {
  for (const { id } of db.prepared(selectAbsent[place.side]).all(place)) {
    if (id === null) continue;
    const known = findStaged(db, place, id);
    if (known?.kind === 'tombstone' || (known?.kind === 'upsert' && known.stagedAtMs >= startedAtMs)) continue;
    putStaged(db, place, { id, kind: 'missing', recordJson: null, atMs: startedAtMs });
  }
};

export const closeListing = (db: Db, place: Place, nowMs: number): ListingResult => {
  const { side } = place;
  const result: ListingResult = {
    seen: db.prepared(countShown).get(place)?.n ?? 0,
    paired: db.prepared(countPaired[side]).get(place)?.n ?? 0,
    pairedSeen: db.prepared(countPairedShown[side]).get(place)?.n ?? 0,
  };
  const startedAtMs = readFeed(db, place).listingStartedAtMs ?? 0;
  db.prepared(forgiveShown[side]).run(place);
  if (result.pairedSeen < result.paired) markMissing(db, place, startedAtMs);
  db.prepared(deleteStaleUpserts).run({ ...place, startedAtMs });
  db.prepared(deleteShown).run(place);
  writeFeed(db, place, { listingStartedAtMs: null, resume: null, listedAtMs: nowMs });
  return result;
};

export const listMissing = (db: Db, place: Place): readonly MissingContact[] =>
  db.prepared(selectMissing[place.side]).all(place);

export const markAbsentAgain = (db: Db, place: Place, id: string): void => {
  db.prepared(countAbsence[place.side]).run({ link: place.link, id });
};

import { and, count, eq, inArray, ne, sql } from 'drizzle-orm';
import type { Side } from '../contact/contact.ts';
import type { ContactRecord } from '../contact/record.ts';
import { fingerprint } from '../contact/snapshot.ts';
import { decodeRecord, sideColumns } from './codec.ts';
import type { Orm } from './database.ts';
import type { PairRow, StagedRow } from './pair-rows.ts';
import { cursors, pairs, seen, staged } from './schema.ts';
import type { FeedState, ListingResult, MissingContact, StagedPage } from './store.ts';

type Place = { readonly link: string; readonly side: Side };

const idColumn = (side: Side) => (side === 'google' ? pairs.googleId : pairs.serviceId);

const atPlace = (table: typeof cursors | typeof staged | typeof seen, { link, side }: Place) => {
  return and(eq(table.link, link), eq(table.side, side));
};

export const readFeed = (orm: Orm, place: Place): FeedState => {
  const row = orm.select().from(cursors).where(atPlace(cursors, place)).get();
  if (row === undefined) return { cursor: null, readAtMs: null, resume: null, listingStartedAtMs: null };
  const { cursor, readAtMs, resume, listingStartedAtMs } = row;
  return { cursor, readAtMs, resume, listingStartedAtMs };
};

const writeFeed = (orm: Orm, place: Place, patch: Partial<FeedState>): void => {
  const values = { ...readFeed(orm, place), ...patch };
  orm
    .insert(cursors)
    .values({ ...place, ...values })
    .onConflictDoUpdate({ target: [cursors.link, cursors.side], set: values })
    .run();
};

export const startListing = (orm: Orm, place: Place, nowMs: number): void => {
  orm.delete(seen).where(atPlace(seen, place)).run();
  writeFeed(orm, place, { cursor: null, resume: null, listingStartedAtMs: nowMs });
};

export const dropListing = (orm: Orm, place: Place): void => {
  orm.delete(seen).where(atPlace(seen, place)).run();
  orm
    .delete(staged)
    .where(and(atPlace(staged, place), eq(staged.kind, 'missing')))
    .run();
  writeFeed(orm, place, { cursor: null, resume: null, listingStartedAtMs: null });
};

export const putStaged = (
  orm: Orm,
  place: Place,
  row: { id: string; kind: StagedRow['kind']; record: ContactRecord | null; atMs: number },
): void => {
  const values = {
    kind: row.kind,
    recordJson: row.record === null ? null : JSON.stringify(row.record),
    stagedAtMs: row.atMs,
  };
  orm
    .insert(staged)
    .values({ ...place, id: row.id, ...values })
    .onConflictDoUpdate({ target: [staged.link, staged.side, staged.id], set: values })
    .run();
};

export const removeStaged = (orm: Orm, place: Place, id: string): void => {
  orm
    .delete(staged)
    .where(and(atPlace(staged, place), eq(staged.id, id)))
    .run();
};

const findPair = (orm: Orm, place: Place, id: string): PairRow | undefined => {
  return orm
    .select()
    .from(pairs)
    .where(and(eq(pairs.link, place.link), eq(idColumn(place.side), id)))
    .get();
};

/** Gives the pair of `from` the contact's new id, where no other pair has that contact; else `from` is gone (R12). */
export const renameContact = (orm: Orm, place: Place, from: string, to: string, atMs: number): void => {
  const pair = findPair(orm, place, from);
  removeStaged(orm, place, from);
  if (pair === undefined || from === to) return;
  if (findPair(orm, place, to) !== undefined) {
    putStaged(orm, place, { id: from, kind: 'tombstone', record: null, atMs });
    return;
  }
  orm
    .update(pairs)
    .set({ [sideColumns(place.side).id]: to })
    .where(eq(pairs.id, pair.id))
    .run();
};

/** Whether the next run must read the contact before anything is made of it. */
export const isSettling = (orm: Orm, place: Place, id: string): boolean => {
  const same = and(atPlace(staged, place), eq(staged.id, id), eq(staged.kind, 'settling'));
  return orm.select({ id: staged.id }).from(staged).where(same).get() !== undefined;
};

/** The record of a contact that was heard of last: as it is staged, else as its pair holds it. */
const lastKnown = (orm: Orm, place: Place, id: string, pair: PairRow | undefined): ContactRecord | null => {
  const row = orm
    .select({ recordJson: staged.recordJson })
    .from(staged)
    .where(and(atPlace(staged, place), eq(staged.id, id)))
    .get();
  const text = row?.recordJson ?? pair?.[sideColumns(place.side).record] ?? null;
  return text === null ? null : decodeRecord(text);
};

/** Whether a listing shows what stood there before a change that is known already: it would undo that change. */
const isOutdated = (record: ContactRecord, known: ContactRecord | null): boolean => {
  if (record.modifiedAtMs === null || known === null || known.modifiedAtMs === null) return false;
  return record.modifiedAtMs < known.modifiedAtMs;
};

/** Stages the record unless it says what the base says already; answers whether it differs (R1, R2). */
export const stageRecord = (orm: Orm, place: Place, record: ContactRecord, atMs: number): boolean => {
  const columns = sideColumns(place.side);
  const pair = findPair(orm, place, record.id);
  if (isOutdated(record, lastKnown(orm, place, record.id, pair))) return false;
  const base = pair?.[columns.base];
  if (pair === undefined || base !== fingerprint(record)) {
    putStaged(orm, place, { id: record.id, kind: 'upsert', record, atMs });
    return true;
  }
  removeStaged(orm, place, record.id);
  const recordJson = JSON.stringify(record);
  if (pair[columns.record] !== recordJson) {
    orm
      .update(pairs)
      .set({ [columns.record]: recordJson })
      .where(eq(pairs.id, pair.id))
      .run();
  }
  return false;
};

const stageTombstone = (orm: Orm, place: Place, id: string, atMs: number): boolean => {
  if (findPair(orm, place, id) === undefined) {
    removeStaged(orm, place, id);
    return false;
  }
  putStaged(orm, place, { id, kind: 'tombstone', record: null, atMs });
  return true;
};

export const putPage = (orm: Orm, place: Place, page: StagedPage): number => {
  const isListing = readFeed(orm, place).listingStartedAtMs !== null;
  const markSeen = (id: string): void => {
    if (isListing)
      orm
        .insert(seen)
        .values({ ...place, id })
        .onConflictDoNothing()
        .run();
  };
  let changed = 0;
  for (const { record, previousIds } of page.upserts) {
    for (const from of previousIds) renameContact(orm, place, from, record.id, page.atMs);
    if (stageRecord(orm, place, record, page.atMs)) changed += 1;
    markSeen(record.id);
  }
  for (const id of page.tombstones) if (stageTombstone(orm, place, id, page.atMs)) changed += 1;
  for (const id of page.unreadable) markSeen(id);
  const end = page.cursor === null ? {} : { cursor: page.cursor, readAtMs: page.atMs };
  writeFeed(orm, place, { resume: page.resume, ...end });
  return changed;
};

export const closeListing = (orm: Orm, place: Place): ListingResult => {
  const column = idColumn(place.side);
  const shown = orm.select({ id: seen.id }).from(seen).where(atPlace(seen, place));
  const inLink = and(eq(pairs.link, place.link), sql`${column} is not null`);
  const number = (where: ReturnType<typeof and>) => orm.select({ n: count() }).from(pairs).where(where).get()?.n ?? 0;
  const result: ListingResult = {
    seen: orm.select({ n: count() }).from(seen).where(atPlace(seen, place)).get()?.n ?? 0,
    paired: number(inLink),
    pairedSeen: number(and(inLink, inArray(column, shown))),
  };
  const { absences } = sideColumns(place.side);
  const absencesColumn = place.side === 'google' ? pairs.googleAbsences : pairs.serviceAbsences;
  orm
    .update(pairs)
    .set({ [absences]: 0 })
    .where(and(inLink, ne(absencesColumn, 0), inArray(column, shown)))
    .run();
  const startedAtMs = readFeed(orm, place).listingStartedAtMs ?? 0;
  const absent = orm
    .select({ id: column })
    .from(pairs)
    .where(and(inLink, sql`${column} not in ${shown}`))
    .all();
  for (const { id } of absent) {
    if (id === null) continue;
    const known = orm
      .select()
      .from(staged)
      .where(and(atPlace(staged, place), eq(staged.id, id)))
      .get();
    if (known?.kind === 'tombstone' || (known?.kind === 'upsert' && known.stagedAtMs >= startedAtMs)) continue;
    putStaged(orm, place, { id, kind: 'missing', record: null, atMs: startedAtMs });
  }
  const stale = sql`${staged.kind} = 'upsert' and ${staged.stagedAtMs} < ${startedAtMs} and ${staged.id} not in ${shown}`;
  orm
    .delete(staged)
    .where(and(atPlace(staged, place), stale))
    .run();
  orm.delete(seen).where(atPlace(seen, place)).run();
  writeFeed(orm, place, { listingStartedAtMs: null, resume: null });
  return result;
};

export const listMissing = (orm: Orm, place: Place): readonly MissingContact[] => {
  const rows = orm
    .select({
      id: staged.id,
      absences: place.side === 'google' ? pairs.googleAbsences : pairs.serviceAbsences,
      writtenAtMs: place.side === 'google' ? pairs.googleWrittenAtMs : pairs.serviceWrittenAtMs,
    })
    .from(staged)
    .innerJoin(pairs, and(eq(pairs.link, staged.link), eq(idColumn(place.side), staged.id)))
    .where(and(atPlace(staged, place), inArray(staged.kind, ['missing', 'settling'])));
  return rows.all();
};

export const markAbsentAgain = (orm: Orm, place: Place, id: string): void => {
  const { absences } = sideColumns(place.side);
  const column = place.side === 'google' ? pairs.googleAbsences : pairs.serviceAbsences;
  orm
    .update(pairs)
    .set({ [absences]: sql`${column} + 1` })
    .where(and(eq(pairs.link, place.link), eq(idColumn(place.side), id)))
    .run();
};

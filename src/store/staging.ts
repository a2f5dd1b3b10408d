import type { SQL } from 'drizzle-orm';
import { and, eq, ne, placeholder, sql } from './drizzle.ts';
import type { Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import { fingerprint } from '../contact/snapshot.ts';
import { bySide } from '../contact/side.ts';
import { decodeRecord } from './codec.ts';
import type { Db, Orm } from './database.ts';
import type { StagedRow } from './pair-rows.ts';
import { pairs, staged } from './schema.ts';

const NO_TEXTS = { base: '', record: '' };

/** One side of one link. */
export type Place = { readonly link: string; readonly side: Side };

const sameStaged = and(
  eq(staged.link, placeholder('link')),
  eq(staged.side, placeholder('side')),
  eq(staged.id, placeholder('id')),
);

const selectStaged = (orm: Orm) => orm.select().from(staged).where(sameStaged).prepare();

const isNotSettling = ne(staged.kind, 'settling');

const upserting = (orm: Orm, setWhere?: SQL) =>
  orm
    .insert(staged)
    .values({
      link: placeholder('link'),
      side: placeholder('side'),
      id: placeholder('id'),
      kind: placeholder('kind'),
      recordJson: placeholder('recordJson'),
      mergedInto: placeholder('mergedInto'),
      stagedAtMs: placeholder('stagedAtMs'),
    })
    .onConflictDoUpdate({
      target: [staged.link, staged.side, staged.id],
      set: {
        kind: sql`excluded.kind`,
        recordJson: sql`excluded.record_json`,
        // That a contact is gone may be told more than once, and into which one it was merged only the first time.
        mergedInto: sql`case excluded.kind when 'tombstone' then coalesce(excluded.merged_into, ${staged.mergedInto}) end`,
        stagedAtMs: sql`excluded.staged_at_ms`,
      },
      ...(setWhere === undefined ? {} : { setWhere }),
    })
    .prepare();

const upsertStaged = (orm: Orm) => upserting(orm);

const upsertUnlessSettling = (orm: Orm) => upserting(orm, isNotSettling);

const deleteStaged = (orm: Orm) => orm.delete(staged).where(sameStaged).prepare();

const deleteUnlessSettling = (orm: Orm) => orm.delete(staged).where(and(sameStaged, isNotSettling)).prepare();

/** Contacts that were merged into one that goes by another id now. */
const renameHeir = (orm: Orm) => {
  const sameHeir = and(
    eq(staged.link, placeholder('link')),
    eq(staged.side, placeholder('side')),
    eq(staged.mergedInto, placeholder('from')),
  );
  return orm
    .update(staged)
    .set({ mergedInto: sql`${placeholder('to')}` })
    .where(sameHeir)
    .prepare();
};

const samePair = eq(pairs.id, placeholder('pairId'));

const halfColumns = bySide((side) =>
  side === 'left'
    ? ({ id: pairs.leftId, base: pairs.leftBaseJson, record: pairs.leftRecordJson } as const)
    : ({ id: pairs.rightId, base: pairs.rightBaseJson, record: pairs.rightRecordJson } as const),
);

const selectHalf = bySide((side) => (orm: Orm) => {
  const { id, base, record } = halfColumns[side];
  const sameContact = and(eq(pairs.link, placeholder('link')), eq(id, placeholder('id')));
  // Compared here: neither text is needed where nothing has changed.
  const half = {
    pairId: pairs.id,
    isBase: sql<number>`${base} is ${placeholder('base')}`,
    isRecord: sql<number>`${record} is ${placeholder('record')}`,
  };
  return orm.select(half).from(pairs).where(sameContact).prepare();
});

const selectRecord = bySide((side) => (orm: Orm) => {
  const { record } = halfColumns[side];
  return orm.select({ record }).from(pairs).where(samePair).prepare();
});

const renameHalf = bySide((side) => (orm: Orm) => {
  const to = sql`${placeholder('to')}`;
  const set = side === 'left' ? { leftId: to } : { rightId: to };
  return orm.update(pairs).set(set).where(samePair).prepare();
});

const renewRecord = bySide((side) => (orm: Orm) => {
  const [record, digest] = [sql`${placeholder('record')}`, sql`${placeholder('digest')}`];
  const set =
    side === 'left' ? { leftRecordJson: record, leftDigest: digest } : { rightRecordJson: record, rightDigest: digest };
  return orm.update(pairs).set(set).where(samePair).prepare();
});

/** What is staged for a contact. */
export const findStaged = (db: Db, place: Place, id: string): StagedRow | undefined =>
  db.prepared(selectStaged).get({ ...place, id });

export const putStaged = (
  db: Db,
  place: Place,
  row: {
    readonly id: string;
    readonly kind: StagedRow['kind'];
    readonly recordJson: string | null;
    readonly mergedInto?: string;
    readonly atMs: number;
  },
): void => {
  const { atMs, mergedInto = null, ...values } = row;
  db.prepared(upsertStaged).run({ ...place, ...values, mergedInto, stagedAtMs: atMs });
};

export const removeStaged = (db: Db, place: Place, id: string): void => {
  db.prepared(deleteStaged).run({ ...place, id });
};

/**
 * Stages a contact as its pair holds it, where something of it is outstanding; takes it off the stage where nothing is.
 * A contact that the next run must read before anything is made of it stays as it is.
 */
export const settleStaged = (db: Db, place: Place, id: string, isOutstanding: boolean, atMs: number): void => {
  if (!isOutstanding) db.prepared(deleteUnlessSettling).run({ ...place, id });
  else {
    const values = { id, kind: 'upsert', recordJson: null, mergedInto: null, stagedAtMs: atMs };
    db.prepared(upsertUnlessSettling).run({ ...place, ...values });
  }
};

/** The mapping row of a contact; whether its base and its record on that side are the very texts given. */
const findHalf = (db: Db, { link, side }: Place, id: string, texts: { base: string; record: string } = NO_TEXTS) =>
  db.prepared(selectHalf[side]).get({ link, id, ...texts });

/**
 * Gives the pair of `from` the contact's new id, where no other pair has that contact; else `from` was merged into the
 * contact of that pair and is gone (R12).
 */
export const renameContact = (db: Db, place: Place, from: string, to: string, atMs: number): void => {
  const half = findHalf(db, place, from);
  removeStaged(db, place, from);
  if (half === undefined || from === to) return;
  db.prepared(renameHeir).run({ ...place, from, to });
  if (findHalf(db, place, to) === undefined) db.prepared(renameHalf[place.side]).run({ pairId: half.pairId, to });
  else putStaged(db, place, { id: from, kind: 'tombstone', recordJson: null, mergedInto: to, atMs });
};

/** Whether a listing shows what stood there before a change that is known already: it would undo that change. */
const isOutdated = (record: ContactRecord, known: ContactRecord | null): boolean => {
  if (record.modifiedAtMs === null || known === null || known.modifiedAtMs === null) return false;
  return record.modifiedAtMs < known.modifiedAtMs;
};

/** The record of a contact that was heard of last: as it is staged, else as its pair holds it. */
const lastKnown = (
  db: Db,
  { side }: Place,
  pairId: number | undefined,
  waiting: StagedRow | undefined,
): ContactRecord | null => {
  const held = pairId === undefined ? null : db.prepared(selectRecord[side]).get({ pairId })?.record;
  const text = waiting?.recordJson ?? held ?? null;
  return text === null ? null : decodeRecord(text);
};

/** Stages a contact that has lost its place in the pair to another one: the next run looks for a counterpart anew. */
export const stageAlone = (db: Db, place: Place, pairId: number, id: string, atMs: number): void => {
  const waiting = findStaged(db, place, id);
  if (waiting !== undefined && waiting.kind !== 'upsert') return removeStaged(db, place, id);
  const recordJson = waiting?.recordJson ?? db.prepared(selectRecord[place.side]).get({ pairId })?.record ?? null;
  putStaged(db, place, { id, kind: 'upsert', recordJson, atMs });
};

/** Stages the record unless it says what the base says already; answers whether it differs (R1, R2). */
export const stageRecord = (db: Db, place: Place, record: ContactRecord, atMs: number): boolean => {
  const { id } = record;
  const texts = { base: fingerprint(record), record: JSON.stringify(record) };
  const half = findHalf(db, place, id, texts);
  const waiting = findStaged(db, place, id);
  const isNews = half?.isRecord !== 1 || waiting !== undefined;
  if (isNews && isOutdated(record, lastKnown(db, place, half?.pairId, waiting))) return false;
  if (half?.isBase !== 1) {
    putStaged(db, place, { id, kind: 'upsert', recordJson: texts.record, atMs });
    return true;
  }
  if (waiting !== undefined) removeStaged(db, place, id);
  if (isNews) {
    const digest = record.digest ?? null;
    db.prepared(renewRecord[place.side]).run({ pairId: half.pairId, record: texts.record, digest });
  }
  return false;
};

/** Stages that a contact was deleted, where it is one of a pair; answers whether it is. */
export const stageTombstone = (db: Db, place: Place, id: string, atMs: number): boolean => {
  const isPaired = findHalf(db, place, id) !== undefined;
  if (isPaired) putStaged(db, place, { id, kind: 'tombstone', recordJson: null, atMs });
  else removeStaged(db, place, id);
  return isPaired;
};

import { and, eq, isNull, placeholder, sql } from './drizzle.ts';
import { SIDES, type Side } from '../contact/side.ts';
import { equalSnapshots, fingerprint } from '../contact/snapshot.ts';
import type { GroupPair } from '../reconcile/groups.ts';
import { bySide } from '../contact/side.ts';
import type { Db, Orm } from './database.ts';
import { markAbsentAgain } from './feed.ts';
import { idColumn } from './pair-rows.ts';
import { conflicts, groupPairs, journal, pairs, rejections } from './schema.ts';
import { putStaged, removeStaged, renameContact, settleStaged, stageAlone, stageRecord } from './staging.ts';
import type { Rejection, StoreChange } from './store.ts';

type Change<Kind extends StoreChange['kind']> = Extract<StoreChange, { kind: Kind }>;

const PAIR_IDS = { id: pairs.id, leftId: pairs.leftId, rightId: pairs.rightId };

const samePair = eq(pairs.id, placeholder('id'));

const selectPair = (orm: Orm) => orm.select(PAIR_IDS).from(pairs).where(samePair).prepare();

const selectPairOf = bySide((side) => (orm: Orm) => {
  const same = and(eq(pairs.link, placeholder('link')), eq(idColumn[side], placeholder('id')));
  return orm.select(PAIR_IDS).from(pairs).where(same).prepare();
});

const insertPair = (orm: Orm) =>
  orm
    .insert(pairs)
    .values({
      link: placeholder('link'),
      status: placeholder('status'),
      leftId: placeholder('googleId'),
      leftBaseJson: placeholder('googleBase'),
      leftRecordJson: placeholder('googleRecord'),
      leftWrittenAtMs: placeholder('googleWrittenAtMs'),
      leftDigest: placeholder('googleDigest'),
      rightId: placeholder('serviceId'),
      rightBaseJson: placeholder('serviceBase'),
      rightRecordJson: placeholder('serviceRecord'),
      rightWrittenAtMs: placeholder('serviceWrittenAtMs'),
      rightDigest: placeholder('serviceDigest'),
    })
    .prepare();

const updatePair = (orm: Orm) =>
  orm
    .update(pairs)
    .set({
      status: sql`${placeholder('status')}`,
      leftId: sql`${placeholder('googleId')}`,
      leftBaseJson: sql`${placeholder('googleBase')}`,
      leftRecordJson: sql`${placeholder('googleRecord')}`,
      leftWrittenAtMs: sql`coalesce(${placeholder('googleWrittenAtMs')}, ${pairs.leftWrittenAtMs})`,
      leftDigest: sql`${placeholder('googleDigest')}`,
      rightId: sql`${placeholder('serviceId')}`,
      rightBaseJson: sql`${placeholder('serviceBase')}`,
      rightRecordJson: sql`${placeholder('serviceRecord')}`,
      rightWrittenAtMs: sql`coalesce(${placeholder('serviceWrittenAtMs')}, ${pairs.rightWrittenAtMs})`,
      rightDigest: sql`${placeholder('serviceDigest')}`,
    })
    .where(samePair)
    .prepare();

const deletePair = (orm: Orm) => orm.delete(pairs).where(samePair).prepare();

const updateJournal = (orm: Orm) =>
  orm
    .update(journal)
    .set({
      state: sql`${placeholder('state')}`,
      afterJson: sql`${placeholder('after')}`,
      error: sql`${placeholder('error')}`,
      settledAtMs: sql`${placeholder('atMs')}`,
    })
    .where(eq(journal.id, placeholder('id')))
    .prepare();

const upsertRejection = (orm: Orm) =>
  orm
    .insert(rejections)
    .values({
      link: placeholder('link'),
      side: placeholder('side'),
      key: placeholder('key'),
      leftId: placeholder('googleId'),
      rightId: placeholder('serviceId'),
      reason: placeholder('reason'),
      sourceFingerprint: placeholder('sourceFingerprint'),
      attempts: placeholder('attempts'),
      retryAtMs: placeholder('retryAtMs'),
    })
    .onConflictDoUpdate({
      target: [rejections.link, rejections.side, rejections.key],
      set: {
        leftId: sql`excluded.google_id`,
        rightId: sql`excluded.service_id`,
        reason: sql`excluded.reason`,
        sourceFingerprint: sql`excluded.source_fingerprint`,
        attempts: sql`excluded.attempts`,
        retryAtMs: sql`excluded.retry_at_ms`,
      },
    })
    .prepare();

const deleteRejection = (orm: Orm) => {
  const same = and(
    eq(rejections.link, placeholder('link')),
    eq(rejections.side, placeholder('side')),
    eq(rejections.key, placeholder('key')),
  );
  return orm.delete(rejections).where(same).prepare();
};

const closeConflicts = (orm: Orm) => {
  const same = and(
    eq(conflicts.link, placeholder('link')),
    eq(conflicts.leftId, placeholder('googleId')),
    isNull(conflicts.resolvedAtMs),
    sql`${conflicts.field} in (select value from json_each(${placeholder('fields')}))`,
  );
  return orm
    .update(conflicts)
    .set({ resolvedAtMs: sql`${placeholder('atMs')}` })
    .where(same)
    .prepare();
};

/** The row of the pair, or the one that already holds one of its two contacts. */
const findRow = (db: Db, link: string, change: Change<'pair'>) => {
  if (change.pairId !== null) return db.prepared(selectPair).get({ id: change.pairId });
  for (const side of SIDES) {
    const id = change[side]?.record.id;
    const row = id === undefined ? undefined : db.prepared(selectPairOf[side]).get({ link, id });
    if (row !== undefined) return row;
  }
  return undefined;
};

const putAway = (db: Db, link: string, side: Side, id: string, kind: 'tombstone' | 'settling', atMs: number): void =>
  putStaged(db, { link, side }, { id, kind, recordJson: null, atMs });

const halfOf = (change: Change<'pair'>, side: Side) => {
  const value = change[side];
  const writtenAtMs = change.writtenSide === side ? change.atMs : null;
  if (value === null) return { id: null, base: null, record: null, digest: null, writtenAtMs };
  const { record } = value;
  const isTold = record.digest !== undefined && !value.unsettled && equalSnapshots(value.base, record);
  return {
    id: record.id,
    base: fingerprint(value.base),
    record: JSON.stringify(record),
    // A row that says something else than the base, or has not been settled, is news however often it was read.
    digest: isTold ? record.digest : null,
    writtenAtMs,
  };
};

/**
 * An id that the row gives up has nothing left to settle: the contact goes by a new one. But a create that was answered may
 * find that its source was linked meanwhile: then the contact that gives way to the created one is another one, and stands.
 */
const giveUp = (
  db: Db,
  link: string,
  row: { readonly id: number; readonly leftId: string | null; readonly rightId: string | null },
  change: Change<'pair'>,
): void => {
  const given = { left: row.leftId, right: row.rightId };
  for (const side of SIDES) {
    const id = given[side];
    if (id === null || id === change[side]?.record.id) continue;
    const givesWay = change.pairId === null && change.writtenSide === side;
    if (givesWay) stageAlone(db, { link, side }, row.id, id, change.atMs);
    else removeStaged(db, { link, side }, id);
  }
};

const putPair = (db: Db, link: string, change: Change<'pair'>): void => {
  const row = findRow(db, link, change);
  if (row !== undefined) giveUp(db, link, row, change);
  const [left, right] = [halfOf(change, 'left'), halfOf(change, 'right')];
  const values = {
    status: change.status,
    leftId: left.id,
    leftBase: left.base,
    leftRecord: left.record,
    leftWrittenAtMs: left.writtenAtMs,
    leftDigest: left.digest,
    rightId: right.id,
    rightBase: right.base,
    rightRecord: right.record,
    rightWrittenAtMs: right.writtenAtMs,
    rightDigest: right.digest,
  };
  if (row === undefined) db.prepared(insertPair).run({ link, ...values });
  else db.prepared(updatePair).run({ id: row.id, ...values });
  for (const side of SIDES) {
    const half = change[side];
    if (half !== null) settleStaged(db, { link, side }, half.record.id, half.unsettled, change.atMs);
  }
};

const dropPair = (db: Db, link: string, pairId: number): void => {
  const row = db.prepared(selectPair).get({ id: pairId });
  if (row === undefined) return;
  const { leftId, rightId } = row;
  if (leftId !== null) removeStaged(db, { link, side: 'left' }, leftId);
  if (rightId !== null) removeStaged(db, { link, side: 'right' }, rightId);
  if (leftId !== null) {
    const same = and(eq(conflicts.link, link), eq(conflicts.leftId, leftId));
    db.orm.delete(conflicts).where(same).run();
  }
  db.prepared(deletePair).run({ id: pairId });
};

const putGroupPair = (db: Db, link: string, pair: GroupPair): void => {
  const values = {
    status: pair.status,
    settled: pair.settled,
    leftId: pair.left?.id ?? null,
    leftName: pair.left?.name ?? null,
    rightId: pair.right?.id ?? null,
    rightName: pair.right?.name ?? null,
  };
  db.orm
    .insert(groupPairs)
    .values({ link, key: pair.key, ...values })
    .onConflictDoUpdate({ target: [groupPairs.link, groupPairs.key], set: values })
    .run();
};

const dropGroupPair = (db: Db, link: string, key: string): void => {
  const same = and(eq(groupPairs.link, link), eq(groupPairs.key, key));
  db.orm.delete(groupPairs).where(same).run();
};

const settleJournal = (db: Db, { id, state, after, error, atMs }: Change<'journal'>): void => {
  const afterJson = after === null ? null : JSON.stringify(after);
  db.prepared(updateJournal).run({ id, state, after: afterJson, error, atMs });
};

const putConflict = (db: Db, link: string, change: Change<'conflict'>): void => {
  const { run, leftId, rightId, atMs, conflict } = change;
  const { field, left, right, winner } = conflict;
  db.orm.insert(conflicts).values({ link, run, leftId, rightId, atMs, field, left, right, winner }).run();
};

const resolveConflicts = (db: Db, link: string, { leftId, fields, atMs }: Change<'resolve-conflicts'>): void => {
  db.prepared(closeConflicts).run({ link, leftId, fields: JSON.stringify(fields), atMs });
};

const putRejection = (db: Db, link: string, rejection: Rejection): void => {
  db.prepared(upsertRejection).run({ link, ...rejection });
};

/** Applies one change; the caller makes a list of them one step. */
export const applyChange = (db: Db, link: string, change: StoreChange): void => {
  switch (change.kind) {
    case 'pair':
      return putPair(db, link, change);
    case 'drop-pair':
      return dropPair(db, link, change.pairId);
    case 'stage':
      return void stageRecord(db, { link, side: change.side }, change.record, change.atMs);
    case 'stage-tombstone':
      return putAway(db, link, change.side, change.id, 'tombstone', change.atMs);
    case 'stage-settling':
      return putAway(db, link, change.side, change.id, 'settling', change.atMs);
    case 'unstage':
      return removeStaged(db, { link, side: change.side }, change.id);
    case 'absent-again':
      return markAbsentAgain(db, { link, side: change.side }, change.id);
    case 'rename': {
      const place = { link, side: change.side };
      renameContact(db, place, change.from, change.record.id, change.atMs);
      return void stageRecord(db, place, change.record, change.atMs);
    }
    case 'journal':
      return settleJournal(db, change);
    case 'group-pair':
      return putGroupPair(db, link, change.pair);
    case 'drop-group-pair':
      return dropGroupPair(db, link, change.key);
    case 'conflict':
      return putConflict(db, link, change);
    case 'resolve-conflicts':
      return resolveConflicts(db, link, change);
    case 'reject':
      return putRejection(db, link, change.rejection);
    case 'accept':
      return void db.prepared(deleteRejection).run({ link, side: change.side, key: change.key });
  }
};

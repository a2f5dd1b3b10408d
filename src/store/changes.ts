import { and, eq, inArray, isNull, or } from 'drizzle-orm';
import { SIDES, type Side } from '../contact/contact.ts';
import { fingerprint } from '../contact/snapshot.ts';
import type { GroupPair } from '../reconcile/groups.ts';
import type { Orm } from './database.ts';
import { isSettling, markAbsentAgain, putStaged, removeStaged, renameContact, stageRecord } from './feed.ts';
import { conflicts, groupPairs, journal, pairs, rejections } from './schema.ts';
import type { Rejection, SideValue, StoreChange } from './store.ts';

type Change<Kind extends StoreChange['kind']> = Extract<StoreChange, { kind: Kind }>;

const sideValues = (value: SideValue | null) => ({
  id: value?.record.id ?? null,
  base: value === null ? null : fingerprint(value.base),
  record: value === null ? null : JSON.stringify(value.record),
});

const findRow = (orm: Orm, link: string, change: Change<'pair'>) => {
  if (change.pairId !== null) return orm.select().from(pairs).where(eq(pairs.id, change.pairId)).get();
  const ids = [
    change.google === null ? undefined : eq(pairs.googleId, change.google.record.id),
    change.service === null ? undefined : eq(pairs.serviceId, change.service.record.id),
  ];
  return orm
    .select()
    .from(pairs)
    .where(and(eq(pairs.link, link), or(...ids)))
    .get();
};

const applyStaging = (orm: Orm, link: string, side: Side, value: SideValue | null, atMs: number): void => {
  if (value === null) return;
  const { id } = value.record;
  if (isSettling(orm, { link, side }, id)) return;
  if (value.unsettled) putStaged(orm, { link, side }, { id, kind: 'upsert', record: value.record, atMs });
  else removeStaged(orm, { link, side }, id);
};

const putPair = (orm: Orm, link: string, change: Change<'pair'>): void => {
  const row = findRow(orm, link, change);
  // An id that the row gives up (a contact that was deleted and comes back under a new one) has nothing left to settle.
  for (const side of SIDES) {
    const old = side === 'google' ? row?.googleId : row?.serviceId;
    if (old && old !== change[side]?.record.id) removeStaged(orm, { link, side }, old);
  }
  const [google, service] = [sideValues(change.google), sideValues(change.service)];
  const values = {
    status: change.status,
    googleId: google.id,
    googleBaseJson: google.base,
    googleRecordJson: google.record,
    serviceId: service.id,
    serviceBaseJson: service.base,
    serviceRecordJson: service.record,
    ...(change.writtenSide === 'google' ? { googleWrittenAtMs: change.atMs } : {}),
    ...(change.writtenSide === 'service' ? { serviceWrittenAtMs: change.atMs } : {}),
  };
  if (row === undefined)
    orm
      .insert(pairs)
      .values({ link, ...values })
      .run();
  else orm.update(pairs).set(values).where(eq(pairs.id, row.id)).run();
  for (const side of SIDES) applyStaging(orm, link, side, change[side], change.atMs);
};

const dropPair = (orm: Orm, link: string, pairId: number): void => {
  const row = orm.select().from(pairs).where(eq(pairs.id, pairId)).get();
  if (row === undefined) return;
  if (row.googleId !== null) removeStaged(orm, { link, side: 'google' }, row.googleId);
  if (row.serviceId !== null) removeStaged(orm, { link, side: 'service' }, row.serviceId);
  if (row.googleId !== null)
    orm
      .delete(conflicts)
      .where(and(eq(conflicts.link, link), eq(conflicts.googleId, row.googleId)))
      .run();
  orm.delete(pairs).where(eq(pairs.id, pairId)).run();
};

const putGroupPair = (orm: Orm, link: string, pair: GroupPair): void => {
  const values = {
    status: pair.status,
    settled: pair.settled,
    googleId: pair.google?.id ?? null,
    googleName: pair.google?.name ?? null,
    serviceId: pair.service?.id ?? null,
    serviceName: pair.service?.name ?? null,
  };
  orm
    .insert(groupPairs)
    .values({ link, key: pair.key, ...values })
    .onConflictDoUpdate({ target: [groupPairs.link, groupPairs.key], set: values })
    .run();
};

const settleJournal = (orm: Orm, change: Change<'journal'>): void => {
  orm
    .update(journal)
    .set({
      state: change.state,
      afterJson: change.after === null ? null : JSON.stringify(change.after),
      error: change.error,
      settledAtMs: change.atMs,
    })
    .where(eq(journal.id, change.id))
    .run();
};

const putConflict = (orm: Orm, link: string, change: Change<'conflict'>): void => {
  const { run, googleId, serviceId, atMs, conflict } = change;
  const { field, google, service, winner } = conflict;
  orm.insert(conflicts).values({ link, run, googleId, serviceId, atMs, field, google, service, winner }).run();
};

const resolveConflicts = (orm: Orm, link: string, change: Change<'resolve-conflicts'>): void => {
  const same = [eq(conflicts.link, link), eq(conflicts.googleId, change.googleId), isNull(conflicts.resolvedAtMs)];
  orm
    .update(conflicts)
    .set({ resolvedAtMs: change.atMs })
    .where(and(...same, inArray(conflicts.field, [...change.fields])))
    .run();
};

const putRejection = (orm: Orm, link: string, rejection: Rejection): void => {
  orm
    .insert(rejections)
    .values({ link, ...rejection })
    .onConflictDoUpdate({ target: [rejections.link, rejections.side, rejections.key], set: rejection })
    .run();
};

const dropRejection = (orm: Orm, link: string, side: Side, key: string): void => {
  const same = [eq(rejections.link, link), eq(rejections.side, side), eq(rejections.key, key)];
  orm
    .delete(rejections)
    .where(and(...same))
    .run();
};

/** Applies one change; the caller makes a list of them one step. */
export const applyChange = (orm: Orm, link: string, change: StoreChange): void => {
  switch (change.kind) {
    case 'pair':
      return putPair(orm, link, change);
    case 'drop-pair':
      return dropPair(orm, link, change.pairId);
    case 'stage':
      return void stageRecord(orm, { link, side: change.side }, change.record, change.atMs);
    case 'stage-tombstone':
      return putStaged(
        orm,
        { link, side: change.side },
        { id: change.id, kind: 'tombstone', record: null, atMs: change.atMs },
      );
    case 'stage-settling': {
      const { side, id, atMs } = change;
      return putStaged(orm, { link, side }, { id, kind: 'settling', record: null, atMs });
    }
    case 'unstage':
      return removeStaged(orm, { link, side: change.side }, change.id);
    case 'absent-again':
      return markAbsentAgain(orm, { link, side: change.side }, change.id);
    case 'rename': {
      const place = { link, side: change.side };
      renameContact(orm, place, change.from, change.record.id, change.atMs);
      return void stageRecord(orm, place, change.record, change.atMs);
    }
    case 'journal':
      return settleJournal(orm, change);
    case 'group-pair':
      return putGroupPair(orm, link, change.pair);
    case 'drop-group-pair':
      return void orm
        .delete(groupPairs)
        .where(and(eq(groupPairs.link, link), eq(groupPairs.key, change.key)))
        .run();
    case 'conflict':
      return putConflict(orm, link, change);
    case 'resolve-conflicts':
      return resolveConflicts(orm, link, change);
    case 'reject':
      return putRejection(orm, link, change.rejection);
    case 'accept':
      return dropRejection(orm, link, change.side, change.key);
  }
};

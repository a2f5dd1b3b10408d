import { idAt, idsIn, idsOn, type PairIds } from '../../core/contact/pair.ts';
import type { Rejection } from '../../core/state/rows.ts';
import { type Half, halfKey, isPresent } from '../../core/contact/half.ts';
import { type Side, type Sides, SIDES } from '../../core/contact/side.ts';
import type { Store } from '../../store/store.ts';
import { isUnsyncable, refusalsIn } from '../../core/state/unsyncable.ts';
import { nameOf } from '../../core/view/values.ts';
import type { Run } from '../../core/view/views.ts';
import { isOpen } from '../../core/reconcile/recorded-conflicts.ts';
import { writtenId } from './follow.ts';
import { runView } from './runs.ts';

/** A write that a side refused, or a contact that could not be read. It is retried. */
type Refused = Rejection & { readonly name: string | null };

/** A contact of which runs do not sync all or some fields, and the reason. */
type Skipped = PairIds & { readonly side: Side; readonly name: string | null; readonly reason: string };

/** A contact that stays although its counterpart was deleted. It is not created again on the other side. */
type Alone = PairIds & {
  readonly side: Side;
  readonly name: string | null;
  /** The undo that created the contact or deleted its counterpart; null if it is alone for another reason (`DELETE_POLICY`). */
  readonly undoRun: string | null;
};

/** The state of a link in the store. */
export type LinkRecord = {
  readonly pairs: number;
  /** The number of conflicts that wait for a decision. */
  readonly openConflicts: number;
  readonly refused: readonly Refused[];
  readonly skipped: readonly Skipped[];
  /** Contacts that exist on one side only and are not created on the other. */
  readonly alone: readonly Alone[];
  /** The number of unpaired contacts that each side does not select. */
  readonly unselected: Sides<number>;
  /** The last run that ended; null if no run has ended. */
  readonly lastRun: Run | null;
  /** The last run that ended and is not an undo, which does not compare the two sides; null without one. */
  readonly lastSync: Run | null;
  readonly lastSuccessAtMs: number | null;
  /** The number of most recent consecutive failed syncs, at most 100. */
  readonly failures: number;
};

/** The number of recent runs that are searched for the last sync and for consecutive failures. */
const MOST_FAILURES = 100;

const EMPTY = 'The contact has no value in a synced field.';

/** Unpaired contacts without a value in a synced field: no run creates them on the other side. */
const listSkipped = async (store: Store, link: string): Promise<readonly Skipped[]> => {
  const halves = await store.halves(link, { by: 'blank' });
  const skipped = halves.filter(({ state }) => state === 'changed');
  return skipped.map(({ side, id }) => ({ side, ...idsOn(side, id), name: null, reason: EMPTY }));
};

/** Returns the contacts of a link without a counterpart, by side and id. */
const listAlone = async (store: Store, link: string): Promise<readonly Alone[]> => {
  const halves = await store.halves(link, { by: 'alone' });
  const pairs = await store.pairs(
    link,
    halves.flatMap(({ pair }) => pair ?? []),
  );
  const kept = new Set<number | null>(pairs.filter(({ status }) => status === 'kept').map(({ id }) => id));
  const present = halves.filter((half): half is Half => isPresent(half) && kept.has(half.pair));
  if (present.length === 0) return [];
  const undos = new Map<string, string>();
  const scope = { ids: present.map(({ id }) => id), pairIds: present.flatMap(({ pair }) => pair ?? []) };
  for (const write of await store.journal(link, scope)) {
    if (write.cause !== 'undo' || write.state !== 'done') continue;
    if (write.kind === 'delete') undos.set(`pair ${write.pairId}`, write.run);
    if (write.kind !== 'create') continue;
    if (write.pairId === null) undos.set(`${write.side} ${writtenId(write)}`, write.run);
    else undos.delete(`pair ${write.pairId}`);
  }
  return present.map(({ side, id, pair, record }) => {
    const undoRun = undos.get(`pair ${pair}`) ?? undos.get(`${side} ${id}`) ?? null;
    return { side, ...idsOn(side, id), name: nameOf(record.contact), undoRun };
  });
};

/** The rejections, each with the name of its contact, and with both ids if the contact is linked. */
const named = async (store: Store, link: string, rejections: readonly Rejection[]): Promise<readonly Refused[]> => {
  const present = (await store.wholePairs(link, { ids: idsIn(rejections), pairs: [] })).halves.filter(isPresent);
  const halves = new Map(present.map((half) => [halfKey(half), half]));
  const pairs = Map.groupBy(present, ({ pair }) => pair);
  return rejections.map((rejection) => {
    const own = SIDES.flatMap((side) => halves.get(halfKey({ side, id: idAt(rejection, side) ?? '' })) ?? []);
    const linked = own.flatMap(({ pair }) => (pair === null ? [] : (pairs.get(pair) ?? [])));
    const idOn = (side: Side) => idAt(rejection, side) ?? linked.find((half) => half.side === side)?.id ?? null;
    const names = own.flatMap(({ record }) => nameOf(record.contact) ?? []);
    return { ...rejection, leftId: idOn('left'), rightId: idOn('right'), name: names[0] ?? null };
  });
};

/** The contacts that have values on a side that cannot be synced. */
const listUnsyncable = async (
  store: Store,
  link: string,
  rejections: readonly Rejection[],
): Promise<readonly Skipped[]> =>
  (await named(store, link, rejections.filter(isUnsyncable))).map(({ side, leftId, rightId, name, reason }) => {
    return { side, leftId, rightId, name, reason };
  });

/** Returns the recent syncs that ended, the newest first. */
const recentSyncs = async (store: Store, link: string): Promise<readonly Run[]> =>
  (await store.runs(link, { newest: MOST_FAILURES }))
    .map(runView)
    .filter(({ endedAtMs, kind }) => endedAtMs !== null && kind !== 'undo');

const countFailures = (syncs: readonly Run[]): number => {
  const last = syncs.findIndex(({ outcome }) => outcome !== 'failed' && outcome !== 'stopped');
  return syncs.slice(0, last < 0 ? syncs.length : last).filter(({ outcome }) => outcome === 'failed').length;
};

/** Reads the state of a link from the store, without a request to either side. */
export const readLinkRecord = async (store: Store, link: string): Promise<LinkRecord> => {
  const { rejections } = await store.link(link);
  const [lastRun] = await store.runs(link, { latest: 'ended' });
  const [lastSuccess] = await store.runs(link, { latest: 'completed' });
  const { pairs, unselected } = await store.counts(link);
  const syncs = await recentSyncs(store, link);
  return {
    pairs,
    unselected,
    openConflicts: (await store.conflicts(link, { all: false })).filter(isOpen).length,
    refused: await named(store, link, refusalsIn(rejections)),
    skipped: [...(await listUnsyncable(store, link, rejections)), ...(await listSkipped(store, link))],
    alone: await listAlone(store, link),
    lastRun: lastRun === undefined ? null : runView(lastRun),
    lastSync: syncs[0] ?? null,
    lastSuccessAtMs: lastSuccess?.endedAtMs ?? null,
    failures: countFailures(syncs),
  };
};

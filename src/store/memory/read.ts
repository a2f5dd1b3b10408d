import { isUnselected, type Half } from '../../contact/half.ts';
import { bySide, type Side, type Sides } from '../../contact/side.ts';
import type { PairStatus } from '../../reconcile/decision.ts';
import { asksFor, bestOf, inOrder, membersOf } from '../half-query.ts';
import type { ConflictRow, Counts, HalfKey, HalfQuery, JournalQuery, JournalRow, Member, PairRow } from '../store.ts';
import type { HalfPut, RowDigest, RunQuery, RunRow, WriteCounts } from '../store.ts';
import { halfKey, type Layer } from './layer.ts';

// Each reading unites what the store below answers, but for the rows that the layer holds, with the layer's own rows.

const isHalf = (put: HalfPut | null): put is HalfPut => put !== null;

const ownHalves = (layer: Layer): Half[] => [...layer.halves.values()].filter(isHalf).map(({ half }) => half);

export const readPairs = async (layer: Layer, ids: readonly number[]): Promise<readonly PairRow[]> => {
  const asked = [...new Set(ids)];
  const others = asked.filter((id) => !layer.pairs.has(id));
  const stored = layer.isForgotten || others.length === 0 ? [] : await layer.below.pairs(layer.link, others);
  const own = asked.flatMap((id) => {
    const status = layer.pairs.get(id) ?? null;
    return status === null ? [] : [{ id, status }];
  });
  return [...stored, ...own].toSorted((one, other) => one.id - other.id);
};

/** The halves below that a query may mean, by what stands there and by the status that their pair has here. */
const halvesBelow = async ({ below, link, ...layer }: Layer, query: HalfQuery): Promise<readonly Half[]> => {
  if (layer.isForgotten) return [];
  // Of those below some may stand here otherwise: so many more are sure to be enough.
  const asked = query.by === 'search' ? { ...query, limit: query.limit + layer.halves.size } : query;
  const found = await below.halves(link, asked);
  const dependsOnPair = query.by === 'alone' || query.by === 'asleep';
  if (!dependsOnPair || layer.pairs.size === 0) return found;
  const ofPairs = await below.halves(link, { by: 'pair', pairs: [...layer.pairs.keys()] });
  return [...new Map([...found, ...ofPairs].map((half) => [halfKey(half), half])).values()];
};

export const readHalves = async (layer: Layer, query: HalfQuery): Promise<readonly Half[]> => {
  const below = (await halvesBelow(layer, query)).filter((half) => !layer.halves.has(halfKey(half)));
  const all = [...below, ...ownHalves(layer)];
  const statuses = new Map<number, PairStatus>();
  if (query.by === 'alone' || query.by === 'asleep') {
    const pairs = all.flatMap(({ pair }) => pair ?? []);
    for (const { id, status } of await readPairs(layer, pairs)) statuses.set(id, status);
  }
  const found = all.filter(asksFor(query, (pair) => statuses.get(pair)));
  return query.by === 'search' ? bestOf(found, query) : inOrder(found);
};

export const readIndex = async (layer: Layer, side: Side): Promise<readonly HalfKey[]> => {
  const below = layer.isForgotten ? [] : await layer.below.index(layer.link, side);
  const own = ownHalves(layer).filter((half) => half.side === side);
  return [
    ...below.filter(({ id }) => !layer.halves.has(halfKey({ side, id }))),
    ...own.map(({ id, pair, state, absences, heardAtMs }) => ({ id, pair, state, absences, heardAtMs })),
  ];
};

export const readMembers = async (layer: Layer, groupIds: readonly string[]): Promise<readonly Member[]> => {
  const below = layer.isForgotten ? [] : await layer.below.members(layer.link, groupIds);
  const own = ownHalves(layer).map(({ side, id, pair, state, record }) => {
    return { side, id, pair, state, groupIds: record.groupIds };
  });
  return [...below.filter((member) => !layer.halves.has(halfKey(member))), ...membersOf(own, groupIds)];
};

export const readShown = async ({ below, link, shown }: Layer, side: Side): Promise<readonly string[]> => {
  const { isForgotten, ids } = shown[side];
  return isForgotten ? [...ids] : [...(await below.shown(link, side)), ...ids];
};

export const readKnown = async (layer: Layer, side: Side, rows: readonly RowDigest[]): Promise<ReadonlySet<string>> => {
  const others = rows.filter(({ id }) => !layer.halves.has(halfKey({ side, id })));
  const below = layer.isForgotten ? [] : await layer.below.known(layer.link, side, others);
  const isOwn = ({ id, digest }: RowDigest): boolean => layer.halves.get(halfKey({ side, id }))?.digest === digest;
  return new Set([...below, ...rows.filter(isOwn).map(({ digest }) => digest)]);
};

const isPresent = ({ state }: HalfKey): boolean => state !== 'missing' && state !== 'gone';

export const readPresence = async (layer: Layer): Promise<Sides<boolean>> => ({
  left: (await readIndex(layer, 'left')).some(isPresent),
  right: (await readIndex(layer, 'right')).some(isPresent),
});

export const readCounts = async (layer: Layer): Promise<Counts> => {
  const { below, link, pairs } = layer;
  const keys = { left: await readIndex(layer, 'left'), right: await readIndex(layer, 'right') };
  const hidden = layer.isForgotten ? [] : await below.pairs(link, [...pairs.keys()]);
  const stored = layer.isForgotten ? null : await below.counts(link);
  const countOf = (status: PairStatus, storedBelow: number): number => {
    const isOf = (each: PairStatus | null): boolean => each === status;
    return storedBelow - hidden.filter((pair) => isOf(pair.status)).length + [...pairs.values()].filter(isOf).length;
  };
  return {
    pairs: countOf('linked', stored?.pairs ?? 0),
    asleep: countOf('asleep', stored?.asleep ?? 0),
    present: bySide((side) => keys[side].filter(isPresent).length),
    unselected: bySide((side) => keys[side].filter(isUnselected).length),
  };
};

const asksForEntry = (query: JournalQuery): ((row: JournalRow) => boolean) => {
  if ('open' in query) return ({ state }) => state === 'intended';
  if ('deletions' in query) return ({ kind, state }) => kind === 'delete' && state === 'done';
  if ('destroyedSinceMs' in query) {
    return ({ destroys, state, intendedAtMs }) => {
      return destroys && state === 'done' && intendedAtMs >= query.destroyedSinceMs;
    };
  }
  if ('run' in query) {
    const { run, kinds, fromId = 0 } = query;
    return (row) => row.run === run && row.id >= fromId && (kinds?.includes(row.kind) ?? true);
  }
  if ('fromId' in query) return ({ id }) => id >= query.fromId;
  const [ids, pairIds] = [new Set<string | null>(query.ids), new Set<number | null>(query.pairIds)];
  return ({ leftId, rightId, after, pairId }) =>
    ids.has(leftId) || ids.has(rightId) || ids.has(after?.id ?? null) || pairIds.has(pairId);
};

export const readJournal = async (layer: Layer, query: JournalQuery): Promise<readonly JournalRow[]> => {
  const limit = 'limit' in query ? query.limit : undefined;
  // Of those below some may count no more: only all of them are sure to fill a page.
  const asked = limit === undefined ? query : { ...query, limit: Number.MAX_SAFE_INTEGER };
  const below = layer.isForgotten ? [] : await layer.below.journal(layer.link, asked);
  const own = [...layer.journal.values()].filter((row) => row !== null).filter(asksForEntry(query));
  const others = below.filter(({ id, run }) => !layer.journal.has(id) && !layer.prunedRuns.has(run));
  const all = [...others, ...own].toSorted((one, other) => one.id - other.id);
  return all.slice(0, limit);
};

export const readWriteCounts = async (layer: Layer, run: string): Promise<WriteCounts> => {
  const writes = Map.groupBy(await readJournal(layer, { run }), ({ kind }) => kind);
  return Object.fromEntries([...writes].map(([kind, rows]) => [kind, rows.length]));
};

const isBefore = (one: RunRow, other: RunRow): boolean =>
  one.startedAtMs < other.startedAtMs || (one.startedAtMs === other.startedAtMs && one.id < other.id);

const newestFirst = (runs: readonly RunRow[]): RunRow[] =>
  runs.toSorted((one, other) => (isBefore(one, other) ? 1 : -1));

const allRuns = async ({ below, link, runs, isDropped }: Layer): Promise<readonly RunRow[]> => {
  const stored = isDropped ? [] : await below.runs(link, { idPrefix: '' });
  const own = [...runs.values()].filter((row) => row !== null);
  return newestFirst([...stored.filter(({ id }) => !runs.has(id)), ...own]);
};

const latestWriting = async (layer: Layer): Promise<readonly RunRow[]> => {
  const entries = await readJournal(layer, { fromId: 0, limit: Number.MAX_SAFE_INTEGER });
  const latest = entries.findLast(({ state }) => state === 'done');
  return (await allRuns(layer)).filter(({ id }) => id === latest?.run);
};

export const readRuns = async (layer: Layer, query: RunQuery): Promise<readonly RunRow[]> => {
  if ('idPrefix' in query) return (await allRuns(layer)).filter(({ id }) => id.startsWith(query.idPrefix));
  if ('newest' in query) {
    const { newest, before, of: { kind, outcome } = {} } = query;
    const asked = (await allRuns(layer)).filter((run) => {
      return (kind ?? run.kind) === run.kind && (outcome ?? run.outcome) === run.outcome;
    });
    return asked.filter((run) => before === undefined || isBefore(run, before)).slice(0, newest);
  }
  const { latest } = query;
  if (latest === 'writing') return latestWriting(layer);
  const isAsked = ({ outcome }: RunRow): boolean => (latest === 'ended' ? outcome !== 'running' : outcome === latest);
  return (await allRuns(layer)).filter(isAsked).slice(0, 1);
};

export const readConflicts = async (
  { below, link, conflicts }: Layer,
  all: boolean,
): Promise<readonly ConflictRow[]> => {
  if (conflicts === null) return below.conflicts(link, { all });
  return conflicts.filter(({ resolvedAtMs }) => all || resolvedAtMs === null);
};

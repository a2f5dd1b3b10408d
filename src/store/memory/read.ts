import type { Half } from '../../contact/half.ts';
import type { Side } from '../../contact/side.ts';
import type { PairStatus } from '../../reconcile/decision.ts';
import { asksFor, inOrder } from '../half-query.ts';
import type { ConflictRow, Counts, HalfKey, HalfQuery, JournalQuery, JournalRow, PairRow } from '../store.ts';
import type { HalfPut, RunQuery, RunRow } from '../store.ts';
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
  const found = await below.halves(link, query);
  const dependsOnPair = query.by === 'alone' || query.by === 'group';
  if (!dependsOnPair || layer.pairs.size === 0) return found;
  const ofPairs = await below.halves(link, { by: 'pair', pairs: [...layer.pairs.keys()] });
  return [...new Map([...found, ...ofPairs].map((half) => [halfKey(half), half])).values()];
};

export const readHalves = async (layer: Layer, query: HalfQuery): Promise<readonly Half[]> => {
  const below = (await halvesBelow(layer, query)).filter((half) => !layer.halves.has(halfKey(half)));
  const all = [...below, ...ownHalves(layer)];
  const statuses = new Map<number, PairStatus>();
  if (query.by === 'alone' || query.by === 'group') {
    const pairs = all.flatMap(({ pair }) => pair ?? []);
    for (const { id, status } of await readPairs(layer, pairs)) statuses.set(id, status);
  }
  return inOrder(all.filter(asksFor(query, (pair) => statuses.get(pair))));
};

export const readIndex = async (layer: Layer, side: Side): Promise<readonly HalfKey[]> => {
  const below = layer.isForgotten ? [] : await layer.below.index(layer.link, side);
  const own = ownHalves(layer).filter((half) => half.side === side);
  return [
    ...below.filter(({ id }) => !layer.halves.has(halfKey({ side, id }))),
    ...own.map(({ id, pair, state, absences, heardAtMs }) => ({ id, pair, state, absences, heardAtMs })),
  ];
};

export const readShown = async ({ below, link, shown }: Layer, side: Side): Promise<readonly string[]> => {
  const { isForgotten, ids } = shown[side];
  return isForgotten ? [...ids] : [...(await below.shown(link, side)), ...ids];
};

type RowDigest = { readonly id: string; readonly digest: string };

export const readKnown = async (layer: Layer, side: Side, rows: readonly RowDigest[]): Promise<ReadonlySet<string>> => {
  const others = rows.filter(({ id }) => !layer.halves.has(halfKey({ side, id })));
  const below = layer.isForgotten ? [] : await layer.below.known(layer.link, side, others);
  const isOwn = ({ id, digest }: RowDigest): boolean => layer.halves.get(halfKey({ side, id }))?.digest === digest;
  return new Set([...below, ...rows.filter(isOwn).map(({ digest }) => digest)]);
};

export const readCounts = async (layer: Layer): Promise<Counts> => {
  const { below, link, pairs } = layer;
  const present = async (side: Side): Promise<number> => {
    const keys = await readIndex(layer, side);
    return keys.filter(({ state }) => state !== 'missing' && state !== 'gone').length;
  };
  const isLinked = ({ status }: { readonly status: PairStatus | null }): boolean => status === 'linked';
  const own = [...pairs.values()].filter((status) => status === 'linked').length;
  const hidden = layer.isForgotten ? [] : await below.pairs(link, [...pairs.keys()]);
  const stored = layer.isForgotten ? 0 : (await below.counts(link)).pairs;
  return {
    pairs: stored - hidden.filter(isLinked).length + own,
    present: { left: await present('left'), right: await present('right') },
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
  if ('run' in query) return ({ run }) => run === query.run;
  if ('fromId' in query) return ({ id }) => id >= query.fromId;
  const [ids, pairIds] = [new Set<string | null>(query.ids), new Set<number | null>(query.pairIds)];
  return ({ leftId, rightId, after, pairId }) =>
    ids.has(leftId) || ids.has(rightId) || ids.has(after?.id ?? null) || pairIds.has(pairId);
};

export const readJournal = async (layer: Layer, query: JournalQuery): Promise<readonly JournalRow[]> => {
  // Of those below some may count no more: only all of them are sure to fill a page.
  const asked = 'fromId' in query ? { ...query, limit: Number.MAX_SAFE_INTEGER } : query;
  const below = layer.isForgotten ? [] : await layer.below.journal(layer.link, asked);
  const own = [...layer.journal.values()].filter((row) => row !== null).filter(asksForEntry(query));
  const others = below.filter(({ id, run }) => !layer.journal.has(id) && !layer.prunedRuns.has(run));
  const all = [...others, ...own].toSorted((one, other) => one.id - other.id);
  return 'fromId' in query ? all.slice(0, query.limit) : all;
};

const newestFirst = (runs: readonly RunRow[]): RunRow[] =>
  runs.toSorted((one, other) => other.startedAtMs - one.startedAtMs || (one.id < other.id ? 1 : -1));

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
  if ('newest' in query) return (await allRuns(layer)).slice(0, query.newest);
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

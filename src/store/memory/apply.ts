import { SIDES } from '../../contact/side.ts';
import { decodeSummary } from '../codec.ts';
import { INTERRUPTED, NO_CURSOR, PRUNED_AT_ONCE, type ConflictRow, type HalfPut, type JournalRow } from '../store.ts';
import type { RunRow, StoreChange } from '../store.ts';
import { compareKeys, changedLink, withoutOldRejections } from '../link-state.ts';
import { halfKey, newState, type Layer } from './layer.ts';

type Change<Kind extends StoreChange['kind']> = Extract<StoreChange, { kind: Kind }>;

/** The rows below that a list of changes may touch. */
export type RowsBelow = {
  /** Open entries, and those that are to be redacted. */
  readonly entries: readonly JournalRow[];
  readonly runs: readonly RunRow[];
  readonly conflicts: readonly ConflictRow[];
};

/** The entries below that changes redact. */
const redactedBelow = async (
  { below, link }: Layer,
  changes: readonly StoreChange[],
): Promise<readonly JournalRow[]> => {
  const ids = changes.flatMap((change) => (change.kind === 'redact-entry' ? [change.id] : []));
  const pages = await Promise.all(ids.map((id) => below.journal(link, { fromId: id, limit: 1 })));
  return pages.flat().filter(({ id }) => ids.includes(id));
};

/** Reads what {@link applyChange} needs, so that it has nothing to wait for. */
export const readRowsBelow = async (layer: Layer, changes: readonly StoreChange[]): Promise<RowsBelow> => {
  const { below, link } = layer;
  const has = (...kinds: StoreChange['kind'][]): boolean => changes.some(({ kind }) => kinds.includes(kind));
  const ended = changes.filter((change) => change.kind === 'run-ended' || change.kind === 'run-reason');
  if (layer.isDropped) return { entries: [], runs: [], conflicts: [] };
  return {
    entries: [
      ...(has('journal', 'prune') ? await below.journal(link, { open: true }) : []),
      ...(await redactedBelow(layer, changes)),
    ],
    runs: has('run-started', 'prune')
      ? await below.runs(link, { idPrefix: '' })
      : (await Promise.all(ended.map(({ id }) => below.runs(link, { idPrefix: id })))).flat(),
    conflicts: has('conflict', 'resolve-conflicts', 'review-conflict', 'drop-conflicts', 'prune')
      ? await below.conflicts(link, { all: true })
      : [],
  };
};

/** What a run's summary says of the run itself, as it is once written and read again. */
const summaryOf = ({ end }: Change<'run-ended'>) => decodeSummary(JSON.stringify(end.summary));

/** @throws where a change holds what cannot be stored: a summary that JSON cannot write, or that is not one. */
export const checkChange = (change: StoreChange): void => {
  if (change.kind === 'run-ended') summaryOf(change);
};

const putHalf = (layer: Layer, { half, digest }: HalfPut): void => {
  layer.halves.set(halfKey(half), { half, digest });
};

const putPair = (layer: Layer, { id, status, halves }: Change<'put-pair'>, newId: () => number): readonly number[] => {
  const pair = id ?? newId();
  layer.pairs.set(pair, status);
  for (const { half, digest } of halves) putHalf(layer, { half: { ...half, pair }, digest });
  return id === null ? [pair] : [];
};

const addIntent = (layer: Layer, { run, entry, atMs }: Change<'intend'>, id: number): number => {
  const outcome = { state: 'intended', after: null, error: null, settledAtMs: null } as const;
  layer.journal.set(id, { ...entry, ...outcome, id, run, intendedAtMs: atMs });
  return id;
};

/** An entry as it stands; null where there is none. */
const entryOf = (layer: Layer, id: number, below: RowsBelow): JournalRow | null => {
  if (layer.isForgotten || layer.journal.has(id)) return layer.journal.get(id) ?? null;
  const row = below.entries.find((each) => each.id === id) ?? null;
  return row === null || layer.prunedRuns.has(row.run) ? null : row;
};

const redactEntry = (layer: Layer, { id, intent }: Change<'redact-entry'>, below: RowsBelow): void => {
  const row = entryOf(layer, id, below);
  const blank = { pairId: null, leftId: null, rightId: null, before: null, after: null, error: null };
  if (row !== null) layer.journal.set(id, { ...row, ...blank, intent });
};

const setReason = (layer: Layer, { id, reason }: Change<'run-reason'>, below: RowsBelow): void => {
  const row = layer.runs.has(id) ? layer.runs.get(id) : below.runs.find((each) => each.id === id);
  if (row !== undefined && row !== null) layer.runs.set(id, { ...row, reason });
};

const settleJournal = (layer: Layer, { id, state, after, error, atMs }: Change<'journal'>, below: RowsBelow): void => {
  const row = entryOf(layer, id, below);
  if (row?.state === 'intended') layer.journal.set(id, { ...row, state, after, error, settledAtMs: atMs });
};

const UNREVIEWED = { review: null, reviewedAtMs: null };

const addConflict = (layer: Layer, change: Change<'conflict'>, id: number): void => {
  const { run, leftId, rightId, conflict, atMs, resolvedAtMs = null } = change;
  const row = { ...conflict, id, run, leftId, rightId, atMs, resolvedAtMs, ...UNREVIEWED };
  layer.conflicts = [...(layer.conflicts ?? []), row];
};

const resolveConflicts = (layer: Layer, { leftId, fields, atMs }: Change<'resolve-conflicts'>): void => {
  const isMeant = (row: ConflictRow): boolean =>
    row.leftId === leftId && row.resolvedAtMs === null && fields.includes(row.field);
  layer.conflicts = (layer.conflicts ?? []).map((row) => (isMeant(row) ? { ...row, resolvedAtMs: atMs } : row));
};

const reviewConflict = (layer: Layer, { leftId, field, review, atMs }: Change<'review-conflict'>): void => {
  const isMeant = (row: ConflictRow): boolean =>
    row.leftId === leftId && row.resolvedAtMs === null && row.field === field;
  const reviewedAtMs = review === null ? null : atMs;
  layer.conflicts = (layer.conflicts ?? []).map((row) => (isMeant(row) ? { ...row, review, reviewedAtMs } : row));
};

const endRun = (layer: Layer, change: Change<'run-ended'>, below: RowsBelow): void => {
  const { id, end } = change;
  const row = layer.runs.has(id) ? layer.runs.get(id) : below.runs.find((each) => each.id === id);
  const { outcome, reason, endedAtMs } = end;
  if (row !== undefined && row !== null)
    layer.runs.set(id, { ...row, outcome, reason, endedAtMs, ...summaryOf(change) });
};

/** Every run of the link, the oldest first. */
const runsIn = (layer: Layer, below: RowsBelow): readonly RunRow[] => {
  const own = [...layer.runs.values()].filter((row) => row !== null);
  const runs = [...below.runs.filter(({ id }) => !layer.runs.has(id)), ...own];
  return runs.toSorted((one, other) => one.startedAtMs - other.startedAtMs || compareKeys(one.id, other.id));
};

const startRun = (layer: Layer, { run }: Change<'run-started'>, below: RowsBelow): void => {
  const ending = { outcome: 'failed', reason: INTERRUPTED, endedAtMs: run.startedAtMs } as const;
  for (const row of runsIn(layer, below)) {
    if (row.outcome === 'running') layer.runs.set(row.id, { ...row, ...ending });
  }
  const beginning = {
    link: layer.link,
    outcome: 'running',
    reason: null,
    endedAtMs: null,
    override: null,
    wrote: null,
    repaired: 0,
  } as const;
  layer.runs.set(run.id, { ...run, ...beginning });
};

const forgetLink = (layer: Layer): void => {
  forgetMapping(layer);
  layer.isDropped = true;
  layer.runs.clear();
  layer.state = newState(layer.link);
};

const forgetMapping = (layer: Layer): void => {
  layer.isForgotten = true;
  layer.halves.clear();
  layer.pairs.clear();
  for (const side of SIDES) layer.shown[side] = { isForgotten: true, ids: [] };
  layer.journal.clear();
  layer.conflicts = [];
  const cursors = { left: NO_CURSOR, right: NO_CURSOR };
  layer.state = { ...layer.state, cursors, groupPairs: [], rejections: [], verdicts: [] };
};

/** Runs that ended before then and have no open entry, the oldest of them. */
const runsOver = (layer: Layer, runs: readonly RunRow[], beforeMs: number, below: RowsBelow): readonly RunRow[] => {
  const hidden = (id: number): boolean => layer.isForgotten || layer.journal.has(id);
  const own = [...layer.journal.values()].filter((row) => row !== null);
  const entries = [...below.entries.filter(({ id }) => !hidden(id)), ...own];
  const open = new Set(entries.flatMap(({ run, state }) => (state === 'intended' ? [run] : [])));
  const isOver = ({ id, startedAtMs, endedAtMs }: RunRow): boolean =>
    startedAtMs < beforeMs && endedAtMs !== null && endedAtMs < beforeMs && !open.has(id);
  return runs.filter(isOver).slice(0, PRUNED_AT_ONCE);
};

const prune = (layer: Layer, { beforeMs }: Change<'prune'>, below: RowsBelow): void => {
  const runs = runsIn(layer, below);
  const kept = [
    runs.findLast(({ outcome }) => outcome !== 'running'),
    runs.findLast(({ outcome }) => outcome === 'completed'),
  ];
  for (const run of runsOver(layer, runs, beforeMs, below)) {
    layer.prunedRuns.add(run.id);
    for (const [id, entry] of layer.journal) if (entry?.run === run.id) layer.journal.delete(id);
    if (!kept.includes(run)) layer.runs.set(run.id, null);
  }
  const isKept = ({ resolvedAtMs, review, reviewedAtMs }: ConflictRow): boolean => {
    const isDismissed = review === 'dismissed' && reviewedAtMs !== null && reviewedAtMs < beforeMs;
    return !isDismissed && (resolvedAtMs === null || resolvedAtMs >= beforeMs);
  };
  layer.conflicts = (layer.conflicts ?? below.conflicts).filter(isKept);
  layer.state = withoutOldRejections(layer.state, beforeMs);
};

const applyToLink = (layer: Layer, change: Exclude<StoreChange, { kind: HistoryKind | MappingKind }>): void => {
  if (change.kind === 'shown') layer.shown[change.side].ids.push(...change.ids);
  else if (change.kind === 'forget-shown') layer.shown[change.side] = { isForgotten: true, ids: [] };
  else layer.state = changedLink(layer.state, change);
};

type MappingKind = 'put-half' | 'drop-half' | 'put-pair' | 'drop-pair' | 'forget-mapping' | 'forget-link';
type HistoryKind = EntryKind | ConflictKind | RunKind | 'prune';
type EntryKind = 'intend' | 'journal' | 'drop-entry' | 'redact-entry';
type RunKind = 'run-started' | 'run-ended' | 'run-reason';
type ConflictKind = 'conflict' | 'resolve-conflicts' | 'review-conflict' | 'drop-conflicts';

const applyToConflicts = (layer: Layer, change: Change<ConflictKind>, below: RowsBelow, newId: () => number): void => {
  layer.conflicts ??= below.conflicts;
  switch (change.kind) {
    case 'conflict':
      return addConflict(layer, change, newId());
    case 'resolve-conflicts':
      return resolveConflicts(layer, change);
    case 'review-conflict':
      return reviewConflict(layer, change);
    case 'drop-conflicts':
      layer.conflicts = layer.conflicts.filter((row) => row.leftId !== change.leftId);
  }
};

/** Makes one change; answers the id that came of it: of a new pair or an intent. Never throws for what {@link checkChange} let pass. */
export const applyChange = (
  layer: Layer,
  change: StoreChange,
  below: RowsBelow,
  newId: () => number,
): readonly number[] => {
  switch (change.kind) {
    case 'put-half':
      putHalf(layer, change);
      return [];
    case 'drop-half':
      layer.halves.set(halfKey(change), null);
      return [];
    case 'put-pair':
      return putPair(layer, change, newId);
    case 'drop-pair':
      layer.pairs.set(change.id, null);
      return [];
    case 'forget-mapping':
      forgetMapping(layer);
      return [];
    case 'forget-link':
      forgetLink(layer);
      return [];
    case 'drop-entry':
      layer.journal.set(change.id, null);
      return [];
    case 'redact-entry':
      redactEntry(layer, change, below);
      return [];
    case 'run-reason':
      setReason(layer, change, below);
      return [];
    case 'intend':
      return [addIntent(layer, change, newId())];
    case 'journal':
      settleJournal(layer, change, below);
      return [];
    case 'conflict':
    case 'resolve-conflicts':
    case 'review-conflict':
    case 'drop-conflicts':
      applyToConflicts(layer, change, below, newId);
      return [];
    case 'run-started':
      startRun(layer, change, below);
      return [];
    case 'run-ended':
      endRun(layer, change, below);
      return [];
    case 'prune':
      prune(layer, change, below);
      return [];
    default:
      applyToLink(layer, change);
      return [];
  }
};

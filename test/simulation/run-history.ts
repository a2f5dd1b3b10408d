import { bySide, SIDES, type Side, type Sides, type SideWords } from '../../src/contact/side.ts';
import type { Policy } from '../../src/reconcile/policy.ts';
import type { ConflictRow } from '../../src/store/store.ts';
import type { LinkContext } from '../../src/sync/context.ts';
import { runLink, type RunResult } from '../../src/sync/run.ts';
import type { Fault } from '../support/memory/incidents.ts';
import { startProcess, type ProcessPlan, type WriteOp } from '../support/memory/process.ts';
import { applyEdit } from './hard-edits.ts';
import { judgeDestroyed, judgeHalt } from './guarded.ts';
import type { Aim, History, RunStep } from './history.ts';
import { checkAtRest, describe, explainConflicts, peopleAtRest } from './invariants.ts';
import { tokenOf } from './ledger.ts';
import { createWorld, type Flaws, type World } from './world.ts';

/** What was really injected. */
export type Counts = {
  runs: number;
  edits: number;
  crashes: number;
  faults: number;
  halts: number;
  writes: number;
  conflicts: number;
  raced: number;
};

export const noCounts = (): Counts => {
  return { runs: 0, edits: 0, crashes: 0, faults: 0, halts: 0, writes: 0, conflicts: 0, raced: 0 };
};

/** What a history must never show. */
class ViolationError extends Error {
  constructor(violations: readonly string[], world: World, trace: readonly string[]) {
    super([...violations, '-- what stands there:', ...describe(world), '-- runs:', ...trace].join('\n'));
    this.name = 'ViolationError';
  }
}

const LEASE_MS = 16_000;
const SWEEP_INTERVAL_MS = 6 * 3_600_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Long enough for what is late, then for sweeps, then for the longest backoff. */
const REST_GAPS_MS = [
  12 * MINUTE_MS,
  7 * HOUR_MS,
  7 * HOUR_MS,
  7 * HOUR_MS,
  ...Array.from({ length: 10 }, () => 25 * HOUR_MS),
];

const SIDE_WORDS: Sides<SideWords> = bySide((side) => ({ name: side, title: side, place: `the ${side} side` }));

/** A history as it is played. */
export type Simulation = {
  readonly history: History;
  readonly world: World;
  readonly flaws: Flaws;
  readonly counts: Counts;
  readonly trace: string[];
  readonly steps: number[];
  /** A contact is left out of a listing once at most: twice in a row counts as deleted. */
  holes: number;
};

/** Nothing happens to the process. */
export const QUIET: ProcessPlan = {
  crash: null,
  faultAt: () => undefined,
  beforeCall: () => {},
  hidesOne: () => false,
  mayHide: () => false,
  onFault: () => {},
  salt: 1,
};

/** A process and what the engine works with in it. */
export const contextOf = (
  { history, world, flaws }: Pick<Simulation, 'history' | 'world' | 'flaws'>,
  plan: ProcessPlan,
) => {
  const process = startProcess(world, plan);
  const policy: Policy = {
    direction: history.hardness?.direction ?? 'both',
    conflicts: history.conflicts,
    deletes: 'propagate',
    deleteLimit: { count: history.deleteCount, percent: null },
    buckets: ['*'],
  };
  const context: LinkContext = {
    link: world.link,
    sides: SIDE_WORDS,
    policy,
    sweepIntervalMs: SWEEP_INTERVAL_MS,
    // As short as it can be: what is pruned must be missed by nothing.
    retentionMs: 0,
    // The clock stands still while a run waits.
    looksAfterMs: [0, 0],
    remotes: process.remotes,
    endpoints: { left: 'left endpoint', right: 'right endpoint' },
    credentials: { left: 'g', right: 's' },
    store: flaws.store === undefined ? process.store : flaws.store(process.store),
    clock: world.clock,
    newId: () => `${world.link}-${world.nextNumber()}`,
  };
  return { process, context };
};

type Done = { readonly result: RunResult | null; readonly writes: number; readonly steps: number };

/** One run of the engine; null where its process died. */
const runOnce = async (
  simulation: Simulation,
  plan: ProcessPlan,
  options: { readonly full: boolean; readonly acceptDeletes: boolean },
): Promise<Done> => {
  const { history, world, counts, trace } = simulation;
  const { process, context } = contextOf(simulation, plan);
  const before = world.counts.writes;
  const [pairsBefore, destroyedBefore] = [world.pairs.length, world.destroyed.length];
  const startedAtMs = world.clock.now();
  let result: RunResult | null = null;
  try {
    result = await runLink(context, {
      kind: options.full ? 'full' : 'incremental',
      acceptDeletes: options.acceptDeletes,
      signal: new AbortController().signal,
      onEvent: () => {},
    });
  } catch (error) {
    if (!process.isDead()) throw error;
  }
  if (process.isDead()) {
    result = null;
    counts.crashes += 1;
    world.clock.advance(LEASE_MS);
  }
  counts.runs += 1;
  const writes = world.counts.writes - before;
  counts.writes += writes;
  trace.push(
    `${result?.summary.kind ?? '?'} ${result?.summary.outcome ?? 'died'}, ${process.calls()} calls, ${process.steps()} steps, ${writes} writes${result?.summary.reason ? ` (${result.summary.reason})` : ''}`,
  );
  if (result?.summary.outcome === 'halted') {
    counts.halts += 1;
    if (writes > 0) world.complaints.push('a halted run wrote');
  }
  if (result !== null && result.error !== null && isUnexpected(result.error))
    throw new Error('a run failed', { cause: result.error });
  noteTold(world, result?.summary.outcome === 'completed');
  await judgeConflicts(simulation, startedAtMs);
  await explainConflicts(world);
  await noteLinked(world);
  if (history.hardness !== undefined) {
    if (result?.summary.outcome === 'halted') judgeHalt(world, history.deleteCount, result.summary.reason);
    judgeDestroyed(world, history.deleteCount, { pairsBefore, destroyedBefore, isAccepted: options.acceptDeletes });
  }
  return { result, writes, steps: process.steps() };
};

const EXPECTED = [
  'LimitedError',
  'UnavailableError',
  'RevokedError',
  'HaltError',
  'LeaseError',
  'StaleError',
  'NotFoundError',
];

/** An error that no remote gave: the engine itself is wrong. */
const isUnexpected = (error: unknown): boolean => !(error instanceof Error) || !EXPECTED.includes(error.name);

/** The faults of a run that are aimed at a kind of write, each of which happens once, and its unreadable rows. */
const aimsOf = ({ world, counts }: Simulation, { aims = [], unreadable = null }: RunStep) => {
  const open = new Set(aims);
  const find = (op: WriteOp, side: Side): Aim | undefined =>
    [...open].find((aim) => aim.op === op && (aim.side ?? side) === side);
  return {
    aimedAt: (op: WriteOp, side: Side) => find(op, side)?.fault,
    afterAimed: (op: WriteOp, side: Side) => {
      const aim = find(op, side);
      if (aim === undefined) return;
      open.delete(aim);
      counts.faults += 1;
      for (const edit of aim.after) applyEdit(world, edit);
    },
    isUnreadable: (side: Side, id: string): boolean =>
      unreadable !== null && unreadable.side === side && Number(/\d+$/u.exec(id)?.[0] ?? 0) % unreadable.each === 0,
  };
};

/** Keeps in mind who is linked now. */
const noteLinked = async (world: World): Promise<void> => {
  const ids: Record<Side, Map<number, string>> = { left: new Map(), right: new Map() };
  for (const side of SIDES) {
    const linked = world.linked[side];
    linked.clear();
    for (const { id, pair } of await world.store.index(world.link, side)) {
      if (pair === null) continue;
      linked.add(id);
      ids[side].set(pair, id);
    }
    const rows = world.books[side].rows.filter((row) => linked.has(row.id));
    for (const row of rows) world.unconfirmed.delete(row);
  }
  const pairs = [...ids.left].flatMap(([pair, left]) => {
    const right = ids.right.get(pair);
    return right === undefined ? [] : [{ left, right }];
  });
  world.pairs.splice(0, world.pairs.length, ...pairs);
};

/** What a completed run was told of deletions is known from then on; what another one was told may be forgotten. */
const noteTold = (world: World, completed: boolean): void => {
  for (const row of SIDES.flatMap((side) => world.books[side].rows)) {
    if (row.told === 'now') row.told = completed ? 'before' : 'no';
  }
};

/** A value that its user had taken away before the run began must win no conflict. */
const judgeConflicts = async ({ history, world }: Simulation, startedAtMs: number): Promise<void> => {
  const { hardness } = history;
  if (hardness === undefined) return;
  const knownAtMs = startedAtMs - Math.max(hardness.listingLagMs, hardness.feedLagMs);
  for (const { field, winner, left, right, leftId } of await world.store.conflicts(world.link, { all: true })) {
    const token = tokenOf(field, winner === 'left' ? left : right);
    const key = JSON.stringify([field, winner, left, right, leftId]);
    if (token === null || world.judged.has(key)) continue;
    world.judged.add(key);
    const takenAtMs = world.ledger.takenAtMs[winner].get(token);
    if (takenAtMs === undefined || takenAtMs >= knownAtMs) continue;
    world.complaints.push(`${token} won a conflict although it had been taken away at ${winner} before`);
  }
};

const forgetUnanswered = ({ books, unanswered }: World, side: Side, id: string): void => {
  const row = books[side].find(id);
  if (row !== undefined) unanswered.delete(row);
};

const performRun = async (simulation: Simulation, step: RunStep): Promise<void> => {
  const { world, counts } = simulation;
  for (const edit of step.before) {
    applyEdit(world, edit);
    counts.edits += 1;
    world.clock.advance(1_000);
  }
  world.clock.advance(step.gapMs);
  const plan: ProcessPlan = {
    crash: step.crash,
    salt: step.salt,
    faultAt: (call) => {
      return step.faults.find((each) => each.call === call && each.fault !== 'hole')?.fault;
    },
    beforeCall: (call) => {
      for (const { edit } of step.meanwhile.filter((each) => each.call === call)) {
        // By hand, into both at once: not while a run has read one side and not the other.
        if (edit.kind === 'twin') continue;
        applyEdit(world, edit);
        counts.edits += 1;
      }
    },
    hidesOne: () => simulation.holes === 0 && step.faults.some(({ fault }) => fault === 'hole'),
    mayHide: (side, id) => world.linked[side].has(id),
    onAnswered: (side, id) => forgetUnanswered(world, side, id),
    ...aimsOf(simulation, step),
    onFault: (fault: Fault) => {
      counts.faults += 1;
      if (fault === 'hole') simulation.holes += 1;
    },
  };
  const { steps } = await runOnce(simulation, plan, { full: step.full, acceptDeletes: false });
  simulation.steps.push(steps);
};

/** Lets quiet runs follow each other until three in a row, two of them sweeps, write nothing. */
const comeToRest = async (simulation: Simulation): Promise<void> => {
  const { world, trace } = simulation;
  trace.push('-- rest');
  let quiet = 0;
  for (const gapMs of REST_GAPS_MS) {
    world.clock.advance(gapMs);
    const { result, writes } = await runOnce(simulation, QUIET, { full: false, acceptDeletes: true });
    const unsettled = (await world.store.journal(world.link, { open: true })).length;
    quiet = writes === 0 && unsettled === 0 && result?.summary.outcome === 'completed' ? quiet + 1 : 0;
    if (quiet === 3) return;
  }
  throw new ViolationError(['it never came to rest'], world, trace);
};

const assertRest = async (simulation: Simulation, rested: ReadonlySet<number>): Promise<void> => {
  const { history, world, trace } = simulation;
  const violations = await checkAtRest(world, rested, history.hardness);
  if (violations.length > 0) throw new ViolationError(violations, world, trace);
};

/** How a history ended. */
export type Ending = {
  readonly world: World;
  /** The numbered steps of each run that the history asked for. */
  readonly steps: readonly number[];
  readonly conflicts: readonly ConflictRow[];
};

/** Plays a history through the real engine and the real store; throws {@link ViolationError} where it broke a promise. */
export const runHistory = async (history: History, counts: Counts = noCounts(), flaws: Flaws = {}): Promise<Ending> => {
  const world = createWorld(history, flaws);
  const simulation: Simulation = { history, world, flaws, counts, trace: [], steps: [], holes: 0 };
  let rested: ReadonlySet<number> = new Set();
  for (const phase of history.phases) {
    for (const step of phase) await performRun(simulation, step);
    await comeToRest(simulation);
    await assertRest(simulation, rested);
    rested = await peopleAtRest(world);
    world.ledger.rest();
  }
  const { writes } = await runOnce(simulation, QUIET, { full: true, acceptDeletes: true });
  if (writes > 0) throw new ViolationError(['a full run after rest wrote'], world, simulation.trace);
  await assertRest(simulation, rested);
  const conflicts = await world.store.conflicts(world.link, { all: true });
  counts.raced += world.counts.raced;
  counts.conflicts += conflicts.length;
  return { world, steps: simulation.steps, conflicts };
};

import type { ConflictRow } from '../../src/core/state/rows.ts';
import { choosing } from '../support/memory/choosing.ts';
import { restChoosing } from './choices.ts';
import { checkShown, compute, showsExtras, withExtras } from './extras.ts';
import { bySide, type Sides, type SideWords } from '../../src/core/contact/side.ts';
import type { Policy } from '../../src/core/reconcile/policy.ts';
import type { LinkContext } from '../../src/engine/session.ts';
import { runLink, type RunResult } from '../../src/engine/run.ts';
import type { RunEvent } from '../../src/engine/run-event.ts';
import type { Fault } from '../support/memory/incidents.ts';
import { startProcess, type ProcessPlan } from '../support/memory/process.ts';
import { applyEdit } from './hard-edits.ts';
import { followAims, followAnswers, followLosses, followLost, followReads } from './follow-run.ts';
import { checkDestroyed, checkHalt } from './guarded.ts';
import type { History, RunStep } from './history.ts';
import {
  checkAtRest,
  checkExplained,
  describe,
  explainConflicts,
  peopleAtRest,
  peopleRefused,
  presentTokens,
} from './invariants.ts';
import { checkConflicts, checkUntouched, noteAgreed, noteLinked, noteReportedDeletions } from './judge-run.ts';
import { checkPeople, checkPairs, noteReported, restPeople } from './judge-people.ts';
import { allAsked, answerQuestion, noteQuestions, rememberQuestions } from './decisions.ts';
import { noteLost, noteRead, noteUnlinked, noteUntouchable } from './selecting.ts';
import { noteEdited, restOneWay } from './turning.ts';
import { createWorld, type Flaws, type World } from './world.ts';

/** The number of injected events. */
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

/** A history broke an invariant. */
class ViolationError extends Error {
  constructor(violations: readonly string[], world: World, trace: readonly string[]) {
    super([...violations, '-- current contacts:', ...describe(world), '-- runs:', ...trace].join('\n'));
    this.name = 'ViolationError';
  }
}

const LEASE_MS = 16_000;
const SWEEP_INTERVAL_MS = 6 * 3_600_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Long enough for lags, then for sweeps, then for the longest backoff. */
const REST_GAPS_MS = [
  12 * MINUTE_MS,
  7 * HOUR_MS,
  7 * HOUR_MS,
  7 * HOUR_MS,
  ...Array.from({ length: 10 }, () => 25 * HOUR_MS),
];

/** At least three of them are quiet, even where a late value is written. */
const LATE_RUNS = 6;

const SIDE_WORDS: Sides<SideWords> = bySide((side) => ({ name: side, title: side, place: `the ${side} side` }));

/** The state of a history while it is played. */
export type Simulation = {
  readonly history: History;
  readonly world: World;
  readonly flaws: Flaws;
  readonly counts: Counts;
  readonly trace: string[];
  readonly steps: number[];
  /** Whether the last run that did not fail was halted: only then the next run may accept its losses. */
  wasHalted: boolean;
  /** Number of contacts left out of listings; at most one, because two in a row count as deleted. */
  holes: number;
};

/** A process without faults. */
export const QUIET: ProcessPlan = {
  crash: null,
  faultAt: () => undefined,
  beforeCall: () => {},
  hidesOne: () => false,
  mayHide: () => false,
  onFault: () => {},
  salt: 1,
};

/** A process and the engine's context in it. */
export const contextOf = (
  { history, world, flaws }: Pick<Simulation, 'history' | 'world' | 'flaws'>,
  plan: ProcessPlan,
) => {
  const process = startProcess(world, plan);
  const { fields, directions } = withExtras(history, world.choosing);
  const policy: Policy = {
    direction: world.parts.direction,
    directions: { ...history.directions, ...directions },
    conflicts: history.conflicts,
    ...(history.conflictsByField && { conflictsByField: history.conflictsByField }),
    deletes: 'propagate',
    deleteLimit: { count: history.deleteCount, percent: null },
    firstSync: 'run',
    buckets: ['*'],
    contacts: world.parts.contacts,
  };
  const context: LinkContext = {
    link: world.link,
    sides: SIDE_WORDS,
    fields,
    policy,
    sweepIntervalMs: SWEEP_INTERVAL_MS,
    retentionMs: history.keepsAll === true ? null : 0,
    // The clock does not advance while a run waits.
    looksAfterMs: [0, 0],
    // In every other process a first sync of more than two contacts is planned in parts.
    partSize: plan.salt % 2 === 0 ? 2 : 1_000,
    remotes: bySide((side) => choosing(process.remotes[side], fields)),
    endpoints: bySide((side) => `${side} endpoint of ${world.link}`),
    credentials: { left: 'g', right: 's' },
    store: flaws.store === undefined ? process.store : flaws.store(process.store),
    clock: world.clock,
    newId: () => `${world.link}-${world.nextNumber()}`,
  };
  return { process, context };
};

type Done = { readonly result: RunResult | null; readonly writes: number; readonly steps: number };

/** Performs one run of the engine; the result is null where its process died. */
const runOnce = async (
  simulation: Simulation,
  plan: ProcessPlan,
  options: {
    readonly full: boolean;
    readonly acceptsLosses?: true;
    /** Whether a side loses contacts for the time of the run, so that it halts without a user's deletion. */
    readonly isOutage?: boolean;
  },
): Promise<Done> => {
  const { history, world, counts, trace } = simulation;
  const { process, context } = contextOf(simulation, plan);
  const before = world.counts.writes;
  const [pairsBefore, destroyedBefore] = [[...world.pairs], world.destroyed.length];
  const startedAtMs = world.clock.now();
  let result: RunResult | null = null;
  noteLost(world);
  noteUnlinked(world);
  noteUntouchable(world);
  try {
    const { acceptsLosses } = options;
    const onEvent = (event: RunEvent): void => noteReported(world, event);
    const accepting = acceptsLosses && { accepts: { kind: 'losses' } as const };
    const asked = { ...accepting, signal: new AbortController().signal, onEvent };
    result = await runLink(context, { ...asked, kind: options.full ? 'full' : 'incremental' });
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
  noteReportedDeletions(world, result?.summary.outcome === 'completed');
  noteLost(world);
  if (result?.summary.outcome === 'completed') noteRead(world, startedAtMs, result.summary.kind === 'full');
  await checkConflicts(world, history.hardness, startedAtMs);
  await checkUntouched(world);
  await explainConflicts(world);
  await noteQuestions(world);
  // Users may have changed a contact before the run paired it again.
  noteUnlinked(world);
  await noteLinked(world);
  noteUnlinked(world);
  checkPairs(world);
  if (history.hardness !== undefined) {
    if (result?.summary.outcome === 'halted' && options.isOutage !== true)
      checkHalt(world, history.deleteCount, result.summary.reason);
    // Nothing is accepted if the plan has a loss that the halted run did not show.
    const { acceptedDeletes } = await world.store.link(world.link);
    const isStored = acceptedDeletes !== null && acceptedDeletes.atMs >= startedAtMs;
    checkDestroyed(world, history.deleteCount, {
      pairsBefore: pairsBefore.length,
      destroyedBefore,
      isAccepted: options.acceptsLosses === true && simulation.wasHalted && isStored,
    });
  }
  if (result !== null && result.summary.outcome !== 'failed')
    simulation.wasHalted = result.summary.outcome === 'halted';
  // A process may die after its halt is stored.
  if (result === null) {
    const [last] = await world.store.runs(world.link, { newest: 1 });
    if (last?.outcome === 'halted') simulation.wasHalted = true;
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

/** Whether an error is a defect of the engine, not an answer of a remote. */
const isUnexpected = (error: unknown): boolean => !(error instanceof Error) || !EXPECTED.includes(error.name);

const performRun = async (simulation: Simulation, step: RunStep): Promise<void> => {
  const { history, world, counts } = simulation;
  const contacts = step.contacts ?? history.selections?.[simulation.steps.length] ?? null;
  if (contacts !== null) Object.assign(world.parts, { contacts, selects: true });
  const answer = history.answers?.[simulation.steps.length] ?? null;
  const { directions, conflicts } = history;
  const terms = { direction: world.parts.direction, conflicts, ...(directions && { directions }) };
  if (answer !== null) await answerQuestion(world, terms, answer);
  for (const edit of step.before) {
    applyEdit(world, edit);
    counts.edits += 1;
    world.clock.advance(1_000);
  }
  compute(history, world, simulation.steps.length);
  world.clock.advance(step.gapMs);
  const answers = followAnswers(world);
  const reads = followReads(world, step);
  const plan: ProcessPlan = {
    crash: step.crash,
    salt: step.salt,
    faultAt: (call) => {
      return step.faults.find((each) => each.call === call && each.fault !== 'hole')?.fault;
    },
    beforeCall: (call) => {
      for (const { edit } of step.during.filter((each) => each.call === call)) {
        // A twin is entered on both sides at once, which cannot happen between the reads of the two sides.
        if (edit.kind === 'twin') continue;
        applyEdit(world, edit);
        counts.edits += 1;
      }
    },
    hidesOne: () => simulation.holes === 0 && step.faults.some(({ fault }) => fault === 'hole'),
    mayHide: (side, id) => world.linked[side].has(id),
    onAnswered: answers.onAnswered,
    isUnreadable: reads.isUnreadable,
    isLost: followLost(world, step, history.deleteCount),
    ...followLosses(world),
    ...followAims(world, step, () => (counts.faults += 1)),
    onFault: (fault: Fault) => {
      counts.faults += 1;
      if (fault === 'hole') simulation.holes += 1;
    },
  };
  const isOutage = (step.lost ?? null) !== null;
  const { result, steps } = await runOnce(simulation, plan, { full: step.full, isOutage });
  if (result === null) answers.onDeath();
  if (result?.summary.outcome === 'completed' || result?.summary.outcome === 'halted') reads.onStored();
  simulation.steps.push(steps);
};

/** Performs runs without faults until three in a row, two of them sweeps, write nothing. */
const comeToRest = async (simulation: Simulation, gapsMs: readonly number[]): Promise<void> => {
  const { world, trace } = simulation;
  trace.push('-- rest');
  let quiet = 0;
  for (const gapMs of gapsMs) {
    world.clock.advance(gapMs);
    const startedAtMs = world.clock.now();
    const { result, writes } = await runOnce(simulation, QUIET, { full: false, acceptsLosses: true });
    const unsettled = (await world.store.journal(world.link, { open: true })).length;
    quiet = writes === 0 && unsettled === 0 && result?.summary.outcome === 'completed' ? quiet + 1 : 0;
    if (quiet < 3) continue;
    // The last of them was a sweep.
    return noteRead(world, startedAtMs, true);
  }
  throw new ViolationError(['it never came to rest'], world, trace);
};

const assertRest = async (simulation: Simulation, rested: ReadonlySet<number>): Promise<void> => {
  const { history, world, trace } = simulation;
  const { rejections } = await world.store.link(world.link);
  const violations = [
    ...(await checkAtRest(world, rested, history.hardness)),
    ...(await checkExplained(world, contextOf(simulation, QUIET).context.policy)),
    ...checkShown(history, world, rejections),
    ...checkPeople(world),
  ];
  if (violations.length > 0) throw new ViolationError(violations, world, trace);
};

/** The direction of the link in a phase. */
const directionIn = ({ hardness }: History, phase: number): Policy['direction'] =>
  (phase === 1 ? hardness?.turns : undefined) ?? hardness?.direction ?? 'both';

/** The end of a history. */
export type Ending = {
  readonly world: World;
  /** The number of steps of each run of the history. */
  readonly steps: readonly number[];
  readonly conflicts: readonly ConflictRow[];
};

/** Plays a history with the real engine and store. @throws {ViolationError} where it breaks a rule. */
export const runHistory = async (history: History, counts: Counts = noCounts(), flaws: Flaws = {}): Promise<Ending> => {
  const world = createWorld(history, flaws);
  const simulation: Simulation = { history, world, flaws, counts, trace: [], steps: [], wasHalted: false, holes: 0 };
  let rested: ReadonlySet<number> = new Set();
  for (const [index, phase] of history.phases.entries()) {
    world.parts.direction = directionIn(history, index);
    for (const step of phase) await performRun(simulation, step);
    await comeToRest(simulation, REST_GAPS_MS);
    // A computed value is shown within a day.
    if (showsExtras(history)) await comeToRest(simulation, REST_GAPS_MS.slice(-LATE_RUNS));
    await assertRest(simulation, rested);
    rested = await peopleAtRest(world);
    const oneSided = history.hardness?.turns === undefined ? [] : restOneWay(world);
    world.ledger.rest({
      refused: await peopleRefused(world),
      asked: new Set([...allAsked(world), ...oneSided]),
      present: presentTokens(world, history.hardness !== undefined),
    });
    for (const token of oneSided) noteEdited(world, token);
    noteAgreed(world);
    restPeople(world);
    rememberQuestions(world);
    world.parts.reunited.clear();
    world.beforeRestore.clear();
    world.unanswered.clear();
    world.unread.clear();
    restChoosing(world.choosing);
  }
  const { writes } = await runOnce(simulation, QUIET, { full: true, acceptsLosses: true });
  if (writes > 0) throw new ViolationError(['a full run after rest wrote'], world, simulation.trace);
  await assertRest(simulation, rested);
  const conflicts = await world.store.conflicts(world.link, { all: true });
  counts.raced += world.counts.raced;
  counts.conflicts += conflicts.length;
  return { world, steps: simulation.steps, conflicts };
};

import { SIDES, type Side, type Sides } from '../core/contact/side.ts';
import type { RunRow } from '../core/state/rows.ts';
import type { LinkConfig } from './config/link-config.ts';
import { planUndoRun, undoRun, type UndoOptions } from '../engine/history/undo.ts';
import type { LinkContext, RunOptions } from '../engine/session.ts';
import type { RunEvent } from '../engine/run-event.ts';
import { logResult, logRunEvent } from './run-log.ts';
import { planLink, type PlanResult } from '../engine/plan-link.ts';
import { runLink, type RunResult } from '../engine/run.ts';
import { cacheContexts, type ContextParts } from './links.ts';

type OnEventOption = { readonly onEvent?: (event: RunEvent) => void };
export type LinkRunOptions = Omit<RunOptions, 'onEvent'> & OnEventOption;

type UndoRunOptions = Omit<LinkRunOptions, 'kind' | 'stop' | 'onLease'> & Pick<UndoOptions, 'write'>;

/** Whether every run repeats the event until a person acts. Such an event is logged once. */
const isWarning = (event: RunEvent): boolean =>
  event.kind === 'ambiguous' || event.kind === 'skipped' || (event.kind === 'group' && event.action === 'duplicate');

const findMissing = async (
  { remotes }: LinkContext,
  ids: Partial<Sides<string>>,
  signal: AbortSignal,
): Promise<readonly Side[]> => {
  const missing: Side[] = [];
  for (const side of SIDES) {
    const id = ids[side];
    if (id === undefined) continue;
    const answer = (await remotes[side].read([id], signal)).get(id);
    if (answer === undefined || answer.kind === 'gone') missing.push(side);
  }
  return missing;
};

/** Leaves out the event that interrupted writes are settled: a plan settles them in its copy only. */
const ofPlan =
  (onEvent: RunOptions['onEvent']): RunOptions['onEvent'] =>
  (event, run) => {
    if (event.kind !== 'recovered') onEvent(event, run);
  };

/** Creates the runs of links. Contexts are kept between runs. */
export const createRuns = (parts: ContextParts) => {
  const { events } = parts;
  const contextOf = cacheContexts(parts);
  /** The repeated events of the last run of each link. They may be lost without harm. */
  const lastWarned = new Map<string, ReadonlySet<string>>();
  const logTo = ({ name: link, sides }: LinkConfig, { onEvent }: OnEventOption, warned: Set<string> = new Set()) => {
    const known = lastWarned.get(link);
    return (event: RunEvent, run: string): void => {
      const warning = isWarning(event) ? JSON.stringify(event) : null;
      if (warning !== null) warned.add(warning);
      if (warning === null || known?.has(warning) !== true) logRunEvent(events, { link, run, sides }, event);
      onEvent?.(event);
    };
  };
  /** Works on a temporary copy of the link, so that the store stays as it is. */
  const onScratch = async <T>(link: LinkConfig, work: (context: LinkContext) => Promise<T>): Promise<T> => {
    const context = await contextOf(link);
    const scratch = await parts.lease.store.scratch(link.name);
    try {
      return await work({ ...context, store: scratch });
    } finally {
      await scratch.close();
      await parts.gates.save();
    }
  };
  /** Stores the budgets, and logs the result. The next call stores budgets that this one could not. */
  const conclude = async ({ sides }: LinkConfig, result: RunResult): Promise<void> => {
    await parts.gates.save().catch(() => undefined);
    logResult(events, sides, result);
  };
  return {
    /** Runs one link. Throws {@link LeaseError} if another process has its lease, ConfigError without tokens. */
    run: async (link: LinkConfig, options: LinkRunOptions): Promise<RunResult> => {
      const warned = new Set<string>();
      const result = await runLink(await contextOf(link), { ...options, onEvent: logTo(link, options, warned) });
      lastWarned.set(link.name, warned);
      await conclude(link, result);
      return result;
    },
    /** Plans a run on a copy of the store and writes nothing. Throws if it cannot plan. */
    plan: (link: LinkConfig, options: Omit<LinkRunOptions, 'accepts'>): Promise<PlanResult> =>
      onScratch(link, (context) => planLink(context, { ...options, onEvent: ofPlan(logTo(link, options)) })),
    /** Reverts the writes of a run, or one of them. Throws like `run`. */
    undo: async (link: LinkConfig, run: RunRow, options: UndoRunOptions) => {
      const done = await undoRun(await contextOf(link), { ...options, onEvent: logTo(link, options) }, run);
      await conclude(link, done.result);
      return done;
    },
    /** Returns the sides that have no contact with that id. Reads only the ids that are given. Throws a RemoteError. */
    missing: async (link: LinkConfig, ids: Partial<Sides<string>>, signal: AbortSignal): Promise<readonly Side[]> => {
      const missing = await findMissing(await contextOf(link), ids, signal);
      await parts.gates.save();
      return missing;
    },
    /** Plans an undo and writes nothing. Throws like `plan`. */
    planUndo: (link: LinkConfig, run: RunRow, options: UndoRunOptions) =>
      onScratch(link, (context) => planUndoRun(context, { ...options, onEvent: ofPlan(logTo(link, options)) }, run)),
  };
};

/** The operations on a link. */
export type Runs = ReturnType<typeof createRuns>;

import { expect } from 'vitest';
import { undoRun } from '../../src/engine/history/undo.ts';
import type { RunEvent } from '../../src/engine/run-event.ts';
import { runLink } from '../../src/engine/run.ts';
import type { ProcessPlan } from '../support/memory/process.ts';
import type { Players } from './history.ts';
import { contextOf, QUIET } from './run-history.ts';
import { history, HOUR_MS } from './scenario.ts';
import { createWorld } from './world.ts';

const NEVER = new AbortController().signal;

/** A world that a test edits itself, with a link that runs an hour after the last run. */
export const openWorld = (players: Players) => {
  const played = history([], { players, keepsAll: true });
  const world = createWorld(played, {});
  const events: RunEvent[] = [];
  const options = { onEvent: (event: RunEvent) => void events.push(event), signal: NEVER };
  /** Runs a process that `plan` may end. The result is null if the process dies. */
  const within = async <T>(
    plan: ProcessPlan,
    use: (context: ReturnType<typeof contextOf>['context']) => Promise<T>,
  ): Promise<T | null> => {
    world.clock.advance(HOUR_MS);
    const { context, process } = contextOf({ history: played, world, flaws: {} }, plan);
    try {
      return await use(context);
    } catch (error) {
      if (!process.isDead()) throw error;
      return null;
    }
  };
  return {
    ...world.books,
    world,
    /** The events of all runs. */
    events,
    /** Syncs without a failure, and returns the id of the run; empty if the process dies. */
    sync: async (plan: ProcessPlan = QUIET): Promise<string> => {
      const result = await within(plan, (context) => runLink(context, { ...options, kind: 'full' }));
      if (plan === QUIET) expect(result?.error).toBeNull();
      return result?.summary.run ?? '';
    },
    /** Undoes a run, and accepts its losses. The report is null if the process dies. */
    undo: (id: string, plan: ProcessPlan = QUIET) =>
      within(plan, async (context) => {
        const [run] = await context.store.runs(world.link, { idPrefix: id });
        if (run === undefined) throw new Error('There is no such run.');
        return (await undoRun(context, { ...options, accepts: { kind: 'losses' } }, run)).report;
      }),
  };
};

import { expect } from 'vitest';
import { undoRun } from '../../src/engine/history/undo.ts';
import type { RunEvent } from '../../src/engine/run-event.ts';
import { runLink, type RunResult } from '../../src/engine/run.ts';
import type { LinkContext, RunOptions } from '../../src/engine/session.ts';
import type { ProcessPlan } from '../support/memory/process.ts';
import type { History } from './history.ts';
import { contextOf, QUIET } from './run-history.ts';
import { history, HOUR_MS } from './scenario.ts';
import { createWorld } from './world.ts';

/** The differences of a process from one without faults. */
export type Process = {
  readonly plan?: Partial<ProcessPlan>;
  /** Other values of the link. */
  readonly change?: ((context: LinkContext) => Partial<LinkContext>) | undefined;
  /** The time since the process before; an hour by default. */
  readonly afterMs?: number;
};

/** A world that a test edits itself, with a link. Each run is a process of its own. */
export const openWorld = (given: Partial<Omit<History, 'phases'>> = {}) => {
  const played = history([], { keepsAll: true, ...given });
  const world = createWorld(played, {});
  const events: RunEvent[] = [];
  const options = { onEvent: (event: RunEvent) => void events.push(event), signal: new AbortController().signal };
  /** Returns null as the value if the process dies, and how many calls it sent to the two sides together. */
  const within = async <T>(
    use: (context: LinkContext) => Promise<T>,
    { plan = {}, change = () => ({}), afterMs = HOUR_MS }: Process = {},
  ): Promise<{ readonly value: T | null; readonly calls: number }> => {
    world.clock.advance(afterMs);
    const { context, process } = contextOf({ history: played, world, flaws: {} }, { ...QUIET, ...plan });
    const value = await use({ ...context, ...change(context) }).catch((error: unknown) => {
      if (!process.isDead()) throw error;
      return null;
    });
    return { value: process.isDead() ? null : value, calls: process.calls() };
  };
  const play = (more: Partial<RunOptions> = {}, process: Process = {}) =>
    within<RunResult>((context) => runLink(context, { kind: 'incremental', ...options, ...more }), process);
  return {
    ...world.books,
    world,
    /** The events of all runs. */
    events,
    within,
    play,
    /** Runs without a failure. */
    sync: async (more: Partial<RunOptions> = {}, process: Process = {}) => {
      const { value } = await play(more, process);
      expect(value?.error).toBeNull();
      return value?.summary ?? expect.fail('The process died.');
    },
    /** Undoes a run, and accepts its losses. The report is null if the process dies. */
    undo: async (id: string, process: Process = {}) => {
      const { value } = await within(async (context) => {
        const [run] = await context.store.runs(world.link, { idPrefix: id });
        if (run === undefined) throw new Error('There is no such run.');
        return undoRun(context, { ...options, accepts: { kind: 'losses' } }, run);
      }, process);
      return value?.report ?? null;
    },
  };
};

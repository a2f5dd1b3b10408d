import { expect, test } from 'vitest';
import type { Remote } from '../../src/providers/remote.ts';
import { StoppedError } from '../../src/engine/context.ts';
import { runLink } from '../../src/engine/run.ts';
import { applyEdit } from './hard-edits.ts';
import { contextOf, QUIET } from './run-history.ts';
import { history } from './scenario.ts';
import { createWorld } from './world.ts';

const CONTACTS = 120;
const DAY_MS = 24 * 60 * 60_000;
/** How many contacts a side that takes one to a request is asked about between two points where a run can stop. */
const STEP = 50;

/** Contacts that both sides hold, and runs that are stopped as soon as they ask the right side, which is the service. */
const startRuns = async () => {
  const played = history([], { players: { left: 'google', right: 'service' } });
  const world = createWorld(played, {});
  const runOnce = async (change: (right: Remote, stopping: AbortController) => Partial<Remote> = () => ({})) => {
    const { context } = contextOf({ history: played, world, flaws: {} }, QUIET);
    const stopping = new AbortController();
    const right = { ...context.remotes.right, ...change(context.remotes.right, stopping) };
    return runLink(
      { ...context, remotes: { left: context.remotes.left, right } },
      {
        kind: 'incremental',
        acceptDeletes: true,
        signal: new AbortController().signal,
        stop: stopping.signal,
        onEvent: () => {},
      },
    );
  };
  for (let count = 0; count < CONTACTS; count += 1) applyEdit(world, { kind: 'create', side: 'left', rich: true });
  applyEdit(world, { kind: 'group', side: 'left', both: true });
  expect((await runOnce()).error).toBeNull();
  world.clock.advance(DAY_MS);
  return { world, runOnce };
};

test('R11: a run that is stopped while memberships change ends after the few under way', async () => {
  const { world, runOnce } = await startRuns();
  for (let who = 0; who < CONTACTS; who += 1) applyEdit(world, { kind: 'join', side: 'left', who, group: 0 });
  const moved: number[] = [];
  const stopped = await runOnce((right, stopping) => ({
    changeMembership: (batch, signal) => {
      moved.push(batch.length);
      stopping.abort(new StoppedError());
      return right.changeMembership(batch, signal);
    },
  }));
  expect(stopped.error).toBeInstanceOf(StoppedError);
  expect(moved).toHaveLength(1);
  expect(moved[0]).toBeLessThanOrEqual(STEP);
  expect((await runOnce()).error).toBeNull();
});

test('R7: a run that is stopped while it reads what a listing missed ends after the few under way', async () => {
  const { world, runOnce } = await startRuns();
  for (let who = 0; who < CONTACTS - 10; who += 1) applyEdit(world, { kind: 'delete', side: 'right', who: 0 });
  const read: number[] = [];
  const stopped = await runOnce((right, stopping) => ({
    read: (ids, signal) => {
      read.push(ids.length);
      stopping.abort(new StoppedError());
      return right.read(ids, signal);
    },
  }));
  expect(stopped.error).toBeInstanceOf(StoppedError);
  expect(read).toHaveLength(1);
  expect(read[0]).toBeLessThanOrEqual(STEP);
  expect((await runOnce()).error).toBeNull();
});

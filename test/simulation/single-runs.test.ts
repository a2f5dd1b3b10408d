import { NO_ACTIVITY } from '../../src/core/state/rows.ts';
import { describe, expect, test } from 'vitest';
import { UnreadableError } from '../../src/providers/errors.ts';
import type { Remote } from '../../src/providers/remote.ts';
import { PLAIN_HABITS } from '../support/memory/book.ts';
import type { ProcessPlan } from '../support/memory/process.ts';
import type { LinkContext } from '../../src/engine/context.ts';
import { runLink, type RunResult } from '../../src/engine/run.ts';
import { applyEdit } from './hard-edits.ts';
import type { Hardness, History } from './history.ts';
import { contextOf, QUIET } from './run-history.ts';
import { history } from './scenario.ts';
import { createWorld, liveRows, type World } from './world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

type Stage = {
  readonly world: World;
  /** One incremental run in a process of its own, and how many calls it sent to the two sides together. */
  readonly play: (
    plan?: Partial<ProcessPlan>,
    change?: (context: LinkContext) => Partial<LinkContext>,
  ) => Promise<{ readonly result: RunResult | null; readonly calls: number }>;
};

const startStage = (players: History['players'], hardness: Partial<Hardness> = {}): Stage => {
  const both: Hardness = { direction: 'both', listingLagMs: 0, feedLagMs: 0, habits: PLAIN_HABITS, ...hardness };
  const played = history([], { players, hardness: both });
  const world = createWorld(played, {});
  const play: Stage['play'] = async (plan = {}, change = () => ({})) => {
    const { process, context } = contextOf({ history: played, world, flaws: {} }, { ...QUIET, ...plan });
    const options = { kind: 'incremental', acceptDeletes: false, onEvent: () => {} } as const;
    const running = runLink({ ...context, ...change(context) }, { ...options, signal: new AbortController().signal });
    const result = await running.catch((error: unknown) => {
      if (!process.isDead()) throw error;
      return null;
    });
    return { result: process.isDead() ? null : result, calls: process.calls() };
  };
  return { world, play };
};

const PLAYERS = [
  ['google', 'service'],
  ['service', 'google'],
  ['google', 'google'],
] as const;

test('a run that writes leaves the time of its change, one that finds nothing leaves it as it was', async () => {
  const { world, play } = startStage({ left: 'google', right: 'service' });
  const activity = async () => (await world.store.link(world.link)).activity;
  await play();
  expect(await activity()).toEqual(NO_ACTIVITY);
  applyEdit(world, { kind: 'create', side: 'left', rich: true });
  await play();
  const { lastChangeAtMs, hours } = await activity();
  expect(lastChangeAtMs).toBe(world.clock.now());
  expect(hours.filter((days) => days > 0)).toEqual([1]);
  world.clock.advance(10 * MINUTE_MS);
  await play();
  expect((await activity()).lastChangeAtMs).toBe(lastChangeAtMs);
});

describe('a contact that can never be read', () => {
  test.each(PLAYERS)('R1, R15: between %s and %s costs a request a day in the end', async (left, right) => {
    const { world, play } = startStage({ left, right });
    const side = left === 'google' ? 'left' : 'right';
    for (const rich of [true, false, true]) applyEdit(world, { kind: 'create', side, rich });
    await play();
    let usual = 0;
    for (let count = 0; count < 6; count += 1) {
      world.clock.advance(10 * MINUTE_MS);
      usual = (await play()).calls;
    }
    applyEdit(world, { kind: 'set', side, who: 0, field: 'firstName' });
    const odd = liveRows(world.books[side])[0]?.id ?? '';
    const isUnreadable: ProcessPlan['isUnreadable'] = (of, id) => of === side && id === odd;
    const first = await play({ isUnreadable });
    expect(first.result?.summary).toMatchObject({ outcome: 'completed', skipped: 1 });
    for (let attempt = 0; attempt < 12; attempt += 1) {
      world.clock.advance(DAY_MS);
      expect((await play({ isUnreadable })).result?.error).toBeNull();
    }
    const idle: number[] = [];
    for (let hours = 0; hours < 24; hours += 3) {
      world.clock.advance(10 * MINUTE_MS);
      const { calls, result } = await play({ isUnreadable });
      expect(result?.summary).toMatchObject({ outcome: 'completed', skipped: 0 });
      idle.push(calls);
    }
    expect(new Set(idle)).toEqual(new Set([usual]));
  });
});

test.each([0, 1, 2, 3, 4])(
  'R9: a create that was sent before its account had a name is found once it has one (%i)',
  async (edits) => {
    const lags = { feedLagMs: 5 * MINUTE_MS, listingLagMs: 5 * MINUTE_MS };
    const { world, play } = startStage({ left: 'google', right: 'google' }, lags);
    const identify = () => Promise.resolve(null);
    await play({}, ({ remotes }) => ({ remotes: { ...remotes, left: { ...remotes.left, identify } } }));
    applyEdit(world, { kind: 'create', side: 'left', rich: true });
    // How late a side shows a change depends on how many there were: one of these hides the new contact.
    for (let count = 0; count < edits; count += 1) {
      applyEdit(world, { kind: 'set', side: 'left', who: 0, field: 'title' });
    }
    world.clock.advance(10 * MINUTE_MS);
    const aimedAt: ProcessPlan['aimedAt'] = (op) => (op === 'create' ? 'kill' : undefined);
    expect((await play({ aimedAt })).result).toBeNull();
    expect((await world.store.link(world.link)).accounts.left).toBeNull();
    expect(liveRows(world.books.right)).toHaveLength(1);

    world.clock.advance(MINUTE_MS);
    // With its new credential, the side says whose account it is.
    const { result } = await play({}, () => ({ credentials: { left: 'new', right: 's' } }));
    expect(result?.summary).toMatchObject({ outcome: 'completed', right: { created: 0 } });
    expect((await world.store.link(world.link)).accounts.left).toBe('account at left');
    expect(liveRows(world.books.right)).toHaveLength(1);
  },
);

test('R9, R15: a create that may have made what cannot be read stays open; it stops neither the run nor the others', async () => {
  const { world, play } = startStage({ left: 'google', right: 'service' });
  await play();
  for (let count = 0; count < 3; count += 1) applyEdit(world, { kind: 'create', side: 'left', rich: true });
  world.clock.advance(10 * MINUTE_MS);
  const odd = liveRows(world.books.left)[0]?.contact.firstName ?? '';
  const doubting = ({ remotes }: LinkContext): Partial<LinkContext> => {
    const findCreated: Remote['findCreated'] = (requests, ...rest) => {
      const isOdd = requests.some(({ draft }) => draft.firstName === odd);
      const options = { status: 200, route: 'GET', applied: 'no' } as const;
      const doubt = new UnreadableError('a contact cannot be understood', options);
      return isOdd ? Promise.reject(doubt) : remotes.right.findCreated(requests, ...rest);
    };
    return { remotes: { ...remotes, right: { ...remotes.right, findCreated } } };
  };
  // Every create is applied and its answer lost; of one, nobody can tell while a row cannot be understood.
  const aimedAt: ProcessPlan['aimedAt'] = (op) => (op === 'create' ? 'lost-after' : undefined);
  const lost = await play({ aimedAt }, doubting);
  expect(lost.result?.summary).toMatchObject({ outcome: 'completed', skipped: 1 });
  const open = await world.store.journal(world.link, { open: true });
  expect(open).toMatchObject([{ kind: 'create', desired: { firstName: odd } }]);

  for (let count = 0; count < 3; count += 1) {
    world.clock.advance(10 * MINUTE_MS);
    const next = await play({}, count < 2 ? doubting : undefined);
    expect(next.result?.summary).toMatchObject({ outcome: 'completed', right: { created: 0 } });
    expect(liveRows(world.books.right)).toHaveLength(3);
  }
  world.clock.advance(30 * MINUTE_MS);
  expect((await play()).result?.summary).toMatchObject({ outcome: 'completed', right: { created: 0 } });
  expect(await world.store.journal(world.link, { open: true })).toEqual([]);
  expect((await world.store.counts(world.link)).pairs).toBe(3);
});

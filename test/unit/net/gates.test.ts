import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createGates } from '../../../src/net/gates.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { startTestRedis } from '../../support/redis.ts';
import { createVirtualClock } from '../../support/clocks.ts';

const redis = await startTestRedis();
afterAll(() => redis?.[Symbol.asyncDispose]());

const LIMIT = { requests: 60, windowMs: 60_000 };
const NEVER = new AbortController().signal;
const OK = { status: 200, headers: {} };
const ignore = (): void => undefined;

/** Opens a store that may be broken, and returns a function that starts the gates of a process. */
const open = ({ isBroken = false } = {}) => {
  const budgets = new Map<string, string>();
  const writes: string[] = [];
  const state = { isBroken };
  const unlessBroken = <Value>(value: Value): Promise<Value> =>
    state.isBroken ? Promise.reject(new Error('the store is locked')) : Promise.resolve(value);
  const store = {
    budget: (key: string) => unlessBroken(budgets.get(key) ?? null),
    saveBudget: async (key: string, text: string) => {
      await unlessBroken(null);
      writes.push(key);
      budgets.set(key, text);
    },
  };
  const clock = createVirtualClock();
  const start = (changes: Partial<Parameters<typeof createGates>[0]> = {}) =>
    createGates({ clock, random: () => 0.5, store, redisUrl: null, ...changes });
  return { budgets, writes, state, clock, start };
};

test('concurrent calls with the same name return the same gate', async () => {
  const gates = open().start();
  const [one, same, other] = await Promise.all(['a', 'a', 'b'].map((name) => gates.open(name, LIMIT, ignore)));
  expect(one).toBe(same);
  expect(one).not.toBe(other);
});

test('a gate has the limit of the latest call, and keeps its earlier requests', async () => {
  const { clock, start } = open();
  const gates = start();
  const gate = await gates.open('a', LIMIT, ignore);
  const probe = await gate.acquire(NEVER);
  await gates.open('a', { requests: 2, windowMs: 60_000 }, ignore);
  probe.done(OK);
  (await gate.acquire(NEVER)).done(OK);
  expect(gate.budget()).toMatchObject({ limit: { requests: 2 }, remaining: 0 });
  let hasPassed = false;
  const next = gate.acquire(NEVER).then(() => (hasPassed = true));
  await clock.play(60_000);
  expect(hasPassed).toBe(false);
  await gates.open('a', LIMIT, ignore);
  await next;
  expect(gate.budget()).toMatchObject({ limit: LIMIT, remaining: 57 });
});

test('only budgets of gates that were used since the last save are stored, also if only a request ended', async () => {
  const { budgets, clock, start } = open();
  const gates = start();
  const [a, b] = [await gates.open('a', LIMIT, ignore), await gates.open('b', LIMIT, ignore)];
  await gates.save();
  expect([...budgets.keys()]).toEqual([]);
  const permit = await a.acquire(NEVER);
  await gates.save();
  expect([...budgets.keys()]).toEqual(['a']);
  budgets.clear();
  await clock.play(1_000);
  await gates.save();
  expect([...budgets.keys()]).toEqual([]);
  permit.done(OK);
  (await b.acquire(NEVER)).done(OK);
  await gates.save();
  expect([...budgets.keys()].toSorted()).toEqual(['a', 'b']);
});

test('a budget that many runs share is stored at most once a second', async () => {
  const { budgets, clock, start } = open();
  const gates = start();
  const gate = await gates.open('a', LIMIT, ignore);
  const runOnce = async (): Promise<readonly string[]> => {
    budgets.clear();
    (await gate.acquire(NEVER)).done(OK);
    await gates.save();
    return [...budgets.keys()];
  };
  expect(await runOnce()).toEqual(['a']);
  await clock.play(999);
  expect(await runOnce()).toEqual([]);
  await clock.play(1);
  await gates.save();
  expect([...budgets.keys()]).toEqual(['a']);
});

test('a budget that could not be stored is stored by the next save, and once if runs end together', async () => {
  const { writes, state, start } = open();
  const gates = start();
  for (const name of ['a', 'b']) (await (await gates.open(name, LIMIT, ignore)).acquire(NEVER)).done(OK);
  state.isBroken = true;
  await expect(gates.save()).rejects.toThrow('locked');
  state.isBroken = false;
  await Promise.all([gates.save(), gates.save(), gates.save()]);
  expect(writes.toSorted()).toEqual(['a', 'b']);
});

test('an unreadable stored budget counts as missing', async () => {
  const { budgets, start } = open();
  budgets.set('a', '{"completedAtMs":[1,2,3]}');
  expect((await start().open('a', LIMIT, ignore)).budget().remaining).toBe(60);
});

test('a gate that could not be opened is opened by the next call', async () => {
  const { state, start } = open({ isBroken: true });
  const gates = start();
  await expect(gates.open('a', LIMIT, ignore)).rejects.toThrow('locked');
  state.isBroken = false;
  await gates.open('a', LIMIT, ignore);
  await gates.save();
  await gates.close();
});

test('close stores the use since the last save', async () => {
  const { start } = open();
  const gates = start();
  const gate = await gates.open('a', LIMIT, ignore);
  for (let count = 0; count < 3; count += 1) {
    (await gate.acquire(NEVER)).done(OK);
    await gates.save();
  }
  await gates.close();
  expect((await start().open('a', LIMIT, ignore)).budget().remaining).toBe(57);
});

test('the gates close even if the store refuses the budgets', async () => {
  const { state, start } = open();
  const gates = start();
  (await (await gates.open('a', LIMIT, ignore)).acquire(NEVER)).done(OK);
  state.isBroken = true;
  await gates.close();
});

test('gates close within a second if Redis does not answer', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket.resume())).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const { clock, start } = open();
  const gates = start({ redisUrl: `redis://127.0.0.1:${port}` });
  const connected = once(silent, 'connection');
  const opening = gates.open('a', LIMIT, ignore);
  await connected;
  let hasAnswered = false;
  const opened = opening.then(() => (hasAnswered = true));
  const closed = gates.close();
  await clock.play(1_000);
  await closed;
  expect(hasAnswered).toBe(false);
  await opened;
  for (const socket of sockets) socket.destroy();
  silent.close();
});

test.skipIf(redis === null)('a process that ends at once leaves no probe open', async () => {
  const name = `test-${randomUUID()}`;
  const { start } = open();
  for (const _ of ['first', 'second']) {
    const gates = start({ clock: systemClock, redisUrl: redis?.url ?? null });
    const gate = await gates.open(name, LIMIT, ignore);
    (await gate.acquire(AbortSignal.timeout(5_000))).done(OK);
    await gates.close();
  }
});

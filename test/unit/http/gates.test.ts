import { expect, test } from 'vitest';
import { createGates } from '../../../src/http/gates.ts';
import { createFakeClock } from './fake-clock.ts';

const LIMIT = { requests: 60, windowMs: 60_000 };
const NEVER = new AbortController().signal;
const OK = { status: 200, headers: {} };
const ignore = (): void => undefined;

const open = () => {
  const budgets = new Map<string, string>();
  const store = {
    budget: (key: string) => Promise.resolve(budgets.get(key) ?? null),
    saveBudget: (key: string, state: string) => Promise.resolve(void budgets.set(key, state)),
  };
  const clock = createFakeClock();
  const start = () => createGates({ clock, random: () => 0.5, store, redisUrl: null });
  return { budgets, start };
};

test('who asks for the same name gets the same gate, even at the same time', async () => {
  const gates = open().start();
  const [one, same, other] = await Promise.all(['a', 'a', 'b'].map((name) => gates.open(name, LIMIT, ignore)));
  expect(one).toBe(same);
  expect(one).not.toBe(other);
});

test('budgets outlast the process', async () => {
  const { start } = open();
  const before = start();
  const gate = await before.open('a', LIMIT, ignore);
  (await gate.acquire('read', NEVER)).done(OK);
  await before.save();
  const after = await start().open('a', LIMIT, ignore);
  expect(after.budget().remaining).toBe(59);
});

test('a stored budget that cannot be read is as good as none', async () => {
  const { budgets, start } = open();
  budgets.set('a', '{"completedAtMs":[1,2,3]}');
  expect((await start().open('a', LIMIT, ignore)).budget().remaining).toBe(60);
});

test('a gate that could not be opened is opened again', async () => {
  let isBroken = true;
  const store = {
    budget: () => (isBroken ? Promise.reject(new Error('the store is locked')) : Promise.resolve(null)),
    saveBudget: () => Promise.resolve(),
  };
  const gates = createGates({ clock: createFakeClock(), random: () => 0.5, store, redisUrl: null });
  await expect(gates.open('a', LIMIT, ignore)).rejects.toThrow('locked');
  isBroken = false;
  await gates.open('a', LIMIT, ignore);
  await gates.save();
  await gates.close();
});

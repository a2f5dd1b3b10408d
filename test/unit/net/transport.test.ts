import type { RequestListener } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { Agent, fetch, request, type Dispatcher } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { createGate, type Gate } from '../../../src/net/gate.ts';
import { createLocalLimiter } from '../../../src/net/limiter.ts';
import { createTransport, type TransportOptions } from '../../../src/net/transport.ts';
import { freePort, startProxy } from '../../support/network.ts';
import { createVirtualClock } from '../../support/clocks.ts';

const NEVER = new AbortController().signal;
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Starts a server and returns its URL. */
const serve = async (listener: RequestListener): Promise<string> => {
  const server = await startProxy(async (incoming, answer) => listener(incoming, answer));
  cleanups.push(() => server[Symbol.asyncDispose]());
  return server.url;
};

const answerOk: RequestListener = (_incoming, answer) => {
  answer.setHeader('x-rate-limit-remaining', '900').end('{"ok":true}');
};

const openGate = () => {
  const clock = createVirtualClock();
  const limiter = createLocalLimiter({ requests: 1_000, windowMs: 60_000 }, clock, null);
  return { clock, gate: createGate({ limiter, clock, random: () => 0.5 }) };
};

type Watched = { readonly transport: Dispatcher; readonly attempts: string[]; readonly answers: (number | null)[] };

const watch = (gates: readonly Gate[], changes: Partial<TransportOptions> = {}): Watched => {
  const attempts: string[] = [];
  const answers: (number | null)[] = [];
  const observed = gates.map((gate): Gate => ({
    ...gate,
    acquire: async (signal) => {
      const permit = await gate.acquire(signal);
      return {
        done: (answer) => {
          answers.push(answer?.status ?? null);
          permit.done(answer);
        },
      };
    },
  }));
  const transport = createTransport({
    gatesFor: () => observed,
    onAttempt: ({ method, path }) => attempts.push(`${method} ${path}`),
    timeoutMs: 300_000,
    ...changes,
  });
  cleanups.push(() => transport.destroy());
  return { transport, attempts, answers };
};

test('the transport sends undici.fetch, with request and response bodies', async () => {
  const url = await serve((incoming, answer) => void incoming.pipe(answer));
  const { gate } = openGate();
  const { transport, attempts } = watch([gate]);
  const answer = await fetch(`${url}/echo`, { method: 'POST', body: 'x'.repeat(300_000), dispatcher: transport });
  expect(await answer.text()).toHaveLength(300_000);
  expect(attempts).toEqual(['POST /echo']);
  expect(gate.budget().remaining).toBe(999);
});

test('the transport sends undici.request through all gates that are chosen by the request', async () => {
  const url = await serve(answerOk);
  const [first, second] = [openGate().gate, openGate().gate];
  const requests: unknown[] = [];
  const gatesFor: TransportOptions['gatesFor'] = (asked) => {
    requests.push(asked);
    return [first, second];
  };
  const { transport, attempts } = watch([], { gatesFor });
  const answer = await request(`${url}/a?b=c`, { dispatcher: transport, method: 'PUT' });
  expect([answer.statusCode, await answer.body.json()]).toEqual([200, { ok: true }]);
  expect(requests).toEqual([{ method: 'PUT', path: '/a' }]);
  expect(attempts).toEqual(['PUT /a']);
  expect([first.budget().remaining, second.budget().remaining]).toEqual([900, 900]);
});

test.each(['request', 'fetch'])('an aborted %s leaves the queue of its gate and is not sent', async (kind) => {
  let received = 0;
  const url = await serve((incoming, answer) => {
    received += 1;
    answerOk(incoming, answer);
  });
  const { gate } = openGate();
  const { transport, attempts, answers } = watch([gate]);
  const probe = await gate.acquire(NEVER);
  const controller = new AbortController();
  const options = { dispatcher: transport, signal: controller.signal };
  const aborted = expect(kind === 'fetch' ? fetch(url, options) : request(url, options)).rejects.toThrow('stop');
  await setImmediate();
  controller.abort(new Error('stop'));
  await aborted;
  await expect(request(url, options)).rejects.toThrow('stop');
  probe.done({ status: 200, headers: {} });
  await (await request(url, { dispatcher: transport })).body.dump();
  expect({ received, attempts, answers }).toEqual({ received: 1, attempts: ['GET /'], answers: [200] });
  expect(gate.budget().remaining).toBe(900);
});

test('a request aborted while it waits for a connection fails immediately and counts once', async () => {
  const waiting: (() => void)[] = [];
  const url = await serve((_incoming, answer) => waiting.push(() => answer.end()));
  const { gate } = openGate();
  const { transport, attempts, answers } = watch([gate], { agent: new Agent({ connections: 1 }) });
  (await gate.acquire(NEVER)).done({ status: 200, headers: {} });
  const blocking = request(url, { dispatcher: transport });
  while (waiting.length === 0) await setImmediate();
  const controller = new AbortController();
  const blocked = request(`${url}/blocked`, { dispatcher: transport, signal: controller.signal });
  while (attempts.length < 2) await setImmediate();
  controller.abort(new Error('stop'));
  await expect(blocked).rejects.toThrow('stop');
  waiting[0]?.();
  await (await blocking).body.dump();
  while (answers.length < 2) await setImmediate();
  expect(new Set(answers)).toEqual(new Set([200, null]));
  expect(waiting).toHaveLength(1);
  expect(gate.budget().remaining).toBe(997);
});

test.each(['GET', 'POST'] as const)('a connection reset fails a %s and counts once', async (method) => {
  let received = 0;
  const url = await serve((incoming) => {
    received += 1;
    incoming.socket.destroy();
  });
  const { gate, clock } = openGate();
  const { transport, attempts, answers } = watch([gate]);
  await expect(request(url, { dispatcher: transport, method })).rejects.toThrow();
  expect({ received, attempts, answers }).toEqual({ received: 1, attempts: [`${method} /`], answers: [null] });
  expect(gate.budget().remaining).toBe(999);
  await clock.play(5_000 + 61_000);
  expect(gate.budget().remaining).toBe(1_000);
});

test('a connection reset within a body counts once, from the headers on', async () => {
  const url = await serve((incoming, answer) => {
    answer.writeHead(200, { 'content-length': '1000' });
    answer.write('part', () => incoming.socket.destroy());
  });
  const { gate } = openGate();
  const { transport, answers } = watch([gate]);
  const answer = await request(url, { dispatcher: transport });
  await expect(answer.body.text()).rejects.toThrow();
  expect(answers).toEqual([200]);
  expect(gate.budget().remaining).toBe(999);
});

test('a refused connection counts once and does not block the next request', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { gate } = openGate();
  const { transport, attempts } = watch([gate]);
  await expect(request(url, { dispatcher: transport })).rejects.toThrow('ECONNREFUSED');
  await expect(request(url, { dispatcher: transport })).rejects.toThrow('ECONNREFUSED');
  expect(attempts).toHaveLength(2);
  expect(gate.budget().remaining).toBe(998);
});

test('a failing choice of gates fails the request', async () => {
  const gatesFor = (): never => {
    throw new Error('no gate for this origin');
  };
  const { transport, attempts } = watch([], { gatesFor });
  await expect(request('http://127.0.0.1:9/', { dispatcher: transport })).rejects.toThrow('no gate for this origin');
  expect(attempts).toEqual([]);
});

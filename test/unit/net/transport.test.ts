import type { RequestListener } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { CutOffError } from '../../../src/net/exchange.ts';
import { createGate, type Gate } from '../../../src/net/gate.ts';
import { createLocalLimiter } from '../../../src/net/limiter.ts';
import { createTransport, openAgent, type HttpRequest, type TransportOptions } from '../../../src/net/transport.ts';
import { freePort, startProxy } from '../../support/network.ts';
import { createLeapingClock, createVirtualClock } from '../../support/clocks.ts';

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

const LIMITS = { bytes: 1_000_000, timeMs: 30_000, clock: createLeapingClock() };

const watch = (gates: readonly Gate[], changes: Partial<TransportOptions> = {}) => {
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
  const agent = openAgent();
  const transport = createTransport({
    agent,
    gatesFor: () => observed,
    onAttempt: ({ method, path }) => attempts.push(`${method} ${path}`),
    timeoutMs: 300_000,
    ...changes,
  });
  cleanups.push(() => agent.destroy());
  const request = (url: string, changed: Partial<HttpRequest> = {}, signal = NEVER) =>
    transport({ method: 'GET', url, headers: {}, body: null, ...changed }, LIMITS, signal);
  return { request, attempts, answers };
};

/** Watches the requests through one gate. */
const watchGate = (changes: Partial<TransportOptions> = {}) => {
  const opened = openGate();
  return { ...opened, ...watch([opened.gate], changes) };
};

test('the transport sends and returns whole bodies', async () => {
  const url = await serve((incoming, answer) => void incoming.pipe(answer));
  const { gate, request, attempts } = watchGate();
  const answer = await request(`${url}/echo`, { method: 'POST', body: 'é'.repeat(300_000) });
  expect(answer.text).toBe('é'.repeat(300_000));
  expect(attempts).toEqual(['POST /echo']);
  expect(gate.budget().remaining).toBe(999);
});

test('an answer longer than the limit is not read', async () => {
  const url = await serve((_incoming, answer) => answer.end('x'.repeat(LIMITS.bytes + 1)));
  await expect(watch([]).request(url)).rejects.toThrow(`longer than ${LIMITS.bytes} bytes`);
});

test('a compressed answer is decompressed, and one that cannot be is cut off', async () => {
  const gzip = gzipSync('{"name":"Zoë 🙂"}');
  const url = await serve(({ url: path }, answer) => {
    answer.writeHead(200, { 'content-encoding': 'gzip' }).end(path === '/cut' ? gzip.subarray(0, 20) : gzip);
  });
  const { request } = watch([]);
  expect(await request(url)).toMatchObject({ status: 200, text: '{"name":"Zoë 🙂"}' });
  await expect(request(`${url}/cut`)).rejects.toThrow(CutOffError);
});

test('an answer that is not UTF-8 is cut off, so that no letter of it is replaced', async () => {
  const url = await serve((_incoming, answer) => answer.end('Zoë', 'latin1'));
  await expect(watch([]).request(url)).rejects.toThrow('it is not UTF-8');
});

test('the transport sends through all gates that are chosen by the request', async () => {
  const url = await serve(answerOk);
  const [first, second] = [openGate().gate, openGate().gate];
  const requests: unknown[] = [];
  const gatesFor: TransportOptions['gatesFor'] = (asked) => {
    requests.push(asked);
    return [first, second];
  };
  const { request, attempts } = watch([], { gatesFor });
  expect(await request(`${url}/a?b=c`, { method: 'PUT' })).toMatchObject({ status: 200, text: '{"ok":true}' });
  expect(requests).toEqual([{ method: 'PUT', path: '/a' }]);
  expect(attempts).toEqual(['PUT /a']);
  expect([first.budget().remaining, second.budget().remaining]).toEqual([900, 900]);
});

test('an aborted request leaves the queue of its gate and is not sent', async () => {
  let received = 0;
  const url = await serve((incoming, answer) => {
    received += 1;
    answerOk(incoming, answer);
  });
  const { gate, request, attempts, answers } = watchGate();
  const probe = await gate.acquire(NEVER);
  const controller = new AbortController();
  const aborted = expect(request(url, {}, controller.signal)).rejects.toThrow('stop');
  await setImmediate();
  controller.abort(new Error('stop'));
  await aborted;
  await expect(request(url, {}, controller.signal)).rejects.toThrow('stop');
  probe.done({ status: 200, headers: {} });
  await request(url);
  expect({ received, attempts, answers }).toEqual({ received: 1, attempts: ['GET /'], answers: [200] });
  expect(gate.budget().remaining).toBe(900);
});

test('a request aborted while it waits for a connection fails immediately and counts once', async () => {
  const waiting: (() => void)[] = [];
  const url = await serve((_incoming, answer) => waiting.push(() => answer.end()));
  const { gate, request, attempts, answers } = watchGate({ agent: new Agent({ connections: 1 }) });
  (await gate.acquire(NEVER)).done({ status: 200, headers: {} });
  const blocking = request(url);
  while (waiting.length === 0) await setImmediate();
  const controller = new AbortController();
  const blocked = request(`${url}/blocked`, {}, controller.signal);
  while (attempts.length < 2) await setImmediate();
  controller.abort(new Error('stop'));
  await expect(blocked).rejects.toThrow('stop');
  waiting[0]?.();
  await blocking;
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
  const { gate, clock, request, attempts, answers } = watchGate();
  await expect(request(url, { method })).rejects.toThrow();
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
  const { gate, request, answers } = watchGate();
  await expect(request(url)).rejects.toThrow(CutOffError);
  expect(answers).toEqual([200]);
  expect(gate.budget().remaining).toBe(999);
});

test('a refused connection counts once and does not block the next request', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { gate, request, attempts } = watchGate();
  await expect(request(url)).rejects.toThrow('ECONNREFUSED');
  await expect(request(url)).rejects.toThrow('ECONNREFUSED');
  expect(attempts).toHaveLength(2);
  expect(gate.budget().remaining).toBe(998);
});

test('a failing choice of gates fails the request', async () => {
  const gatesFor = (): never => {
    throw new Error('no gate for this origin');
  };
  const { request, attempts } = watch([], { gatesFor });
  await expect(request('http://127.0.0.1:9/')).rejects.toThrow('no gate for this origin');
  expect(attempts).toEqual([]);
});

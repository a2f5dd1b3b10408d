import { request } from 'undici';
import { systemClock } from '../../src/util/clock.ts';
import { createGate, type Gate } from '../../src/net/gate.ts';
import { createRedisLimiters } from '../../src/net/redis-limiter.ts';
import { createLocalLimiter } from '../../src/net/limiter.ts';
import { createTransport } from '../../src/net/transport.ts';
import { serve } from './child.ts';

type Sending = {
  readonly url: string;
  readonly token: string;
  readonly durationMs: number;
  /** Null: no other process uses the limit. */
  readonly shared: { readonly redisUrl: string; readonly keyPrefix: string } | null;
};

const LIMIT = { requests: 500, windowMs: 60_000 };
const PARALLEL = 8;

/** Sends as much as the gate allows for `durationMs`. Returns the number of successful requests. */
const send = async ({ url, token, durationMs, shared }: Sending): Promise<number> => {
  const clock = systemClock;
  const limiters =
    shared && createRedisLimiters(shared.redisUrl, { keyPrefix: shared.keyPrefix, stateLifeMs: 600_000 });
  const limiter =
    (await limiters?.open('bench', { limit: LIMIT, clock, snapshot: null })) ?? createLocalLimiter(LIMIT, clock, null);
  const gate: Gate = createGate({ limiter, clock, random: Math.random });
  const dispatcher = createTransport({
    gatesFor: () => [gate],
    onAttempt: () => undefined,
    timeoutMs: 15_000,
  });
  const ending = AbortSignal.timeout(durationMs);
  let answered = 0;
  const work = async (): Promise<void> => {
    while (!ending.aborted) {
      try {
        const headers = { authorization: `Bearer ${token}` };
        const { statusCode, body } = await request(`${url}/v2/me`, { dispatcher, headers, signal: ending });
        await body.dump();
        if (statusCode === 200) answered += 1;
        else if (statusCode !== 429) throw new Error(`The emulator answered ${statusCode} to GET /v2/me.`);
      } catch (error) {
        if (!ending.aborted) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  await limiters?.close();
  return answered;
};

const handlers = { send };
export type SenderProcess = typeof handlers;
serve(handlers);

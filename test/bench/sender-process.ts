import { request } from 'undici';
import { systemClock } from '../../src/clock.ts';
import { createGate, type Gate } from '../../src/http/gate.ts';
import { createRedisRings } from '../../src/http/redis-ring.ts';
import { createLocalRing } from '../../src/http/ring.ts';
import { createTransport } from '../../src/http/transport.ts';
import { serve } from './child.ts';

type Sending = {
  readonly url: string;
  readonly token: string;
  readonly durationMs: number;
  /** Null: this process has the limit for itself. */
  readonly shared: { readonly redisUrl: string; readonly keyPrefix: string } | null;
};

const LIMIT = { requests: 500, windowMs: 60_000 };
const PARALLEL = 8;

/** Sends as much as the gate lets pass, for so long. */
const send = async ({ url, token, durationMs, shared }: Sending): Promise<void> => {
  const clock = systemClock;
  const rings = shared && createRedisRings(shared.redisUrl, { keyPrefix: shared.keyPrefix, stateLifeMs: 600_000 });
  const ring =
    (await rings?.open('bench', { limit: LIMIT, clock, snapshot: null })) ?? createLocalRing(LIMIT, clock, null);
  const gate: Gate = createGate({ ring, clock, random: Math.random });
  const dispatcher = createTransport({
    gatesFor: () => [gate],
    onAttempt: () => undefined,
    headersTimeoutMs: 15_000,
    bodyTimeoutMs: 15_000,
  });
  const ending = AbortSignal.timeout(durationMs);
  const work = async (): Promise<void> => {
    while (!ending.aborted) {
      try {
        const headers = { authorization: `Bearer ${token}` };
        const { body } = await request(`${url}/v2/user`, { dispatcher, headers, signal: ending });
        await body.dump();
      } catch (error) {
        if (!ending.aborted) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  await rings?.close();
};

const handlers = { send };
export type SenderProcess = typeof handlers;
serve(handlers);

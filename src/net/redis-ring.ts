import { Redis } from 'ioredis';
import type { Clock } from '../util/clock.ts';
import type { GovernorState } from './governor-state.ts';
import type { RateLimit } from './rate-headers.ts';
import type { RequestRing } from './ring.ts';
import { openSharedRing, type CellView, type SharedCell } from './shared-ring.ts';
import { watchTrouble, type RedisTrouble } from '../util/redis-trouble.ts';
import { UnsentError } from './unsent-error.ts';

/** Rings in one Redis, shared by all processes that use it. */
export type RedisRings = {
  /** Opens the ring of that name; where Redis cannot be reached, the ring's own methods reject until it can. */
  open(
    name: string,
    options: { readonly limit: RateLimit; readonly clock: Clock; readonly snapshot: GovernorState | null },
  ): Promise<RequestRing>;
  /** Breaks the connection off: whoever waits for an answer gets none. */
  close(): Promise<void>;
};

/**
 * The one atomic script. ARGV: the revision that the caller knows, and the state to put in its place, or nothing to look
 * only. Answers whether it was put there, the time by Redis' own clock, the revision, and the state where it is another
 * than the known one.
 */
const EXCHANGE = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local revision = tonumber(redis.call('HGET', KEYS[1], 'revision') or '0')
if revision ~= tonumber(ARGV[1]) then
  return {0, nowMs, revision, redis.call('HGET', KEYS[1], 'state')}
end
if ARGV[2] == '' then
  return {0, nowMs, revision, false}
end
redis.call('HSET', KEYS[1], 'revision', revision + 1, 'state', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {1, nowMs, revision + 1, false}
`;

type RedisRingsOptions = {
  readonly keyPrefix: string;
  /** How long a ring that nobody uses is kept. */
  readonly stateLifeMs: number;
  /** How long Redis may take to answer. */
  readonly silentForMs?: number;
};

/** A day is longer than any stop or window; what was learnt of the server is learnt again after that. */
const USUAL: RedisRingsOptions = { keyPrefix: 'contact-sync:limit:', stateLifeMs: 24 * 3_600_000 };
const COMMAND_TIMEOUT_MS = 5_000;

/** Connects when the first ring is opened. */
export const createRedisRings = (
  url: string,
  { keyPrefix, stateLifeMs, silentForMs = COMMAND_TIMEOUT_MS } = USUAL,
): RedisRings => {
  const redis = new Redis(url, {
    lazyConnect: true,
    commandTimeout: silentForMs,
    // A connection that nobody closes, though nothing comes through it any more, is replaced.
    socketTimeout: silentForMs,
    maxRetriesPerRequest: 1,
  });
  const troubleOf = watchTrouble(redis);
  return {
    open: (name, options) => {
      const cell = createCell({ redis, troubleOf }, keyPrefix + name, stateLifeMs);
      return openSharedRing({ ...options, cell });
    },
    close: () => Promise.resolve(redis.disconnect()),
  };
};

type Connection = { readonly redis: Redis; readonly troubleOf: (thrown: unknown) => RedisTrouble };

const createCell = ({ redis, troubleOf }: Connection, key: string, stateLifeMs: number): SharedCell => {
  const exchange = async (known: number, state: string) => {
    try {
      return readReply(await redis.eval(EXCHANGE, 1, key, known, state, stateLifeMs));
    } catch (cause) {
      const { what, remedy } = troubleOf(cause);
      throw new UnsentError(`Redis, which shares the rate limit, ${what}. ${remedy}`, { cause });
    }
  };
  return {
    read: async (known) => (await exchange(known, '')).view,
    replace: async (known, state) => {
      const { isReplaced, view } = await exchange(known, state);
      return isReplaced ? null : view;
    },
  };
};

const readReply = (reply: unknown): { readonly isReplaced: boolean; readonly view: CellView } => {
  const [isReplaced, nowMs, revision, state] = Array.isArray(reply) ? (reply as readonly unknown[]) : [];
  return {
    isReplaced: isReplaced === 1,
    view: { nowMs: Number(nowMs), revision: Number(revision), state: typeof state === 'string' ? state : null },
  };
};

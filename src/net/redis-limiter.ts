import { Redis } from 'ioredis';
import {
  openSharedLimiter,
  type RateLimiter,
  type CellView,
  type SharedCell,
  type SharedLimiterOptions,
} from './limiter.ts';
import { watchTrouble, type RedisTrouble } from '../util/redis-trouble.ts';
import { UnsentError } from './gate.ts';

/**
 * The atomic script of both operations. ARGV: the revision that the caller has; the state that replaces it, or an empty text
 * to read only; the lifetime. Returns whether the state was replaced, the time of Redis, the revision, and the state if its
 * revision is not the known one.
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

const KEY_PREFIX = 'contact-sync:limit:';
/** How long an unused limiter is kept. A day is longer than any stop or window. After it, the limiter measures the server again. */
const STATE_LIFE_MS = 24 * 3_600_000;
/** How long Redis may take to answer. */
const COMMAND_TIMEOUT_MS = 5_000;

/** Creates rate limiters in one Redis, shared by all processes that use it. Connects when the first limiter is opened. */
export const createRedisLimiters = (
  url: string,
  { keyPrefix = KEY_PREFIX, stateLifeMs = STATE_LIFE_MS, silentForMs = COMMAND_TIMEOUT_MS } = {},
) => {
  const redis = new Redis(url, {
    lazyConnect: true,
    commandTimeout: silentForMs,
    // Replaces a connection that is not closed but transfers no data.
    socketTimeout: silentForMs,
    maxRetriesPerRequest: 1,
  });
  const troubleOf = watchTrouble(redis);
  return {
    /** Opens the limiter of that name. While Redis cannot be reached, its methods reject. */
    open: (name: string, options: Omit<SharedLimiterOptions, 'cell'>): Promise<RateLimiter> => {
      const cell = createCell({ redis, troubleOf }, keyPrefix + name, stateLifeMs);
      return openSharedLimiter({ ...options, cell });
    },
    /** Closes the connection. Calls that wait for an answer fail. */
    close: (): Promise<void> => Promise.resolve(redis.disconnect()),
  };
};

export type RedisLimiters = ReturnType<typeof createRedisLimiters>;

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

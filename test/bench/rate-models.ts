import type { RateLimit } from '../../src/util/values.ts';
import {
  fixedByClock,
  fixedFromFirstRequest,
  leakyBucket,
  slidingBySecond,
  slidingByTwoBuckets,
  slidingLog,
  type Limiter,
} from '../support/limiter-models.ts';

/** The ways in which a server may count requests, by their names in the tables. */
export const MODELS = {
  'fixed, by clock': (limit) => fixedByClock(limit, 0.39 * limit.windowMs),
  'fixed, from first request': (limit) => fixedFromFirstRequest(limit),
  'sliding log': (limit) => slidingLog(limit),
  'sliding by second': (limit) => slidingBySecond(limit),
  'two-bucket': (limit) => slidingByTwoBuckets(limit),
  'token bucket': (limit) => leakyBucket(limit, limit.requests),
  'GCRA, burst 20': (limit) => leakyBucket(limit, 20),
  'sliding log, refused count': (limit) => slidingLog(limit, true),
} satisfies Readonly<Record<string, (limit: RateLimit) => Limiter>>;

export type ModelName = keyof typeof MODELS;

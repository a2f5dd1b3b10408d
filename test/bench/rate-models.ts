import {
  fixedByClock,
  fixedFromFirstRequest,
  leakyBucket,
  slidingBySecond,
  slidingByTwoBuckets,
  slidingLog,
  type Limiter,
} from '../support/limiter-models.ts';
import { LIMIT } from './traffic.ts';

/** The ways in which a server may count requests, by the names that the tables show. */
export const MODELS = {
  'fixed, by clock': () => fixedByClock(LIMIT, 23_456),
  'fixed, from first request': () => fixedFromFirstRequest(LIMIT),
  'sliding log': () => slidingLog(LIMIT),
  'sliding by second': () => slidingBySecond(LIMIT),
  'two-bucket': () => slidingByTwoBuckets(LIMIT),
  'token bucket': () => leakyBucket(LIMIT, LIMIT.requests),
  'GCRA, burst 20': () => leakyBucket(LIMIT, 20),
  'sliding log, refused count': () => slidingLog(LIMIT, true),
} satisfies Readonly<Record<string, () => Limiter>>;

export type ModelName = keyof typeof MODELS;

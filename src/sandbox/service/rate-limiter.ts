import { errorResponse, ServiceError } from './errors.ts';
import { createRateWindow, type RateLimit, type RateWindow } from '../rate-window.ts';
import type { ServiceVariants } from './variants.ts';

/** The limiter's decision on one request. `remainingBefore` is the remaining number before the request. */
type Admission = {
  readonly isAllowed: boolean;
  readonly remaining: number;
  readonly remainingBefore: number;
  readonly resetMs: number;
  readonly limit: RateLimit;
};

/** The number of requests by other clients for each request of the client under test. */
const FOREIGN_PER_REQUEST = { nothing: 0, tenth: 1 / 9, third: 1 / 2 };

/** Counts requests for each key and detects those above the limit. */
export class RateLimiter {
  overLimit = 0;
  #limit: RateLimit;
  #kind: ServiceVariants['windowKind'] | null = null;
  #foreignDebt = 0;
  readonly #windows = new Map<string, RateWindow>();

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** Changes the limit and resets the counters. */
  setLimit(limit: RateLimit): void {
    this.#limit = limit;
    this.#windows.clear();
  }

  admit(key: string, nowMs: number, variants: ServiceVariants): Admission {
    const window = this.#window(key, variants.windowKind);
    this.#addForeign(window, nowMs, variants);
    const used = window.used(nowMs);
    const isAllowed = used < window.capacity;
    if (!isAllowed) this.overLimit += 1;
    if (isAllowed || variants.limitRejected === 'counted') window.add(nowMs);
    return {
      isAllowed,
      remaining: Math.max(0, window.capacity - window.used(nowMs)),
      remainingBefore: Math.max(0, window.capacity - used),
      resetMs: Math.max(0, window.resetMs(nowMs)),
      limit: this.#limit,
    };
  }

  #window(key: string, kind: ServiceVariants['windowKind']): RateWindow {
    if (kind !== this.#kind) this.#windows.clear();
    this.#kind = kind;
    const window = this.#windows.get(key) ?? createRateWindow(kind, this.#limit);
    this.#windows.set(key, window);
    return window;
  }

  #addForeign(window: RateWindow, nowMs: number, variants: ServiceVariants): void {
    this.#foreignDebt += FOREIGN_PER_REQUEST[variants.limitForeignUse];
    for (; this.#foreignDebt >= 1; this.#foreignDebt -= 1) {
      if (window.used(nowMs) < window.capacity) window.add(nowMs);
    }
  }
}

const SECOND_MS = 1000;
const UNITS: Readonly<Record<number, string>> = { 1000: 'second', 60_000: 'minute', 3_600_000: 'hour' };

const limitText = ({ limit }: Admission, variants: ServiceVariants): string => {
  if (variants.limitHeader === 'number') return String(limit.requests);
  return `${limit.requests}/${UNITS[limit.windowMs] ?? `${limit.windowMs / SECOND_MS}s`}`;
};

const remaining = (admission: Admission, variants: ServiceVariants): number => {
  switch (variants.limitRemaining) {
    case 'after':
      return admission.remaining;
    case 'before':
      return admission.remainingBefore;
    case 'never-below-1':
      return Math.max(1, admission.remaining);
    case 'stale':
      return Math.min(admission.limit.requests, Math.ceil(admission.remaining / 10) * 10);
  }
};

const reset = ({ resetMs }: Admission, variants: ServiceVariants, nowMs: number): number => {
  switch (variants.limitReset) {
    case 'seconds':
      return Math.ceil(resetMs / SECOND_MS);
    case 'seconds-floor':
      return Math.floor(resetMs / SECOND_MS);
    case 'epoch-seconds':
      return Math.ceil((nowMs + resetMs) / SECOND_MS);
    case 'milliseconds':
      return Math.ceil(resetMs);
  }
};

/** Returns the rate limit headers for an answer's status (providers/service/API.md, Limits); empty without headers. */
export const rateHeaders = (
  admission: Admission,
  status: number,
  variants: ServiceVariants,
  nowMs: number,
): Readonly<Record<string, string>> => {
  if (variants.limitHeadersOn === 'not-429' && !admission.isAllowed) return {};
  if (variants.limitHeadersOn === 'success' && status >= 300) return {};
  return {
    'X-Rate-Limit-Limit': limitText(admission, variants),
    'X-Rate-Limit-Remaining': String(remaining(admission, variants)),
    'X-Rate-Limit-Reset': String(reset(admission, variants, nowMs)),
  };
};

const LIMIT_STATUS = {
  '429-retry-after': 429,
  '429-plain': 429,
  '429-http-date': 429,
  '503': 503,
  '403': 403,
  '200-with-errors': 200,
} satisfies Record<ServiceVariants['limitAnswer'], number>;

/** Returns the answer to a request above the limit. */
export const overLimitResponse = (admission: Admission, variants: ServiceVariants, nowMs: number): Response => {
  const error = new ServiceError(LIMIT_STATUS[variants.limitAnswer], 'Rate limit exceeded');
  const response = errorResponse(error, variants);
  const waitSeconds = Math.max(1, Math.ceil(admission.resetMs / SECOND_MS));
  if (variants.limitAnswer === '429-retry-after') response.headers.set('Retry-After', String(waitSeconds));
  if (variants.limitAnswer === '429-http-date') {
    response.headers.set('Retry-After', new Date(nowMs + waitSeconds * SECOND_MS).toUTCString());
  }
  return response;
};

import { createRateWindow, type RateLimit, type RateWindow } from './rate-window.ts';
import type { ServiceVariants } from './variants.ts';

/** What the limiter decided on one request. `remainingBefore` is what was left before it. */
export type Admission = {
  readonly isAllowed: boolean;
  readonly remaining: number;
  readonly remainingBefore: number;
  readonly resetMs: number;
  readonly limit: RateLimit;
};

/** How many requests somebody else sends for each of ours. */
const FOREIGN_PER_REQUEST = { nothing: 0, tenth: 1 / 9, third: 1 / 2 };

/** Counts requests for each key and says which are above the limit. */
export class RateLimiter {
  /** Requests that were above the limit. */
  overLimit = 0;
  #limit: RateLimit;
  #kind: ServiceVariants['windowKind'] | null = null;
  #foreignDebt = 0;
  readonly #windows = new Map<string, RateWindow>();

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** Changes the limit; counting starts again. */
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

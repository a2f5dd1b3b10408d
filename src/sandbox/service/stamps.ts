import type { ServiceVariants } from './variants.ts';

const SECOND_MS = 1000;
const CLOCK_SKEW_MS = { exact: 0, 'ahead-120s': 120 * SECOND_MS, 'behind-120s': -120 * SECOND_MS };
const LATE_MS = { none: 0, '2s': 2 * SECOND_MS, '10s': 10 * SECOND_MS };

/** The service's own clock and the stamps it puts on what it stores. */
export class Stamps {
  readonly #clock: { now(): number };
  readonly #variants: () => ServiceVariants;
  #count = 0;

  constructor(clock: { now(): number }, variants: () => ServiceVariants) {
    this.#clock = clock;
    this.#variants = variants;
  }

  /** The service's time, in epoch milliseconds. */
  now(): number {
    return this.#clock.now() + CLOCK_SKEW_MS[this.#variants().serviceClock];
  }

  /** A stamp for a write, at one second, never before `floorMs`. */
  next(floorMs = 0): number {
    const variants = this.#variants();
    this.#count += 1;
    const lateMs = this.#count % 2 === 0 ? LATE_MS[variants.lateVisibility] : 0;
    const stampMs = Math.max(floorMs, this.now() - lateMs);
    return variants.bounds === 'sub-second' ? stampMs : Math.floor(stampMs / SECOND_MS) * SECOND_MS;
  }
}

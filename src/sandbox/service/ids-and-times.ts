import type { ServiceVariants } from './variants.ts';

/** Kinds of resources whose id has a prefix and a number (providers/service/API.md, Resources and their fields). */
type IdKind = 'user' | 'bucket' | 'contact' | 'contact_identity';

/** Issues ids with consecutive numbers, separately for each kind. */
export class Identifiers {
  readonly #last = new Map<IdKind | 'uuid', number>();

  /** Returns a new id; `serial` is its number. */
  next(kind: IdKind): { readonly id: string; readonly serial: number } {
    const serial = this.#advance(kind);
    return { id: `${kind}_${serial}`, serial };
  }

  /** Returns an opaque id in the form of a UUID, for entries without a kind. */
  nextUuid(): string {
    return `00000000-0000-4000-8000-${this.#advance('uuid').toString(16).padStart(12, '0')}`;
  }

  #advance(kind: IdKind | 'uuid'): number {
    const serial = (this.#last.get(kind) ?? 0) + 1;
    this.#last.set(kind, serial);
    return serial;
  }
}

const SECOND_MS = 1000;
const CLOCK_SKEW_MS = { exact: 0, 'ahead-120s': 120 * SECOND_MS, 'behind-120s': -120 * SECOND_MS };
const LATE_MS = { none: 0, '2s': 2 * SECOND_MS, '10s': 10 * SECOND_MS };

/** The service's own clock, and the stamps of stored resources. */
export class Stamps {
  readonly #clock: { now(): number };
  readonly #variants: () => ServiceVariants;
  #count = 0;

  constructor(clock: { now(): number }, variants: () => ServiceVariants) {
    this.#clock = clock;
    this.#variants = variants;
  }

  /** Returns the service's time, in epoch milliseconds. */
  now(): number {
    return this.#clock.now() + CLOCK_SKEW_MS[this.#variants().serviceClock];
  }

  /** Returns a stamp for a write, in whole seconds, never before `floorMs`. */
  next(floorMs = 0): number {
    const variants = this.#variants();
    this.#count += 1;
    const lateMs = this.#count % 2 === 0 ? LATE_MS[variants.lateVisibility] : 0;
    const stampMs = Math.max(floorMs, this.now() - lateMs);
    return variants.bounds === 'sub-second' ? stampMs : Math.floor(stampMs / SECOND_MS) * SECOND_MS;
  }
}

type TimestampFormat = 'utc-text' | 'iso' | 'iso-ms';

/** Formats epoch milliseconds. The documented format is `YYYY-MM-DD HH:MM:SS UTC`, in whole seconds. */
export const formatTimestamp = (epochMs: number, format: TimestampFormat): string => {
  const iso = new Date(epochMs).toISOString();
  switch (format) {
    case 'utc-text':
      return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
    case 'iso':
      return `${iso.slice(0, 19)}Z`;
    case 'iso-ms':
      return iso;
  }
};

const ISO_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** Returns the epoch milliseconds of an ISO 8601 text with an offset; null for any other text. */
export const parseTimestamp = (text: string): number | null => {
  if (!ISO_WITH_OFFSET.test(text)) return null;
  const epochMs = Date.parse(text);
  return Number.isNaN(epochMs) ? null : epochMs;
};

import type { RateLimit } from '../util/values.ts';

/** The headers of an answer by lower-case name, as undici returns them. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The part of an answer before its body. */
export type AnswerHead = { readonly status: number; readonly headers: AnswerHeaders };

/** Returns all headers of that lower-case name. */
export const headersNamed = (headers: AnswerHeaders, name: string): readonly string[] => {
  const value = headers[name];
  return typeof value === 'string' ? [value] : (value ?? []);
};

/** Returns the first header of that lower-case name; null without one. */
export const headerNamed = (headers: AnswerHeaders, name: string): string | null =>
  headersNamed(headers, name)[0] ?? null;

/** Returns the server's own time when it answered, epoch milliseconds; null if it sent none. */
export const readServerTimeMs = (headers: AnswerHeaders): number | null => {
  const timeMs = Date.parse(headerNamed(headers, 'date') ?? '');
  return Number.isNaN(timeMs) ? null : timeMs;
};

/** The rate limit headers of an answer; null for a missing or unreadable one. */
export type RateHeaders = {
  readonly limit: RateLimit | null;
  /** Requests left in the window. */
  readonly remaining: number | null;
  /** The time until the window resets. */
  readonly resetMs: number | null;
};

/** A longer wait is cut to this: the server repeats a real one, and a wrong one must not stop a link for years. */
export const LONGEST_STOP_MS = 3_600_000;

const MINUTE_MS = 60_000;
const UNIT_MS = { second: 1_000, minute: MINUTE_MS, hour: 60 * MINUTE_MS } as const;

/**
 * Parses `500/minute` (also `second` and `hour`; providers/service/API.md, Limits), or `500`, which applies to
 * `defaultWindowMs`. Returns null for any other text and for zero requests.
 */
export const parseRateLimit = (text: string, defaultWindowMs: number = MINUTE_MS): RateLimit | null => {
  const match = /^\s*(?<requests>\d{1,9})\s*(?:\/\s*(?<unit>second|minute|hour)\s*)?$/iu.exec(text);
  const requests = Number(match?.groups?.['requests'] ?? 0);
  if (requests === 0) return null;
  return { requests, windowMs: unitMs(match?.groups?.['unit']) ?? defaultWindowMs };
};

/**
 * Reads the three `X-Rate-Limit` headers. A Reset is at most {@link LONGEST_STOP_MS}. `nowMs` is wall-clock time, for a Reset
 * that is a point in time.
 */
export const readRateHeaders = (headers: AnswerHeaders, nowMs: number): RateHeaders => {
  const limit = headerNamed(headers, 'x-rate-limit-limit');
  return {
    limit: limit === null ? null : parseRateLimit(limit),
    remaining: readNumber(headerNamed(headers, 'x-rate-limit-remaining')),
    resetMs: resetMs(readNumber(headerNamed(headers, 'x-rate-limit-reset')), nowMs),
  };
};

/**
 * Reads `Retry-After` (seconds or an HTTP date) as milliseconds, at most {@link LONGEST_STOP_MS}. Returns null if it is
 * missing or unreadable.
 */
export const readRetryAfterMs = (headers: AnswerHeaders, nowMs: number): number | null => {
  const text = headerNamed(headers, 'retry-after');
  if (text === null) return null;
  const seconds = readNumber(text);
  if (seconds !== null) return boundedMs(seconds * 1_000);
  const atMs = /[a-z]/iu.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : boundedMs(atMs - nowMs);
};

const LATEST_PLAUSIBLE_SECONDS = 3_600;
const EPOCH_SECONDS_FROM = 1_000_000_000;
const EPOCH_MILLISECONDS_FROM = 1_000_000_000_000;

/** The API documents seconds left. A larger number is read as milliseconds left, or as epoch time. */
const resetMs = (value: number | null, nowMs: number): number | null => {
  if (value === null) return null;
  if (value >= EPOCH_MILLISECONDS_FROM) return boundedMs(value - nowMs);
  if (value >= EPOCH_SECONDS_FROM) return boundedMs(value * 1_000 - nowMs);
  return boundedMs(value > LATEST_PLAUSIBLE_SECONDS ? value : value * 1_000);
};

const boundedMs = (waitMs: number): number => Math.min(Math.max(0, waitMs), LONGEST_STOP_MS);

const unitMs = (unit: string | undefined): number | null => {
  switch (unit?.toLowerCase()) {
    case 'second':
      return UNIT_MS.second;
    case 'minute':
      return UNIT_MS.minute;
    case 'hour':
      return UNIT_MS.hour;
    default:
      return null;
  }
};

const readNumber = (text: string | null): number | null =>
  text !== null && /^\s*\d{1,15}(?:\.\d+)?\s*$/u.test(text) ? Number(text) : null;

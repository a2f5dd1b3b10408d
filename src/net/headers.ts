import { WINDOW_MS, type RateLimit } from '../util/values.ts';

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

/** Parses `500/minute` (also `second` and `hour`), or `500` per minute; null for any other text (providers/service/API.md, Limits). */
export const parseRateLimit = (text: string): RateLimit | null => {
  const [, count, unit = 'minute'] = /^\s*(\d{1,9})\s*(?:\/\s*(second|minute|hour)\s*)?$/iu.exec(text) ?? [];
  const windowMs = WINDOW_MS[unit.toLowerCase()];
  return windowMs === undefined || Number(count ?? 0) === 0 ? null : { requests: Number(count), windowMs };
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

const readNumber = (text: string | null): number | null =>
  text !== null && /^\s*\d{1,15}(?:\.\d+)?\s*$/u.test(text) ? Number(text) : null;

/** The headers of an answer by lower-case name; several of one name joined. */
export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

const LATEST_PLAUSIBLE_SECONDS = 3_600;
const EPOCH_SECONDS_FROM = 1_000_000_000;
const EPOCH_MILLISECONDS_FROM = 1_000_000_000_000;

const readNumber = (text: string | undefined): number | null => {
  const value = Number.parseFloat(text ?? '');
  return Number.isFinite(value) && value >= 0 ? value : null;
};

const retryAfterMs = (text: string | undefined, nowMs: number): number | null => {
  if (text === undefined) return null;
  if (/^\s*\d/u.test(text)) return (readNumber(text) ?? 0) * 1_000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
};

/** The document says seconds left (service-api-v2.md, Limits); a value too great for that is epoch time or milliseconds. */
const resetMs = (text: string | undefined, nowMs: number): number | null => {
  const value = readNumber(text);
  if (value === null) return null;
  if (value >= EPOCH_MILLISECONDS_FROM) return Math.max(0, value - nowMs);
  if (value >= EPOCH_SECONDS_FROM) return Math.max(0, value * 1_000 - nowMs);
  return value > LATEST_PLAUSIBLE_SECONDS ? value : value * 1_000;
};

/** How long the service asks to wait, in milliseconds: `Retry-After`, else the window's reset; null where it says neither. */
export const retryFloorMs = (headers: AnswerHeaders, nowMs: number): number | null => {
  return retryAfterMs(headers['retry-after'], nowMs) ?? resetMs(headers['x-rate-limit-reset'], nowMs);
};

/** Whether the answer says that no request is left in the window. */
export const isExhausted = (headers: AnswerHeaders): boolean => readNumber(headers['x-rate-limit-remaining']) === 0;

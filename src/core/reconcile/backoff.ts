const FIRST_RETRY_MS = 5 * 60_000;
const LAST_RETRY_MS = 24 * 60 * 60_000;

/** When something that failed may be tried again, by how often it failed: five minutes, doubling up to a day (R15). */
export const retryDelayMs = (attempts: number): number => Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1));

/** Whether that time has come. One that is further ahead than any delay was taken from a clock that was wrong. */
export const isRetryDue = (retryAtMs: number, nowMs: number): boolean =>
  nowMs >= retryAtMs || retryAtMs - nowMs > LAST_RETRY_MS;

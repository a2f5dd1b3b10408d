const DAY_MS = 86_400_000;

/**
 * From when on what runs wrote is kept: everything that ended before may be pruned. Never less than a day, which the guard
 * counts (R8); null where all of it is kept. Times are epoch milliseconds.
 */
export const keptSinceMs = (retentionMs: number | null, nowMs: number): number | null =>
  retentionMs === null ? null : nowMs - Math.max(retentionMs, DAY_MS);

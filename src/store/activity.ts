/** When the people behind a link work, as far as its runs have seen. */
export type Activity = {
  /** When a run last wrote something; null where none has. */
  readonly lastChangeAtMs: number | null;
  /**
   * For each hour of the day in UTC, on how many days runs wrote something in it, as of the last change: a day counts half
   * after two weeks. Empty where there was no change yet.
   */
  readonly hours: readonly number[];
};

/** Of a link that no run has written anything of. */
export const NO_ACTIVITY: Activity = { lastChangeAtMs: null, hours: [] };

/** The part of a link's state that a person sets; no run changes it. */
export type PausedByHand = {
  /** Since when a person wants no run of the link to begin by itself; null where nobody does. */
  readonly pausedByHandAtMs: number | null;
};

/** The part of the store where that is kept. */
export interface PauseStore {
  /** Since when the link is paused by hand, read afresh: whoever has its lease learns so what another process has set. */
  pausedByHandAtMs(link: string): Promise<number | null>;
  /**
   * Pauses a link, or lets it go on with null; an earlier pause keeps its time. Answers whether that changed anything. What
   * a run stores does not depend on it, so no lease is needed.
   */
  setPausedByHand(link: string, atMs: number | null): Promise<boolean>;
}

/** What the receiver of notices knows of a link. */
export type Told = {
  /** The trouble that it was told of; null where it was told of none, or that it is over. */
  readonly trouble: 'halted' | 'paused' | 'failing' | null;
  /** Since when the link has been seen failing; null where it was last seen otherwise. */
  readonly failingSinceMs: number | null;
  /** Until when a process has it to itself to tell the receiver something; null where none has. */
  readonly claimedUntilMs: number | null;
};

/** Of a link that no notice was about. */
export const NOTHING_TOLD: Told = { trouble: null, failingSinceMs: null, claimedUntilMs: null };

/** The part of the store where that is kept. */
export interface ToldStore {
  /** Replaces what is known of a link where that is still `before`; answers whether it was. No run goes by it, so no lease is needed. */
  swapTold(link: string, before: Told, after: Told): Promise<boolean>;
}

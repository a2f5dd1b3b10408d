import type { LinkConfig } from '../../app/config/config.ts';
import type { Store } from '../../store/store.ts';
import { shownLinkState } from '../../core/state/link.ts';
import { refusalsIn } from '../../core/state/unsyncable.ts';
import type { LinkHealth } from './health.ts';

/** How a link stands, as the store has it. */
export type LinkStanding = LinkHealth & {
  /** Writes that a side refused, and that wait for their next attempt. */
  readonly refused: number;
};

/** How a link stands now. */
export const standingOf = async (
  store: Store,
  { name, syncIntervalMs }: Pick<LinkConfig, 'name' | 'syncIntervalMs'>,
): Promise<LinkStanding> => {
  // Opening a link writes to the store, which is how one knows that it can be written.
  const { state, rejections, pausedByHandAtMs } = await store.link(name);
  const [lastSuccess] = await store.runs(name, { latest: 'completed' });
  const lastSuccessAtMs = lastSuccess?.endedAtMs ?? null;
  return {
    link: name,
    state: shownLinkState(state),
    isPausedByHand: pausedByHandAtMs !== null,
    syncIntervalMs,
    lastSuccessAtMs,
    refused: refusalsIn(rejections).length,
  };
};

import type { LinkState } from '../../core/state/rows.ts';
import type { Clock } from '../../util/clock.ts';
import type { Store } from '../../store/store.ts';
import { PAUSED_BY_HAND, StoppedError } from '../../engine/context.ts';

const LOOK_EVERY_MS = 1_000;

/** Tells a run under way that its link is being paused by hand: now, by whichever process. */
export type PauseWatch = {
  /** Aborted, with a {@link StoppedError}, once it was found out. */
  readonly signal: AbortSignal;
  /** Looks in the store, not oftener than once a second; a run that progresses calls it. */
  look(): void;
};

/** A link that is paused already, as `before` says, is run by hand: only another pause ends that run. */
export const watchPause = (
  { store, clock }: { readonly store: Pick<Store, 'pausedByHandAtMs'>; readonly clock: Clock },
  before: LinkState,
): PauseWatch => {
  const paused = new AbortController();
  let lookedAtMs = clock.monotonic();
  const lookNow = async (): Promise<void> => {
    const pausedByHandAtMs = await store.pausedByHandAtMs(before.name);
    if (pausedByHandAtMs === null || pausedByHandAtMs === before.pausedByHandAtMs) return;
    paused.abort(new StoppedError(PAUSED_BY_HAND));
  };
  return {
    signal: paused.signal,
    look: () => {
      if (paused.signal.aborted || clock.monotonic() - lookedAtMs < LOOK_EVERY_MS) return;
      lookedAtMs = clock.monotonic();
      // A store that cannot be read ends the run by itself.
      void lookNow().catch(() => undefined);
    },
  };
};

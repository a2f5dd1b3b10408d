import type { LinkState } from '../../core/state/rows.ts';
import { PAUSED_BY_HAND, StoppedError } from '../../engine/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../util/clock.ts';

const CHECK_EVERY_MS = 1_000;

/**
 * Detects that the link of a current run is paused by hand, by any process; the signal is then aborted. A link that was paused
 * before the run, as in `before`, runs by hand: only a later pause ends that run.
 */
export const watchPause = (
  { store, clock }: { readonly store: Pick<Store, 'pausedByHandAtMs'>; readonly clock: Clock },
  before: LinkState,
) => {
  const paused = new AbortController();
  let checkedTickMs = clock.monotonic();
  const checkNow = async (): Promise<void> => {
    const pausedByHandAtMs = await store.pausedByHandAtMs(before.name);
    if (pausedByHandAtMs === null || pausedByHandAtMs === before.pausedByHandAtMs) return;
    paused.abort(new StoppedError(PAUSED_BY_HAND));
  };
  return {
    signal: paused.signal,
    /** Reads the store at most once a second. A run calls it when it makes progress. */
    check: (): void => {
      if (paused.signal.aborted || clock.monotonic() - checkedTickMs < CHECK_EVERY_MS) return;
      checkedTickMs = clock.monotonic();
      // If the store cannot be read, the run ends by itself.
      void checkNow().catch(() => undefined);
    },
  };
};

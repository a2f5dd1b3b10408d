import type { Clock } from '../../src/util/clock.ts';
import type { CellView, SharedCell } from '../../src/net/limiter.ts';

/** A shared cell in memory; each step on it takes `latencyMs` on its clock. */
export const createMemoryCell = (clock: Clock, latencyMs = 0): SharedCell => {
  let held: { readonly revision: number; readonly state: string | null } = { revision: 0, state: null };
  const arrive = async (): Promise<void> => {
    if (latencyMs > 0) await clock.sleep(latencyMs);
  };
  const view = (known: number): CellView => {
    const { revision, state } = held;
    return { nowMs: clock.now(), revision, state: revision === known ? null : state };
  };
  return {
    read: async (known) => {
      await arrive();
      return view(known);
    },
    replace: async (known, state) => {
      await arrive();
      if (known !== held.revision) return view(known);
      held = { revision: known + 1, state };
      return null;
    },
  };
};

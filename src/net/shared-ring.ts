/**
 * One governor for several processes. Its whole state is one short text at a place that all of them reach; each step
 * reads it, applies the governor's own rules and writes it back, if nobody wrote in between, else it starts again from
 * what the other wrote. So the rules stand in one place only, `governor.ts`, and hold for four processes because they
 * hold for one: the same ring, the same pace, the same probe, the same stop after a 429.
 *
 * All times are those of the place's own clock: the processes' clocks may differ. A step that admits nothing writes
 * nothing, so processes that wait do not disturb each other. A place in the ring taken by a process that died becomes
 * free when its lease ends.
 */
import type { Clock } from '../util/clock.ts';
import {
  exportGovernor,
  importGovernor,
  parseGovernorState,
  restoreGovernor,
  withLimit,
  type GovernorState,
} from './governor-state.ts';
import { admit, budgetOf, complete, createGovernor, type Governor } from './governor.ts';
import type { RateLimit } from './rate-headers.ts';
import type { RequestRing } from './ring.ts';

/** What a cell held when it was looked at: revision 0 is nothing yet. */
export type CellView = {
  readonly nowMs: number;
  readonly revision: number;
  /** Null where nothing is held, or still what the looker knows. */
  readonly state: string | null;
};

/** A text that several processes share, at a place with a clock of its own. */
export interface SharedCell {
  /** Looks, in one atomic step; `known` is the revision that the looker knows. */
  read(known: number): Promise<CellView>;
  /**
   * Puts `state` in the place of what stood there at revision `known` and gives back null; or, where something else
   * stands there by now, leaves that and gives it back; in one atomic step.
   */
  replace(known: number, state: string): Promise<CellView | null>;
}

export type SharedRingOptions = {
  readonly cell: SharedCell;
  readonly limit: RateLimit;
  readonly clock: Clock;
  /** Of the process before this one, in epoch time, for a cell that holds nothing yet. */
  readonly snapshot: GovernorState | null;
};

type Step<Result> = {
  readonly apply: (governor: Governor, nowMs: number) => Result;
  readonly isToBeKept: (result: Result) => boolean;
};

/** This process is not notified of other processes' answers, so it looks again after so long. */
const LOOK_AGAIN_MS = 100;
const MAX_WAIT_MS = 1_000;
const UNKNOWN_REVISION = -1;

/** Opens the ring that the cell holds. Where the cell cannot be reached, its methods reject until it can. */
export const openSharedRing = async (options: SharedRingOptions): Promise<RequestRing> => {
  const { cell, clock } = options;
  let { limit } = options;
  let known = { revision: 0, governor: governorOf(options, null, clock.now()) };
  let seenAt = { nowMs: clock.now(), monotonicMs: clock.monotonic() };
  let tail: Promise<unknown> = Promise.resolve();

  const look = ({ nowMs, revision, state }: CellView): Governor => {
    seenAt = { nowMs, monotonicMs: clock.monotonic() };
    const isKnown = revision === known.revision;
    const governor = isKnown ? known.governor : governorOf({ ...options, limit }, state, nowMs);
    known = { revision, governor: withLimit(governor, limit, nowMs) };
    return known.governor;
  };
  const perform = async <Result>({ apply, isToBeKept }: Step<Result>): Promise<Result> => {
    for (let view = await cell.read(known.revision); ;) {
      const governor = look(view);
      const result = apply(governor, view.nowMs);
      if (!isToBeKept(result)) return result;
      // From here on it is not what the cell holds, unless it is put there.
      known = { revision: UNKNOWN_REVISION, governor };
      const other = await cell.replace(view.revision, JSON.stringify(exportGovernor(governor, 0, view.nowMs)));
      if (other === null) {
        known = { revision: view.revision + 1, governor };
        return result;
      }
      view = other;
    }
  };
  /** One step after the other: those of one process need not compete. */
  const inTurn = <Result>(step: Step<Result>): Promise<Result> => {
    const turn = tail.then(() => perform(step));
    tail = turn.catch(() => undefined);
    return turn;
  };
  const seenNowMs = (): number => seenAt.nowMs + clock.monotonic() - seenAt.monotonicMs;

  await cell.read(known.revision).then(look, () => undefined);
  return {
    admit: async () => {
      const admission = await inTurn({ apply: admit, isToBeKept: ({ grant }) => grant !== null });
      if (admission.grant !== null) return admission;
      return { ...admission, waitMs: Math.min(admission.waitMs ?? LOOK_AGAIN_MS, MAX_WAIT_MS) };
    },
    complete: (grant, answer) =>
      inTurn({
        apply: (governor, nowMs) => {
          complete(governor, grant, answer, nowMs);
          return { stoppedForMs: governor.stoppedUntilMs - nowMs };
        },
        isToBeKept: () => true,
      }),
    use: (next) => {
      limit = next;
    },
    budget: () => budgetOf(known.governor, seenNowMs()),
    snapshot: () => exportGovernor(known.governor, clock.now() - seenNowMs(), seenNowMs()),
  };
};

/** The governor that the cell holds; where it holds none, one that goes on from the process before. */
const governorOf = ({ limit, clock, snapshot }: SharedRingOptions, state: string | null, nowMs: number): Governor => {
  const held = state === null ? null : parseGovernorState(state);
  if (held !== null) return importGovernor(limit, held, nowMs);
  return snapshot === null ? createGovernor(limit) : restoreGovernor(limit, snapshot, { nowMs, epochMs: clock.now() });
};

import { createLane } from '../util/batches.ts';
import type { Clock } from '../util/clock.ts';
import {
  restoreGovernor,
  atOwnClock,
  withLimit,
  exportGovernor,
  importGovernor,
  parseGovernorState,
  type GovernorState,
} from './governor-state.ts';
import {
  admit,
  boundTimes,
  budgetOf,
  complete,
  createGovernor,
  type Admission,
  type Budget,
  type GovernedAnswer,
  type AdmittedRequest,
  type Governor,
} from './governor.ts';
import type { RateLimit } from '../util/values.ts';

/** Admits the requests of one rate limit. The governor is in this process, or several processes share it. */
export type RateLimiter = {
  admit(): Promise<Admission>;
  /** Ends an admitted request, with null if it got no answer. Returns how long no request is sent. */
  complete(grant: AdmittedRequest, answer: GovernedAnswer | null): Promise<{ readonly stoppedForMs: number }>;
  /** Replaces the configured limit from the next request on. Earlier requests and the limit of the server still count. */
  use(limit: RateLimit): void;
  /** The budget at the last exchange with the limiter. */
  budget(): Budget;
  /** The state that the next process continues from, in epoch time; plain JSON. */
  snapshot(): GovernorState;
};

/** Creates a limiter for this process only; `snapshot` is the one of the previous process. */
export const createLocalLimiter = (limit: RateLimit, clock: Clock, snapshot: GovernorState | null): RateLimiter => {
  const moment = () => ({ nowMs: clock.monotonic(), epochMs: clock.now() });
  let governor = snapshot === null ? createGovernor(limit) : restoreGovernor(limit, snapshot, moment());
  return {
    admit: () => Promise.resolve(admit(governor, clock.monotonic())),
    complete: (grant, answer) => {
      const nowMs = clock.monotonic();
      complete(governor, grant, answer, nowMs);
      return Promise.resolve({ stoppedForMs: governor.stoppedUntilMs - nowMs });
    },
    use: (next) => {
      governor = withLimit(governor, next, clock.monotonic());
    },
    budget: () => budgetOf(governor, clock.monotonic()),
    snapshot: () => exportGovernor(governor, moment()),
  };
};

/** The content of a cell at the time of a read; revision 0 means an empty cell. */
export type CellView = {
  readonly nowMs: number;
  readonly revision: number;
  /** Null for an empty cell, and if the revision is the known one. */
  readonly state: string | null;
};

/** A text that several processes share. Its server has its own clock. */
export interface SharedCell {
  /** Reads the cell in one atomic step; `known` is the revision that the caller has. */
  read(known: number): Promise<CellView>;
  /**
   * Replaces the content of revision `known` by `state` and returns null, in one atomic step. If the cell has another
   * revision, returns that one and changes nothing.
   */
  replace(known: number, state: string): Promise<CellView | null>;
}

export type SharedLimiterOptions = {
  readonly cell: SharedCell;
  readonly limit: RateLimit;
  readonly clock: Clock;
  /** The snapshot of the previous process, in epoch time. An empty cell is filled from it. */
  readonly snapshot: GovernorState | null;
};

/** This process is not notified of answers to other processes, so it reads the cell again after this time. */
const READ_AGAIN_MS = 100;
const MAX_WAIT_MS = 1_000;
const UNKNOWN_REVISION = -1;
const EMPTY_REVISION = 0;

/**
 * Opens a limiter whose governor several processes share. The whole state of the governor is one short text in the cell. Each
 * step reads the text, applies the rules of the governor, and writes it back. If another process wrote in between, the step
 * starts again from the new text. So the rules of `governor.ts` hold for all processes together.
 *
 * All times are those of the clock of the cell, because the clocks of processes may differ. A step that admits nothing writes
 * nothing, so waiting processes do not disturb each other. A place that a dead process took becomes free when its lease
 * expires. While the cell cannot be reached, the methods reject.
 */
export const openSharedLimiter = async (options: SharedLimiterOptions): Promise<RateLimiter> => {
  const { cell, clock } = options;
  let { limit } = options;
  let known = { revision: UNKNOWN_REVISION, governor: governorOf(options, null, clock.now()) };
  let readAt = { nowMs: clock.now(), tickMs: clock.monotonic(), isOfCell: false };
  /** Steps of one process do not compete. */
  const lane = createLane();

  const accept = ({ nowMs, revision, state }: CellView): Governor => {
    // If the cell was emptied since, what this process knows still counts: above all, a stop after a 429.
    const isKnown = revision === known.revision || (revision === EMPTY_REVISION && readAt.isOfCell);
    readAt = { nowMs, tickMs: clock.monotonic(), isOfCell: true };
    const governor = isKnown ? boundTimes(known.governor, nowMs) : governorOf({ ...options, limit }, state, nowMs);
    known = { revision, governor: withLimit(governor, limit, nowMs) };
    return known.governor;
  };
  const perform = async <Result>(
    apply: (governor: Governor, nowMs: number) => Result,
    mustBeWritten: (result: Result) => boolean = () => true,
  ): Promise<Result> => {
    for (let view = await cell.read(known.revision); ;) {
      const governor = accept(view);
      const result = apply(governor, view.nowMs);
      if (!mustBeWritten(result)) return result;
      // The governor now differs from the cell until the write succeeds.
      known = { revision: UNKNOWN_REVISION, governor };
      const other = await cell.replace(view.revision, JSON.stringify(exportGovernor(governor, atOwnClock(view.nowMs))));
      if (other === null) {
        known = { revision: view.revision + 1, governor };
        return result;
      }
      view = other;
    }
  };
  const cellNowMs = (): number => readAt.nowMs + clock.monotonic() - readAt.tickMs;

  await cell.read(known.revision).then(accept, () => undefined);
  return {
    admit: async () => {
      const admission = await lane(() => perform(admit, ({ grant }) => grant !== null));
      if (admission.grant !== null) return admission;
      return { ...admission, waitMs: Math.min(admission.waitMs ?? READ_AGAIN_MS, MAX_WAIT_MS) };
    },
    complete: (grant, answer) =>
      lane(() =>
        perform((governor, nowMs) => {
          complete(governor, grant, answer, nowMs);
          return { stoppedForMs: governor.stoppedUntilMs - nowMs };
        }),
      ),
    use: (next) => {
      limit = next;
    },
    budget: () => budgetOf(known.governor, cellNowMs()),
    snapshot: () => exportGovernor(known.governor, { nowMs: cellNowMs(), epochMs: clock.now() }),
  };
};

/** The governor in the cell. For an empty cell, one that continues from the snapshot. */
const governorOf = (
  { limit, clock, snapshot }: SharedLimiterOptions,
  state: string | null,
  nowMs: number,
): Governor => {
  const stored = state === null ? null : parseGovernorState(state);
  if (stored !== null) return importGovernor(limit, stored, nowMs);
  return snapshot === null ? createGovernor(limit) : restoreGovernor(limit, snapshot, { nowMs, epochMs: clock.now() });
};

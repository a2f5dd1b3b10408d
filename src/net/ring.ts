import type { Clock } from '../util/clock.ts';
import { restoreGovernor, snapshotOf, withLimit, type GovernorState } from './governor-state.ts';
import {
  admit,
  budgetOf,
  complete,
  createGovernor,
  type Admission,
  type Budget,
  type GovernedAnswer,
  type Grant,
} from './governor.ts';
import type { RateLimit } from './rate-headers.ts';

/** Where the requests of one limit are admitted: a governor of this process, or one that several processes share. */
export type RequestRing = {
  admit(): Promise<Admission>;
  /** Ends an admitted request, with null where it got no answer; tells for how long nothing is sent. */
  complete(grant: Grant, answer: GovernedAnswer | null): Promise<{ readonly stoppedForMs: number }>;
  /** Takes another configured limit from the next request on; what was sent, and what the server told, still counts. */
  use(limit: RateLimit): void;
  /** As far as this process knows. */
  budget(): Budget;
  /** What the next process needs to keep the limit from its first request on, in epoch time; plain JSON. */
  snapshot(): GovernorState;
};

/** A governor of this process alone; `snapshot` is that of the process before it. */
export const createLocalRing = (limit: RateLimit, clock: Clock, snapshot: GovernorState | null): RequestRing => {
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
    snapshot: () => snapshotOf(governor, moment()),
  };
};

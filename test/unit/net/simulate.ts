import type { AdmittedRequest, GovernedAnswer } from '../../../src/net/governor.ts';
import { admit, complete, createGovernor } from '../../../src/net/governor.ts';
import type { RateLimit } from '../../../src/util/values.ts';
import type { Limiter, Verdict } from '../../support/limiter-models.ts';

/** A response without rate limit headers, with these changes. */
export const answerWith = (changes: Partial<GovernedAnswer> = {}): GovernedAnswer => ({
  status: 200,
  limit: null,
  remaining: null,
  resetMs: null,
  retryAfterMs: null,
  jitterMs: 0,
  ...changes,
});

type Event = { readonly atMs: number; readonly run: () => void };

export type Simulation = {
  readonly limit: RateLimit;
  readonly limiter: Limiter;
  readonly durationMs: number;
  readonly random: () => number;
  /** Returns the time from sending one request to receiving its response. */
  readonly roundTripMs: (random: () => number) => number;
  /** Requests of another client per window. */
  readonly foreignPerWindow?: number;
};

export type Outcome = { readonly accepted: number; readonly refused: number; readonly foreignAccepted: number };

const MOST_IN_FLIGHT = 16;

/** Sends as many requests as the governor allows against the limiter, in virtual time. */
export const simulate = (simulation: Simulation): Outcome => {
  const { limiter, durationMs, random } = simulation;
  const events: Event[] = [];
  const outcome = { accepted: 0, refused: 0, foreignAccepted: 0 };
  const governor = createGovernor(simulation.limit);
  let nowMs = 0;

  const schedule = (atMs: number, run: () => void): void => {
    let index = events.length;
    while (index > 0 && (events[index - 1]?.atMs ?? 0) > atMs) index -= 1;
    events.splice(index, 0, { atMs, run });
  };

  const send = (grant: AdmittedRequest): void => {
    const roundTripMs = simulation.roundTripMs(random);
    let verdict: Verdict | null = null;
    schedule(nowMs + roundTripMs * random(), () => {
      verdict = limiter(nowMs);
      outcome[verdict.isAccepted ? 'accepted' : 'refused'] += 1;
    });
    schedule(nowMs + roundTripMs, () => {
      if (verdict === null) return;
      const { isAccepted, remaining, resetMs } = verdict;
      const status = isAccepted ? 200 : 429;
      complete(governor, grant, answerWith({ status, limit: simulation.limit, remaining, resetMs }), nowMs);
      pump();
    });
  };

  let alarmMs = Number.POSITIVE_INFINITY;
  const pump = (): void => {
    while (governor.open.size < MOST_IN_FLIGHT) {
      const admission = admit(governor, nowMs);
      if (admission.grant === null) {
        const wakeMs = nowMs + (admission.waitMs ?? Number.POSITIVE_INFINITY);
        if (wakeMs < alarmMs || alarmMs <= nowMs) {
          alarmMs = wakeMs;
          if (wakeMs < Number.POSITIVE_INFINITY) schedule(wakeMs, pump);
        }
        return;
      }
      send(admission.grant);
    }
  };

  const foreign = (): void => {
    if (limiter(nowMs).isAccepted) outcome.foreignAccepted += 1;
    schedule(nowMs + foreignGapMs(simulation), foreign);
  };

  if (simulation.foreignPerWindow !== undefined) schedule(foreignGapMs(simulation), foreign);
  pump();
  for (let event = events.shift(); event !== undefined && event.atMs <= durationMs; event = events.shift()) {
    nowMs = event.atMs;
    event.run();
  }
  return outcome;
};

const foreignGapMs = ({ limit, random, foreignPerWindow = 1 }: Simulation): number =>
  (limit.windowMs / foreignPerWindow) * 2 * random();

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Governor, AdmittedRequest } from '../../../src/net/governor.ts';
import { admit, budgetOf, complete, createGovernor } from '../../../src/net/governor.ts';
import { exportGovernor, restoreGovernor } from '../../../src/net/governor-state.ts';
import { answerWith } from './simulate.ts';

const ANSWER = answerWith();
const LOST_GRACE_MS = 5_000;

type Step = {
  readonly gapMs: number;
  readonly roundTripMs: number;
  /** Fraction of the round trip after which the server receives the request. */
  readonly arrival: number;
  readonly isLost: boolean;
  readonly isRestart: boolean;
};

const steps = fc.array(
  fc.record({
    gapMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 6_000 })),
    roundTripMs: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 8_000 })),
    arrival: fc.double({ min: 0, max: 1, noNaN: true }),
    isLost: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
    isRestart: fc.integer({ min: 0, max: 29 }).map((dice) => dice === 0),
  }),
  { minLength: 20, maxLength: 150 },
);

type Sent = {
  readonly grant: AdmittedRequest;
  readonly doneAtMs: number;
  readonly isLost: boolean;
  readonly request: Arrival;
};
type Arrival = { arrivesAtMs: number };

/** Plays the steps and returns the arrival times of the requests at the server, ascending. */
const play = (governor: Governor, played: readonly Step[]): number[] => {
  const arrivals: Arrival[] = [];
  let open: Sent[] = [];
  let current = governor;
  let nowMs = 0;
  for (const step of played) {
    nowMs += step.gapMs;
    const due = open.filter(({ doneAtMs }) => doneAtMs <= nowMs).sort((one, other) => one.doneAtMs - other.doneAtMs);
    open = open.filter(({ doneAtMs }) => doneAtMs > nowMs);
    for (const { grant, doneAtMs, isLost } of due) complete(current, grant, isLost ? null : ANSWER, doneAtMs);
    if (step.isRestart) {
      const snapshot = exportGovernor(current, { nowMs, epochMs: 1_000_000 + nowMs });
      current = restoreGovernor(governor.configured, snapshot, { nowMs, epochMs: 1_000_000 + nowMs });
      for (const { request } of open) request.arrivesAtMs = Math.min(request.arrivesAtMs, nowMs + LOST_GRACE_MS);
      open = [];
    }
    const { grant } = admit(current, nowMs);
    if (grant === null) continue;
    // A lost request can reach the server after the sender has given it up.
    const underWayMs = step.isLost ? step.roundTripMs + LOST_GRACE_MS : step.roundTripMs;
    const request = { arrivesAtMs: nowMs + step.arrival * underWayMs };
    open.push({ grant, doneAtMs: nowMs + step.roundTripMs, isLost: step.isLost, request });
    arrivals.push(request);
  }
  return arrivals.map(({ arrivesAtMs }) => arrivesAtMs).sort((one, other) => one - other);
};

const limits = fc.record({ requests: fc.integer({ min: 1, max: 12 }), windowMs: fc.integer({ min: 500, max: 6_000 }) });

test('no window contains more requests than the limit, for any latency, losses and restarts', () => {
  fc.assert(
    fc.property(limits, steps, (limit, played) => {
      const arrivals = play(createGovernor(limit), played);
      for (const [index, first] of arrivals.entries()) {
        const oneTooMany = arrivals[index + limit.requests] ?? Number.POSITIVE_INFINITY;
        expect(oneTooMany - first).toBeGreaterThanOrEqual(limit.windowMs);
      }
    }),
    { numRuns: 400 },
  );
});

test('a governor admits a request after the wait that it returned, unless a response arrives', () => {
  fc.assert(
    fc.property(limits, steps, (limit, played) => {
      const governor = createGovernor(limit);
      let nowMs = 0;
      for (const { roundTripMs } of played) {
        const admission = admit(governor, nowMs);
        if (admission.grant === null) {
          expect(admission.waitMs).toBeGreaterThan(0);
          nowMs += (admission.waitMs ?? 0) + 0.001;
        }
        const grant = admission.grant ?? admit(governor, nowMs).grant;
        expect(grant).not.toBeNull();
        if (grant !== null) complete(governor, grant, ANSWER, (nowMs += roundTripMs));
        expect(budgetOf(governor, nowMs).remaining).toBeLessThan(limit.requests);
      }
    }),
    { numRuns: 100 },
  );
});

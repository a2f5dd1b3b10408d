import { describe, expect, test } from 'vitest';
import { admit, complete, createGovernor, type Admission } from '../../../src/net/governor.ts';
import {
  exportGovernor,
  importGovernor,
  parseGovernorState,
  restoreGovernor,
  governorSnapshot,
} from '../../../src/net/governor-state.ts';

const LIMIT = { requests: 90, windowMs: 60_000 };
const HOUR_MS = 3_600_000;
const YEARS_MS = 57 * 365 * 86_400_000;

/** Returns a governor that is stopped for years. */
const stopped = () => ({
  ...createGovernor(LIMIT),
  stoppedUntilMs: YEARS_MS,
  room: { requests: 0, moreAtMs: YEARS_MS },
});

const waitOf = (admission: Admission): number | null => (admission.grant === null ? admission.waitMs : 0);

test('a stored stop of more than an hour lasts an hour from the time it is read', () => {
  const shared = importGovernor(LIMIT, exportGovernor(stopped(), 0, 1_000), 1_000);
  expect(waitOf(admit(shared, 1_000))).toBe(HOUR_MS);
  expect(shared.room.moreAtMs).toBe(1_000 + HOUR_MS);
  const snapshot = governorSnapshot(stopped(), { nowMs: 0, epochMs: 1_000_000 });
  const restored = restoreGovernor(LIMIT, snapshot, { nowMs: 5, epochMs: 1_000_000 });
  expect(waitOf(admit(restored, 5))).toBe(HOUR_MS);
  expect(waitOf(admit(restored, 5 + HOUR_MS))).toBe(0);
});

describe('the limit of a governor that another process stored', () => {
  test('is the configured one if the server reported none, even if it is higher than the stored one', () => {
    const state = exportGovernor(createGovernor(LIMIT), 0, 0);
    const second = { requests: 2, windowMs: 1_000 };
    expect(importGovernor(second, state, 0).limit).toEqual(second);
  });

  test('is the limit of the server if that is lower, even if the stored limit was lower still', () => {
    const governor = createGovernor(LIMIT);
    const { grant } = admit(governor, 0);
    if (grant === null) throw new Error('nothing was admitted');
    const reported = { requests: 100, windowMs: 60_000 };
    const answer = { status: 200, limit: reported, remaining: null, resetMs: null, retryAfterMs: null, jitterMs: 0 };
    complete(governor, grant, answer, 100);
    expect(governor.limit).toEqual(LIMIT);
    const state = exportGovernor(governor, 0, 100);
    expect(importGovernor({ requests: 500, windowMs: 60_000 }, state, 100).limit).toEqual(reported);
  });

  test('is the configured one if the stored state has no origin of its limit', () => {
    const { isReported: _, ...withoutOrigin } = exportGovernor(createGovernor(LIMIT), 0, 0);
    const state = parseGovernorState(JSON.stringify(withoutOrigin));
    const higher = { requests: 500, windowMs: 60_000 };
    expect(state && importGovernor(higher, state, 0).limit).toEqual(higher);
  });
});

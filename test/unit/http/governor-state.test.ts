import { expect, test } from 'vitest';
import { admit, createGovernor, type Admission } from '../../../src/http/governor.ts';
import { exportGovernor, importGovernor, restoreGovernor, snapshotOf } from '../../../src/http/governor-state.ts';

const LIMIT = { requests: 90, windowMs: 60_000 };
const HOUR_MS = 3_600_000;
const YEARS_MS = 57 * 365 * 86_400_000;

/** A governor that was stopped for years. */
const stopped = () => ({
  ...createGovernor(LIMIT),
  stoppedUntilMs: YEARS_MS,
  room: { requests: 0, moreAtMs: YEARS_MS },
});

const waitOf = (admission: Admission): number | null => (admission.grant === null ? admission.waitMs : 0);

test('a stop that was stored for longer than an hour lasts an hour from when it is read', () => {
  const shared = importGovernor(LIMIT, exportGovernor(stopped(), 0, 1_000), 1_000);
  expect(waitOf(admit(shared, 1_000))).toBe(HOUR_MS);
  expect(shared.room.moreAtMs).toBe(1_000 + HOUR_MS);
  const snapshot = snapshotOf(stopped(), { nowMs: 0, epochMs: 1_000_000 });
  const restored = restoreGovernor(LIMIT, snapshot, { nowMs: 5, epochMs: 1_000_000 });
  expect(waitOf(admit(restored, 5))).toBe(HOUR_MS);
  expect(waitOf(admit(restored, 5 + HOUR_MS))).toBe(0);
});

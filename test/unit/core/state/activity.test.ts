import { NO_ACTIVITY, type Activity } from '../../../../src/core/state/rows.ts';
import { expect, test } from 'vitest';
import { afterChange, daysByHour, isWorkingHour, workingHoursOf } from '../../../../src/core/state/activity.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Midnight in UTC. */
const MIDNIGHT_MS = 20_000 * DAY_MS;

const changedAt = (...timesMs: readonly number[]): Activity => timesMs.reduce(afterChange, NO_ACTIVITY);

/** Changes at these hours, on this number of days in a row. */
const habit = (days: number, hours: readonly number[]): Activity =>
  changedAt(
    ...Array.from({ length: days }, (_, day) =>
      hours.map((hour) => MIDNIGHT_MS + day * DAY_MS + hour * HOUR_MS),
    ).flat(),
  );

test('without a change there is no result', () => {
  expect(workingHoursOf(NO_ACTIVITY, MIDNIGHT_MS)).toEqual([]);
  expect(isWorkingHour(NO_ACTIVITY, MIDNIGHT_MS)).toBe(false);
  expect(daysByHour(NO_ACTIVITY, MIDNIGHT_MS)).toEqual(Array.from({ length: 24 }, () => 0));
});

test('a day counts once for an hour, however many changes it has', () => {
  const at = MIDNIGHT_MS + 9 * HOUR_MS;
  const activity = changedAt(at, at + 10_000, at + HOUR_MS - 1, at + HOUR_MS);
  const days = daysByHour(activity, at + HOUR_MS);
  expect([days[8], days[9], days[10], days[11]]).toEqual([0, 0.998, 1, 0]);
  expect(activity.lastChangeAtMs).toBe(at + HOUR_MS);
});

test('a day counts half after two weeks, even if nothing was changed in the meantime', () => {
  const at = MIDNIGHT_MS + 9 * HOUR_MS;
  const fortnight = 14 * DAY_MS;
  expect(daysByHour(changedAt(at), at + fortnight)[9]).toBe(0.5);
  expect(daysByHour(changedAt(at, at + fortnight), at + fortnight)[9]).toBe(1.5);
  expect(daysByHour(changedAt(at), at - DAY_MS)[9]).toBe(1);
});

test('hours in which changes are usual are working hours; a single day at another hour does not make one', () => {
  const usual = habit(20, [8, 9, 10, 14]);
  const activity = afterChange(usual, MIDNIGHT_MS + 19 * DAY_MS + 23 * HOUR_MS);
  const nowMs = MIDNIGHT_MS + 20 * DAY_MS;
  expect(workingHoursOf(activity, nowMs)).toEqual([8, 9, 10, 14]);
  expect(isWorkingHour(activity, nowMs + 9 * HOUR_MS)).toBe(true);
  expect(isWorkingHour(activity, nowMs + 11 * HOUR_MS)).toBe(false);
});

test('the first change makes its hour a working hour for a fortnight', () => {
  const at = MIDNIGHT_MS + 9 * HOUR_MS;
  expect(workingHoursOf(changedAt(at), at + 14 * DAY_MS)).toEqual([9]);
  expect(workingHoursOf(changedAt(at), at + 15 * DAY_MS)).toEqual([]);
});

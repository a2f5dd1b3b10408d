import type { Activity } from './rows.ts';

const HOUR_MS = 3_600_000;
const HOURS_A_DAY = 24;
/** A change of a person's habits takes effect within weeks, and a holiday does not reset them. */
const HALF_LIFE_MS = 14 * HOURS_A_DAY * HOUR_MS;
/** Three decimals are exact enough, and short in the store. */
const PRECISION = 1_000;

const NO_HOURS: readonly number[] = Array.from({ length: HOURS_A_DAY }, () => 0);

const hourOf = (atMs: number): number => Math.floor(atMs / HOUR_MS) % HOURS_A_DAY;

/** Returns for each hour of the day (UTC) the number of days with changes, with the weight that they have at `nowMs`. */
export const daysByHour = ({ lastChangeAtMs, hours }: Activity, nowMs: number): readonly number[] => {
  if (lastChangeAtMs === null || hours.length !== HOURS_A_DAY) return NO_HOURS;
  const left = 0.5 ** (Math.max(0, nowMs - lastChangeAtMs) / HALF_LIFE_MS);
  return hours.map((days) => Math.round(days * left * PRECISION) / PRECISION);
};

/** Returns the activity after a run that wrote something. A day counts once for each hour, however many changes it had. */
export const afterChange = (before: Activity, atMs: number): Activity => {
  const { lastChangeAtMs } = before;
  const isSameHour = lastChangeAtMs !== null && Math.floor(lastChangeAtMs / HOUR_MS) === Math.floor(atMs / HOUR_MS);
  const hour = isSameHour ? null : hourOf(atMs);
  const hours = daysByHour(before, atMs).map((days, index) => (index === hour ? days + 1 : days));
  return { lastChangeAtMs: atMs, hours };
};

/**
 * An hour with a smaller share of the busiest hour's days is not a working hour: a person may occasionally
 * change something at any time.
 */
const LEAST_SHARE = 0.25;
/** The weight of one day, two weeks later. */
const LEAST_DAYS = 0.5;

/** Returns the hours of the day (UTC, ascending) in which the users of the link work. */
export const workingHoursOf = (activity: Activity, nowMs: number): readonly number[] => {
  const days = daysByHour(activity, nowMs);
  const least = Math.max(LEAST_DAYS, Math.max(...days) * LEAST_SHARE);
  return days.flatMap((count, hour) => (count >= least ? [hour] : []));
};

/** Returns whether `nowMs` is in a working hour. */
export const isWorkingHour = (activity: Activity, nowMs: number): boolean =>
  workingHoursOf(activity, nowMs).includes(hourOf(nowMs));

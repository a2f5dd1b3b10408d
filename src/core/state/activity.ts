import type { Activity } from './rows.ts';

const HOUR_MS = 3_600_000;
const HOURS_A_DAY = 24;
/** A change of a person's habits shows within weeks, and a holiday does not make them forgotten. */
const HALF_LIFE_MS = 14 * HOURS_A_DAY * HOUR_MS;
/** As exact as anybody needs it, and short where it is stored. */
const PRECISION = 1_000;

const NO_HOURS: readonly number[] = Array.from({ length: HOURS_A_DAY }, () => 0);

const hourOf = (atMs: number): number => Math.floor(atMs / HOUR_MS) % HOURS_A_DAY;

/** On how many days there were changes in each hour of the day (UTC), as they count at that time. */
export const daysByHour = ({ lastChangeAtMs, hours }: Activity, nowMs: number): readonly number[] => {
  if (lastChangeAtMs === null || hours.length !== HOURS_A_DAY) return NO_HOURS;
  const left = 0.5 ** (Math.max(0, nowMs - lastChangeAtMs) / HALF_LIFE_MS);
  return hours.map((days) => Math.round(days * left * PRECISION) / PRECISION);
};

/** The activity after a run that wrote something. A day counts once for each hour, however much was changed in it. */
export const afterChange = (before: Activity, atMs: number): Activity => {
  const { lastChangeAtMs } = before;
  const isSameHour = lastChangeAtMs !== null && Math.floor(lastChangeAtMs / HOUR_MS) === Math.floor(atMs / HOUR_MS);
  const hour = isSameHour ? null : hourOf(atMs);
  const hours = daysByHour(before, atMs).map((days, index) => (index === hour ? days + 1 : days));
  return { lastChangeAtMs: atMs, hours };
};

/** In so small a share of the busiest hour's days people may change something in any hour. */
const LEAST_SHARE = 0.25;
/** One day, a fortnight ago. */
const LEAST_DAYS = 0.5;

/** The hours of the day (UTC, ascending) in which the people behind the link work. */
export const workingHoursOf = (activity: Activity, nowMs: number): readonly number[] => {
  const days = daysByHour(activity, nowMs);
  const least = Math.max(LEAST_DAYS, Math.max(...days) * LEAST_SHARE);
  return days.flatMap((count, hour) => (count >= least ? [hour] : []));
};

/** Whether it is one of those hours. */
export const isWorkingHour = (activity: Activity, nowMs: number): boolean =>
  workingHoursOf(activity, nowMs).includes(hourOf(nowMs));

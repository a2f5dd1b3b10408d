import type { LinkConfig } from '../config/config.ts';
import type { JobKind } from './job.ts';

export type ScheduledKind = Exclude<JobKind, 'full'>;

/** A job that comes again and again: `offsetMs` into every interval. */
export type Schedule = {
  readonly link: string;
  readonly kind: ScheduledKind;
  readonly everyMs: number;
  /** At least 0, less than `everyMs`. */
  readonly offsetMs: number;
};

/**
 * The schedules of all links. Starts are spread evenly over the interval by the link's place in the configuration; a
 * link's sweep comes half a cycle after its incremental run, so that the two do not meet.
 */
export const schedulesOf = (links: readonly LinkConfig[]): readonly Schedule[] =>
  links.flatMap(({ name, syncIntervalMs, sweepIntervalMs }, index): Schedule[] => {
    const offsetMs = Math.floor((syncIntervalMs * index) / links.length);
    const sweepOffsetMs = Math.floor((offsetMs + syncIntervalMs / 2) % sweepIntervalMs);
    return [
      { link: name, kind: 'incremental', everyMs: syncIntervalMs, offsetMs },
      { link: name, kind: 'sweep', everyMs: sweepIntervalMs, offsetMs: sweepOffsetMs },
    ];
  });

/** When the schedule is due next, counted in milliseconds from the beginning; slots that were missed are left out. */
export const nextSlot = ({ everyMs, offsetMs }: Schedule, nowMs: number): number => {
  const slots = Math.floor((nowMs - offsetMs) / everyMs) + 1;
  return offsetMs + Math.max(0, slots) * everyMs;
};

import { z } from 'zod';
import {
  boundTimes,
  countAfter,
  createGovernor,
  lowerLimit,
  LOST_GRACE_MS,
  recordCompletion,
  type Governor,
} from './governor.ts';
import type { RateLimit } from '../util/values.ts';

/** Hundreds of times, read at each step of a shared limiter. One check is much faster than a schema for each time. */
const times = z.custom<number[]>((value) => Array.isArray(value) && value.every(Number.isFinite));
const rateLimit = z.object({ requests: z.number(), windowMs: z.number() });

const governorState = z.object({
  limit: rateLimit,
  /** Whether the server reported the limit. A configured limit applies only to the process that stored it. */
  isReported: z.boolean(),
  /** The first time, then the distance of each time from the previous one, which is shorter as text. */
  completed: times,
  open: z.array(z.tuple([z.number(), z.number()])),
  nextId: z.number(),
  pacedUntilMs: z.number(),
  stoppedUntilMs: z.number(),
  probe: z.union([z.enum(['none', 'due']), z.object({ id: z.number() })]),
  room: z.object({ id: z.number(), requests: z.number(), untilMs: z.number() }),
  mostFree: z.number(),
  sharedUntilMs: z.number(),
});

/** A governor as plain JSON. */
export type GovernorState = z.infer<typeof governorState>;

/** The same moment on the governor's clock and in epoch time. */
type Moment = { readonly nowMs: number; readonly epochMs: number };

/** Parses a stored state; returns null for any other text. */
export const parseGovernorState = (text: string): GovernorState | null => {
  try {
    return governorState.parse(JSON.parse(text));
  } catch {
    return null;
  }
};

/** A moment that keeps the times of an exported governor on the governor's own clock. */
export const atOwnClock = (nowMs: number): Moment => ({ nowMs, epochMs: nowMs });

/** The governor's state in epoch time. */
export const exportGovernor = (governor: Governor, { nowMs, epochMs }: Moment): GovernorState => {
  const shiftMs = epochMs - nowMs;
  const shifted = (timeMs: number): number => Math.round(timeMs + shiftMs);
  const { nextId, probe, room, mostFree } = governor;
  return {
    limit: governor.reported ?? governor.configured,
    isReported: governor.reported !== null,
    completed: distances(governor, shiftMs, nowMs - 2 * governor.configured.windowMs),
    open: [...governor.open].map(([id, untilMs]) => [id, shifted(untilMs)]),
    nextId,
    // Not rounded: the error of each request would add up.
    pacedUntilMs: governor.pacedUntilMs + shiftMs,
    stoppedUntilMs: shifted(governor.stoppedUntilMs),
    probe,
    room: { ...room, untilMs: shifted(room.untilMs) },
    mostFree,
    sharedUntilMs: shifted(governor.sharedUntilMs),
  };
};

/** Restores an exported governor with times on the same clock, which may have been set back since. */
export const importGovernor = (configured: RateLimit, state: GovernorState, nowMs: number): Governor => {
  const { completed, open, limit, isReported, ...rest } = state;
  const governor = {
    ...createGovernor(configured),
    ...rest,
    reported: isReported ? limit : null,
    limit: isReported ? lowerLimit(configured, limit) : configured,
    open: new Map(open),
  };
  let timeMs = 0;
  for (const distanceMs of completed) recordCompletion(governor, (timeMs += distanceMs));
  return boundTimes(governor, nowMs);
};

/** The governor with another configured limit; the same object if the limit is unchanged. */
export const withLimit = (governor: Governor, limit: RateLimit, nowMs: number): Governor => {
  const { requests, windowMs } = governor.configured;
  if (requests === limit.requests && windowMs === limit.windowMs) return governor;
  return importGovernor(limit, exportGovernor(governor, atOwnClock(nowMs)), nowMs);
};

/**
 * A governor that continues from the snapshot of an earlier process. It starts with a probe: the answer shows what was sent
 * after the snapshot. Times ahead of the clock, after the clock was set back, count as now.
 */
export const restoreGovernor = (limit: RateLimit, snapshot: GovernorState, { nowMs, epochMs }: Moment): Governor => {
  const earlier = importGovernor(limit, snapshot, epochMs);
  const governor = createGovernor(limit);
  const past = (atMs: number): number => nowMs + Math.min(0, atMs - epochMs);
  const future = (atMs: number): number => nowMs + Math.max(0, atMs - epochMs);
  for (const atMs of earlier.completed) recordCompletion(governor, past(atMs));
  for (const id of earlier.open.keys()) governor.open.set(id, nowMs + LOST_GRACE_MS);
  const { nextId, room, mostFree, sharedUntilMs } = earlier;
  return {
    ...governor,
    nextId,
    mostFree,
    room: { ...room, untilMs: future(room.untilMs) },
    sharedUntilMs: future(sharedUntilMs),
    stoppedUntilMs: future(earlier.stoppedUntilMs),
  };
};

/** The completion times after `sinceMs`: the first one, then the distance of each from the previous one. */
const distances = (governor: Governor, shiftMs: number, sinceMs: number): number[] => {
  const from = governor.completed.length - countAfter(governor, sinceMs);
  const listed = governor.completed.slice(from).map((timeMs) => Math.round(timeMs + shiftMs));
  return listed.map((timeMs, index) => timeMs - (listed[index - 1] ?? 0));
};

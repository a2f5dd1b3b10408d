import { z } from 'zod';
import { bySide, SIDES, type Sides } from '../../core/contact/side.ts';
import type { RunSummary } from '../../engine/run.ts';
import type { RunEvent } from '../../engine/run-event.ts';

/** What a job asks for: a scheduled run, a scheduled one that sweeps (full listings find deletions), or a resync. */
export type JobKind = 'incremental' | 'sweep' | 'full';

/** What a job carries through the queue. */
export type JobData = {
  readonly link: string;
  readonly kind: JobKind;
  /**
   * The nonce of the halted plan that may pass (R8), which stands in the store: writing to the queue alone opens no guard.
   * Null: the guard holds.
   */
  readonly override: string | null;
  /** There where somebody asks for just this run: it is begun whatever keeps the schedule from the link. */
  readonly byHand?: true;
};

export const jobData = z.object({
  link: z.string().min(1),
  kind: z.enum(['incremental', 'sweep', 'full']),
  override: z.string().nullable().default(null),
  byHand: z.literal(true).exactOptional(),
});

/** How a job ended: each a cell of the table in `outcome.ts`, or a job that was not begun. */
const ENDINGS = ['completed', 'halted', 'paused', 'unavailable', 'busy', 'stopped', 'failed', 'skipped'] as const;
export type JobEnding = (typeof ENDINGS)[number];

/** What a job reports when it is over. */
export type JobReport = {
  readonly ending: JobEnding;
  /** What is wrong and what to do; null where nothing is. */
  readonly message: string | null;
  /** Null where no run began. */
  readonly summary: RunSummary | null;
  /** How long to wait before the next attempt, where one makes sense; in milliseconds. */
  readonly retryInMs: number | null;
  /** There where the link's interval is `auto`: how long until it is to be looked at again, in milliseconds. */
  readonly nextLookInMs?: number;
  /** There where a run was stopped for good, since somebody has paused its link: the queue does not begin it again. */
  readonly isOver?: true;
};

const sideProgress = z.object({
  /** Contacts or changes read so far, and how many there are; null where the side does not tell. */
  listed: z.number(),
  total: z.number().nullable(),
  /** Writes that the plan holds; null before it was made. */
  planned: z.number().nullable(),
  written: z.number(),
  /** How long the writes that are left take, in milliseconds; null where that is not known. */
  leftMs: z.number().nullable().default(null),
});
export type SideProgress = z.infer<typeof sideProgress>;

/** How far a job has come, on both sides together and for each; plain data, kept with the job. */
export type JobProgress = {
  readonly listed: number;
  readonly planned: number | null;
  readonly written: number;
  /** How long both sides still take; null where that is not known. */
  readonly leftMs: number | null;
  readonly sides: Sides<SideProgress>;
};

const sideSummary = z.object({
  pulled: z.number(),
  created: z.number(),
  updated: z.number(),
  deleted: z.number(),
  groupsDeleted: z.number().default(0),
  requests: z.number(),
});

const runSummary = z.object({
  link: z.string(),
  run: z.string(),
  kind: z.enum(['incremental', 'full']),
  outcome: z.enum(['completed', 'halted', 'failed']),
  stopped: z.literal(true).exactOptional(),
  reason: z.string().nullable(),
  left: sideSummary,
  right: sideSummary,
  paired: z.number(),
  conflicts: z.number(),
  asked: z.number().exactOptional(),
  skipped: z.number(),
  durationMs: z.number(),
});

/**
 * What stands in a job's progress field, read back by whoever follows the job. The daemon that wrote it may be of another
 * version: counts of another form are left out, and how the job ended is still known.
 */
export const jobState = z.object({
  progress: z
    .object({ sides: z.object({ left: sideProgress, right: sideProgress }) })
    .nullable()
    .catch(null),
  report: z
    .object({ ending: z.enum(ENDINGS), message: z.string().nullable(), summary: runSummary.nullable().catch(null) })
    .nullable(),
});
export type JobState = z.infer<typeof jobState>;

const NOT_BEGUN: SideProgress = { listed: 0, total: null, planned: null, written: 0, leftMs: null };

export const NO_PROGRESS_YET: JobProgress = {
  listed: 0,
  planned: null,
  written: 0,
  leftMs: null,
  sides: { left: NOT_BEGUN, right: NOT_BEGUN },
};

const nextSides = (sides: Sides<SideProgress>, event: RunEvent): Sides<SideProgress> => {
  switch (event.kind) {
    case 'listed':
      return { ...sides, [event.side]: { ...sides[event.side], listed: event.contacts, total: event.total } };
    case 'planned':
      return bySide((side) => ({ ...sides[side], planned: event.writes[side] }));
    case 'written':
      return { ...sides, [event.side]: { ...sides[event.side], written: event.done, leftMs: event.leftMs } };
    case 'started':
    case 'relisting':
    case 'recovered':
    case 'conflict':
    case 'skipped':
    case 'not-taken':
    case 'repaired':
    case 'ambiguous':
    case 'group':
      return sides;
  }
};

/** How many writes each side's plan holds; null before both were made. */
const plannedOf = ({ left, right }: Sides<SideProgress>): Sides<number> | null =>
  left.planned === null || right.planned === null ? null : { left: left.planned, right: right.planned };

/** The progress after one more event of the run; the same one where the event moves nothing. */
export const track = (progress: JobProgress, event: RunEvent): JobProgress => {
  const sides = nextSides(progress.sides, event);
  if (sides === progress.sides) return progress;
  const { left, right } = sides;
  const planned = plannedOf(sides);
  const known = SIDES.flatMap((side) => sides[side].leftMs ?? []);
  return {
    listed: left.listed + right.listed,
    planned: planned === null ? null : planned.left + planned.right,
    written: left.written + right.written,
    // Both sides are written at the same time.
    leftMs: known.length === 0 ? null : Math.max(...known),
    sides,
  };
};

/** The events that bring whoever shows a run to where the job now stands. */
export const eventsOf = (sides: Sides<SideProgress>): readonly RunEvent[] => {
  const listed = SIDES.flatMap((side): RunEvent[] => {
    const { listed: contacts, total } = sides[side];
    return contacts === 0 ? [] : [{ kind: 'listed', side, whole: true, contacts, total }];
  });
  const writes = plannedOf(sides);
  if (writes === null) return listed;
  const written = SIDES.flatMap((side): RunEvent[] => {
    const { written: done, leftMs } = sides[side];
    return writes[side] === 0 ? [] : [{ kind: 'written', side, done, total: writes[side], leftMs }];
  });
  return [...listed, { kind: 'planned', writes }, ...written];
};

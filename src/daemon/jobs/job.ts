import { z } from 'zod';
import { bySide, SIDES, type Sides } from '../../core/contact/side.ts';
import type { LinkProgress } from '../../app/heartbeat.ts';
import type { RunSummary } from '../../engine/run.ts';
import type { RunEvent } from '../../engine/run-event.ts';

export const jobData = z.object({
  link: z.string().min(1),
  /** A scheduled run, a scheduled run with full listings that find deletions (sweep), or a full run. */
  kind: z.enum(['incremental', 'sweep', 'full']),
  /**
   * The nonce of the halted plan that is accepted (R8). It must equal the one in the store, so that writing to the queue alone
   * accepts no plan. Null: no halt is accepted.
   */
  override: z.string().nullable().default(null),
  /** Present if the run was requested: it starts even if scheduled runs of the link are skipped. */
  byHand: z.literal(true).exactOptional(),
});
/** The data of a job in the queue. */
export type JobData = Readonly<z.infer<typeof jobData>>;

/** The ending of a job: a row of the table in `outcome.ts`, or `skipped` for a job that did not start. */
const ENDINGS = ['completed', 'halted', 'paused', 'unavailable', 'busy', 'stopped', 'failed', 'skipped'] as const;

/** The result of a job. */
export type JobReport = {
  readonly ending: (typeof ENDINGS)[number];
  /** The error and its remedy; null without an error. */
  readonly message: string | null;
  /** Null if no run started. */
  readonly summary: RunSummary | null;
  /** The time until the next attempt, in milliseconds; null for no attempt. */
  readonly retryInMs: number | null;
  /** Present for an `auto` interval: the time until the next poll, in milliseconds. */
  readonly nextPollInMs?: number;
  /** Present if the run ended because its link was paused: the queue does not start it again. */
  readonly isOver?: true;
};

const sideProgress = z.object({
  /** Contacts or changes read so far, and their total; null if the side does not report it. */
  listed: z.number(),
  total: z.number().nullable(),
  /** Writes in the plan; null before there is a plan. */
  planned: z.number().nullable(),
  written: z.number(),
  /** The estimated time of the remaining writes, in milliseconds; null if unknown. */
  leftMs: z.number().nullable().default(null),
});
type SideProgress = z.infer<typeof sideProgress>;

/** The progress of a job, in total and for each side. Plain data, stored with the job. */
export type JobProgress = Omit<LinkProgress, 'link'> & { readonly sides: Sides<SideProgress> };

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
 * The progress field of a job in the queue. A daemon of another version may have written it, so unreadable counts are dropped
 * and the ending is still read.
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

const NO_SIDE_PROGRESS: SideProgress = { listed: 0, total: null, planned: null, written: 0, leftMs: null };

export const NO_PROGRESS_YET: JobProgress = {
  listed: 0,
  planned: null,
  written: 0,
  leftMs: null,
  sides: { left: NO_SIDE_PROGRESS, right: NO_SIDE_PROGRESS },
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

/** The planned writes of each side; null before both are planned. */
const plannedOf = ({ left, right }: Sides<SideProgress>): Sides<number> | null =>
  left.planned === null || right.planned === null ? null : { left: left.planned, right: right.planned };

/** The progress after an event of the run; the same object if the event changes nothing. */
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

/** The run events that lead to this progress, for a process that starts to show a job. */
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

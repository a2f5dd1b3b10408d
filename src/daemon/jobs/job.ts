import { z } from 'zod';
import type { Sides } from '../../core/contact/side.ts';
import type { RunSummary } from '../../engine/run.ts';

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

import { z } from 'zod';
import type { RunSummary } from '../../engine/run.ts';

export const jobData = z.object({
  link: z.string().min(1),
  kind: z.enum(['incremental', 'full']),
  /**
   * The nonce of the halted plan that is accepted (R8). It must equal the one in the store, so that writing to the queue alone
   * accepts no plan. Null: no halt is accepted.
   */
  override: z.string().nullable().default(null),
  /** Present if deletions were restored: the accepted plan may cause no loss. */
  restores: z.literal(true).exactOptional(),
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
  /**
   * The time until the next attempt, or for an `auto` interval until the next poll, in milliseconds; null if the schedule decides.
   */
  readonly nextInMs: number | null;
  /** Present if this daemon does not serve the link. Another daemon on the queue may serve it. */
  readonly isUnknown?: true;
  /** Present if the run ended because its link was paused: the queue does not start it again. */
  readonly isOver?: true;
};

const counted = z.enum(['pulled', 'created', 'updated', 'deleted', 'groupsChanged', 'groupsDeleted', 'requests']);
const sideSummary = z.record(counted, z.number());

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

/** The report of a job in the queue. A daemon of another version may have written it, so unreadable counts are dropped. */
export const storedReport = z.object({
  ending: z.enum(ENDINGS),
  message: z.string().nullable(),
  summary: runSummary.nullable().catch(null),
});
export type StoredReport = z.infer<typeof storedReport>;

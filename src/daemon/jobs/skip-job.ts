import { EARLY_MS, credentialsText, type RunnerParts } from './runner-state.ts';
import type { JobData } from './job.ts';
import type { LinkState } from '../../core/state/rows.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { FIRST_SYNC_WAITS } from '../../engine/context.ts';

/** A scheduled job that does not start. This is not a failure. */
export class SkippedError extends Error {
  readonly why:
    | 'paused'
    | 'paused by hand'
    | 'waiting for a review'
    | 'backing off'
    | 'done by another process'
    | 'not due';
  readonly nextPollInMs: number | null;

  constructor(link: string, why: SkippedError['why'], nextPollInMs: number | null = null) {
    super(`The link ${link} is ${why}.`);
    this.why = why;
    this.nextPollInMs = nextPollInMs;
  }
}

/** Throws {@link SkippedError} if the link is paused by hand. Logs the pause and its end once. */
const skipIfPaused = ({ events, runnerState }: RunnerParts, { name, pausedByHandAtMs }: LinkState): void => {
  const wasPaused = runnerState.pausedByHand.has(name);
  if (pausedByHandAtMs === null) {
    if (runnerState.pausedByHand.delete(name)) events.linkResumed({ link: name });
    return;
  }
  runnerState.pausedByHand.add(name);
  const remedy = `Resume it with: contact-sync resume ${name}`;
  if (!wasPaused) events.linkPausedByHand({ link: name, remedy });
  throw new SkippedError(name, 'paused by hand');
};

/** Throws {@link SkippedError} if the first sync waits for a review: another run would halt in the same way. */
const skipIfInReview = async (
  { app }: RunnerParts,
  { firstSync }: LinkConfig,
  { name, reason }: LinkState,
): Promise<void> => {
  if (firstSync !== 'review' || reason !== FIRST_SYNC_WAITS) return;
  // An interrupted run is continued.
  const [last] = await app.store.runs(name, { newest: 1 });
  if (last?.outcome === 'halted') throw new SkippedError(name, 'waiting for a review');
};

/** Throws {@link SkippedError} if a run of any process has polled the link and the next poll is not due. */
const skipIfEarly = async ({ app, clock, polling }: RunnerParts, link: LinkConfig, row: LinkState): Promise<void> => {
  if (!link.hasAutoInterval || row.state !== 'active') return;
  // An interrupted run or an undo does not count as a poll.
  const [last] = await app.store.runs(link.name, { newest: 1 });
  if (last?.outcome !== 'completed' || last.kind === 'undo' || last.endedAtMs === null) return;
  const delayMs = polling.delayMs(link, row, last.endedAtMs);
  const nextPollInMs = delayMs === null ? 0 : last.endedAtMs + delayMs - clock.now();
  // After the clock was set back, the end of the last run is in the future and does not count.
  if (nextPollInMs > 2 * (delayMs ?? 0)) return;
  if (nextPollInMs > EARLY_MS) throw new SkippedError(link.name, 'not due', nextPollInMs);
};

/** Throws {@link SkippedError} if a job of the link must not start with these credentials. */
export const skipUnlessDue = async (
  parts: RunnerParts,
  link: LinkConfig,
  job: JobData,
  { row, credentials }: { readonly row: LinkState; readonly credentials: string },
): Promise<void> => {
  const { clock, runnerState } = parts;
  const { name, state } = row;
  // A requested run always starts, and reports errors itself.
  if (job.kind === 'full' || job.byHand) return;
  skipIfPaused(parts, row);
  await skipIfInReview(parts, link, row);
  if (job.kind === 'incremental') await skipIfEarly(parts, link, row);
  const refused = [credentialsText(row.credentials), runnerState.tried.get(name)];
  if (state === 'paused' && refused.includes(credentials)) throw new SkippedError(name, 'paused');
  const isHeld = (runnerState.outages.get(name)?.heldUntilMs ?? 0) > clock.monotonic();
  if (state !== 'paused' && isHeld) throw new SkippedError(name, 'backing off');
};

/**
 * Throws {@link SkippedError} if another process, such as a daemon on another host without Redis, has just completed a run of
 * the link. That run replaces this job.
 */
export const skipIfDone = async (
  { app, clock, runnerState }: RunnerParts,
  link: LinkConfig,
  job: JobData,
): Promise<void> => {
  // For an `auto` interval, the store has the time of the next poll.
  if (link.hasAutoInterval || job.kind !== 'incremental' || job.byHand || !runnerState.busy.has(link.name)) return;
  const [last] = await app.store.runs(link.name, { latest: 'completed' });
  if (last === undefined) return;
  const agoMs = clock.now() - last.startedAtMs;
  if (agoMs < 0 || agoMs >= link.syncIntervalMs / 2) return;
  runnerState.busy.delete(link.name);
  throw new SkippedError(link.name, 'done by another process');
};

/** Throws {@link SkippedError} if polls have used up their share of a rate limit. */
export const skipIfRateLimited = ({ clock, polling }: RunnerParts, link: LinkConfig, job: JobData): void => {
  const isPoll = job.kind === 'incremental' && job.byHand !== true;
  const waitMs = isPoll ? polling.waitMs(link, clock.monotonic()) : 0;
  if (waitMs > 0) throw new SkippedError(link.name, 'not due', waitMs);
};

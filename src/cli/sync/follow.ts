import type { LinkConfig } from '../../app/config/link-config.ts';
import { inWordsOf } from '../../core/contact/side.ts';
import type { StoredReport } from '../../daemon/jobs/job.ts';
import type { QueueClient } from '../../daemon/jobs/queue-client.ts';
import { QueueError } from '../../daemon/jobs/scheduler.ts';
import { systemClock } from '../../util/clock.ts';
import { errorOfLeftOut } from '../command/configuration.ts';
import { EXIT, messageOf, worstExitCode, type ExitCode } from '../command/exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Opened } from '../command/with-app.ts';
import type { RunLinksOptions } from './run-links.ts';
import { formatSummary } from './summary.ts';

/** A link to resync, with the nonce of its halted plan if that plan is accepted. */
export type ResyncRequest = { readonly link: LinkConfig; readonly override: string | null };
type FollowOptions = RunLinksOptions & {
  readonly wait?: boolean;
  readonly leftOut: Opened['leftOut'];
  /** Aborted by an interrupt, which ends the wait but not the jobs. */
  readonly signal: AbortSignal;
};
type Queued = { readonly link: LinkConfig; readonly job: string };

const CODES: Readonly<Record<StoredReport['ending'], ExitCode>> = {
  completed: EXIT.done,
  halted: EXIT.halted,
  paused: EXIT.credentials,
  unavailable: EXIT.unavailable,
  busy: EXIT.busy,
  skipped: EXIT.failed,
  stopped: EXIT.failed,
  failed: EXIT.failed,
};

const waitForAll = async (
  terminal: Terminal,
  queue: QueueClient,
  queued: readonly Queued[],
  options: FollowOptions,
): Promise<ExitCode> => {
  const { signal, leftOut } = options;
  const runs: unknown[] = [];
  const codes: ExitCode[] = leftOut.map(() => EXIT.usage);
  for (const { link, job } of queued) {
    try {
      const { ending, summary, message } = await queue.waitFor(job, { clock: systemClock, signal });
      if (summary !== null) runs.push(inWordsOf(link.sides, summary));
      codes.push(CODES[ending]);
      if (summary !== null && !options.json) terminal.print(formatSummary(summary, link.sides, terminal));
      if (message !== null) terminal.warn(`${link.name}: ${message}`);
    } catch (error) {
      if (!signal.aborted && !(error instanceof QueueError)) throw error;
      terminal.warn(signal.aborted ? 'Stopped waiting. The daemon continues.' : messageOf(error));
      codes.push(EXIT.failed);
      break;
    }
  }
  if (options.json) terminal.print(JSON.stringify({ runs, ...errorOfLeftOut(leftOut) }));
  return worstExitCode(codes);
};

/**
 * Enqueues a resync of each link for the daemon, and with `wait` waits until all have ended.
 *
 * @throws {QueueError} if the queue does not accept a job.
 */
export const resyncInDaemon = async (
  terminal: Terminal,
  queue: QueueClient,
  requests: readonly ResyncRequest[],
  options: FollowOptions,
): Promise<ExitCode> => {
  const queued: Queued[] = [];
  for (const { link, override } of requests) {
    queued.push({ link, job: await queue.enqueue(link.name, { override }) });
  }
  if (options.wait) return waitForAll(terminal, queue, queued, options);
  const named = queued.map(({ link, job }) => ({ link: link.name, job }));
  const { leftOut } = options;
  if (options.json) terminal.print(JSON.stringify({ runs: [], queued: named, ...errorOfLeftOut(leftOut) }));
  else terminal.print(`The daemon resyncs: ${named.map(({ link }) => link).join(', ')}`);
  return worstExitCode(leftOut.map(() => EXIT.usage));
};

import type { Clock } from '../../util/clock.ts';
import { QueueError, type Scheduler, type Schedule } from './scheduler.ts';
import { errorMessage } from '../../util/errors.ts';

type DeferredSchedulerOptions = {
  readonly clock: Clock;
  /** Opens the scheduler. It throws the reason if that is not possible now. */
  readonly open: () => Promise<Scheduler>;
  /** Called once with the reason why the scheduler cannot be opened. */
  readonly onWaiting: (reason: string) => void;
};

const RETRY_AFTER_MS = 2_000;
const STARTING = 'The daemon is starting.';

/** A scheduler on Redis that is opened with retries in the background. Until it is open, it refuses requested jobs. */
export const createDeferredScheduler = ({ clock, open, onWaiting }: DeferredSchedulerOptions): Scheduler => {
  const ended = new AbortController();
  let schedules: readonly Schedule[] = [];
  let opened: Scheduler | null = null;
  let reason = STARTING;

  const openWithRetry = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      try {
        opened = await open();
        opened.apply(schedules);
        return;
      } catch (error) {
        if (reason === STARTING) onWaiting(errorMessage(error));
        reason = errorMessage(error);
        await clock.sleep(RETRY_AFTER_MS, ended.signal).catch(() => undefined);
      }
    }
  };
  const opening = openWithRetry();

  return {
    kind: 'redis',
    apply: (next) => {
      schedules = next;
      opened?.apply(next);
    },
    requestJob: async (job) => {
      if (opened === null) throw new QueueError(reason);
      await opened.requestJob(job);
    },
    trouble: async () => (opened === null ? reason : opened.trouble()),
    depth: async () => opened?.depth() ?? null,
    stop: async () => {
      ended.abort(new Error('The daemon stops.'));
      await opening;
      await opened?.stop();
    },
  };
};

import type { Clock } from '../../util/clock.ts';
import { QueueError, type Scheduler, type Schedule } from './scheduler.ts';

export type LateSchedulerOptions = {
  readonly kind: Scheduler['kind'];
  readonly clock: Clock;
  /** Opens the scheduler; what it throws says why that cannot be done now. */
  readonly open: () => Promise<Scheduler>;
  /** NotificationState once that the scheduler cannot be opened, and why. */
  readonly onWaiting: (reason: string) => void;
};

const TRY_AGAIN_MS = 2_000;

/** A scheduler that cannot be opened before something else answers; until then it waits, and takes no orders. */
export const createLateScheduler = ({ kind, clock, open, onWaiting }: LateSchedulerOptions): Scheduler => {
  const ended = new AbortController();
  let schedules: readonly Schedule[] = [];
  let opened: Scheduler | null = null;
  let reason: string | null = null;

  const tryOut = async (): Promise<boolean> => {
    try {
      opened = await open();
      opened.apply(schedules);
      return true;
    } catch (error) {
      const isNews = reason === null;
      reason = error instanceof Error ? error.message : String(error);
      if (isNews) onWaiting(reason);
      return false;
    }
  };
  const openPatiently = async (): Promise<void> => {
    while (!ended.signal.aborted && !(await tryOut())) {
      await clock.sleep(TRY_AGAIN_MS, ended.signal).catch(() => undefined);
    }
  };
  const opening = openPatiently();

  const whyNot = (): string => reason ?? 'The daemon begins.';
  return {
    kind,
    apply: (next) => {
      schedules = next;
      opened?.apply(next);
    },
    order: async (job) => {
      if (opened === null) throw new QueueError(whyNot());
      await opened.order(job);
    },
    trouble: async () => (opened === null ? whyNot() : opened.trouble()),
    depth: async () => opened?.depth() ?? null,
    stop: async () => {
      ended.abort(new Error('The daemon stops.'));
      await opening;
      await opened?.stop();
    },
  };
};

import type { Clock } from '../../util/clock.ts';
import type { JobData, JobReport } from './job.ts';
import type { RunJob, Schedule, Scheduler } from './scheduler.ts';

type EmbeddedSchedulerOptions = {
  readonly clock: Clock;
  readonly runJob: RunJob;
  /** The number of concurrent runs. */
  readonly concurrency: number;
};

/** Limits concurrent work to `count`; the rest waits in order. */
const createSlots = (count: number) => {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    depth: () => ({ waiting: waiting.length, active: count - free }),
    run: async <T>(work: () => Promise<T>): Promise<T> => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
};

/** The time of the next slot, on the same clock as `nowMs`. Missed slots are skipped. */
export const nextSlot = ({ everyMs, offsetMs }: Pick<Schedule, 'everyMs' | 'offsetMs'>, nowMs: number): number => {
  const slots = Math.floor((nowMs - offsetMs) / everyMs) + 1;
  return offsetMs + slots * everyMs;
};

/** The requested jobs. A job whose link is busy is retried. */
const createRequestedJobs = (clock: Clock, run: (job: JobData) => Promise<JobReport>) => {
  const ended = new AbortController();
  /** The jobs that wait or run, by their data as JSON. */
  const pending = new Map<string, Promise<void>>();
  const perform = async (job: JobData): Promise<void> => {
    for (let report = await run(job); report.ending === 'busy'; report = await run(job)) {
      await clock.sleep(report.nextInMs ?? 0, ended.signal);
    }
  };
  return {
    add: async (job: JobData): Promise<void> => {
      const key = JSON.stringify(job);
      if (ended.signal.aborted || pending.has(key)) return;
      const performing = perform(job).catch((error: unknown) => {
        if (!ended.signal.aborted) throw error;
      });
      pending.set(key, performing);
      void performing.finally(() => pending.delete(key));
    },
    stop: async (): Promise<void> => {
      ended.abort(new Error('The daemon stops.'));
      await Promise.all(pending.values());
    },
  };
};

/** A scheduler with timers in this process. The runs of a link never overlap. */
export const createEmbeddedScheduler = ({ clock, runJob, concurrency }: EmbeddedSchedulerOptions): Scheduler => {
  const slots = createSlots(concurrency);
  /** The loop of each link. An abort ends its waiting, but not a current job. */
  const loops = new Map<string, { readonly everyMs: number; readonly ending: AbortController }>();
  const work = new Set<Promise<void>>();
  const requested = createRequestedJobs(clock, (job) => slots.run(() => runJob(job)));
  let stopped = false;

  const serve = async (schedule: Schedule, signal: AbortSignal): Promise<void> => {
    const startedTickMs = clock.monotonic();
    const now = (): number => clock.monotonic() - startedTickMs;
    for (let atMs = schedule.firstInMs; !signal.aborted;) {
      await clock.sleep(Math.max(0, atMs - now()), signal);
      const report = await slots.run(() =>
        signal.aborted ? Promise.resolve(null) : runJob({ link: schedule.link, kind: 'incremental', override: null }),
      );
      if (report === null) return;
      const { nextInMs } = report;
      // A timer may fire early. Its slot must not be used twice.
      atMs = nextInMs === null ? nextSlot(schedule, Math.max(now(), atMs)) : now() + nextInMs;
    }
  };

  const start = (schedule: Schedule): void => {
    const ending = new AbortController();
    loops.set(schedule.link, { everyMs: schedule.everyMs, ending });
    const serving = serve(schedule, ending.signal).catch((error: unknown) => {
      if (!ending.signal.aborted) throw error;
    });
    work.add(serving);
    void serving.finally(() => work.delete(serving));
  };

  const end = (link: string): void => {
    loops.get(link)?.ending.abort(new Error('The link has another schedule, or none.'));
    loops.delete(link);
  };

  return {
    kind: 'embedded',
    apply: (schedules) => {
      if (stopped) return;
      const links = new Set(schedules.map(({ link }) => link));
      for (const link of loops.keys()) if (!links.has(link)) end(link);
      for (const schedule of schedules) {
        if (loops.get(schedule.link)?.everyMs === schedule.everyMs) continue;
        end(schedule.link);
        start(schedule);
      }
    },
    requestJob: (job) => requested.add(job),
    depth: () => Promise.resolve(slots.depth()),
    trouble: () => Promise.resolve(stopped ? 'The daemon stops.' : null),
    stop: async () => {
      stopped = true;
      for (const link of loops.keys()) end(link);
      await Promise.all([...work, requested.stop()]);
    },
  };
};

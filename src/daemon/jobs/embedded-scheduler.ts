import type { Clock } from '../../util/clock.ts';
import type { JobData, JobReport } from './job.ts';
import { nextSlot, type RunJob, type Scheduler, type Schedule } from './scheduler.ts';

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

/** The schedules of a link as a text, for comparison. */
const keyOf = (schedules: readonly Schedule[]): string =>
  schedules.map(({ kind, everyMs }) => `${kind} ${everyMs}`).join();

type Due = { readonly kind: Schedule['kind']; readonly atMs: number };

const earliest = (dues: readonly Due[]): Due | undefined => dues.toSorted((left, right) => left.atMs - right.atMs)[0];

/** The due times of a link's jobs after one of them has ended. A retry replaces the next slot. */
const duesAfter = (schedules: readonly Schedule[], dues: readonly Due[], done: Due, report: JobReport, nowMs: number) =>
  schedules.map((schedule): Due => {
    const due = dues.find((one) => one.kind === schedule.kind);
    // Every run polls the link and determines the next poll.
    if (schedule.kind === 'incremental' && report.nextPollInMs !== undefined) {
      return { kind: schedule.kind, atMs: nowMs + report.nextPollInMs };
    }
    if (due !== undefined && schedule.kind !== done.kind) return due;
    if (report.retryInMs !== null) return { kind: schedule.kind, atMs: nowMs + report.retryInMs };
    // A timer may fire early. Its slot must not be used twice.
    return { kind: schedule.kind, atMs: nextSlot(schedule, Math.max(nowMs, done.atMs)) };
  });

/** The requested jobs. A job whose link is busy is retried. */
const createRequestedJobs = (clock: Clock, run: (job: JobData) => Promise<JobReport>) => {
  const ended = new AbortController();
  /** The jobs that wait or run, by their data as JSON. */
  const pending = new Map<string, Promise<void>>();
  const perform = async (job: JobData): Promise<void> => {
    for (let report = await run(job); report.ending === 'busy'; report = await run(job)) {
      await clock.sleep(report.retryInMs ?? 0, ended.signal);
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
  const loops = new Map<string, { readonly key: string; readonly ending: AbortController }>();
  const work = new Set<Promise<void>>();
  const requested = createRequestedJobs(clock, (job) => slots.run(() => runJob(job)));
  let stopped = false;

  const serve = async (link: string, schedules: readonly Schedule[], { signal }: AbortController): Promise<void> => {
    const startedAtMs = clock.monotonic();
    const now = (): number => clock.monotonic() - startedAtMs;
    let dues = schedules.map((schedule): Due => ({ kind: schedule.kind, atMs: schedule.firstWithinMs }));
    for (let due = earliest(dues); due !== undefined && !signal.aborted; due = earliest(dues)) {
      const { kind, atMs } = due;
      await clock.sleep(Math.max(0, atMs - now()), signal);
      const report = await slots.run(() => {
        return signal.aborted ? Promise.resolve(null) : runJob({ link, kind, override: null });
      });
      if (report === null) return;
      dues = duesAfter(schedules, dues, due, report, now());
    }
  };

  const start = (link: string, schedules: readonly Schedule[]): void => {
    const ending = new AbortController();
    loops.set(link, { key: keyOf(schedules), ending });
    const serving = serve(link, schedules, ending).catch((error: unknown) => {
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
      const byLink = Map.groupBy(schedules, (schedule) => schedule.link);
      for (const link of loops.keys()) if (!byLink.has(link)) end(link);
      for (const [link, own] of byLink) {
        if (loops.get(link)?.key === keyOf(own)) continue;
        end(link);
        start(link, own);
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

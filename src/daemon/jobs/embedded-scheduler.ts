import type { Clock } from '../../util/clock.ts';
import type { JobData, JobReport } from './job.ts';
import { nextSlot, type RunJob, type Scheduler, type Schedule, type ScheduledKind } from './scheduler.ts';

export type EmbeddedSchedulerOptions = {
  readonly clock: Clock;
  readonly runJob: RunJob;
  /** How many links are worked on at the same time. */
  readonly concurrency: number;
};

/** Lets so many in at once; the others wait in order. */
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

/** What a link's timers depend on. */
const keyOf = (schedules: readonly Schedule[]): string =>
  schedules.map(({ kind, everyMs }) => `${kind} ${everyMs}`).join();

type Due = { readonly kind: ScheduledKind; readonly atMs: number };

const earliest = (dues: readonly Due[]): Due | undefined => dues.toSorted((left, right) => left.atMs - right.atMs)[0];

/** When the link's jobs are due after one of them has ended; another attempt comes in the place of the next slot. */
const duesAfter = (schedules: readonly Schedule[], dues: readonly Due[], done: Due, report: JobReport, nowMs: number) =>
  schedules.map((schedule): Due => {
    const due = dues.find((one) => one.kind === schedule.kind);
    // Any run looks for changes, and says when the link is to be looked at again.
    if (schedule.kind === 'incremental' && report.nextLookInMs !== undefined) {
      return { kind: schedule.kind, atMs: nowMs + report.nextLookInMs };
    }
    if (due !== undefined && schedule.kind !== done.kind) return due;
    if (report.retryInMs !== null) return { kind: schedule.kind, atMs: nowMs + report.retryInMs };
    // A timer may wake a little early, and the slot that it served is not to come again.
    return { kind: schedule.kind, atMs: nextSlot(schedule, Math.max(nowMs, done.atMs)) };
  });

/** The jobs that somebody asks for besides the schedules; one whose link is busy is tried again. */
const createOrders = (clock: Clock, run: (job: JobData) => Promise<JobReport>) => {
  const ended = new AbortController();
  /** The jobs that wait or run, by what they say. */
  const taken = new Map<string, Promise<void>>();
  const perform = async (job: JobData): Promise<void> => {
    for (let report = await run(job); report.ending === 'busy'; report = await run(job)) {
      await clock.sleep(report.retryInMs ?? 0, ended.signal);
    }
  };
  return {
    take: async (job: JobData): Promise<void> => {
      const key = JSON.stringify(job);
      if (ended.signal.aborted || taken.has(key)) return;
      const performing = perform(job).catch((error: unknown) => {
        if (!ended.signal.aborted) throw error;
      });
      taken.set(key, performing);
      void performing.finally(() => taken.delete(key));
    },
    stop: async (): Promise<void> => {
      ended.abort(new Error('The daemon stops.'));
      await Promise.all(taken.values());
    },
  };
};

/** Timers in this process: the same runs as through Redis, each link's one after the other. */
export const createEmbeddedScheduler = ({ clock, runJob, concurrency }: EmbeddedSchedulerOptions): Scheduler => {
  const slots = createSlots(concurrency);
  /** Each link's loop; aborting it ends the waiting, but not a job under way. */
  const loops = new Map<string, { readonly key: string; readonly ending: AbortController }>();
  const work = new Set<Promise<void>>();
  const orders = createOrders(clock, (job) => slots.run(() => runJob(job)));
  let stopped = false;

  const serve = async (link: string, schedules: readonly Schedule[], { signal }: AbortController): Promise<void> => {
    const startedAtMs = clock.monotonic();
    const now = (): number => clock.monotonic() - startedAtMs;
    let dues = schedules.map((schedule): Due => ({ kind: schedule.kind, atMs: schedule.firstMs }));
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
    order: (job) => orders.take(job),
    depth: () => Promise.resolve(slots.depth()),
    trouble: () => Promise.resolve(stopped ? 'The daemon stops.' : null),
    stop: async () => {
      stopped = true;
      for (const link of loops.keys()) end(link);
      await Promise.all([...work, orders.stop()]);
    },
  };
};

import type { Clock } from '../clock.ts';
import type { JobData, JobReport } from './job.ts';
import type { RunJob, Scheduler } from './scheduler.ts';
import { nextSlot, type Schedule, type ScheduledKind } from './timetable.ts';

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

/** What a link's timers depend on; offsets move with the number of links, which is no reason to start the timers again. */
const keyOf = (schedules: readonly Schedule[]): string =>
  schedules.map(({ kind, everyMs }) => `${kind} ${everyMs}`).join();

type Due = { readonly kind: ScheduledKind; readonly atMs: number };

const earliest = (dues: readonly Due[]): Due | undefined => dues.toSorted((left, right) => left.atMs - right.atMs)[0];

/** When the link's jobs are due after one of them has ended; another attempt comes in the place of the next slot. */
const duesAfter = (schedules: readonly Schedule[], dues: readonly Due[], done: Due, report: JobReport, nowMs: number) =>
  schedules.map((schedule): Due => {
    const due = dues.find((one) => one.kind === schedule.kind);
    if (due !== undefined && schedule.kind !== done.kind) return due;
    if (report.retryInMs !== null) return { kind: schedule.kind, atMs: nowMs + report.retryInMs };
    // A timer may wake a little early, and the slot that it served is not to come again.
    return { kind: schedule.kind, atMs: nextSlot(schedule, Math.max(nowMs, done.atMs)) };
  });

/** Timers in this process: the same runs as through Redis, each link's one after the other. */
export const createEmbeddedScheduler = ({ clock, runJob, concurrency }: EmbeddedSchedulerOptions): Scheduler => {
  const slots = createSlots(concurrency);
  /** Each link's loop; aborting it ends the waiting, but not a job under way. */
  const loops = new Map<string, { readonly key: string; readonly ending: AbortController }>();
  const work = new Set<Promise<void>>();
  /** Aborted when no more are taken. */
  const orders = new AbortController();
  let stopped = false;

  const serve = async (link: string, schedules: readonly Schedule[], { signal }: AbortController): Promise<void> => {
    const startedAtMs = clock.monotonic();
    const now = (): number => clock.monotonic() - startedAtMs;
    let dues = schedules.map((schedule): Due => ({ kind: schedule.kind, atMs: schedule.offsetMs }));
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

  const perform = async (job: JobData): Promise<void> => {
    for (;;) {
      const { ending, retryInMs } = await slots.run(() => runJob(job));
      if (ending !== 'busy') return;
      await clock.sleep(retryInMs ?? 0, orders.signal);
    }
  };

  /** The jobs that somebody asked for, by what they say. */
  const ordered = new Map<string, Promise<void>>();

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
    order: (job) => {
      const key = JSON.stringify(job);
      if (stopped || ordered.has(key)) return Promise.resolve();
      const performing = perform(job)
        .catch((error: unknown) => {
          if (!orders.signal.aborted) throw error;
        })
        .finally(() => ordered.delete(key));
      ordered.set(key, performing);
      return Promise.resolve();
    },
    depth: () => Promise.resolve(slots.depth()),
    trouble: () => Promise.resolve(stopped ? 'The daemon stops.' : null),
    stop: async () => {
      stopped = true;
      orders.abort(new Error('The daemon stops.'));
      for (const link of loops.keys()) end(link);
      await Promise.all([...work, ...ordered.values()]);
    },
  };
};

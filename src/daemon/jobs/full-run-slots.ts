import type { Store } from '../../store/store.ts';
import type { JobData } from './job.ts';

/** The largest rate at which all waiting full runs together request a slot. */
const REQUESTS_PER_SECOND = 10;
const SHORTEST_WAIT_MS = 2_000;

/**
 * The number of concurrent full runs of a process. A full run may send thousands of writes under a rate limit, so a quarter of
 * the slots, at least one, is reserved for short incremental runs. A single slot is used by both.
 */
export const fullRunSlots = (concurrency: number): number =>
  concurrency === 1 ? 1 : concurrency - Math.max(1, Math.floor(concurrency / 4));

/** The time until a waiting full run requests a slot again; it grows with the number of waiting runs. */
export const fullRunRetryMs = (waiting: number): number =>
  Math.max(SHORTEST_WAIT_MS, Math.ceil((waiting * 1_000) / REQUESTS_PER_SECOND));

/** A slot, which is released when disposed, or the time until the job requests one again. */
type FullRunSlot = Disposable | { readonly retryInMs: number };

/** Limits concurrent full runs, so that incremental runs can start. */
export type FullRunSlots = { acquire(job: JobData): Promise<FullRunSlot> };

type TurnsOptions = { readonly store: Pick<Store, 'runs'>; readonly concurrency: number };

export const createFullRunSlots = ({ store, concurrency }: TurnsOptions): FullRunSlots => {
  const full = new Set<JobData>();
  const waiting = new Set<string>();
  /** Links with a completed run: their scheduled runs are incremental. */
  const synced = new Set<string>();

  const isFull = async ({ kind, link }: JobData): Promise<boolean> => {
    if (kind === 'full') return true;
    if (synced.has(link)) return false;
    if ((await store.runs(link, { latest: 'completed' })).length > 0) synced.add(link);
    return !synced.has(link);
  };
  return {
    acquire: async (job) => {
      if (!(await isFull(job))) {
        // Another process may have completed the run that waited here.
        waiting.delete(job.link);
        return { [Symbol.dispose]: () => undefined };
      }
      if (full.size >= fullRunSlots(concurrency)) {
        waiting.add(job.link);
        return { retryInMs: fullRunRetryMs(waiting.size) };
      }
      waiting.delete(job.link);
      full.add(job);
      return { [Symbol.dispose]: () => void full.delete(job) };
    },
  };
};

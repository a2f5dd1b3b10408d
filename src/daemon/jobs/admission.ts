import type { Store } from '../../store/store.ts';
import type { JobData } from './job.ts';

/** Full runs turned away ask again so often, all of them together. */
const LOOKS_PER_SECOND = 10;
const SOONEST_LOOK_MS = 2_000;

/**
 * How many full runs a process works on at once. They take as long as a rate limit lets thousands of writes take: a quarter
 * of the places, one at least, is left to incremental runs, which take a moment. With a single place they share it.
 */
export const placesForFullRuns = (concurrency: number): number =>
  concurrency === 1 ? 1 : concurrency - Math.max(1, Math.floor(concurrency / 4));

/** After how long a full run that was turned away asks again, where so many wait: more of them ask no oftener together. */
export const asksAgainInMs = (waiting: number): number =>
  Math.max(SOONEST_LOOK_MS, Math.ceil((waiting * 1_000) / LOOKS_PER_SECOND));

/** A job's place among those of this process, given back when disposed; or when to ask for one again. */
type Turn = Disposable | { readonly retryInMs: number };

/** Keeps places free for incremental runs. */
export type Turns = { take(job: JobData): Promise<Turn> };

type TurnsOptions = { readonly store: Pick<Store, 'runs'>; readonly concurrency: number };

export const createTurns = ({ store, concurrency }: TurnsOptions): Turns => {
  const full = new Set<JobData>();
  const turnedAway = new Set<string>();
  /** Links of which a run has completed: whatever is scheduled for them is incremental. */
  const synced = new Set<string>();

  const isFull = async ({ kind, link }: JobData): Promise<boolean> => {
    if (kind === 'full') return true;
    if (synced.has(link)) return false;
    if ((await store.runs(link, { latest: 'completed' })).length > 0) synced.add(link);
    return !synced.has(link);
  };
  return {
    take: async (job) => {
      if (!(await isFull(job))) {
        // Another process may have done the run that was turned away here.
        turnedAway.delete(job.link);
        return { [Symbol.dispose]: () => undefined };
      }
      if (full.size >= placesForFullRuns(concurrency)) {
        turnedAway.add(job.link);
        return { retryInMs: asksAgainInMs(turnedAway.size) };
      }
      turnedAway.delete(job.link);
      full.add(job);
      return { [Symbol.dispose]: () => void full.delete(job) };
    },
  };
};

/** A scheduled job that is not begun: no failure of anything. */
export class SkippedError extends Error {
  readonly why:
    | 'paused'
    | 'paused by hand'
    | 'waiting for a review'
    | 'backing off'
    | 'done by another process'
    | 'not due';
  readonly nextLookInMs: number | null;

  constructor(link: string, why: SkippedError['why'], nextLookInMs: number | null = null) {
    super(`The link ${link} is ${why}.`);
    this.why = why;
    this.nextLookInMs = nextLookInMs;
  }
}

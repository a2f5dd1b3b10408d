import type { JobData, JobProgress } from './job.ts';

type Trouble = { readonly failures: number; readonly heldUntilMs: number };

/** What the runner remembers of a link from run to run; all of it may be forgotten without harm. */
export type Memory = {
  /** Remotes that were unavailable: when they may be asked again, on the clock that never jumps. */
  readonly troubles: Map<string, Trouble>;
  /** The credentials that the last run of a link began with, under its lease, or could not begin with. */
  readonly tried: Map<string, string>;
  /** Links whose next completed run ends a pause. */
  readonly resuming: Set<string>;
  /** Links that were found paused by hand, so that it is logged once. */
  readonly pausedByHand: Set<string>;
  /** Links that were found busy, so that it is logged once. */
  readonly busy: Set<string>;
  /** The jobs under way; one that finds its link busy may stand beside the one that works on it. */
  readonly running: Set<JobData>;
  /** When each of them last told of progress, on the clock that never jumps. */
  readonly progressed: Map<JobData, number>;
  /** How far those are that have begun a run. */
  readonly progress: Map<JobData, JobProgress>;
};

/** Nothing is remembered yet. */
export const emptyMemory = (): Memory => ({
  troubles: new Map(),
  tried: new Map(),
  resuming: new Set(),
  pausedByHand: new Set(),
  busy: new Set(),
  running: new Set(),
  progressed: new Map(),
  progress: new Map(),
});

/** Forgets every link but these: one that is added again under a name is another one. */
export const forgetOthers = (
  { troubles, tried, resuming, pausedByHand, busy }: Memory,
  links: { has(link: string): boolean },
): void => {
  for (const known of [troubles, tried, resuming, pausedByHand, busy]) {
    for (const name of known.keys()) if (!links.has(name)) known.delete(name);
  }
};

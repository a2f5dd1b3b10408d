import type { Heartbeat } from '../../src/app/heartbeat.ts';

/** The heartbeat of a daemon without a link and without a run, with changes. */
export const beatOf = (change: Partial<Heartbeat>): Heartbeat => ({
  queue: 'embedded',
  beatAtMs: 0,
  waiting: null,
  links: [],
  faulty: [],
  progress: [],
  stalled: [],
  pid: 1,
  ...change,
});

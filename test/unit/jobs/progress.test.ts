import { expect, test } from 'vitest';
import { eventsOf, newTracker, track } from '../../../src/jobs/progress.ts';
import type { RunEvent } from '../../../src/sync/run-event.ts';

const listed = (side: 'google' | 'service', contacts: number, total: number | null): RunEvent => {
  return { kind: 'listed', side, whole: true, contacts, total };
};

const STORY: readonly (readonly [number, RunEvent])[] = [
  [0, listed('google', 1_000, 1_500)],
  [10, listed('service', 200, 400)],
  [20, listed('google', 1_500, 1_500)],
  [30, { kind: 'recovered', writes: 3 }],
  [1_000, { kind: 'planned', writes: { google: 30, service: 10 } }],
  [11_000, { kind: 'written', side: 'google', done: 5, total: 30 }],
  [21_000, { kind: 'written', side: 'service', done: 5, total: 10 }],
];

test('the events of a run add up to what was listed, planned and written, how fast, and how long still', () => {
  const { progress } = STORY.reduce((tracker, [nowMs, event]) => track(tracker, event, nowMs), newTracker());
  expect(progress).toMatchObject({ listed: 1_700, planned: 40, written: 10, ratePerMinute: 30, leftMs: 60_000 });
});

test('before the first write there is neither a rate nor a time left', () => {
  const { progress } = STORY.slice(0, 5).reduce(
    (tracker, [nowMs, event]) => track(tracker, event, nowMs),
    newTracker(),
  );
  expect(progress).toMatchObject({ planned: 40, written: 0, ratePerMinute: null, leftMs: null });
});

test('an event that moves nothing leaves the tracker as it is', () => {
  const tracker = newTracker();
  expect(track(tracker, { kind: 'recovered', writes: 3 }, 5)).toBe(tracker);
});

test('whoever follows a job is told the same as whoever watched the run', () => {
  const { progress } = STORY.reduce((tracker, [nowMs, event]) => track(tracker, event, nowMs), newTracker());
  expect(eventsOf(progress.sides)).toEqual([
    listed('google', 1_500, 1_500),
    listed('service', 200, 400),
    { kind: 'planned', writes: { google: 30, service: 10 } },
    { kind: 'written', side: 'google', done: 5, total: 30 },
    { kind: 'written', side: 'service', done: 5, total: 10 },
  ]);
});

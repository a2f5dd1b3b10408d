import { expect, test } from 'vitest';
import type { Side } from '../../../src/contact/side.ts';
import { eventsOf, newTracker, track } from '../../../src/jobs/progress.ts';
import type { RunEvent } from '../../../src/sync/run-event.ts';

const listed = (side: Side, contacts: number, total: number | null): RunEvent => {
  return { kind: 'listed', side, whole: true, contacts, total };
};

const EVENTS: readonly (readonly [number, RunEvent])[] = [
  [0, listed('left', 1_000, 1_500)],
  [10, listed('right', 200, 400)],
  [20, listed('left', 1_500, 1_500)],
  [30, { kind: 'recovered', writes: 3 }],
  [1_000, { kind: 'planned', writes: { left: 30, right: 10 } }],
  [11_000, { kind: 'written', side: 'left', done: 5, total: 30 }],
  [21_000, { kind: 'written', side: 'right', done: 5, total: 10 }],
];

test('the events of a run add up to what was listed, planned and written, how fast, and how long still', () => {
  const { progress } = EVENTS.reduce((tracker, [nowMs, event]) => track(tracker, event, nowMs), newTracker());
  expect(progress).toMatchObject({ listed: 1_700, planned: 40, written: 10, ratePerMinute: 30, leftMs: 60_000 });
});

test('before the first write there is neither a rate nor a time left', () => {
  const { progress } = EVENTS.slice(0, 5).reduce(
    (tracker, [nowMs, event]) => track(tracker, event, nowMs),
    newTracker(),
  );
  expect(progress).toMatchObject({ planned: 40, written: 0, ratePerMinute: null, leftMs: null });
});

test('an event that moves nothing leaves the tracker as it is', () => {
  const tracker = newTracker();
  expect(track(tracker, { kind: 'recovered', writes: 3 }, 5)).toBe(tracker);
});

test('whoever follows a job sees the same as whoever watched the run', () => {
  const { progress } = EVENTS.reduce((tracker, [nowMs, event]) => track(tracker, event, nowMs), newTracker());
  expect(eventsOf(progress.sides)).toEqual([
    listed('left', 1_500, 1_500),
    listed('right', 200, 400),
    { kind: 'planned', writes: { left: 30, right: 10 } },
    { kind: 'written', side: 'left', done: 5, total: 30 },
    { kind: 'written', side: 'right', done: 5, total: 10 },
  ]);
});

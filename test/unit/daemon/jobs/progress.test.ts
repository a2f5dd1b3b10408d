import { expect, test } from 'vitest';
import type { Side } from '../../../../src/core/contact/side.ts';
import { eventsOf, NO_PROGRESS_YET, track } from '../../../../src/daemon/jobs/job.ts';
import type { RunEvent } from '../../../../src/engine/run-event.ts';

const listed = (side: Side, contacts: number, total: number | null): RunEvent => {
  return { kind: 'listed', side, whole: true, contacts, total };
};

const EVENTS: readonly RunEvent[] = [
  listed('left', 1_000, 1_500),
  listed('right', 200, 400),
  listed('left', 1_500, 1_500),
  { kind: 'recovered', writes: 3 },
  { kind: 'planned', writes: { left: 30, right: 10 } },
  { kind: 'written', side: 'left', done: 5, total: 30, leftMs: 60_000 },
  { kind: 'written', side: 'right', done: 5, total: 10, leftMs: 1_000 },
];

const progressOf = (events: readonly RunEvent[]) => events.reduce(track, NO_PROGRESS_YET);

test('the events of a run add up to the listed, planned and written counts and the remaining time of the slower side', () => {
  expect(progressOf(EVENTS)).toMatchObject({ listed: 1_700, planned: 40, written: 10, leftMs: 60_000 });
});

test('the remaining time is null before the first write event', () => {
  expect(progressOf(EVENTS.slice(0, 5))).toMatchObject({ planned: 40, written: 0, leftMs: null });
});

test('an event without progress does not change the progress', () => {
  expect(track(NO_PROGRESS_YET, { kind: 'recovered', writes: 3 })).toBe(NO_PROGRESS_YET);
});

test('the events of a job result in the same progress as the events of the run', () => {
  expect(eventsOf(progressOf(EVENTS).sides)).toEqual([
    listed('left', 1_500, 1_500),
    listed('right', 200, 400),
    ...EVENTS.slice(4),
  ]);
});

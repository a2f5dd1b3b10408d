import { bySide, SIDES, type Sides } from '../contact/side.ts';
import type { RunEvent } from '../sync/run-event.ts';
import type { JobProgress, SideProgress } from './job.ts';

/** What the progress of a job is computed from; times on a clock that never jumps. */
export type Tracker = { readonly progress: JobProgress; readonly plannedAtMs: number | null };

const NOT_BEGUN: SideProgress = { listed: 0, total: null, planned: null, written: 0 };

export const newTracker = (): Tracker => ({
  progress: {
    listed: 0,
    planned: null,
    written: 0,
    ratePerMinute: null,
    leftMs: null,
    sides: { left: NOT_BEGUN, right: NOT_BEGUN },
  },
  plannedAtMs: null,
});

const nextSides = (sides: Sides<SideProgress>, event: RunEvent): Sides<SideProgress> => {
  switch (event.kind) {
    case 'listed':
      return { ...sides, [event.side]: { ...sides[event.side], listed: event.contacts, total: event.total } };
    case 'planned':
      return bySide((side) => ({ ...sides[side], planned: event.writes[side] }));
    case 'written':
      return { ...sides, [event.side]: { ...sides[event.side], written: event.done } };
    case 'started':
    case 'relisting':
    case 'recovered':
    case 'conflict':
    case 'skipped':
    case 'not-taken':
    case 'ambiguous':
    case 'group':
      return sides;
  }
};

/** How many writes each side's plan holds; null before both were made. */
const plannedOf = ({ left, right }: Sides<SideProgress>): Sides<number> | null =>
  left.planned === null || right.planned === null ? null : { left: left.planned, right: right.planned };

/** The tracker after one more event of the run; the same one where the event moves nothing. */
export const track = (tracker: Tracker, event: RunEvent, nowMs: number): Tracker => {
  const sides = nextSides(tracker.progress.sides, event);
  if (sides === tracker.progress.sides) return tracker;
  const { left, right } = sides;
  const plannedBySide = plannedOf(sides);
  const planned = plannedBySide === null ? null : plannedBySide.left + plannedBySide.right;
  const written = left.written + right.written;
  const plannedAtMs = event.kind === 'planned' ? nowMs : tracker.plannedAtMs;
  const elapsedMs = plannedAtMs === null ? 0 : nowMs - plannedAtMs;
  const ratePerMs = written > 0 && elapsedMs > 0 ? written / elapsedMs : null;
  const remaining = Math.max(0, (planned ?? 0) - written);
  return {
    plannedAtMs,
    progress: {
      listed: left.listed + right.listed,
      planned,
      written,
      ratePerMinute: ratePerMs === null ? null : Math.round(ratePerMs * 60_000),
      leftMs: ratePerMs === null ? null : Math.round(remaining / ratePerMs),
      sides,
    },
  };
};

/** The events that bring whoever shows a run to where the job now stands. */
export const eventsOf = (sides: Sides<SideProgress>): readonly RunEvent[] => {
  const listed = SIDES.flatMap((side): RunEvent[] => {
    const { listed: contacts, total } = sides[side];
    return contacts === 0 ? [] : [{ kind: 'listed', side, whole: true, contacts, total }];
  });
  const writes = plannedOf(sides);
  if (writes === null) return listed;
  const written = SIDES.flatMap((side): RunEvent[] => {
    const { written: done } = sides[side];
    return done === 0 ? [] : [{ kind: 'written', side, done, total: writes[side] }];
  });
  return [...listed, { kind: 'planned', writes }, ...written];
};

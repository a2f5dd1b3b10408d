import { bySide, SIDES, type Sides } from '../../core/contact/side.ts';
import type { RunEvent } from '../../engine/run-event.ts';
import type { JobProgress, SideProgress } from './job.ts';

const NOT_BEGUN: SideProgress = { listed: 0, total: null, planned: null, written: 0, leftMs: null };

export const NO_PROGRESS_YET: JobProgress = {
  listed: 0,
  planned: null,
  written: 0,
  leftMs: null,
  sides: { left: NOT_BEGUN, right: NOT_BEGUN },
};

const nextSides = (sides: Sides<SideProgress>, event: RunEvent): Sides<SideProgress> => {
  switch (event.kind) {
    case 'listed':
      return { ...sides, [event.side]: { ...sides[event.side], listed: event.contacts, total: event.total } };
    case 'planned':
      return bySide((side) => ({ ...sides[side], planned: event.writes[side] }));
    case 'written':
      return { ...sides, [event.side]: { ...sides[event.side], written: event.done, leftMs: event.leftMs } };
    case 'started':
    case 'relisting':
    case 'recovered':
    case 'conflict':
    case 'skipped':
    case 'not-taken':
    case 'repaired':
    case 'ambiguous':
    case 'group':
      return sides;
  }
};

/** How many writes each side's plan holds; null before both were made. */
const plannedOf = ({ left, right }: Sides<SideProgress>): Sides<number> | null =>
  left.planned === null || right.planned === null ? null : { left: left.planned, right: right.planned };

/** The progress after one more event of the run; the same one where the event moves nothing. */
export const track = (progress: JobProgress, event: RunEvent): JobProgress => {
  const sides = nextSides(progress.sides, event);
  if (sides === progress.sides) return progress;
  const { left, right } = sides;
  const planned = plannedOf(sides);
  const known = SIDES.flatMap((side) => sides[side].leftMs ?? []);
  return {
    listed: left.listed + right.listed,
    planned: planned === null ? null : planned.left + planned.right,
    written: left.written + right.written,
    // Both sides are written at the same time.
    leftMs: known.length === 0 ? null : Math.max(...known),
    sides,
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
    const { written: done, leftMs } = sides[side];
    return writes[side] === 0 ? [] : [{ kind: 'written', side, done, total: writes[side], leftMs }];
  });
  return [...listed, { kind: 'planned', writes }, ...written];
};

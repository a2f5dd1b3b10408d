import type { LinkProgress } from '../../app/heartbeat.ts';
import { bySide, SIDES, type Sides } from '../../core/contact/side.ts';
import type { RunEvent } from '../../engine/run-event.ts';

type SideProgress = {
  /** Contacts read so far. */
  readonly listed: number;
  readonly written: number;
  /** Contacts to write, including the written ones; null before there is a plan. */
  readonly planned: number | null;
  /** The estimated time of the remaining writes, in milliseconds; null if unknown. */
  readonly remainingMs: number | null;
};

/** The progress of a run. */
export type RunProgress = Sides<SideProgress>;

const NOTHING: SideProgress = { listed: 0, written: 0, planned: null, remainingMs: null };

export const NO_PROGRESS_YET: RunProgress = { left: NOTHING, right: NOTHING };

/** The progress after an event of the run. */
export const track = (progress: RunProgress, event: RunEvent): RunProgress => {
  switch (event.kind) {
    case 'listed':
      return { ...progress, [event.side]: { ...progress[event.side], listed: event.contacts } };
    case 'planned':
      return bySide((side) => ({ ...progress[side], planned: event.contacts[side] }));
    case 'written':
      return {
        ...progress,
        [event.side]: {
          ...progress[event.side],
          written: event.done,
          planned: event.total,
          remainingMs: event.remainingMs,
        },
      };
    default:
      return progress;
  }
};

/** The progress of both sides together. Both are written at the same time. */
export const totalOf = (progress: RunProgress): Omit<LinkProgress, 'link'> => {
  const { left, right } = progress;
  const remainingMs = SIDES.flatMap((side) => progress[side].remainingMs ?? []);
  return {
    listed: left.listed + right.listed,
    planned: left.planned === null || right.planned === null ? null : left.planned + right.planned,
    written: left.written + right.written,
    remainingMs: remainingMs.length === 0 ? null : Math.max(...remainingMs),
  };
};

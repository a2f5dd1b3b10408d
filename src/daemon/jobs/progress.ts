import type { LinkProgress } from '../../app/heartbeat.ts';
import { SIDES, type Sides } from '../../core/contact/side.ts';
import type { RunEvent } from '../../engine/run-event.ts';

type SideProgress = {
  /** Contacts or changes read so far. */
  readonly listed: number;
  readonly written: number;
  /** The estimated time of the remaining writes, in milliseconds; null if unknown. */
  readonly leftMs: number | null;
};

/** The progress of a run. */
export type RunProgress = Sides<SideProgress> & {
  /** Contacts to write; null before there is a plan. */
  readonly planned: number | null;
};

const NOTHING: SideProgress = { listed: 0, written: 0, leftMs: null };

export const NO_PROGRESS_YET: RunProgress = { left: NOTHING, right: NOTHING, planned: null };

/** The progress after an event of the run. */
export const track = (progress: RunProgress, event: RunEvent): RunProgress => {
  switch (event.kind) {
    case 'listed':
      return { ...progress, [event.side]: { ...progress[event.side], listed: event.contacts } };
    case 'planned':
      return { ...progress, planned: event.contacts.left + event.contacts.right };
    case 'written':
      return { ...progress, [event.side]: { ...progress[event.side], written: event.done, leftMs: event.leftMs } };
    case 'started':
    case 'relisting':
    case 'recovered':
    case 'conflict':
    case 'skipped':
    case 'not-taken':
    case 'ambiguous':
    case 'group':
      return progress;
  }
};

/** The progress of both sides together. Both are written at the same time. */
export const totalOf = (progress: RunProgress): Omit<LinkProgress, 'link'> => {
  const { left, right, planned } = progress;
  const leftMs = SIDES.flatMap((side) => progress[side].leftMs ?? []);
  return {
    listed: left.listed + right.listed,
    planned,
    written: left.written + right.written,
    leftMs: leftMs.length === 0 ? null : Math.max(...leftMs),
  };
};

import type { RunEvent } from '../sync/run-event.ts';
import type { JobProgress, SideProgress } from './job.ts';

/** What the progress of a job is reckoned from; times on a clock that never jumps. */
export type Tracker = { readonly progress: JobProgress; readonly plannedAtMs: number | null };

const NOT_BEGUN: SideProgress = { listed: 0, total: null, planned: null, written: 0 };

export const newTracker = (): Tracker => ({
  progress: {
    listed: 0,
    planned: null,
    written: 0,
    ratePerMinute: null,
    leftMs: null,
    sides: { google: NOT_BEGUN, service: NOT_BEGUN },
  },
  plannedAtMs: null,
});

const nextSides = (sides: JobProgress['sides'], event: RunEvent): JobProgress['sides'] => {
  switch (event.kind) {
    case 'listed':
      return { ...sides, [event.side]: { ...sides[event.side], listed: event.contacts, total: event.total } };
    case 'planned':
      return {
        google: { ...sides.google, planned: event.writes.google },
        service: { ...sides.service, planned: event.writes.service },
      };
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

/** The tracker after one more event of the run; the same one where the event moves nothing. */
export const track = (tracker: Tracker, event: RunEvent, nowMs: number): Tracker => {
  const sides = nextSides(tracker.progress.sides, event);
  if (sides === tracker.progress.sides) return tracker;
  const { google, service } = sides;
  const planned = google.planned === null || service.planned === null ? null : google.planned + service.planned;
  const written = google.written + service.written;
  const plannedAtMs = event.kind === 'planned' ? nowMs : tracker.plannedAtMs;
  const elapsedMs = plannedAtMs === null ? 0 : nowMs - plannedAtMs;
  const ratePerMs = written > 0 && elapsedMs > 0 ? written / elapsedMs : null;
  const left = Math.max(0, (planned ?? 0) - written);
  return {
    plannedAtMs,
    progress: {
      listed: google.listed + service.listed,
      planned,
      written,
      ratePerMinute: ratePerMs === null ? null : Math.round(ratePerMs * 60_000),
      leftMs: ratePerMs === null ? null : Math.round(left / ratePerMs),
      sides,
    },
  };
};

/** The events that bring whoever shows a run to where the job now stands. */
export const eventsOf = ({ google, service }: JobProgress['sides']): readonly RunEvent[] => {
  const sides = [['google', google] as const, ['service', service] as const];
  const listed = sides.flatMap(([side, at]): RunEvent[] =>
    at.listed === 0 ? [] : [{ kind: 'listed', side, whole: true, contacts: at.listed, total: at.total }],
  );
  if (google.planned === null || service.planned === null) return listed;
  const planned: RunEvent = { kind: 'planned', writes: { google: google.planned, service: service.planned } };
  const written = sides.flatMap(([side, at]): RunEvent[] =>
    at.written === 0 ? [] : [{ kind: 'written', side, done: at.written, total: at.planned ?? 0 }],
  );
  return [...listed, planned, ...written];
};

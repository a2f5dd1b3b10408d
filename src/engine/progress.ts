import { type Side, type Sides, SIDES, bySide } from '../core/contact/side.ts';
import type { Clock } from '../util/clock.ts';
import type { RunEvent } from './run-event.ts';
import { type Tally, writtenContacts } from './tally.ts';

/** The first answers do not show the pace: requests are sent in a burst, several at once. */
const MEASURED_AFTER_MS = 2_000;

/** The numbers of contacts and writes that are still to be done on a side. */
type Outstanding = { readonly contacts: number; readonly writes: number };

/** Reports the written contacts of each side, and the estimated remaining time. */
export type Progress = {
  /** Sets the writes that are still to be done. With the first plan of a pass, the time begins again, and the plan is announced. */
  readonly expect: (outstanding: Sides<Outstanding>, isFirst: boolean) => void;
  /** Counts finished writes and reports the progress. */
  readonly advance: (side: Side, count: number) => void;
};

/** The clock, the events and the counts of a run. */
type Run = { readonly clock: Clock; readonly emit: (event: RunEvent) => void; readonly tally: Tally };

/** Returns the progress of a run that has written nothing yet. */
export const newProgress = ({ clock, emit, tally }: Run): Progress => {
  const counts = bySide(() => ({ done: 0, total: 0, contacts: 0 }));
  let startedTickMs = clock.monotonic();
  /** Estimated from the rate so far; null while it is unknown. */
  const timeLeftMs = (side: Side): number | null => {
    const { done, total } = counts[side];
    const elapsedMs = clock.monotonic() - startedTickMs;
    if (elapsedMs < MEASURED_AFTER_MS || done === 0) return null;
    return Math.round((Math.max(0, total - done) * elapsedMs) / done);
  };
  const report = (side: Side): void => {
    const done = writtenContacts(tally[side]);
    const total = Math.max(counts[side].contacts, done);
    emit({ kind: 'written', side, done, total, remainingMs: timeLeftMs(side) });
  };
  return {
    expect: (outstanding, isFirst) => {
      if (isFirst) startedTickMs = clock.monotonic();
      for (const side of SIDES) {
        if (isFirst) counts[side].done = 0;
        const { contacts, writes } = outstanding[side];
        counts[side].total = counts[side].done + writes;
        counts[side].contacts = writtenContacts(tally[side]) + contacts;
      }
      if (isFirst) emit({ kind: 'planned', contacts: bySide((side) => counts[side].contacts) });
      // A side that an earlier plan of the run wrote has contacts without further writes.
      for (const side of SIDES) if (counts[side].contacts > 0) report(side);
    },
    advance: (side, count) => {
      counts[side].done += count;
      report(side);
    },
  };
};

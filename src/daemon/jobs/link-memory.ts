import type { LinkState } from '../../core/state/rows.ts';
import type { Events } from '../../app/events.ts';
import type { Clock } from '../../util/clock.ts';
import { errorMessage } from '../../util/errors.ts';
import type { JobReport } from './job.ts';

/** A runner remembers this of a link from job to job. Its loss does no harm. */
type Memory = {
  /** The runs in a row that an unavailable remote ended, and the monotonic time of the next attempt. */
  readonly failures: number;
  readonly nextAttemptTickMs: number;
  /** The credentials with which the current run started, or the last one was refused or could not start; null if none. */
  readonly tried: string | null;
  /** The last monotonic time when a scheduled job did not start because the link waited for a user; null before. */
  readonly waitedTickMs: number | null;
  /** Whether the last job found the link paused by hand, or its lease with another process: each is logged once. */
  readonly isPausedByHand: boolean;
  readonly isBusy: boolean;
};

const NO_MEMORY: Memory = {
  failures: 0,
  nextAttemptTickMs: 0,
  tried: null,
  waitedTickMs: null,
  isPausedByHand: false,
  isBusy: false,
};

/** An outage of this many runs in a row, about twenty minutes, is logged as an error. */
const LASTING_FAILURES = 8;

/** Remembers each link's {@link Memory}, and logs what changes there. */
export const createMemories = ({ clock, events }: { readonly clock: Clock; readonly events: Events }) => {
  const memories = new Map<string, Memory>();
  const of = (link: string): Memory => memories.get(link) ?? NO_MEMORY;
  const remember = (link: string, patch: Partial<Memory>): void => {
    memories.set(link, { ...of(link), ...patch });
  };
  return {
    of,
    rememberTried: (link: string, tried: string | null): void => remember(link, { tried }),
    rememberWait: (link: string): void => remember(link, { waitedTickMs: clock.monotonic() }),
    rememberPause: ({ name, pausedByHandAtMs }: LinkState): void => {
      const isPausedByHand = pausedByHandAtMs !== null;
      if (isPausedByHand === of(name).isPausedByHand) return;
      remember(name, { isPausedByHand });
      if (!isPausedByHand) events.linkResumed({ link: name });
      else events.linkPausedByHand({ link: name, remedy: `Resume it with: contact-sync resume ${name}` });
    },
    /** `isOurs`: another job of this process has the lease. */
    rememberReport: (link: string, { ending, nextInMs }: JobReport, error: unknown, isOurs: boolean): void => {
      const { failures, isBusy } = of(link);
      if (ending === 'busy') {
        if (isOurs || isBusy) return;
        remember(link, { isBusy: true });
        events.leaseBusy({ link });
        return;
      }
      if (ending !== 'unavailable') {
        remember(link, { failures: 0, nextAttemptTickMs: 0, isBusy: false });
        return;
      }
      remember(link, {
        failures: failures + 1,
        nextAttemptTickMs: clock.monotonic() + (nextInMs ?? 0),
        isBusy: false,
      });
      if (failures + 1 !== LASTING_FAILURES) return;
      const remedy = `Find out which side does not answer, and why, with: contact-sync doctor ${link}`;
      events.linkFailing({ link, failures: LASTING_FAILURES, reason: errorMessage(error), remedy });
    },
    /** Forgets all links except these. A link that is added later with the same name is a new link. */
    keepOnly: (links: { has(link: string): boolean }): void => {
      for (const name of memories.keys()) if (!links.has(name)) memories.delete(name);
    },
  };
};

export type Memories = ReturnType<typeof createMemories>;

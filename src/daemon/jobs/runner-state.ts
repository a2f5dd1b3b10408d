import type { FullRunSlots } from './full-run-slots.ts';
import type { JobData, JobProgress, JobReport } from './job.ts';
import type { LinkState } from '../../core/state/rows.ts';
import type { App } from '../../app/app.ts';
import type { Clock } from '../../util/clock.ts';
import { SIDES, type Sides } from '../../core/contact/side.ts';
import type { Events } from '../../engine/events.ts';
import type { Polling } from './polling.ts';
import { errorMessage } from '../../util/errors.ts';

type Outage = { readonly failures: number; readonly heldUntilMs: number };

/** The state of the runner between runs. Its loss does no harm. */
type RunnerState = {
  /** Links with an unavailable remote: the failures in a row, and the monotonic time of the next attempt. */
  readonly outages: Map<string, Outage>;
  /** The credentials with which the last run of a link started, or could not start. */
  readonly tried: Map<string, string>;
  /** Links whose next completed run ends a pause. */
  readonly resuming: Set<string>;
  /** Links that are paused by hand, so that the pause is logged once. */
  readonly pausedByHand: Set<string>;
  /** Links whose lease another process has, so that this is logged once. */
  readonly busy: Set<string>;
  /** The current jobs. A job that waits for a busy link may be among them. */
  readonly running: Set<JobData>;
  /** The monotonic time of the last progress of each job. */
  readonly progressed: Map<JobData, number>;
  /** The progress of the jobs whose run has started. */
  readonly progress: Map<JobData, JobProgress>;
};

/** The state of a new runner. */
export const emptyRunnerState = (): RunnerState => ({
  outages: new Map(),
  tried: new Map(),
  resuming: new Set(),
  pausedByHand: new Set(),
  busy: new Set(),
  running: new Set(),
  progressed: new Map(),
  progress: new Map(),
});

/** Drops the state of all links except these. A link that is added later with the same name is a new link. */
export const dropOtherLinks = (
  { outages, tried, resuming, pausedByHand, busy }: RunnerState,
  links: { has(link: string): boolean },
): void => {
  for (const known of [outages, tried, resuming, pausedByHand, busy]) {
    for (const name of known.keys()) if (!links.has(name)) known.delete(name);
  }
};

/** The parts of {@link App} that a job uses. */
type RunnerApp = Pick<App, 'store' | 'run' | 'credentials' | 'limits'> & {
  readonly vault: Pick<App['vault'], 'forget'>;
};

/** The longest time by which a timer may fire early. */
export const EARLY_MS = 100;

/** An outage of this many runs in a row, about twenty minutes, is logged as an error. */
const LASTING_FAILURES = 8;

export type RunnerParts = {
  readonly app: RunnerApp;
  readonly events: Events;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  readonly runnerState: RunnerState;
  readonly polling: Polling;
  readonly fullRuns: FullRunSlots;
};

/** The credentials of both sides as one text, for comparison. */
export const credentialsText = (credentials: Sides<string | null>): string =>
  SIDES.map((side) => String(credentials[side])).join(' ');

/**
 * Records that the next completed run resumes the link. An active link has already completed a run, possibly in another process.
 */
export const recordResuming = ({ runnerState }: RunnerParts, { name, state }: LinkState): void => {
  if (state === 'paused' || state === 'resuming') runnerState.resuming.add(name);
  else if (state === 'active') runnerState.resuming.delete(name);
};

/** Records an outage. A lasting one is logged once as an error. */
const recordOutage = (
  { clock, events, runnerState }: RunnerParts,
  name: string,
  report: JobReport,
  reason: string,
): void => {
  const failures = (runnerState.outages.get(name)?.failures ?? 0) + 1;
  runnerState.outages.set(name, { failures, heldUntilMs: clock.monotonic() + (report.retryInMs ?? 0) - EARLY_MS });
  if (failures !== LASTING_FAILURES) return;
  const remedy = `Find out which side does not answer, and why, with: contact-sync doctor ${name}`;
  events.linkFailing({ link: name, failures, reason, remedy });
};

/** Records the ending of a job. */
export const recordReport = (parts: RunnerParts, name: string, report: JobReport, error: unknown): void => {
  const { events, runnerState } = parts;
  if (report.ending === 'unavailable') {
    recordOutage(parts, name, report, errorMessage(error));
  } else if (report.ending !== 'busy') runnerState.outages.delete(name);
  if (report.ending !== 'busy') runnerState.busy.delete(name);
  const isOurs = [...runnerState.running].filter(({ link }) => link === name).length > 1;
  if (report.ending !== 'busy' || isOurs || runnerState.busy.has(name)) return;
  runnerState.busy.add(name);
  events.leaseBusy({ link: name });
};

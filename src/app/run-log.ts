import { completedRemedy } from '../core/view/words.ts';
import type { Sides, SideWords } from '../core/contact/side.ts';
import type { Events } from './events.ts';
import { writtenContacts } from '../engine/tally.ts';
import { isCredentialError, RemoteError } from '../providers/errors.ts';
import { HaltError, LeaseError, resumeRemedy, StoppedError } from '../engine/errors.ts';
import type { RunResult, RunSummary } from '../engine/run.ts';
import type { RunEvent } from '../engine/run-event.ts';

type RunRef = { readonly link: string; readonly run: string; readonly sides: Sides<SideWords> };

/** Logs an event of a run. */
export const logRunEvent = (events: Events, ref: RunRef, event: RunEvent): void => {
  switch (event.kind) {
    case 'started':
      return events.runStarted({ ...ref, kind: event.runKind });
    case 'listed':
      return events.sideListed({ ...ref, side: event.side, whole: event.whole, contacts: event.contacts });
    case 'relisting':
      return events.cursorExpired({ ...ref, side: event.side, reason: event.reason });
    case 'recovered':
      return events.runRecovered({ ...ref, writes: event.writes });
    case 'planned':
      return events.planComputed({ ...ref, contacts: event.contacts });
    case 'written':
      return undefined;
    case 'conflict': {
      const { leftId, rightId } = event;
      const { winner, ...conflict } = event.conflict;
      if (winner === null) return events.conflictAwaitingDecision({ ...ref, leftId, rightId, ...conflict });
      return events.conflictSettled({ ...ref, leftId, rightId, ...conflict, winner });
    }
    case 'skipped': {
      const { kind: _, ...fields } = event;
      return events.contactSkipped({ ...ref, ...fields });
    }
    case 'not-taken': {
      const { kind: _, ...fields } = event;
      return events.valueRefused({ ...ref, ...fields });
    }
    case 'ambiguous': {
      const { left: leftIds, right: rightIds, why } = event;
      return events.matchAmbiguous({ ...ref, leftIds, rightIds, why, remedy: completedRemedy(why, ref.sides) });
    }
    case 'group':
      return logGroup(events, ref, event);
  }
};

const GROUP_EVENTS = {
  created: 'groupCreated',
  renamed: 'groupRenamed',
  deleted: 'groupDeleted',
  duplicate: 'groupDuplicate',
} as const;

const logGroup = (events: Events, ref: RunRef, event: Extract<RunEvent, { kind: 'group' }>): void => {
  const { action, name, reason, side } = event;
  const fields = { ...ref, side, name };
  if (action === 'refused') events.groupRefused({ ...fields, reason: reason ?? '' });
  else events[GROUP_EVENTS[action]](fields);
};

/** Whether a completed run had nothing to do. Skipped contacts do not count: earlier runs skipped them too. */
const isIdle = ({ kind, left, right, paired, conflicts, asked = 0 }: RunSummary): boolean => {
  const writes = [left, right].map((side) => writtenContacts(side) + side.groupsChanged + side.groupsDeleted);
  return kind === 'incremental' && [...writes, paired, conflicts, asked].every((count) => count === 0);
};

/** Logs a halt. A first sync that waits for its review needs no repair. */
const logHalt = (
  events: Events,
  { halt, message: reason }: HaltError,
  counts: Omit<Parameters<Events['runHalted']>[0], 'reason'>,
): void => {
  if (halt.reason === 'first-sync') events.firstSyncWaits({ ...counts, reason });
  else events.runHalted({ ...counts, reason });
};

/** Logs the end of a run: its one summary event. */
export const logResult = (events: Events, sides: Sides<SideWords>, { summary, error }: RunResult): void => {
  const { outcome: _, reason: __, ...rest } = summary;
  const counts = { ...rest, sides };
  if (error === null && isIdle(summary)) events.runIdle(counts);
  else if (error === null) events.runCompleted(counts);
  else if (error instanceof HaltError) logHalt(events, error, counts);
  else if (error instanceof LeaseError) events.leaseLost({ link: summary.link, run: summary.run, sides });
  else if (error instanceof StoppedError) events.runStopped(counts);
  else if (isCredentialError(error)) {
    const remedy = resumeRemedy(error, { link: summary.link, sides });
    events.linkPaused({ link: summary.link, run: summary.run, sides, side: error.side, reason: error.message, remedy });
  } else if (error instanceof RemoteError && error.retry === 'soon') {
    events.runCutShort({ ...counts, side: error.side, error });
  } else events.runFailed({ ...counts, side: error instanceof RemoteError ? error.side : null, error });
};

import { createPlans } from './plans.ts';
import type { RunRow } from '../../core/state/rows.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import type { UndoReport } from '../../engine/history/undo.ts';
import type { Daemon, OnReport, OnRun } from '../daemon.ts';
import type { JobData, JobReport } from '../jobs/job.ts';
import { outcomeOf } from '../jobs/outcome.ts';
import { createBackgroundTasks, keyOf } from './background-tasks.ts';
import type { App } from '../../app/app.ts';
import type { Clock } from '../../util/clock.ts';
import { capitalized, progressWords } from '../../core/view/words.ts';

const MOST_UNDOS = 20;
/** A requested job that no worker of this process has started after this time runs in another process. */
const REQUEST_SHOWN_MS = 15_000;

/** The target of an undo: a run, or one write of it by its journal id. */
export type UndoTarget = { readonly run: RunRow; readonly write: number | null };

/** The state of an undo. `halt`: the message of its halt (R8). */
export type Undoing = { readonly run: string; readonly write: number | null } & (
  | { readonly state: 'previewing' | 'undoing' }
  | { readonly state: 'previewed'; readonly report: UndoReport; readonly halt: string | null }
  /** `by`: the run of the undo. */
  | { readonly state: 'undone'; readonly report: UndoReport; readonly message: string; readonly by: string }
  | { readonly state: 'failed'; readonly message: string }
);

/** The progress of current work; `total` 0 means unknown. */
export type WorkProgress = {
  readonly text: string;
  readonly done: number;
  readonly total: number;
  /** Whether it is a run, requested or started, and not a plan or the preview of an undo. */
  readonly isRun?: true;
};

const workOf = (run: ReturnType<Daemon['progress']>[number]): WorkProgress => ({
  text: `${capitalized(progressWords(run))}.`,
  done: run.written,
  total: run.planned ?? 0,
  isRun: true,
});

const WAITING: WorkProgress = { text: 'Waiting to start.', done: 0, total: 0, isRun: true };
const PLANNING: WorkProgress = { text: 'Reading both accounts to plan. Nothing is written.', done: 0, total: 0 };
const UNDOING: WorkProgress = { text: 'Undo in progress.', done: 0, total: 0 };

type ActionParts = {
  readonly app: App;
  readonly daemon: Pick<Daemon, 'requestJob' | 'progress' | 'links'>;
  readonly clock: Clock;
  /** Called with each undo that has ended. */
  readonly onUndone?: OnRun;
};

/** The requested jobs and their reports. */
const createJobRequests = ({ daemon, clock }: ActionParts) => {
  const reports = new Map<string, { readonly of: string; readonly report: JobReport }>();
  const requestedTickMs = new Map<string, number>();
  return {
    send: async (job: JobData): Promise<void> => {
      await daemon.requestJob(job);
      requestedTickMs.set(job.link, clock.monotonic());
    },
    /** Whether a job that was requested recently has neither started nor ended. */
    isAwaited: (link: string): boolean =>
      clock.monotonic() - (requestedTickMs.get(link) ?? -Infinity) < REQUEST_SHOWN_MS,
    /** The report of the last job of this process; null if it does not exist. */
    lastReport: (link: LinkConfig): JobReport | null => {
      const last = reports.get(link.name);
      return last?.of === keyOf(link) ? last.report : null;
    },
    /** Called with each job that has ended. */
    noteReport: (({ link: name }, report) => {
      const link = daemon.links().find((each) => each.name === name);
      if (link !== undefined) reports.set(name, { of: keyOf(link), report });
      requestedTickMs.delete(name);
    }) satisfies OnReport,
  };
};

/** Creates the undos of the page, at most one for each link. */
const createUndos = ({ app, onUndone }: ActionParts, signal: AbortSignal) => {
  const { begin, read, isWorking, ended } = createBackgroundTasks<Undoing>(MOST_UNDOS);
  const start = (
    link: LinkConfig,
    { run, write }: UndoTarget,
    first: 'previewing' | 'undoing',
    work: (of: Pick<Undoing, 'run' | 'write'>) => Promise<Undoing>,
  ): boolean => {
    const of = { run: run.id, write };
    const failed = (message: string): Undoing => ({ ...of, state: 'failed', message });
    return begin(link, { ...of, state: first }, { work: () => work(of), failed });
  };
  const optionsFor = ({ write }: UndoTarget) => ({ signal, ...(write !== null && { write }) });
  return {
    isWorking,
    ended,
    /** Returns false if another undo or preview of the link is running; then nothing starts. */
    preview: (link: LinkConfig, target: UndoTarget): boolean =>
      start(link, target, 'previewing', async (of) => {
        const { report, halt } = await app.planUndo(link, target.run, optionsFor(target));
        return { ...of, state: 'previewed', report, halt: halt?.message ?? null };
      }),
    /** Runs an undo, or returns false like `preview`. `acceptedHalt`: the message of the only accepted halt. */
    undo: (link: LinkConfig, target: UndoTarget, acceptedHalt: string | null): boolean =>
      start(link, target, 'undoing', async (of) => {
        const { result, report } = await app.undo(link, target.run, {
          ...optionsFor(target),
          ...(acceptedHalt !== null && { accepts: { kind: 'halt', message: acceptedHalt, loses: true } }),
        });
        const { summary } = result;
        const { outcome, reason, run: by } = summary;
        onUndone?.(outcomeOf(result.error, 1, 0).ending, summary);
        if (outcome !== 'completed') return { ...of, state: 'failed', message: reason ?? outcome };
        const what = target.write === null ? 'run' : 'write';
        const except = report.refused.length === 0 ? '' : ', except for what is listed below';
        return { ...of, state: 'undone', report, message: `The ${what} is undone${except}.`, by };
      }),
    /** The state of the undo; null without one. */
    undoing: (link: LinkConfig): Undoing | null => read(link),
  };
};

/** Creates the actions of the page. Their state is in memory only. */
export const createConsoleActions = (parts: ActionParts) => {
  const { app, daemon, clock } = parts;
  const ending = new AbortController();
  const { send, isAwaited, ...requests } = createJobRequests(parts);
  const {
    isWorking: isPlanning,
    ended: plansEnded,
    ...plans
  } = createPlans({ app, clock, send, signal: ending.signal });
  const { isWorking: isUndoing, ended: undosEnded, ...undos } = createUndos(parts, ending.signal);
  return {
    ...requests,
    ...plans,
    ...undos,
    /**
     * Requests a run. `override` is the nonce of a halt that it accepts; with `restores`, without any loss. Throws QueueError if the
     * queue does not accept it.
     */
    requestRun: (
      link: LinkConfig,
      kind: JobData['kind'],
      override: string | null = null,
      restores = false,
    ): Promise<void> => send({ link: link.name, kind, override, byHand: true, ...(restores && { restores }) }),
    /** The progress of the current work; null if it does not exist. */
    progress: (link: LinkConfig): WorkProgress | null => {
      const run = daemon.progress().find((each) => each.link === link.name);
      if (run !== undefined) return workOf(run);
      if (isPlanning(link)) return PLANNING;
      if (isUndoing(link)) return UNDOING;
      return isAwaited(link.name) ? WAITING : null;
    },
    /** Ends the current work. */
    close: async (): Promise<void> => {
      ending.abort(new Error('The daemon is stopping.'));
      await Promise.all([plansEnded(), undosEnded()]);
    },
  };
};

/** The actions of the page: runs, one plan and one undo at a time for each link. */
export type ConsoleActions = ReturnType<typeof createConsoleActions>;

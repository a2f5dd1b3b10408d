import {
  createPlans,
  keyOf,
  forgottenOf,
  type EndedRun,
  type Orders,
  type Planning,
  type ConsoleActionParts,
} from './plans.ts';
import type { RunRow } from '../../core/state/rows.ts';
import type { LinkConfig } from '../../app/config/config.ts';
import type { UndoReport } from '../../engine/history/undo.ts';
import type { Daemon, OnReport } from '../jobs/daemon.ts';
import type { JobReport } from '../jobs/job.ts';
import { createBackgroundTasks, type BackgroundTasks, type Mark } from './background-tasks.ts';
import { count, formatEstimate, grouped } from '../../core/view/words.ts';

const MOST_UNDOS = 20;
/** A requested job that no worker of this process has started by then runs in another process. */
const REQUEST_SHOWN_MS = 15_000;

/** What is to be undone: a run, or one write of it by its number in the journal. */
export type UndoTarget = { readonly run: RunRow; readonly write: number | null };

/** How it stands with an undo. `halt`: what keeps it from being done (R8). */
export type Undoing = { readonly run: string; readonly write: number | null } & (
  | { readonly state: 'previewing' | 'undoing' }
  | { readonly state: 'previewed'; readonly report: UndoReport; readonly halt: string | null }
  | { readonly state: 'undone'; readonly report: UndoReport; readonly message: string }
  | { readonly state: 'failed'; readonly message: string }
);

/** How far something under way is; of `total` 0 that is not known. */
export type Progress = {
  readonly text: string;
  readonly done: number;
  readonly total: number;
  /** Whether it is a run, requested or started, and not a plan or the preview of an undo. */
  readonly isRun?: true;
};

/** What people can have done, one thing of each sort at a time for each link. */
export type ConsoleActions = {
  /** Asks for a run; throws QueueError where the queue does not take it. */
  order(link: LinkConfig, kind: 'incremental' | 'full'): Promise<void>;
  /** How the last job ended that ended in this process; null where none has, or a contact was forgotten since. */
  lastReport(link: LinkConfig, forgotten: Mark): JobReport | null;
  /** What is under way; null where nothing is. */
  progress(link: LinkConfig): Progress | null;
  plan(link: LinkConfig): void;
  /** `ended`: the last runs that ended, newest first. An acceptance covers one run: no later one, and none that halted. */
  planning(link: LinkConfig, ended: readonly EndedRun[], forgotten: Mark): Planning | null;
  /** The same, after a plan is begun in the background if it is missing, or outdated by a run. */
  currentPlan(link: LinkConfig, ended: readonly EndedRun[], forgotten: Mark): Planning | null;
  /** Has the plan of that digest done, and no other: it is made again, and where it is another one that one is shown. */
  accept(link: LinkConfig, digest: string): void;
  preview(link: LinkConfig, target: UndoTarget): void;
  /** `acceptedHalt`: the message of the one halt that does not keep it from being done. */
  undo(link: LinkConfig, target: UndoTarget, acceptedHalt: string | null): void;
  undoing(link: LinkConfig, forgotten: Mark): Undoing | null;
  /** NotificationState of each job that has ended. */
  readonly noteReport: OnReport;
  /** Ends what is under way. */
  close(): Promise<void>;
};

/** The clocks of hosts that share a store differ by less. */
const CLOCKS_APART_MS = 60_000;

const runText = ({ listed, planned, written, leftMs }: ReturnType<Daemon['progress']>[number]): Progress => {
  if (planned === null) return { text: `Reading: ${count(listed, 'contact')} so far.`, done: 0, total: 0, isRun: true };
  const left = leftMs === null ? '' : `, about ${formatEstimate(leftMs)} left`;
  return {
    text: `${grouped(written)} of ${count(planned, 'write')} done${left}.`,
    done: written,
    total: planned,
    isRun: true,
  };
};

const WAITING: Progress = { text: 'Waiting to start.', done: 0, total: 0, isRun: true };
const PLANNING: Progress = { text: 'Reading both accounts to plan. Nothing is written.', done: 0, total: 0 };
const UNDOING: Progress = { text: 'Undo in progress.', done: 0, total: 0 };

/** The jobs that were asked for, and how they ended. */
const createOrders = ({
  daemon,
  clock,
}: ConsoleActionParts): Pick<ConsoleActions, 'lastReport' | 'noteReport'> & Orders => {
  const reports = new Map<string, { readonly of: string; readonly report: JobReport; readonly atMs: number }>();
  const orderedAtMs = new Map<string, number>();
  return {
    send: async (job) => {
      await daemon.order(job);
      orderedAtMs.set(job.link, clock.monotonic());
    },
    isAwaited: (link) => clock.monotonic() - (orderedAtMs.get(link) ?? -Infinity) < REQUEST_SHOWN_MS,
    lastReport: (link, forgotten) => {
      const last = reports.get(link.name);
      if (last?.of !== keyOf(link)) return null;
      if (forgotten === null || forgotten + CLOCKS_APART_MS < last.atMs) return last.report;
      reports.delete(link.name);
      return null;
    },
    noteReport: ({ link: name }, report) => {
      const link = daemon.links().find((each) => each.name === name);
      if (link !== undefined) reports.set(name, { of: keyOf(link), report, atMs: clock.now() });
      orderedAtMs.delete(name);
    },
  };
};

const createUndos = (
  { app }: ConsoleActionParts,
  signal: AbortSignal,
): Pick<ConsoleActions, 'preview' | 'undo' | 'undoing'> & Pick<BackgroundTasks<Undoing>, 'isWorking' | 'ended'> => {
  const bench = createBackgroundTasks<Undoing>(MOST_UNDOS);
  const begin = (
    link: LinkConfig,
    { run, write }: UndoTarget,
    first: 'previewing' | 'undoing',
    work: (of: Pick<Undoing, 'run' | 'write'>) => Promise<Undoing>,
  ): void => {
    const of = { run: run.id, write };
    const failed = (message: string): Undoing => ({ ...of, state: 'failed', message });
    bench.begin(
      keyOf(link),
      { ...of, state: first },
      { mark: () => forgottenOf(app, link), work: () => work(of), failed },
    );
  };
  const optionsFor = ({ write }: UndoTarget) => ({ signal, ...(write !== null && { write }) });
  return {
    ...bench,
    preview: (link, target) =>
      begin(link, target, 'previewing', async (of) => {
        const options = { ...optionsFor(target), acceptDeletes: false };
        const { report, halt } = await app.planUndo(link, target.run, options);
        return { ...of, state: 'previewed', report, halt: halt?.message ?? null };
      }),
    undo: (link, target, acceptedHalt) =>
      begin(link, target, 'undoing', async (of) => {
        const accepting = acceptedHalt === null ? { acceptDeletes: false } : { acceptDeletes: true, acceptedHalt };
        const { result, report } = await app.undo(link, target.run, { ...optionsFor(target), ...accepting });
        const { outcome, reason } = result.summary;
        const what = target.write === null ? 'run' : 'write';
        const message = outcome === 'completed' ? `The ${what} is undone.` : (reason ?? outcome);
        return { ...of, state: 'undone', report, message };
      }),
    undoing: (link, forgotten) => bench.of(keyOf(link), forgotten),
  };
};

/** What the page has done, in this process; nothing of it lasts but what runs store. */
export const createConsoleActions = (parts: ConsoleActionParts): ConsoleActions => {
  const { daemon } = parts;
  const ending = new AbortController();
  const orders = createOrders(parts);
  const plans = createPlans(parts, orders, ending.signal);
  const undos = createUndos(parts, ending.signal);
  return {
    ...orders,
    ...plans,
    ...undos,
    order: (link, kind) => orders.send({ link: link.name, kind, override: null, byHand: true }),
    progress: (link) => {
      const run = daemon.progress().find((each) => each.link === link.name);
      if (run !== undefined) return runText(run);
      const key = keyOf(link);
      if (plans.isWorking(key)) return PLANNING;
      if (undos.isWorking(key)) return UNDOING;
      return orders.isAwaited(link.name) ? WAITING : null;
    },
    close: async () => {
      ending.abort(new Error('The daemon is stopping.'));
      await Promise.all([plans.ended(), undos.ended()]);
    },
  };
};

import type { RunKind, RunRow } from '../../core/state/rows.ts';
import type { App } from '../../app/app.ts';
import type { Clock } from '../../util/clock.ts';
import type { LinkConfig } from '../../app/config/config.ts';
import { digest, fingerprint } from '../../util/secret.ts';
import type { Contact } from '../../core/contact/contact.ts';
import { SIDES } from '../../core/contact/side.ts';
import type { UndoReport } from '../../engine/history/undo.ts';
import type { Daemon, OnReport } from '../jobs/daemon.ts';
import type { JobData, JobReport } from '../jobs/job.ts';
import { createBench, type Bench, type Mark } from './background-tasks.ts';
import type { Estimate } from '../../engine/run.ts';
import { planChanges, plannedContacts, unpairedOf } from '../../core/view/plan.ts';
import type { Change, Unpaired } from '../../core/view/views.ts';
import { count, formatEstimate, grouped } from '../../core/view/words.ts';

/** What a run of a link would do, as it was found out at that time. */
export type PlanView = {
  readonly atMs: number;
  readonly kind: RunKind;
  readonly changes: readonly Change[];
  readonly unpaired: readonly Unpaired[];
  /** By side and id: `left people/c1`. */
  readonly contacts: ReadonlyMap<string, Contact>;
  readonly estimate: Estimate;
  /** What keeps a run from doing it (R8); null where nothing does. */
  readonly halt: string | null;
  /** Whether that is for what it would destroy. */
  readonly destroys: boolean;
  /** Two plans with the same one do the same. */
  readonly digest: string;
  /** The last run that had ended before the plan was made. */
  readonly lastRun: string | null;
};

/** How it stands with the plan of a link; `checking`: it is made again, to be the same as the one that was accepted. */
export type Planning =
  | { readonly state: 'planning' | 'checking' }
  | { readonly state: 'planned'; readonly view: PlanView; readonly note: string | null }
  /** `lastRun`: the last run that had ended at the acceptance. `ranAs`: the run that ended after it; null before that. */
  | { readonly state: 'accepted'; readonly lastRun: string | null; readonly ranAs: string | null }
  | { readonly state: 'failed'; readonly message: string };

/** What is to be undone: a run, or one write of it by its number in the journal. */
export type UndoTarget = { readonly run: RunRow; readonly write: number | null };

/** How it stands with an undo. `halt`: what keeps it from being done (R8). */
export type Undoing = { readonly run: string; readonly write: number | null } & (
  | { readonly state: 'previewing' | 'undoing' }
  | { readonly state: 'previewed'; readonly report: UndoReport; readonly halt: string | null }
  | { readonly state: 'undone'; readonly report: UndoReport; readonly message: string }
  | { readonly state: 'failed'; readonly message: string }
);

type Orders = {
  /** Hands a job to the daemon. */
  readonly send: (job: JobData) => Promise<void>;
  /** Whether a job that was asked for a moment ago has neither begun nor ended. */
  readonly isAwaited: (link: string) => boolean;
};

/** A run that has ended. */
type EndedRun = Pick<RunRow, 'id' | 'outcome' | 'reason' | 'wrote'>;

/** How far something under way is; of `total` 0 that is not known. */
export type Progress = {
  readonly text: string;
  readonly done: number;
  readonly total: number;
  /** Whether it is a run, requested or started, and not a plan or the preview of an undo. */
  readonly isRun?: true;
};

/** What people can have done, one thing of each sort at a time for each link. */
export type Desk = {
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

export type DeskParts = {
  readonly app: App;
  readonly daemon: Pick<Daemon, 'order' | 'progress' | 'links'>;
  readonly clock: Clock;
};

/** Plans are large, so that few are kept. */
const MOST_PLANS = 3;
const MOST_UNDOS = 20;
/** An order that no job of this process has answered by then is with another one. */
const ORDER_SHOWN_MS = 15_000;

/** A link that is removed, and added again under its name, may be somebody else's: what was done before is not shown of it. */
const keyOf = (link: LinkConfig): string => digest(fingerprint(link));

/** When a contact of the link was last forgotten. */
export const forgottenOf = async ({ store }: Pick<App, 'store'>, { name }: LinkConfig): Promise<Mark> =>
  (await store.link(name)).forgottenAtMs;

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

/** The last runs that ended, newest first. */
export const endedRuns = async ({ store }: Pick<App, 'store'>, { name }: LinkConfig): Promise<readonly RunRow[]> =>
  (await store.runs(name, { newest: 3 })).filter(({ endedAtMs }) => endedAtMs !== null);

type Accepted = Extract<Planning, { readonly state: 'accepted' }>;

/** The acceptance with the run that it led to; null after a later run, and after a run that did not complete. */
const acceptedNow = (accepted: Accepted, ended: readonly EndedRun[]): Accepted | null => {
  const [last, previous] = ended;
  if ((last?.id ?? null) === accepted.lastRun) return accepted;
  const isNext = (previous?.id ?? null) === accepted.lastRun;
  return isNext && last?.outcome === 'completed' ? { ...accepted, ranAs: last.id } : null;
};

/** Whether a run has changed what the plan was made of, or its halt. */
const isOutdated = ({ lastRun, halt }: PlanView, [last]: readonly EndedRun[]): boolean => {
  if (last === undefined || last.id === lastRun || last.outcome === 'failed') return false;
  if (last.outcome === 'halted') return last.reason !== halt;
  const hasWritten = SIDES.some((side) => {
    const { created = 0, updated = 0, deleted = 0 } = last.wrote?.[side] ?? {};
    return created + updated + deleted > 0;
  });
  return hasWritten || halt !== null;
};

/** The nonce with which a run may pass this halt; null if the last run did not halt with it (R8). */
const overrideOf = async (app: App, link: LinkConfig, halt: string): Promise<string | null> => {
  const [last] = await endedRuns(app, link);
  return last?.outcome === 'halted' && last.reason === halt ? last.override : null;
};

const WAITING: Progress = { text: 'Waiting to start.', done: 0, total: 0, isRun: true };
const PLANNING: Progress = { text: 'Reading both accounts to plan. Nothing is written.', done: 0, total: 0 };
const UNDOING: Progress = { text: 'Undo in progress.', done: 0, total: 0 };

const planView = async (
  { app, clock }: Pick<DeskParts, 'app' | 'clock'>,
  link: LinkConfig,
  signal: AbortSignal,
): Promise<PlanView> => {
  const [lastRun] = await endedRuns(app, link);
  const { kind, plan, halt, estimate } = await app.plan(link, { kind: 'incremental', signal });
  const changes = planChanges(plan);
  const message = halt?.message ?? null;
  return {
    atMs: clock.now(),
    kind,
    changes,
    unpaired: unpairedOf(plan),
    contacts: plannedContacts(plan),
    estimate,
    halt: message,
    destroys: halt !== null && halt.reason !== 'first-sync',
    digest: digest(JSON.stringify([changes, message])),
    lastRun: lastRun?.id ?? null,
  };
};

/** Has an accepted plan done where it still is what a run would do; what is shown from then on. */
const checkPlan = async (
  parts: Pick<DeskParts, 'app' | 'clock'> & Pick<Orders, 'send'>,
  link: LinkConfig,
  accepted: string,
  signal: AbortSignal,
): Promise<Planning> => {
  const view = await planView(parts, link, signal);
  if (view.digest !== accepted) {
    return { state: 'planned', view, note: 'The plan has changed since you accepted it. Review the current plan.' };
  }
  const override = view.halt === null ? null : await overrideOf(parts.app, link, view.halt);
  if (view.halt !== null && override === null) {
    return {
      state: 'planned',
      view,
      note: 'No run has halted on this plan yet. Press Sync: the run halts and writes nothing. Then accept the plan.',
    };
  }
  const [lastRun = null] = await endedRuns(parts.app, link);
  await parts.send({ link: link.name, kind: 'incremental', override, byHand: true });
  return { state: 'accepted', lastRun: lastRun?.id ?? null, ranAs: null };
};

/** The jobs that were asked for, and how they ended. */
const createOrders = ({ daemon, clock }: DeskParts): Pick<Desk, 'lastReport' | 'noteReport'> & Orders => {
  const reports = new Map<string, { readonly of: string; readonly report: JobReport; readonly atMs: number }>();
  const orderedAtMs = new Map<string, number>();
  return {
    send: async (job) => {
      await daemon.order(job);
      orderedAtMs.set(job.link, clock.monotonic());
    },
    isAwaited: (link) => clock.monotonic() - (orderedAtMs.get(link) ?? -Infinity) < ORDER_SHOWN_MS,
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

const createPlans = (
  parts: DeskParts,
  { send }: Orders,
  signal: AbortSignal,
): Pick<Desk, 'plan' | 'planning' | 'currentPlan' | 'accept'> & Pick<Bench<Planning>, 'isWorking' | 'ended'> => {
  const bench = createBench<Planning>(MOST_PLANS);
  const failed = (message: string): Planning => ({ state: 'failed', message });
  const plan: Desk['plan'] = (link) => {
    const work = async (): Promise<Planning> => {
      return { state: 'planned', view: await planView(parts, link, signal), note: null };
    };
    bench.begin(keyOf(link), { state: 'planning' }, { mark: () => forgottenOf(parts.app, link), work, failed });
  };
  const planning: Desk['planning'] = (link, ended, forgotten) => {
    const state = bench.of(keyOf(link), forgotten);
    return state?.state === 'accepted' ? acceptedNow(state, ended) : state;
  };
  return {
    ...bench,
    plan,
    planning,
    currentPlan: (link, ended, forgotten) => {
      const state = planning(link, ended, forgotten);
      const isCurrent = state?.state === 'planned' ? !isOutdated(state.view, ended) : state !== null;
      if (!isCurrent) plan(link);
      return planning(link, ended, forgotten);
    },
    accept: (link, accepted) => {
      const work = (): Promise<Planning> => checkPlan({ ...parts, send }, link, accepted, signal);
      bench.begin(keyOf(link), { state: 'checking' }, { mark: () => forgottenOf(parts.app, link), work, failed });
    },
  };
};

const createUndos = (
  { app }: DeskParts,
  signal: AbortSignal,
): Pick<Desk, 'preview' | 'undo' | 'undoing'> & Pick<Bench<Undoing>, 'isWorking' | 'ended'> => {
  const bench = createBench<Undoing>(MOST_UNDOS);
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
export const createDesk = (parts: DeskParts): Desk => {
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

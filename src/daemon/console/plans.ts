import type { RunRow } from '../../core/state/rows.ts';
import type { App } from '../../app/app.ts';
import type { Clock } from '../../util/clock.ts';
import { addableFields } from '../../app/config/field-choice.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { digest } from '../../util/secret.ts';
import { foldText } from '../../core/contact/names.ts';
import type { JobData } from '../jobs/job.ts';
import { createBackgroundTasks } from './background-tasks.ts';
import { lastDecided } from '../../engine/guard.ts';
import type { PlanResult } from '../../engine/plan-link.ts';
import { sortChanges } from '../../core/view/changes.ts';
import { hasWritten } from '../../core/view/words.ts';
import { unsyncedFields, type UnsyncedField } from '../../core/view/unsynced.ts';
import type { Change, Unpaired } from '../../core/view/views.ts';

/** The plan of a run, as of `atMs`. */
export type PlanView = Omit<PlanResult, 'unsynced' | 'halt'> & {
  readonly atMs: number;
  /** The fields that a first sync leaves out; empty for other syncs. */
  readonly unsynced: readonly UnsyncedField[];
  /** The message of the halt (R8); null without a halt. */
  readonly halt: string | null;
  /** Whether the halt is about deletions. */
  readonly destroys: boolean;
  /** Equal for equal plans. */
  readonly digest: string;
  /** The last run that had ended before the plan was made. */
  readonly lastRun: string | null;
};

/** The state of the plan of a link. `checking`: the plan is computed again, to compare it with the accepted one. */
export type Planning =
  | { readonly state: 'planning' | 'checking' }
  | { readonly state: 'planned'; readonly view: PlanView; readonly note: string | null }
  /** `lastRun`: the last run that had ended at the acceptance. `ranAs`: the next run that ended; null if it does not exist. */
  | { readonly state: 'accepted'; readonly lastRun: string | null; readonly ranAs: string | null }
  | { readonly state: 'failed'; readonly message: string };

type PlanParts = {
  readonly app: App;
  readonly clock: Clock;
  /** Requests a job from the daemon. */
  readonly send: (job: JobData) => Promise<void>;
  readonly signal: AbortSignal;
};

/** The number of plans in memory. It is small because plans are large. */
const MOST_PLANS = 3;

/** The number of runs that a plan is compared with. It is made again if more have ended since. */
const RUNS_COMPARED = 20;

/** The last runs that ended, newest first. */
const endedRuns = async ({ store }: App, { name }: LinkConfig): Promise<readonly RunRow[]> =>
  (await store.runs(name, { newest: RUNS_COMPARED })).filter(({ endedAtMs }) => endedAtMs !== null);

type Accepted = Extract<Planning, { readonly state: 'accepted' }>;

/** The acceptance with its run; null after a later run, and after a run that did not complete. */
const acceptedNow = (accepted: Accepted, ended: readonly RunRow[]): Accepted | null => {
  const [last, previous] = ended;
  if ((last?.id ?? null) === accepted.lastRun) return accepted;
  const isNext = (previous?.id ?? null) === accepted.lastRun;
  return isNext && last?.outcome === 'completed' ? { ...accepted, ranAs: last.id } : null;
};

/** Whether this run, which ended after the plan was made, has changed the data of the plan or its halt. */
const outdates = (run: RunRow, { halt, changes }: PlanView): boolean => {
  if (hasWritten(run)) return true;
  if (run.outcome === 'failed') return false;
  if (run.outcome === 'halted') return run.reason !== halt;
  // Pairing writes nothing, and a conflict that awaits a decision stays in the plans after it.
  return halt !== null || changes.some(({ action }) => action !== 'ask');
};

const isOutdated = (view: PlanView, ended: readonly RunRow[]): boolean => {
  const before = ended.findIndex(({ id }) => id === view.lastRun);
  if (before === -1 && view.lastRun !== null) return true;
  return ended.slice(0, before === -1 ? ended.length : before).some((run) => outdates(run, view));
};

/**
 * The nonce that accepts the halt of this plan; null if the last run did not halt with it, or with more deletions (R8). The run
 * checks that the last run showed each deletion.
 */
const overrideOf = async (app: App, link: LinkConfig, { changes, halt }: PlanView): Promise<string | null> => {
  const last = await lastDecided(app.store, link.name);
  if (last?.outcome !== 'halted') return null;
  const deletions = changes.filter(({ action }) => action === 'delete').length;
  const showedMore = deletions > 0 && deletions < (last.shown ?? []).length;
  return last.reason === halt || showedMore ? last.override : null;
};

/** A conflict of a plan: the sides that won it by rule or by choice, and the name of its field in a form. */
export const plannedConflict = (change: Change) => {
  if (!('leftId' in change) || change.leftId === null || change.rightId === null) return null;
  const { action, leftId, rightId, side } = change;
  const own = change.changes.filter(({ why: { kind } }) => kind === 'conflict' || kind === 'asked' || kind === 'taken');
  const [first] = own;
  if (first === undefined) return null;
  const { why } = first;
  const winner = why.kind === 'conflict' ? why.winner : why.kind === 'taken' ? why.at : null;
  const fields = own.flatMap(({ field }) => (field === 'name' ? [] : [field]));
  return { leftId, rightId, fields, winner, name: `take:${action}:${side}:${leftId}` };
};

const nameOfUnpaired = ({ left, right }: Unpaired): string => foldText([...left, ...right][0]?.name ?? '');

const byName = (one: Unpaired, other: Unpaired): number => (nameOfUnpaired(one) < nameOfUnpaired(other) ? -1 : 1);

const planView = async ({ app, clock, signal }: PlanParts, link: LinkConfig): Promise<PlanView> => {
  const [lastRun] = await endedRuns(app, link);
  const plan = await app.plan(link, { kind: 'incremental', signal });
  const { halt, unsynced } = plan;
  const changes = sortChanges(plan.changes);
  return {
    ...plan,
    atMs: clock.now(),
    changes,
    unpaired: plan.unpaired.toSorted(byName),
    unsynced: unsynced === null ? [] : unsyncedFields(addableFields(link), unsynced),
    halt: halt?.message ?? null,
    destroys: halt !== null && halt.reason !== 'first-sync',
    digest: digest(JSON.stringify([changes, halt !== null])),
    lastRun: lastRun?.id ?? null,
  };
};

/** Runs an accepted plan if it is still current. Returns the next state. */
const checkPlan = async (parts: PlanParts, link: LinkConfig, accepted: string): Promise<Planning> => {
  const view = await planView(parts, link);
  if (view.digest !== accepted) {
    return { state: 'planned', view, note: 'The plan has changed since you accepted it. Review the current plan.' };
  }
  const override = view.halt === null ? null : await overrideOf(parts.app, link, view);
  if (view.halt !== null && override === null) {
    return {
      state: 'planned',
      view,
      note: 'No run has halted on this plan yet. Press Sync now on the page of the link: the run halts and writes nothing. Then accept the plan.',
    };
  }
  const [lastRun = null] = await endedRuns(parts.app, link);
  await parts.send({ link: link.name, kind: 'incremental', override, byHand: true });
  return { state: 'accepted', lastRun: lastRun?.id ?? null, ranAs: null };
};

/** Creates the plans of the page, at most one for each link. */
export const createPlans = (parts: PlanParts) => {
  const { app } = parts;
  const { begin, drop, read, isWorking, ended } = createBackgroundTasks<Planning>(MOST_PLANS);
  const failed = (message: string): Planning => ({ state: 'failed', message });
  /** The links whose plan lacks a decision that was made while it was computed. */
  const outdated = new Set<string>();
  const plan = (link: LinkConfig): void => {
    const work = async (): Promise<Planning> => {
      for (;;) {
        outdated.delete(link.name);
        const view = await planView(parts, link);
        if (!outdated.has(link.name)) return { state: 'planned', view, note: null };
      }
    };
    if (!begin(link, { state: 'planning' }, { work, failed })) outdated.add(link.name);
  };
  /** The state of the plan; null without one, and if it is outdated. An acceptance applies to one completed run. */
  const planning = async (link: LinkConfig): Promise<Planning | null> => {
    const state = read(link);
    if (state?.state === 'accepted') return acceptedNow(state, await endedRuns(app, link));
    return state?.state === 'planned' && isOutdated(state.view, await endedRuns(app, link)) ? null : state;
  };
  return {
    isWorking,
    ended,
    plan,
    planning,
    /** Like `planning`; first starts a plan in the background if it is missing or outdated. */
    currentPlan: async (link: LinkConfig): Promise<Planning | null> => {
      const state = await planning(link);
      if (state !== null) return state;
      plan(link);
      return planning(link);
    },
    /** Has the plan made again when it is shown next: a decision that it lacks was stored. */
    outdatePlan: (link: LinkConfig): void => {
      const state = read(link)?.state;
      if (state === 'planning') plan(link);
      else if (state === 'planned' || state === 'failed') drop(link);
    },
    /**
     * Runs the plan with this digest. It is computed again; if it differs, the new plan is shown and does not run. Returns false
     * if a plan is being made; then nothing is accepted. A form that was sent twice accepts once.
     */
    accept: (link: LinkConfig, accepted: string): boolean => {
      const state = read(link)?.state;
      if (state === 'checking' || state === 'accepted') return true;
      return begin(link, { state: 'checking' }, { work: () => checkPlan(parts, link, accepted), failed });
    },
  };
};

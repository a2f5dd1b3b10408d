import type { ConsoleActions } from './actions.ts';
import type { RunKind, RunRow } from '../../core/state/rows.ts';
import type { App } from '../../app/app.ts';
import type { Clock } from '../../util/clock.ts';
import type { LinkConfig } from '../../app/config/config.ts';
import { digest, fingerprint } from '../../util/secret.ts';
import type { Contact } from '../../core/contact/contact.ts';
import { SIDES } from '../../core/contact/side.ts';
import type { Daemon } from '../jobs/daemon.ts';
import type { JobData } from '../jobs/job.ts';
import { createBackgroundTasks, type BackgroundTasks, type ForgottenAt } from './background-tasks.ts';
import type { Estimate } from '../../engine/plan-link.ts';
import type { Change, Unpaired } from '../../core/view/views.ts';

/** The plan of a run, as of `atMs`. */
export type PlanView = {
  readonly atMs: number;
  readonly kind: RunKind;
  readonly changes: readonly Change[];
  readonly unpaired: readonly Unpaired[];
  /** By side and id: `left people/c1`. */
  readonly contacts: ReadonlyMap<string, Contact>;
  readonly estimate: Estimate;
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

export type JobRequests = {
  /** Requests a job from the daemon. */
  readonly send: (job: JobData) => Promise<void>;
  /** Whether a job that was requested recently has neither started nor ended. */
  readonly isAwaited: (link: string) => boolean;
};

/** A run that has ended. */
export type EndedRun = Pick<RunRow, 'id' | 'outcome' | 'reason' | 'wrote'>;

export type ConsoleActionParts = {
  readonly app: App;
  readonly daemon: Pick<Daemon, 'requestJob' | 'progress' | 'links'>;
  readonly clock: Clock;
};

/** The number of plans in memory. It is small because plans are large. */
const MOST_PLANS = 3;

/** The key of a link with its settings. A link that is added again with the same name may have another owner. */
export const keyOf = (link: LinkConfig): string => digest(fingerprint(link));

/** Reads the time when a contact of the link was last forgotten. */
export const forgottenOf = async ({ store }: Pick<App, 'store'>, { name }: LinkConfig): Promise<ForgottenAt> =>
  (await store.link(name)).forgottenAtMs;

/** The last runs that ended, newest first. */
export const endedRuns = async ({ store }: Pick<App, 'store'>, { name }: LinkConfig): Promise<readonly RunRow[]> =>
  (await store.runs(name, { newest: 3 })).filter(({ endedAtMs }) => endedAtMs !== null);

type Accepted = Extract<Planning, { readonly state: 'accepted' }>;

/** The acceptance with its run; null after a later run, and after a run that did not complete. */
const acceptedNow = (accepted: Accepted, ended: readonly EndedRun[]): Accepted | null => {
  const [last, previous] = ended;
  if ((last?.id ?? null) === accepted.lastRun) return accepted;
  const isNext = (previous?.id ?? null) === accepted.lastRun;
  return isNext && last?.outcome === 'completed' ? { ...accepted, ranAs: last.id } : null;
};

/** Whether a run has changed the data of the plan or its halt. */
const isOutdated = ({ lastRun, halt }: PlanView, [last]: readonly EndedRun[]): boolean => {
  if (last === undefined || last.id === lastRun || last.outcome === 'failed') return false;
  if (last.outcome === 'halted') return last.reason !== halt;
  const hasWritten = SIDES.some((side) => {
    const { created = 0, updated = 0, deleted = 0 } = last.wrote?.[side] ?? {};
    return created + updated + deleted > 0;
  });
  return hasWritten || halt !== null;
};

/** The nonce that accepts this halt; null if the last run did not halt with it (R8). */
const overrideOf = async (app: App, link: LinkConfig, halt: string): Promise<string | null> => {
  const [last] = await endedRuns(app, link);
  return last?.outcome === 'halted' && last.reason === halt ? last.override : null;
};

const planView = async (
  { app, clock }: Pick<ConsoleActionParts, 'app' | 'clock'>,
  link: LinkConfig,
  signal: AbortSignal,
): Promise<PlanView> => {
  const [lastRun] = await endedRuns(app, link);
  const { kind, changes, unpaired, contacts, halt, estimate } = await app.plan(link, { kind: 'incremental', signal });
  const message = halt?.message ?? null;
  return {
    atMs: clock.now(),
    kind,
    changes,
    unpaired,
    contacts,
    estimate,
    halt: message,
    destroys: halt !== null && halt.reason !== 'first-sync',
    digest: digest(JSON.stringify([changes, message])),
    lastRun: lastRun?.id ?? null,
  };
};

/** Runs an accepted plan if it is still current. Returns the next state. */
const checkPlan = async (
  parts: Pick<ConsoleActionParts, 'app' | 'clock'> & Pick<JobRequests, 'send'>,
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

export const createPlans = (
  parts: ConsoleActionParts,
  { send }: JobRequests,
  signal: AbortSignal,
): Pick<ConsoleActions, 'plan' | 'planning' | 'currentPlan' | 'accept'> &
  Pick<BackgroundTasks<Planning>, 'isWorking' | 'ended'> => {
  const tasks = createBackgroundTasks<Planning>(MOST_PLANS);
  const failed = (message: string): Planning => ({ state: 'failed', message });
  const plan: ConsoleActions['plan'] = (link) => {
    const work = async (): Promise<Planning> => {
      return { state: 'planned', view: await planView(parts, link, signal), note: null };
    };
    tasks.begin(keyOf(link), { state: 'planning' }, { mark: () => forgottenOf(parts.app, link), work, failed });
  };
  const planning: ConsoleActions['planning'] = (link, ended, forgotten) => {
    const state = tasks.of(keyOf(link), forgotten);
    return state?.state === 'accepted' ? acceptedNow(state, ended) : state;
  };
  return {
    ...tasks,
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
      tasks.begin(keyOf(link), { state: 'checking' }, { mark: () => forgottenOf(parts.app, link), work, failed });
    },
  };
};

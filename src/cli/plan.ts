import type { RunKind } from '../core/state/rows.ts';
import type { LinkConfig } from '../app/config/config.ts';
import { inWordsOf, type Sides, type SideWords } from '../core/contact/side.ts';
import type { Estimate } from '../engine/run.ts';
import { FIRST_SYNC_WAITS, HaltError } from '../engine/context.ts';
import { planChanges, unpairedOf } from '../core/view/plan.ts';
import type { Change, Unpaired } from '../core/view/views.ts';
import { selectChanges, type Shown } from '../core/view/change-filter.ts';
import { changeToJson } from './change-json.ts';
import { EXIT, exitCodeOf, worstExitCode, type ExitCode } from './exit-codes.ts';
import { formatPlan } from './plan-text.ts';
import { NO_PROGRESS, startProgress } from './progress/progress.ts';
import { layoutOf, type Terminal } from './terminal.ts';
import { troubleOf } from './trouble.ts';
import { withApp, type CommonOptions, type Opened } from './with-app.ts';

/** What a run of one link would do; `error` is there only where the link could not be planned. */
export type LinkPlan = {
  readonly link: string;
  /** Whether the configuration has no other link, so that commands need not name it. */
  readonly isOnly: boolean;
  readonly kind: RunKind;
  /** What was asked for of what would be done. */
  readonly actions: readonly Change[];
  /** How much would be done in all. */
  readonly total: number;
  /** Contacts that may be one person and are not paired (R13). */
  readonly unpaired: readonly Unpaired[];
  /** About so many requests on each side, and how long they take by the rate limits; absent where nothing was planned. */
  readonly estimate?: Estimate;
  readonly halted: { readonly reason: string; readonly message: string } | null;
  readonly error?: string;
};

type Planned = { readonly plan: LinkPlan; readonly code: ExitCode };

const notPlanned = (
  { link, isOnly }: Pick<LinkPlan, 'link' | 'isOnly'>,
  sides: Sides<SideWords>,
  kind: RunKind,
  error: unknown,
): Planned => {
  const empty = { link, isOnly, kind, actions: [], total: 0, unpaired: [] };
  if (error instanceof HaltError) {
    const { reason, message } = error.halt;
    return { plan: { ...empty, halted: { reason, message } }, code: EXIT.halted };
  }
  return { plan: { ...empty, halted: null, error: troubleOf(error, link, sides) }, code: exitCodeOf(error) };
};

export type PlanOptions = CommonOptions &
  Shown & {
    readonly full?: boolean;
    /** The plan of a first sync that waits for review is not reported as a halt. */
    readonly showsReview?: boolean;
  };

const planOne = async (
  terminal: Terminal,
  { app, signal }: Opened,
  link: LinkConfig,
  options: PlanOptions,
): Promise<Planned> => {
  const asked = options.full ? 'full' : 'incremental';
  const named = { link: link.name, isOnly: app.config.links.length === 1 };
  const progress = options.json || !terminal.redraws ? NO_PROGRESS : startProgress(terminal, link.sides);
  try {
    const { kind, plan, estimate, ...found } = await app.plan(link, { kind: asked, signal, onEvent: progress.tell });
    const halt = options.showsReview && found.halt?.message === FIRST_SYNC_WAITS ? null : found.halt;
    const halted = halt === null ? null : { reason: halt.reason, message: halt.message };
    const code = halt === null ? EXIT.done : EXIT.halted;
    const changes = planChanges(plan);
    const unpaired = options.only === undefined && options.grep === undefined ? unpairedOf(plan) : [];
    const actions = selectChanges(changes, options);
    return { plan: { ...named, kind, actions, total: changes.length, unpaired, estimate, halted }, code };
  } catch (error) {
    return notPlanned(named, link.sides, asked, error);
  } finally {
    progress.stop();
  }
};

const unpairedToJson = ({ left, right, why }: Unpaired) => ({
  leftIds: left.map(({ id }) => id),
  rightIds: right.map(({ id }) => id),
  left,
  right,
  why,
});

/** As the README documents it, in the words of the link. */
const toJson = (plan: LinkPlan, sides: Sides<SideWords>): unknown => {
  const { link, kind, actions, unpaired, estimate, halted, error } = plan;
  return inWordsOf(sides, {
    link,
    kind,
    actions: actions.map((change) => changeToJson(change, sides)),
    ...(unpaired.length > 0 && { ambiguous: unpaired.map(unpairedToJson) }),
    ...(estimate && { estimate }),
    halted,
    ...(error !== undefined && { error }),
  });
};

/** `plan [LINK]`: what a run of each link would do, writing nothing anywhere. */
export const plan = (terminal: Terminal, linkName: string | undefined, options: PlanOptions): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async (opened) => {
    const planned: Planned[] = [];
    const documents: unknown[] = [];
    for (const link of opened.links) {
      if (opened.signal.aborted) break;
      const one = await planOne(terminal, opened, link, options);
      planned.push(one);
      documents.push(toJson(one.plan, link.sides));
      if (!options.json) terminal.print(formatPlan(one.plan, link.sides, options, layoutOf(terminal)));
      const trouble = one.plan.error ?? one.plan.halted?.message;
      if (trouble !== undefined) terminal.warn(`${link.name}: ${trouble}`);
    }
    if (options.json) terminal.print(JSON.stringify({ links: documents }));
    return worstExitCode(planned.map((one) => one.code));
  });

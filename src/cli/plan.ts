import type { LinkConfig } from '../config/config.ts';
import { inWordsOf } from '../contact/side.ts';
import { listActions, type PlannedAction } from '../reconcile/actions.ts';
import type { Doubt } from '../reconcile/match.ts';
import type { RunKind } from '../store/store.ts';
import type { Estimate } from '../sync/run.ts';
import { HaltError } from '../sync/context.ts';
import { EXIT, exitCodeOf, messageOf, worstExitCode, type ExitCode } from './exit-codes.ts';
import { formatPlan } from './plan-text.ts';
import { NO_PROGRESS, startProgress } from './progress/progress.ts';
import type { Terminal } from './terminal.ts';
import { withApp, type CommonOptions, type Opened } from './with-app.ts';

type Unpaired = { readonly leftIds: readonly string[]; readonly rightIds: readonly string[]; readonly why: Doubt };

/** What `plan --json` says of one link, there in the link's words; `error` is there only where the link could not be planned. */
export type LinkPlan = {
  readonly link: string;
  readonly kind: RunKind;
  readonly actions: readonly PlannedAction[];
  /** Contacts that may be one person and are not paired (R13); absent where there are none. */
  readonly ambiguous?: readonly Unpaired[];
  /** About so many requests on each side, and how long they take by the rate limits; absent where nothing was planned. */
  readonly estimate?: Estimate;
  readonly halted: { readonly reason: string; readonly message: string } | null;
  readonly error?: string;
};

type Planned = { readonly plan: LinkPlan; readonly code: ExitCode };

const notPlanned = (link: string, kind: RunKind, error: unknown): Planned => {
  const empty = { link, kind, actions: [] };
  if (error instanceof HaltError) {
    const { reason, message } = error.halt;
    return { plan: { ...empty, halted: { reason, message } }, code: EXIT.halted };
  }
  return { plan: { ...empty, halted: null, error: messageOf(error) }, code: exitCodeOf(error) };
};

type PlanOptions = CommonOptions & { readonly full?: boolean };

const planOne = async (
  terminal: Terminal,
  { app, signal }: Opened,
  link: LinkConfig,
  options: PlanOptions,
): Promise<Planned> => {
  const asked = options.full ? 'full' : 'incremental';
  const progress = options.json || !terminal.redraws ? NO_PROGRESS : startProgress(terminal, link.sides);
  try {
    const { kind, plan, halt, estimate } = await app.plan(link, { kind: asked, signal, onEvent: progress.tell });
    const halted = halt === null ? null : { reason: halt.reason, message: halt.message };
    const code = halt === null ? EXIT.done : EXIT.halted;
    const ambiguous = plan.ambiguous.map(({ left, right, why }) => ({ leftIds: left, rightIds: right, why }));
    const unpaired = ambiguous.length === 0 ? {} : { ambiguous };
    return { plan: { link: link.name, kind, actions: listActions(plan), ...unpaired, estimate, halted }, code };
  } catch (error) {
    return notPlanned(link.name, asked, error);
  } finally {
    progress.stop();
  }
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
      documents.push(inWordsOf(link.sides, one.plan));
      if (!options.json) terminal.print(formatPlan(one.plan, link.sides, terminal));
      const trouble = one.plan.error ?? one.plan.halted?.message;
      if (trouble !== undefined) terminal.warn(`${link.name}: ${trouble}`);
    }
    if (options.json) terminal.print(JSON.stringify({ links: documents }));
    return worstExitCode(planned.map((one) => one.code));
  });

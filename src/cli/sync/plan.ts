import { addableFields } from '../../app/config/field-choice.ts';
import { unsyncedFields, type UnsyncedField } from '../../core/view/unsynced.ts';
import { count, estimateWords, grouped, plannedRemedy, unsyncedWords } from '../../core/view/words.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { SIDES, inWordsOf, type Sides, type SideWords } from '../../core/contact/side.ts';
import type { RunKind } from '../../core/state/rows.ts';
import { contactsToWrite, sortChanges } from '../../core/view/changes.ts';
import type { Unpaired, Change } from '../../core/view/views.ts';
import { FIRST_SYNC_WAITS, HaltError } from '../../engine/errors.ts';
import type { Estimate } from '../../engine/plan-link.ts';
import { errorOfLeftOut } from '../command/configuration.ts';
import { EXIT, exitCodeOf, worstExitCode, troubleOf, type ExitCode } from '../command/exit-codes.ts';
import {
  actionOf,
  ALL_OPTION,
  examples,
  JSON_OPTION,
  withLinks,
  type Define,
  type ListOptions,
} from '../command/options.ts';
import { withApp, type CommonOptions, type Opened } from '../command/with-app.ts';
import { formatChanges, formatHidden, changeToJson, ROWS_SHOWN } from '../terminal/changes.ts';
import { NAME_COLUMNS, shorten, wrap, type Layout } from '../terminal/layout.ts';
import { NO_PROGRESS, startProgress } from '../terminal/progress.ts';
import { layoutOf, type Terminal } from '../terminal/terminal.ts';

const formatCandidates = (unpaired: Unpaired, sides: Sides<SideWords>): string =>
  SIDES.map((side) => {
    const candidates = unpaired[side].map(({ id, name }) =>
      name === null ? id : `${shorten(name, NAME_COLUMNS)} (${id})`,
    );
    return `at ${sides[side].place} ${candidates.join(', ')}`;
  }).join('; ');

/** Pairs of candidates of one row that are shown without `--all`. */
const PAIRS_SHOWN = 6;

/** A text that a shell reads as one word and not as an option: ids come from a remote. */
const IS_PLAIN = /^[\w.@:/][\w.@:/-]*$/u;

/** The commands that pair two of the contacts, one for each two that may be one person. */
const pairCommands = ({ left, right }: Unpaired, { link, isOnly }: Pick<LinkPlan, 'link' | 'isOnly'>, all: boolean) => {
  const name = isOnly ? '' : ` ${link}`;
  const ids = (candidates: Unpaired['left']) => candidates.flatMap(({ id }) => (IS_PLAIN.test(id) ? [id] : []));
  const commands = ids(left).flatMap((one) => ids(right).map((other) => `contact-sync pair ${one} ${other}${name}`));
  const shown = all ? commands : commands.slice(0, PAIRS_SHOWN);
  return [...shown.map((command) => `    ${command}`), ...formatHidden(commands.length - shown.length)];
};

const formatUnpaired = (
  { unpaired: all, ...named }: LinkPlan,
  sides: Sides<SideWords>,
  shown: ListOptions,
  { width }: Layout,
): readonly string[] =>
  [...Map.groupBy(all, ({ why }) => why)].flatMap(([why, candidates]) => {
    const listed = shown.all ? candidates : candidates.slice(0, ROWS_SHOWN);
    return [
      `Not paired: ${why}: ${grouped(candidates.length)}`,
      ...listed.flatMap((each) => [
        wrap(formatCandidates(each, sides), '  ', width),
        ...pairCommands(each, named, shown.all ?? false),
      ]),
      ...formatHidden(candidates.length - listed.length),
      wrap(plannedRemedy(why, sides), '  ', width),
    ];
  });

/** The fields that a first sync leaves out. */
const formatUnsynced = ({ unsynced }: LinkPlan, { width }: Layout): readonly string[] => {
  const words = unsyncedWords(unsynced);
  return words === null ? [] : [wrap(words, '  ', width)];
};

/** A plan for people, grouped by action. */
export const formatPlan = (plan: LinkPlan, sides: Sides<SideWords>, shown: ListOptions, layout: Layout): string => {
  const { link, kind, actions, estimate, halted, error } = plan;
  const name = layout.style('bold', link);
  if (error !== undefined) return `${name}: ${layout.style('red', 'not planned')}`;
  const halt = halted === null ? '' : `, ${layout.style('yellow', `would halt: ${halted.reason}`)}`;
  const nothing = halted !== null && estimate === undefined ? 'not planned' : 'nothing to do';
  const title = `${name}: ${kind}, ${actions.length === 0 ? nothing : `${count(contactsToWrite(actions), 'contact')} to write`}${halt}`;
  const requests = estimate === undefined ? null : estimateWords(estimate, sides);
  const time = requests === null ? [] : [`  about ${requests} with the rate limits`];
  const changes = formatChanges(actions, sides, shown, layout);
  const unsynced = formatUnsynced(plan, layout);
  return [title, ...time, ...unsynced, ...changes, ...formatUnpaired(plan, sides, shown, layout)].join('\n');
};

/** The plan of one link. `error` is set only if the link could not be planned. */
type LinkPlan = {
  readonly link: string;
  /** True if the configuration has no other link, so that commands need not name it. */
  readonly isOnly: boolean;
  readonly kind: RunKind;
  readonly actions: readonly Change[];
  /** Contacts that may be one person and are not paired (R13). */
  readonly unpaired: readonly Unpaired[];
  /** The fields that a first sync leaves out; empty for other syncs. */
  readonly unsynced: readonly UnsyncedField[];
  /** The expected number of requests at each side and their duration with the rate limits; absent without a plan. */
  readonly estimate?: Estimate;
  readonly halted: { readonly reason: string; readonly message: string } | null;
  readonly error?: string;
};

const INTERRUPTED = 'Interrupted. Nothing was planned or written.';

type Planned = { readonly plan: LinkPlan; readonly code: ExitCode };

const notPlanned = (
  { link, isOnly }: Pick<LinkPlan, 'link' | 'isOnly'>,
  sides: Sides<SideWords>,
  kind: RunKind,
  error: unknown,
): Planned => {
  const empty = { link, isOnly, kind, actions: [], unpaired: [], unsynced: [] };
  if (error instanceof HaltError) {
    const { reason, message } = error.halt;
    return { plan: { ...empty, halted: { reason, message } }, code: EXIT.halted };
  }
  return { plan: { ...empty, halted: null, error: troubleOf(error, link, sides) }, code: exitCodeOf(error) };
};

type PlanOptions = CommonOptions &
  ListOptions & {
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
  const progress = options.json || !terminal.redraws ? NO_PROGRESS : await startProgress(terminal, link.sides);
  try {
    const { kind, changes, estimate, ...found } = await app.plan(link, { kind: asked, signal, onEvent: progress.show });
    const halt = options.showsReview && found.halt?.message === FIRST_SYNC_WAITS ? null : found.halt;
    const halted = halt === null ? null : { reason: halt.reason, message: halt.message };
    const code = halt === null ? EXIT.done : EXIT.halted;
    const unsynced = found.unsynced === null ? [] : unsyncedFields(addableFields(link), found.unsynced);
    const actions = sortChanges(changes);
    const { unpaired } = found;
    return { plan: { ...named, kind, actions, unpaired, unsynced, estimate, halted }, code };
  } catch (error) {
    return notPlanned(named, link.sides, asked, signal.aborted ? new Error(INTERRUPTED) : error);
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

/** The plan in the documented JSON format, with the names of the sides. */
const toJson = (plan: LinkPlan, sides: Sides<SideWords>): unknown => {
  const { link, kind, actions, unpaired, unsynced, estimate, halted, error } = plan;
  return inWordsOf(sides, {
    link,
    kind,
    actions: actions.map((change) => changeToJson(change, sides)),
    ...(unpaired.length > 0 && { ambiguous: unpaired.map(unpairedToJson) }),
    ...(unsynced.length > 0 && { notSynced: unsynced }),
    ...(estimate && { estimate }),
    halted,
    ...(error !== undefined && { error }),
  });
};

/** `plan [LINK]`: shows the changes that a run of each link would make. Writes nothing. */
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
    const { leftOut } = opened;
    if (options.json) terminal.print(JSON.stringify({ links: documents, ...errorOfLeftOut(leftOut) }));
    return worstExitCode([...planned.map((one) => one.code), ...leftOut.map(() => EXIT.usage)]);
  });

/** Defines `plan`. */
export const define: Define = (command, call) => {
  withLinks(command)
    .option(...JSON_OPTION)
    .option(...ALL_OPTION)
    .option('--full', 'plan a full sync')
    .addHelpText('after', examples('plan', 'plan work --all'))
    .action(actionOf(call, { links: [] }, plan));
};

import { whyTooOld } from '../../engine/history/runs.ts';
import { inWordsOf, type Sides, type SideWords } from '../../core/contact/side.ts';
import { idsText } from '../../core/view/values.ts';
import { selectChanges } from '../../core/view/changes.ts';
import { count, fieldWords, shortRun } from '../../core/view/words.ts';
import type { Change } from '../../core/view/views.ts';
import { HaltError } from '../../engine/errors.ts';
import type { UndoRefusal } from '../../engine/history/plan-undo.ts';
import type { RunEvent } from '../../engine/run-event.ts';
import { systemClock } from '../../util/clock.ts';
import { EXIT, exitCodeOf, troubleOf, UsageError, type ExitCode } from '../command/exit-codes.ts';
import {
  ACCEPT_DELETES,
  actionOf,
  examples,
  ALL_OPTION,
  JSON_OPTION,
  parseWholeNumber,
  withLinks,
  type Define,
  type ListOptions,
} from '../command/options.ts';
import { withApp, type CommonOptions, type Opened } from '../command/with-app.ts';
import { changeToJson, formatChanges, formatSubject } from '../terminal/changes.ts';
import { formatTable, NAME_COLUMNS, shorten } from '../terminal/layout.ts';
import { NO_PROGRESS, startProgress } from '../terminal/progress.ts';
import { mayDelete } from '../terminal/prompts.ts';
import { layoutOf, type Terminal } from '../terminal/terminal.ts';
import { formatTrouble } from '../sync/summary.ts';
import { findRun, type FoundRun } from './find-run.ts';

type UndoOptions = CommonOptions &
  ListOptions & {
    readonly dryRun?: boolean;
    readonly acceptDeletes?: boolean;
    readonly yes?: boolean;
    /** The journal id of the one write to revert. */
    readonly write?: number;
  };

/** The document of `undo --json`, before `left` and `right` are replaced by the names of the sides. */
type UndoResult = {
  readonly link: string;
  /** The one write that was reverted; null if the whole run was. */
  readonly write: number | null;
  /** The run that was reverted, and the run of the undo, which is null if the undo is only planned. */
  readonly run: string;
  readonly undoRun: string | null;
  readonly outcome: 'planned' | 'completed' | 'halted' | 'failed';
  readonly reason: string | null;
  /** The number of contacts written (created, updated or deleted) and groups created again; planned ones for a dry run. */
  readonly undone: number;
  readonly refused: readonly UndoRefusal[];
  readonly actions: readonly Change[];
};

type Done = { readonly document: UndoResult; readonly code: ExitCode; readonly trouble: string | null };

/** The options of the app for an undo and for its plan. */
const askedFor = ({ acceptDeletes, write }: UndoOptions) => ({
  ...(acceptDeletes && { accepts: { kind: 'losses' } as const }),
  ...(write !== undefined && { write }),
});

/** The parts of the document that name the undo. */
const sharedOf = ({ link, run }: FoundRun, { write }: UndoOptions) => ({
  link: link.name,
  run: run.id,
  write: write ?? null,
});

/** The planned undo, or why it could not be planned. */
const planUndo = async ({ app, signal }: Opened, found: FoundRun, options: UndoOptions): Promise<Done> => {
  const { link, run } = found;
  const shared = { ...sharedOf(found, options), undoRun: null };
  try {
    const { report, halt } = await app.planUndo(link, run, { signal, ...askedFor(options) });
    const trouble = halt?.message ?? null;
    const outcome = halt === null ? 'planned' : 'halted';
    const document = { ...shared, outcome, reason: trouble, undone: report.actions.length, ...report } as const;
    return { document, code: halt === null ? EXIT.done : EXIT.halted, trouble };
  } catch (error) {
    const trouble = troubleOf(error, link.name, link.sides);
    const outcome = error instanceof HaltError ? 'halted' : 'failed';
    const document = { ...shared, outcome, reason: trouble, undone: 0, actions: [], refused: [] } as const;
    return { document, code: exitCodeOf(error), trouble };
  }
};

const perform = async (
  terminal: Terminal,
  { app, signal }: Opened,
  found: FoundRun,
  options: UndoOptions,
): Promise<Done> => {
  const { link, run } = found;
  const progress = options.json ? NO_PROGRESS : await startProgress(terminal, link.sides);
  let groups = 0;
  const onEvent = (event: RunEvent): void => {
    progress.show(event);
    if (event.kind === 'group' && event.action === 'created') groups += 1;
  };
  try {
    const { result, report } = await app.undo(link, run, { signal, ...askedFor(options), onEvent });
    const { run: undoRun, outcome, reason, left, right } = result.summary;
    const contacts = [left, right].reduce((sum, side) => sum + side.created + side.updated + side.deleted, 0);
    const document = { ...sharedOf(found, options), undoRun, outcome, reason, undone: contacts + groups, ...report };
    return { document, code: exitCodeOf(result.error), trouble: formatTrouble(result, link.sides) };
  } finally {
    progress.stop();
  }
};

/** The undo in the documented JSON format, with the names of the sides. */
const toJson = ({ actions, ...document }: UndoResult, sides: Sides<SideWords>): unknown =>
  inWordsOf(sides, {
    ...document,
    actions: actions.map((change) => changeToJson(change, sides)),
  });

const NAMES_SHOWN = 5;

/** The deleted contacts with their sides, such as `Ada Lovelace at the service, Ben at Google and 3 more`. */
const describeDeletions = (deletions: readonly Change[], sides: Sides<SideWords>): string => {
  const shown = deletions
    .slice(0, NAMES_SHOWN)
    .map((change) => `${formatSubject(change)} at ${sides[change.side].place}`);
  const hidden = deletions.length - shown.length;
  return `${shown.join(', ')}${hidden > 0 ? ` and ${hidden} more` : ''}`;
};

const confirmedCommand = ({ link, run }: FoundRun, { write, acceptDeletes }: UndoOptions): string => {
  const flags = [
    ...(write === undefined ? [] : [`--write ${write}`]),
    ...(acceptDeletes ? ['--accept-deletes'] : []),
    '--yes',
  ];
  return `contact-sync undo ${run.id} ${link.name} ${flags.join(' ')}`;
};

/** Returns whether the planned undo may run. A user must confirm deletions of contacts first; a halted undo deletes none. */
const isConfirmed = async (
  terminal: Terminal,
  found: FoundRun,
  { actions, outcome }: UndoResult,
  options: UndoOptions,
): Promise<boolean> => {
  const { sides } = found.link;
  const deletions = selectChanges(actions, { only: 'deletes' });
  if (deletions.length === 0 || outcome === 'halted') return true;
  const what = count(deletions.length, 'contact');
  const step = {
    question: `Delete ${what}?`,
    effect: `This undo deletes ${what}: ${describeDeletions(deletions, sides)}.`,
    command: confirmedCommand(found, options),
  };
  if (!options.json && process.stdin.isTTY) {
    terminal.print(formatChanges(deletions, sides, options, layoutOf(terminal)).join('\n'));
  }
  return mayDelete(terminal, options, step);
};

/** Plans the undo, and performs it unless only the plan is requested; null if the user does not confirm its deletions. */
const planOrPerform = async (
  terminal: Terminal,
  opened: Opened,
  found: FoundRun,
  options: UndoOptions,
): Promise<Done | null> => {
  if (options.yes && !options.dryRun) return perform(terminal, opened, found, options);
  const planned = await planUndo(opened, found, options);
  if (options.dryRun || planned.document.outcome === 'failed') return planned;
  const mayRun = await isConfirmed(terminal, found, planned.document, options);
  return mayRun ? perform(terminal, opened, found, options) : null;
};

const refusalRow = ({ side, name, field, reason, ...ids }: UndoRefusal, sides: Sides<SideWords>): readonly string[] => {
  const what = field === null ? 'contact' : fieldWords(field);
  return [sides[side].title, name === null ? idsText(ids) : shorten(name, NAME_COLUMNS), what, reason];
};

const formatUndo = (document: UndoResult, sides: Sides<SideWords>, shown: ListOptions, terminal: Terminal): string => {
  const { link, run, write, outcome, undone, refused, actions } = document;
  const list = formatChanges(actions, sides, shown, layoutOf(terminal));
  const title = `${terminal.style('bold', link)}: undo of ${write === null ? '' : `write ${write} of `}run ${shortRun(run)}: ${outcome}, ${count(undone, 'change')}`;
  const rows = refused.map((refusal) => refusalRow(refusal, sides));
  const skipped = rows.length === 0 ? [] : ['Not undone', formatTable(rows, { indent: '  ' })];
  return [title, ...list, ...skipped].join('\n');
};

/** @throws {UsageError} if the run has no write of that number. */
const checkWrite = async ({ app }: Opened, { link, run }: FoundRun, { write }: UndoOptions): Promise<void> => {
  if (write === undefined) return;
  const entries = await app.store.journal(link.name, { run: run.id });
  if (entries.some(({ id }) => id === write)) return;
  throw new UsageError(
    `The run ${run.id} has no write ${write}. \`contact-sync runs ${run.id} --json\` lists its writes with their numbers.`,
  );
};

/**
 * `undo RUN [LINK]`: reverts the writes of a run, or with `--write` one of them.
 *
 * @throws {UsageError} if RUN is not exactly one run or is too old, if it has no such write, or if a deletion needs `--yes`.
 */
const undo = (
  terminal: Terminal,
  word: string,
  linkName: string | undefined,
  options: UndoOptions,
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async (opened) => {
    const target = await findRun(opened, word, 'undo');
    const tooOld = whyTooOld(target.run, opened.app.config.retentionMs, systemClock.now());
    if (tooOld !== null) throw new UsageError(tooOld);
    await checkWrite(opened, target, options);
    const done = await planOrPerform(terminal, opened, target, options);
    if (done === null) return EXIT.done;
    const { document, code, trouble } = done;
    if (options.json) terminal.print(JSON.stringify({ undo: toJson(document, target.link.sides) }));
    else terminal.print(formatUndo(document, target.link.sides, options, terminal));
    if (trouble !== null) terminal.warn(trouble);
    return code;
  });

const UNDO_HELP = `
RUN is the id of a run or its first characters, as listed by \`runs\`, or \`last\`: the last run that wrote something.
An undo reverts what the run wrote, on the side where it was written. Fields that changed since are skipped and listed. A
deleted contact is created again with the fields that both sides share; other data, such as photos, is lost. A deleted
bucket or label is created again with its members, and the next sync creates it on the other side. Buckets and labels that the
run created are kept. An undo is a run, so it can be undone too.`;

/** Defines `undo`. */
export const define: Define = (command, call) => {
  withLinks(command.argument('<RUN>', 'id of the run, or `last`'))
    .option(...JSON_OPTION)
    .option(...ALL_OPTION)
    .option('--dry-run', 'show what would be undone; write nothing')
    .option(
      '--write <NUMBER>',
      'undo only this write, by its number in `runs RUN --json`',
      parseWholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option('-y, --yes', 'do not ask before contacts are deleted; required in scripts')
    .option(...ACCEPT_DELETES)
    .addHelpText('after', UNDO_HELP)
    .addHelpText('after', examples('undo last --dry-run', 'undo 3f2a work'))
    .action(actionOf(call, { undo: null }, undo));
};

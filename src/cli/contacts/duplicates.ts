import { listDuplicates } from '../../engine/history/open-questions.ts';
import type { Command } from 'commander';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { inWordsOf } from '../../core/contact/side.ts';
import type { DuplicatesView, Change } from '../../core/view/views.ts';
import { count, whyWords } from '../../core/view/words.ts';
import { MergeError, type MergeOrder, type MergePlan } from '../../engine/history/merge-duplicates.ts';
import { EXIT, exitCodeOf, UsageError, type ExitCode } from '../command/exit-codes.ts';
import {
  examples,
  JSON_OPTION,
  orSubcommand,
  setFailureDocument,
  withLinks,
  withOuter,
  type Define,
} from '../command/options.ts';
import { withApp, type CommonOptions, type Opened } from '../command/with-app.ts';
import { changeToJson, formatChanges } from '../terminal/changes.ts';
import { NAME_COLUMNS, shorten, inLine, wrap, type Layout } from '../terminal/layout.ts';
import { mayDelete } from '../terminal/prompts.ts';
import { layoutOf, type Terminal } from '../terminal/terminal.ts';

type LinkDuplicates = { readonly link: LinkConfig; readonly groups: readonly DuplicatesView[] };

/** The documented JSON format, with the names of the sides. */
const toJson = ({ link, groups }: LinkDuplicates): unknown => {
  const own = groups.map(({ id, side, members, why }) => ({
    id,
    side,
    contacts: members.map(({ id: contact, name, isLinked }) => ({ id: contact, name, linked: isLinked })),
    why: why.map((each) => whyWords(each, link.sides)),
  }));
  return { link: link.name, groups: inWordsOf(link.sides, own) };
};

const formatGroup = ({ id, members, why }: DuplicatesView, { sides }: LinkConfig, layout: Layout): string => {
  const named = members.map((member) => `${shorten(member.name ?? 'no name', NAME_COLUMNS)} (${member.id})`);
  const reasons = why.map((each) => inLine(whyWords(each, sides)));
  const title = [layout.style('bold', id), ...reasons].join(', ');
  return [wrap(title, '  ', layout.width), ...named.map((each) => wrap(each, '    ', layout.width))].join('\n');
};

const formatLink = ({ link, groups }: LinkDuplicates, layout: Layout): string => {
  const title = `${layout.style('bold', link.name)}: ${groups.length === 0 ? 'no duplicates' : count(groups.length, 'group')}`;
  const bySide = Map.groupBy(groups, ({ side }) => side);
  const sections = [...bySide].flatMap(([side, own]) => [
    `Likely duplicates at ${link.sides[side].place}: ${own.length}`,
    ...own.map((group) => formatGroup(group, link, layout)),
  ]);
  return [title, ...sections].join('\n');
};

/** `duplicates [LINK]`: likely duplicates within one side, as of the last run. */
const duplicates = (terminal: Terminal, linkName: string | undefined, options: CommonOptions): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app, links }) => {
    const found: LinkDuplicates[] = [];
    for (const link of links) found.push({ link, groups: await listDuplicates(app.store, link.name) });
    if (options.json) terminal.print(JSON.stringify({ links: found.map(toJson) }));
    else terminal.print(found.map((one) => formatLink(one, layoutOf(terminal))).join('\n\n'));
    return EXIT.done;
  });

type MergeOptions = CommonOptions & {
  readonly into?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly acceptDeletes?: boolean;
};

type Found = { readonly link: LinkConfig; readonly group: DuplicatesView };

const findGroup = async ({ app, links }: Opened, word: string): Promise<Found> => {
  for (const link of links) {
    const group = (await listDuplicates(app.store, link.name)).find(({ id }) => id === word);
    if (group !== undefined) return { link, group };
  }
  throw new UsageError(
    `There is no group ${word}; its contacts may have changed. \`contact-sync duplicates\` lists the groups.`,
  );
};

const orderOf = ({ link, group }: Found, into: string | undefined): MergeOrder => {
  const { side, members } = group;
  const survivor =
    into === undefined ? members.find(({ isLinked }) => isLinked) : members.find(({ id }) => id === into);
  if (survivor === undefined) {
    const which = into === undefined ? 'None of the contacts is linked yet' : `${into} is not a contact`;
    throw new UsageError(
      `${which} of the group ${group.id} of ${link.name}. Choose one that is linked with --into ID.`,
    );
  }
  const otherIds = members.flatMap(({ id }) => (id === survivor.id ? [] : [id]));
  return { side, survivorId: survivor.id, otherIds };
};

/** The document of `duplicates merge --json`, before `left` and `right` are replaced by the names of the sides. */
type MergeDocument = {
  readonly link: string;
  readonly group: string;
  readonly order: MergeOrder;
  /** Null if it is only planned. */
  readonly run: string | null;
  readonly outcome: 'planned' | 'completed' | 'halted' | 'failed';
  readonly reason: string | null;
  readonly actions: readonly Change[];
};

/** The documented JSON format, with the names of the sides. */
const mergeToJson = ({ order, actions, ...document }: MergeDocument, { sides }: LinkConfig): unknown =>
  inWordsOf(sides, {
    ...document,
    side: order.side,
    into: order.survivorId,
    merged: order.otherIds,
    actions: actions.map((change) => changeToJson(change, sides)),
  });

const planned = async ({ app, signal }: Opened, { link }: Found, order: MergeOrder, options: MergeOptions) => {
  try {
    return await app.planMerge(link, order, { signal, acceptDeletes: options.acceptDeletes ?? false });
  } catch (error) {
    if (error instanceof MergeError) throw new UsageError(error.message);
    throw error;
  }
};

/** The effect of the merge, for the confirmation. */
const stepOf = ({ link, group }: Found, { survivorId, otherIds }: MergeOrder, { acceptDeletes }: MergeOptions) => {
  const what = `${count(otherIds.length, 'contact')} into ${survivorId}`;
  const more = acceptDeletes ? ' --accept-deletes' : '';
  return {
    question: `Merge ${what}?`,
    effect: `This merges ${what} at ${link.sides[group.side].place}.`,
    command: `contact-sync duplicates merge ${group.id} ${link.name} --into ${survivorId}${more} --yes`,
  };
};

const perform = async (
  { app, signal }: Opened,
  { link, group }: Found,
  order: MergeOrder,
  { plan, options }: { readonly plan: MergePlan; readonly options: MergeOptions },
): Promise<{ readonly document: MergeDocument; readonly code: ExitCode }> => {
  const acceptDeletes = options.acceptDeletes ?? false;
  const { summary, error } = await app.mergeDuplicates(link, order, { signal, acceptDeletes });
  const { run, outcome, reason } = summary;
  const left = order.otherIds.length - summary[order.side].deleted;
  const isPart = error === null && left > 0;
  const result = isPart
    ? `${count(left, 'contact')} could not be merged; the others were. See contact-sync status.`
    : reason;
  const document = { link: link.name, group: group.id, order, run, outcome, reason: result, actions: plan.actions };
  return { document, code: isPart ? EXIT.failed : exitCodeOf(error) };
};

/**
 * `duplicates merge GROUP [LINK]`: merges contacts of one side that are one person. The next run merges their counterparts on
 * the other side.
 *
 * @throws {UsageError} if there is no such group, or it cannot be merged this way.
 */
const mergeGroup = (
  terminal: Terminal,
  word: string,
  linkName: string | undefined,
  options: MergeOptions,
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async (opened) => {
    const found = await findGroup(opened, word);
    const { link, group } = found;
    const order = orderOf(found, options.into);
    const plan = await planned(opened, found, order, options);
    const print = (document: MergeDocument): void => {
      const title = `${terminal.style('bold', link.name)}: merge of ${group.id} into ${order.survivorId}: ${document.outcome}`;
      if (options.json) terminal.print(JSON.stringify({ merge: mergeToJson(document, link) }));
      else terminal.print([title, ...next(document)].join('\n'));
      if (document.reason !== null) terminal.warn(document.reason);
    };
    const next = ({ outcome }: MergeDocument): readonly string[] =>
      outcome === 'completed' ? [`  The next run merges the counterparts: contact-sync sync ${link.name}`] : [];
    if (!options.json)
      terminal.print(formatChanges(plan.actions, link.sides, { all: true }, layoutOf(terminal)).join('\n'));
    const shared = { link: link.name, group: group.id, order, run: null, actions: plan.actions };
    if (plan.halt !== null && !options.acceptDeletes) {
      print({ ...shared, outcome: 'halted', reason: plan.halt.message });
      return EXIT.halted;
    }
    if (options.dryRun) {
      print({ ...shared, outcome: 'planned', reason: null });
      return EXIT.done;
    }
    if (!(await mayDelete(terminal, options, stepOf(found, order, options)))) return EXIT.done;
    const { document, code } = await perform(opened, found, order, { plan, options });
    print(document);
    return code;
  });

const DUPLICATES_HELP = `
Two contacts are likely duplicates if their names are compatible and they share an email address, if their names are equal
and they share a phone number, or if their names are equal and no field differs. No contact is merged automatically.`;

const MERGE_HELP = `
The contact that is kept receives the values that only the others have. Where both have a text, it keeps its own. The
other contacts are then merged into it by the service, or deleted at Google, together with notes, photos and other data
that is not synced. The next sync merges the counterparts on the other side. \`undo\` creates the other contacts again, with
the fields that both sides share.`;

/** Defines `duplicates` and `duplicates merge`. */
export const defineDuplicates: Define = (command, call) => {
  withLinks(command)
    .helpCommand(false)
    .option(...JSON_OPTION)
    .addHelpText('after', DUPLICATES_HELP)
    .addHelpText('after', examples('duplicates', 'duplicates merge 3f2a91c0'))
    .allowExcessArguments()
    .action(async (link: string | undefined, options: CommonOptions) => {
      setFailureDocument(call, options, { links: [] });
      call.code = await orSubcommand(command, () => duplicates(call.terminal, link, options));
    });
  withLinks(
    command
      .command('merge')
      .description('Merge the contacts of a group into one of them.')
      .argument('<GROUP>', 'id of the group, as listed by `duplicates`'),
  )
    .option('--into <ID>', 'contact to keep (default: the first that is linked)')
    .option('--dry-run', 'show what would be written; write nothing')
    .option('-y, --yes', 'do not ask; required in scripts')
    .option('--accept-deletes', 'merge even if DELETE_LIMIT would halt it')
    .option(...JSON_OPTION)
    .addHelpText('after', MERGE_HELP)
    .addHelpText(
      'after',
      examples('duplicates merge 3f2a91c0', 'duplicates merge 3f2a91c0 work --into people/c1 --yes'),
    )
    .action(async (group: string, link: string | undefined, own: MergeOptions, merging: Command) => {
      const options = withOuter(own, merging);
      setFailureDocument(call, options, { merge: null });
      call.code = await mergeGroup(call.terminal, group, link, options);
    });
};

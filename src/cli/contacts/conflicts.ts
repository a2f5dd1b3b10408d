import { listConflicts, reviewConflicts, unwrittenSide } from '../../engine/history/conflicts.ts';
import type { Command } from 'commander';
import { decidingOf } from '../../app/config/config.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { inWordsOf, SIDES, type Sides, type SideWords, type Side } from '../../core/contact/side.ts';
import type { ConflictRow } from '../../core/state/rows.ts';
import { CONFLICT_STATES, count, DECIDED_BY, fieldWords } from '../../core/view/words.ts';
import type { ConflictView } from '../../core/view/views.ts';
import { isoOf } from '../../util/clock.ts';
import { EXIT, UsageError, type ExitCode } from '../command/exit-codes.ts';
import {
  examples,
  JSON_OPTION,
  orSubcommand,
  setFailureDocument,
  withLinks,
  withOuter,
  type Define,
} from '../command/options.ts';
import { describeIds, leasePartsOf, withApp, type CommonOptions, type Opened } from '../command/with-app.ts';
import { formatTime, NAME_COLUMNS, shorten, formatTable } from '../terminal/layout.ts';
import type { Terminal } from '../terminal/terminal.ts';

type LinkConflicts = { readonly link: LinkConfig; readonly conflicts: readonly ConflictView[] };

/** A conflict in the documented JSON format. The caller replaces `left` and `right` by the names of the sides. */
const conflictToJson = ({ atMs, reviewedAtMs, by, ...conflict }: ConflictView) => {
  const { id, run, leftId, rightId, field, left, right, winner, name, state } = conflict;
  const times = { at: isoOf(atMs), reviewedAt: isoOf(reviewedAtMs) };
  return { id, run, leftId, rightId, field, left, right, winner, name, state, why: DECIDED_BY[by], ...times };
};

const toJson = ({ link, conflicts: found }: LinkConflicts): unknown => {
  return { link: link.name, conflicts: inWordsOf(link.sides, found.map(conflictToJson)) };
};

const rowOf = (conflict: ConflictView, sides: Sides<SideWords>): readonly string[] => {
  const { id, atMs, field, left, right, winner, by, state, name } = conflict;
  const values = [left, right].map((value) => (value === '' ? '(empty)' : shorten(value, NAME_COLUMNS)));
  const won = winner === null ? DECIDED_BY[by] : `${sides[winner].title}: ${DECIDED_BY[by]}`;
  return [
    String(id),
    name === null ? describeIds(conflict) : shorten(name, NAME_COLUMNS),
    fieldWords(field),
    ...values,
    won,
    CONFLICT_STATES[state],
    formatTime(atMs),
  ];
};

const formatConflicts = (
  { link, conflicts: found }: LinkConflicts,
  options: { readonly all: boolean },
  terminal: Terminal,
): string => {
  const { name, sides } = link;
  const open = found.filter(({ state }) => state === 'open').length;
  const title = `${terminal.style('bold', name)}: ${options.all ? count(found.length, 'conflict') : `${count(open, 'conflict')} open`}`;
  if (found.length === 0) return title;
  const head = ['id', 'contact', 'field', sides.left.title, sides.right.title, 'winner', 'state', 'found'];
  const table = formatTable(
    found.map((conflict) => rowOf(conflict, sides)),
    { head, indent: '  ' },
  );
  if (open === 0) return `${title}\n${table}`;
  const take = `contact-sync conflicts resolve ID --take ${sides.left.name} (or ${sides.right.name})`;
  const waiting = found.filter(({ state, winner }) => state === 'open' && winner === null).length;
  const decide = `  Take a value: ${take}`;
  if (waiting === open) return `${title}\n${table}\n${decide}`;
  return `${title}\n${table}\n${decide}\n  Keep the current value: contact-sync conflicts resolve ID --dismiss`;
};

/** `conflicts [LINK]`: lists fields that changed on both sides, with both values, the winner and the reason. */
const conflicts = (
  terminal: Terminal,
  linkName: string | undefined,
  options: CommonOptions & { readonly all?: boolean },
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app, links }) => {
    const all = options.all ?? false;
    const found: LinkConflicts[] = [];
    for (const link of links) {
      found.push({ link, conflicts: await listConflicts(app.store, link.name, decidingOf(link), { all }) });
    }
    if (options.json) terminal.print(JSON.stringify({ links: found.map(toJson) }));
    else terminal.print(found.map((one) => formatConflicts(one, { all }, terminal)).join('\n\n'));
    return EXIT.done;
  });

type ResolveOptions = CommonOptions & { readonly take?: string; readonly dismiss?: boolean };

/** The argument that selects every open conflict of the links. */
const ALL = 'all';

type Found = { readonly link: LinkConfig; readonly rows: readonly ConflictRow[] };

const noSuchConflict = (word: string): UsageError =>
  new UsageError(`There is no open conflict ${word}. \`contact-sync conflicts\` lists the open conflicts.`);

/** The open conflicts that the argument selects. */
const findConflicts = async (
  { app, links }: Opened,
  word: string,
  { dismiss = false }: ResolveOptions,
): Promise<readonly Found[]> => {
  const found: Found[] = [];
  for (const link of links) {
    const open = await app.store.conflicts(link.name, { all: false });
    // Without a winner there is no current value to keep.
    const undecided = open.find(({ id, winner }) => dismiss && winner === null && String(id) === word);
    if (undecided !== undefined) {
      throw new UsageError(`Conflict ${word} needs a decision. Take one of its values with --take SIDE.`);
    }
    const isMeant = ({ review, winner }: ConflictRow) => review === null && !(dismiss && winner === null);
    const rows = open.filter((row) => (word === ALL ? isMeant(row) : String(row.id) === word));
    if (rows.length > 0) found.push({ link, rows });
  }
  if (found.length > 0 || word === ALL) return found;
  throw noSuchConflict(word);
};

const sideNamed = ({ sides }: LinkConfig, name: string): Side | undefined =>
  SIDES.find((each) => sides[each].name === name);

const noSuchSide = ({ name, sides }: LinkConfig, take: string): UsageError =>
  new UsageError(
    `${take} is not a side of the link ${name}. Its sides are ${SIDES.map((each) => sides[each].name).join(' and ')}.`,
  );

/** @throws {UsageError} if the options cannot be applied to any of the links. */
const checkOptions = (links: readonly LinkConfig[], { take, dismiss }: ResolveOptions): void => {
  if ((take === undefined) === !dismiss) throw new UsageError('Give either --take SIDE or --dismiss.');
  const [link] = links;
  if (take === undefined || link === undefined) return;
  if (links.every((each) => sideNamed(each, take) === undefined)) throw noSuchSide(link, take);
};

/** The side of `--take`; null if the conflict is dismissed. */
const sideToTake = (link: LinkConfig, rows: readonly ConflictRow[], { take }: ResolveOptions): Side | null => {
  if (take === undefined) return null;
  const { name, sides } = link;
  const side = sideNamed(link, take);
  if (side === undefined) throw noSuchSide(link, take);
  for (const { field } of rows) {
    const unwritten = unwrittenSide(link, field);
    if (unwritten === null || unwritten === side) continue;
    const setting = link.direction === 'both' ? `the ${fieldWords(field)} (FIELDS)` : '(DIRECTION)';
    throw new UsageError(
      `The link ${name} does not write ${setting} to ${sides[unwritten].place}, so the value of ${sides[side].place} cannot be written there.`,
    );
  }
  return side;
};

/**
 * `conflicts resolve ID|all [LINK]`: stores a decision about a conflict. The next run writes the chosen value.
 *
 * @throws {UsageError} if there is no such conflict, or the link does not write the chosen value.
 * @throws {LeaseError} if a run is in progress.
 */
const resolve = (
  terminal: Terminal,
  word: string,
  linkName: string | undefined,
  options: ResolveOptions,
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async (opened) => {
    const { app } = opened;
    checkOptions(opened.links, options);
    const found = await findConflicts(opened, word, options);
    // Every link is checked before the first one is changed.
    const chosen = found.map(({ link, rows }) => ({ link, rows, side: sideToTake(link, rows, options) }));
    const reviews: { readonly link: string; readonly id: number; readonly review: string }[] = [];
    for (const { link, rows, side } of chosen) {
      const parts = leasePartsOf(app);
      const kept = await reviewConflicts(parts, link.name, rows, side);
      for (const [index, { id }] of rows.entries()) {
        const review = kept[index] ?? null;
        if (review === null) continue;
        reviews.push({ link: link.name, id, review: review === 'dismissed' ? review : link.sides[review].name });
      }
    }
    if (reviews.length === 0 && word !== ALL) throw noSuchConflict(word);
    const taken = reviews.filter(({ review }) => review !== 'dismissed').length;
    const next = taken === 0 ? '' : ` The next run writes ${count(taken, 'value')}: contact-sync sync`;
    if (options.json) terminal.print(JSON.stringify({ reviewed: reviews }));
    else terminal.print(`${count(reviews.length, 'conflict')} reviewed.${next}`);
    return EXIT.done;
  });

const STATES_HELP = `
CONFLICT_POLICY decides conflicts. With the policy "ask", both sides keep their value until you take one. A conflict is
open until you review it, or until the field changes again (superseded). The next sync writes the value that you take.`;

/** Defines `conflicts` and `conflicts resolve`. */
export const defineConflicts: Define = (command, call) => {
  withLinks(command)
    .option(...JSON_OPTION)
    .option('--all', 'include reviewed and superseded conflicts')
    .helpCommand(false)
    .addHelpText('after', STATES_HELP)
    .addHelpText('after', examples('conflicts', 'conflicts resolve 7 --take google'))
    .allowExcessArguments()
    .action(async (link: string | undefined, options: CommonOptions) => {
      setFailureDocument(call, options, { links: [] });
      call.code = await orSubcommand(command, () => conflicts(call.terminal, link, options));
    });
  withLinks(
    command
      .command('resolve')
      .description('Decide a conflict: take the value of one side, or keep the current value.')
      .argument('<ID>', 'number of the conflict, as listed by `conflicts`; or `all`'),
  )
    .option('--take <SIDE>', 'side whose value the next sync writes to both sides')
    .option('--dismiss', 'keep the current value')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('conflicts resolve 7 --take google', 'conflicts resolve all work --dismiss'))
    .action(async (id: string, link: string | undefined, own: ResolveOptions, resolving: Command) => {
      const options = withOuter(own, resolving);
      setFailureDocument(call, options, { reviewed: [] });
      call.code = await resolve(call.terminal, id, link, options);
    });
};

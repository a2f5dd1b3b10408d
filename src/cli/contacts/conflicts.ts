import { decideConflicts, isTakable, listConflicts } from '../../engine/history/conflicts.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import type { SyncedField } from '../../core/contact/contact.ts';
import { inWordsOf, otherSide, SIDES, type Sides, type SideWords, type Side } from '../../core/contact/side.ts';
import { isOpen } from '../../core/reconcile/recorded-conflicts.ts';
import { idsText } from '../../core/view/values.ts';
import { count, decidedWords, fieldWords } from '../../core/view/words.ts';
import type { ConflictView } from '../../core/view/views.ts';
import { isoOf } from '../../util/clock.ts';
import { EXIT, UsageError, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, JSON_OPTION, withLinks, type Define } from '../command/options.ts';
import { withApp, type CommonOptions, type Opened } from '../command/with-app.ts';
import { formatExactTime, formatTime, NAME_COLUMNS, shorten, formatTable } from '../terminal/layout.ts';
import type { Terminal } from '../terminal/terminal.ts';

type LinkConflicts = {
  readonly link: LinkConfig;
  readonly conflicts: readonly ConflictView[];
  /** The number of conflicts that are not listed, because they have ended. */
  readonly hidden: number;
};

/** A conflict in the documented JSON format. The caller replaces `left` and `right` by the names of the sides. */
const conflictToJson = (conflict: ConflictView, sides: Sides<SideWords>) => {
  const { id, run, leftId, rightId, field, left, right, winner, name, state, atMs } = conflict;
  const why = decidedWords(conflict, sides);
  return { id, run, leftId, rightId, field, left, right, winner, name, state, why, at: isoOf(atMs) };
};

const toJson = ({ link, conflicts: found }: LinkConflicts): unknown => {
  const conflicts = found.map((conflict) => conflictToJson(conflict, link.sides));
  return { link: link.name, conflicts: inWordsOf(link.sides, conflicts) };
};

/** Returns whether the times of both edits decided a conflict. */
const isByTime = ({ by }: ConflictView): boolean =>
  by === 'newer edit' || by === 'same second' || by === 'time missing';

const rowOf = (conflict: ConflictView, sides: Sides<SideWords>): readonly string[] => {
  const { id, atMs, field, left, right, winner, state, name, changedAtMs } = conflict;
  const values = [left, right].map((value) => (value === '' ? '(empty)' : shorten(value, NAME_COLUMNS)));
  const why = decidedWords(conflict, sides);
  const times = isByTime(conflict) ? SIDES.map((side) => formatExactTime(changedAtMs[side])) : [];
  return [
    String(id),
    name === null ? idsText(conflict) : shorten(name, NAME_COLUMNS),
    fieldWords(field),
    ...values,
    winner === null ? why : `${sides[winner].title}: ${why}`,
    state,
    formatTime(atMs),
    ...times,
  ];
};

const formatConflicts = ({ link, conflicts: found, hidden }: LinkConflicts, terminal: Terminal): string => {
  const { name, sides } = link;
  const open = found.filter(({ state }) => state === 'open').length;
  const title = `${terminal.style('bold', name)}: ${count(found.length, 'conflict')}${open === 0 ? '' : `, ${open} open`}`;
  const notListed = count(hidden, 'conflict that has ended', 'conflicts that have ended');
  const ended = hidden === 0 ? [] : [`  Not listed: ${notListed}. Add --all`];
  if (found.length === 0) return [title, ...ended].join('\n');
  const head = ['id', 'contact', 'field', sides.left.title, sides.right.title, 'winner', 'state', 'found'];
  const times = found.some(isByTime) ? SIDES.map((side) => `changed at ${sides[side].place}`) : [];
  const table = formatTable(
    found.map((conflict) => rowOf(conflict, sides)),
    { head: [...head, ...times], indent: '  ' },
  );
  const take = `  Choose a value: contact-sync conflicts resolve ID --take ${sides.left.name} (or ${sides.right.name})`;
  const isDecidable = found.some(({ choices }) => choices.length > 0);
  return [title, table, ...(isDecidable ? [take] : []), ...ended].join('\n');
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
      const listed = await listConflicts(app.store, link.name, link, { all });
      const hidden = (await app.store.conflicts(link.name, { all: true })).length - listed.length;
      found.push({ link, conflicts: listed, hidden });
    }
    if (options.json) terminal.print(JSON.stringify({ links: found.map(toJson) }));
    else terminal.print(found.map((one) => formatConflicts(one, terminal)).join('\n\n'));
    return EXIT.done;
  });

type ResolveOptions = CommonOptions & { readonly take: string };

/** The argument that selects every open conflict of the links. */
const ALL = 'all';

const noSuchConflict = (word: string): UsageError =>
  new UsageError(`There is no conflict ${word} to decide. \`contact-sync conflicts\` lists the conflicts.`);

const noSuchSide = ({ name, sides }: LinkConfig, take: string): UsageError =>
  new UsageError(
    `${take} is not a side of the link ${name}. Its sides are ${SIDES.map((each) => sides[each].name).join(' and ')}.`,
  );

const notWritten = ({ name, sides, ...link }: LinkConfig, field: SyncedField, side: Side): UsageError => {
  const setting = link.direction === 'both' ? `the ${fieldWords(field)} (FIELDS)` : '(DIRECTION)';
  const [from, to] = [sides[side].place, sides[otherSide(side)].place];
  return new UsageError(
    `The link ${name} does not write ${setting} to ${to}, so the value of ${from} cannot be chosen.`,
  );
};

/** The conflicts of a link that the argument selects, and the side whose values are chosen. */
type Chosen = { readonly link: LinkConfig; readonly side: Side; readonly ids: readonly number[] };

/** @throws {UsageError} if no conflict is selected, or the link does not write the value to the other side. */
const choose = async ({ app, links }: Opened, word: string, take: string): Promise<readonly Chosen[]> => {
  const chosen: Chosen[] = [];
  let withoutSide: LinkConfig | null = null;
  for (const link of links) {
    const side = SIDES.find((each) => link.sides[each].name === take);
    if (side === undefined) {
      withoutSide = link;
      continue;
    }
    const rows = (await app.store.conflicts(link.name, { all: false })).filter((row) =>
      word === ALL ? isOpen(row) : String(row.id) === word,
    );
    if (rows.length === 0) continue;
    const [unwritten] = rows.filter(({ field }) => !isTakable(field, side, link));
    if (unwritten !== undefined) throw notWritten(link, unwritten.field, side);
    chosen.push({ link, side, ids: rows.map(({ id }) => id) });
  }
  if (chosen.length === 0 && withoutSide !== null) throw noSuchSide(withoutSide, take);
  if (chosen.length === 0 && word !== ALL) throw noSuchConflict(word);
  return chosen;
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
    let decided = 0;
    let writes = 0;
    for (const { link, side, ids } of await choose(opened, word, options.take)) {
      const kept = await decideConflicts(opened.app.lease, link, ids, side);
      decided += kept.ids.length;
      writes += kept.writes;
    }
    // A run may have ended the conflict in the meantime.
    if (decided === 0 && word !== ALL) throw noSuchConflict(word);
    const next =
      writes === 0 ? '' : ` The next run writes the chosen ${writes === 1 ? 'value' : 'values'}: contact-sync sync`;
    terminal.print(`${count(decided, 'conflict')} decided.${next}`);
    return EXIT.done;
  });

const STATES_HELP = `
CONFLICT_POLICY decides conflicts. With the policy "ask", a conflict is open until you choose a value, and both sides keep
theirs. All others are settled. As long as the field does not change, you can choose the other value: the next sync writes
it.`;

/** Defines `conflicts` and `conflicts resolve`. */
export const define: Define = (command, call) => {
  withLinks(command)
    .option(...JSON_OPTION)
    .option('--all', 'include conflicts that have ended: no value can be chosen any more')
    .helpCommand(false)
    .addHelpText('after', STATES_HELP)
    .addHelpText('after', examples('conflicts', 'conflicts resolve 7 --take google'))
    .action(actionOf(call, { links: [] }, conflicts));
  withLinks(
    command
      .command('resolve')
      .description('Decide a conflict: choose the value of one side.')
      .argument('<ID>', 'number of the conflict, as listed by `conflicts`; or `all`: every open conflict'),
  )
    .requiredOption('--take <SIDE>', 'side whose value both sides get with the next sync')
    // The options of `conflicts` are parsed behind `resolve` too.
    .hook('preAction', () => {
      for (const name of Object.keys(command.opts())) command.error(`error: unknown option '--${name}'`);
    })
    .addHelpText('after', examples('conflicts resolve 7 --take google', 'conflicts resolve all work --take google'))
    .action(actionOf(call, null, resolve));
};

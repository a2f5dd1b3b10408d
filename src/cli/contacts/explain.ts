import type { LinkConfig } from '../../app/config/link-config.ts';
import { inWordsOf, SIDES, type Side, type Sides, type SideWords } from '../../core/contact/side.ts';
import { idsText } from '../../core/view/values.ts';
import { ACTION_WORDS, fieldWords, shortRun, whyWords, writeNote } from '../../core/view/words.ts';
import { relationOf } from '../../core/view/comparison.ts';
import type { FieldComparison, Why, WriteView } from '../../core/view/views.ts';
import { explainContact, type ContactHistory } from '../../engine/history/explain.ts';
import { isoOf } from '../../util/clock.ts';
import { EXIT, UsageError, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, JSON_OPTION, withLinks, type Define } from '../command/options.ts';
import { withApp, type CommonOptions } from '../command/with-app.ts';
import { writeToJson, formatFieldChange } from '../terminal/changes.ts';
import { formatTime, NAME_COLUMNS, shorten, VALUE_COLUMNS, inLine, wrap } from '../terminal/layout.ts';
import { layoutOf, type Terminal } from '../terminal/terminal.ts';

type LinkHistory = { readonly link: LinkConfig; readonly history: ContactHistory };

const comparisonToJson = ({ field, from, sinceMs, why, ...values }: FieldComparison, sides: Sides<SideWords>) => ({
  field,
  left: values.left.join('; '),
  right: values.right.join('; '),
  side: from,
  since: isoOf(sinceMs),
  why: why === null ? null : whyWords(why, sides),
});

/** The history in the documented JSON format, with the names of the sides. `why` is text. */
const toJson = ({ link, history }: LinkHistory): unknown => {
  const { sides } = link;
  const { name, left, right, status, comparisons, entries, conflicts, rejected, notSynced } = history;
  return inWordsOf(sides, {
    link: link.name,
    leftId: left.id,
    rightId: right.id,
    name,
    status,
    now: { left, right },
    fields: comparisons.map((compared) => comparisonToJson(compared, sides)),
    history: entries.map((entry) => writeToJson(entry, sides)),
    openConflicts: conflicts.map(({ id, run, field, left: atLeft, right: atRight, atMs }) => {
      return { id, run, field, left: atLeft, right: atRight, at: isoOf(atMs) };
    }),
    rejected: rejected.map(({ side, reason, attempts, retryAtMs }) => {
      return { side, reason, attempts, retryAt: isoOf(retryAtMs) };
    }),
    notSynced,
  });
};

const quote = (value: string): string => (value === '' ? '(empty)' : JSON.stringify(shorten(value, VALUE_COLUMNS)));

/** The reason of a write, with the short id of a run that it undoes. */
const reasonWords = (why: Why, sides: Sides<SideWords>): string =>
  inLine(whyWords(why.kind === 'undo' && why.of !== null ? { ...why, of: shortRun(why.of) } : why, sides));

const formatEntry = (entry: WriteView, sides: Sides<SideWords>): readonly string[] => {
  const { atMs, side, id, action, run, write, kind, why, changes } = entry;
  const subject = `${ACTION_WORDS[action]} at ${sides[side].place}${id === '' ? '' : ` (${id})`}`;
  const title = `  ${formatTime(atMs)}  ${subject}: ${reasonWords(why, sides)}${writeNote(entry)}`;
  const lines = changes.map((change) => `      ${formatFieldChange(change, why, sides)}`);
  return [title, `      run ${shortRun(run)}${kind === null ? '' : ` (${kind})`}, write ${write}`, ...lines];
};

const formatHalf = (side: Side, history: ContactHistory, sides: Sides<SideWords>): string => {
  const { id, state, unsynced } = history[side];
  const waiting = unsynced.length === 0 ? '' : `, not synced yet: ${unsynced.map(fieldWords).join(', ')}`;
  return `  ${sides[side].title}: ${id === null ? 'no contact' : `${id} (${state})`}${waiting}`;
};

const RELATIONS: Readonly<Record<ReturnType<typeof relationOf>, string>> = {
  identical: '',
  'other order': 'the same values in another order',
  'other spelling': 'the same values in another spelling',
  different: 'not the same on both sides',
};

/** The relation of both sides of a pair, and the side that a field comes from, since when and why. */
const formatSource = (compared: FieldComparison, isPair: boolean, sides: Sides<SideWords>): string => {
  const { from, sinceMs, why } = compared;
  const relation = isPair ? relationOf(compared) : 'identical';
  const since = sinceMs === null ? '' : `, since ${formatTime(sinceMs)}`;
  const unknown = isPair && relation === 'identical' ? 'identical when first matched' : '';
  const source = from === null ? unknown : `from ${sides[from].place}${since}`;
  const reason = why === null ? '' : ` (${reasonWords(why, sides)})`;
  return [RELATIONS[relation], `${source}${reason}`].filter((part) => part !== '').join('; ');
};

/** One value a line, each behind the prefix. */
const listed = (prefix: string, values: readonly string[]): readonly string[] =>
  values.length === 0 ? [`${prefix}(empty)`] : values.map((value) => `${prefix}${shorten(value, VALUE_COLUMNS)}`);

/** A field with its values and its source. The values are listed once if there is no difference between two sides. */
const formatComparison = (
  compared: FieldComparison,
  isPair: boolean,
  sides: Sides<SideWords>,
  width: number,
): readonly string[] => {
  const { field, left, right } = compared;
  const name = fieldWords(field);
  const source = formatSource(compared, isPair, sides);
  const own = isPair ? left : [...left, ...right];
  const isOnce = !isPair || relationOf(compared) === 'identical';
  const [only = '', ...others] = own;
  if (isOnce && others.length === 0) {
    return [wrap(`${name}: ${shorten(only, VALUE_COLUMNS)}${source === '' ? '' : ` - ${source}`}`, '  ', width)];
  }
  const values = isOnce ? listed('', own) : SIDES.flatMap((side) => listed(`${sides[side].title}: `, compared[side]));
  return [wrap(`${name}: ${source}`.trimEnd(), '  ', width), ...values.map((value) => wrap(value, '    ', width))];
};

/** The history of a contact and its current values, for people. */
export const formatHistory = (
  {
    link,
    history,
  }: { readonly link: { readonly name: string; readonly sides: Sides<SideWords> }; readonly history: ContactHistory },
  terminal: Terminal,
): string => {
  const { sides } = link;
  const { name, left, right, status, comparisons, entries, conflicts, rejected, notSynced } = history;
  const { width } = layoutOf(terminal);
  const isGone = left.id === null && right.id === null;
  const isPair = left.state === 'present' && right.state === 'present';
  const ids = isGone ? 'a deleted contact' : idsText({ leftId: left.id, rightId: right.id });
  return [
    `${terminal.style('bold', link.name)}: ${name === null ? '' : `${shorten(name, NAME_COLUMNS)}, `}${ids}: ${status}`,
    ...SIDES.map((side) => formatHalf(side, history, sides)),
    ...conflicts.map((conflict) => {
      const values = SIDES.map((side) => `${sides[side].place} ${quote(conflict[side])}`).join(', ');
      return `  Open conflict ${conflict.id}: ${fieldWords(conflict.field)}: ${values}`;
    }),
    ...notSynced.map(({ side, reason }) => `  ${sides[side].title}: ${reason}`),
    ...rejected.map(({ side, reason, retryAtMs }) => {
      return `  Refused at ${sides[side].place}: ${reason}; next attempt after ${formatTime(retryAtMs)}`;
    }),
    ...comparisons.flatMap((compared) => formatComparison(compared, isPair, sides, width)),
    entries.length === 0 ? '  No run has changed this contact.' : '  History, oldest first:',
    ...entries.flatMap((entry) => formatEntry(entry, sides)),
  ].join('\n');
};

/**
 * `explain CONTACT [LINK]`: shows the history of a contact and its current values, from the database.
 *
 * @throws {UsageError} if no link has such a contact.
 */
const explain = (
  terminal: Terminal,
  text: string,
  linkName: string | undefined,
  options: CommonOptions,
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app, links }) => {
    const found: LinkHistory[] = [];
    for (const link of links) {
      for (const history of await explainContact(app.store, link, text)) found.push({ link, history });
    }
    if (found.length === 0) {
      throw new UsageError(
        'No contact has this id, email address, phone number or name. Use the spelling of one of the sides.',
      );
    }
    if (options.json) terminal.print(JSON.stringify({ contacts: found.map(toJson) }));
    else terminal.print(found.map((one) => formatHistory(one, terminal)).join('\n\n'));
    return EXIT.done;
  });

/** Defines `explain`. */
export const define: Define = (command, call) => {
  withLinks(
    command.argument('<CONTACT>', 'id of the contact on either side, an email address, a phone number, or a name'),
  )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('explain "Ada Lovelace"', 'explain ada@example.org work'))
    .action(actionOf(call, { contacts: [] }, explain));
};

import type { LinkConfig } from '../config/config.ts';
import { inWordsOf } from '../contact/side.ts';
import type { ConflictRow } from '../store/store.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { formatTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { withApp, type CommonOptions } from './with-app.ts';
import { fieldWords } from './field-words.ts';
import { count, isoOf } from './words.ts';

type LinkConflicts = { readonly link: LinkConfig; readonly conflicts: readonly ConflictRow[] };

/** As the README documents it, in the words of the link. */
const toJson = ({ link, conflicts: rows }: LinkConflicts): unknown => {
  const found = rows.map(({ run, leftId, rightId, field, left, right, winner, atMs }) => {
    return { run, leftId, rightId, field, left, right, winner, at: isoOf(atMs) };
  });
  return { link: link.name, conflicts: inWordsOf(link.sides, found) };
};

const LONGEST_VALUE = 40;

const shorten = (value: string): string => {
  const letters = [...value.replaceAll(/\s+/gu, ' ')];
  return letters.length <= LONGEST_VALUE ? letters.join('') : `${letters.slice(0, LONGEST_VALUE - 1).join('')}…`;
};

const formatConflicts = (
  { link, conflicts: rows }: LinkConflicts,
  options: { readonly all: boolean },
  terminal: Terminal,
): string => {
  const { name, sides } = link;
  const title = `${terminal.style('bold', name)}: ${count(rows.length, 'conflict')}${options.all ? '' : ' open'}`;
  if (rows.length === 0) return title;
  const head = ['when', 'field', `at ${sides.left.place}`, `at ${sides.right.place}`, 'winner', 'contact'];
  const lines = rows.map(({ atMs, field, left, right, winner, leftId, rightId }) => {
    const values = [shorten(left), shorten(right)];
    return [isoOf(atMs) ?? '', fieldWords(field), ...values, sides[winner].title, `${leftId} / ${rightId}`];
  });
  return `${title}\n${formatTable(lines, { head, indent: '  ' })}`;
};

/** `conflicts [LINK]`: fields that both sides had changed, with both values and whose stands. */
export const conflicts = (
  terminal: Terminal,
  linkName: string | undefined,
  options: CommonOptions & { readonly all?: boolean },
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app, links }) => {
    const all = options.all ?? false;
    const found: LinkConflicts[] = [];
    for (const link of links) found.push({ link, conflicts: await app.store.conflicts(link.name, { all }) });
    if (options.json) terminal.print(JSON.stringify({ links: found.map(toJson) }));
    else terminal.print(found.map((one) => formatConflicts(one, { all }, terminal)).join('\n\n'));
    return EXIT.done;
  });

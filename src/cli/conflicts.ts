import { isoOf } from '../util/clock.ts';
import { decidingOf, type LinkConfig } from '../app/config/config.ts';
import { inWordsOf, type Sides, type SideWords } from '../core/contact/side.ts';
import { listConflicts } from '../engine/history/conflicts.ts';
import { CONFLICT_STATES, DECIDED_BY } from '../core/view/conflict-words.ts';
import type { ConflictView } from '../core/view/views.ts';
import { describeIds } from './command-events.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { formatTime } from './local-time.ts';
import { NAME_COLUMNS, shorten } from './shorten.ts';
import { formatTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { withApp, type CommonOptions } from './with-app.ts';
import { fieldWords } from '../core/view/field-words.ts';
import { count } from '../core/view/words.ts';

type LinkConflicts = { readonly link: LinkConfig; readonly conflicts: readonly ConflictView[] };

/** A conflict as the README documents it; the caller puts it in the words of the link. */
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

/** `conflicts [LINK]`: fields that changed on both sides, with both values, the winner and the reason. */
export const conflicts = (
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

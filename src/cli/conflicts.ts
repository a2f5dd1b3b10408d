import type { ConflictRow } from '../store/store.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { formatTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { withApp, type CommonOptions } from './with-app.ts';
import { count, fieldWords, isoOf, SIDE_TITLES } from './words.ts';

type LinkConflicts = { readonly link: string; readonly conflicts: readonly ConflictRow[] };

/** In the form of interface.md. */
const toJson = ({ link, conflicts: rows }: LinkConflicts) => ({
  link,
  conflicts: rows.map(({ run, googleId, serviceId, field, google, service, winner, atMs }) => {
    return { run, googleId, serviceId, field, google, service, winner, at: isoOf(atMs) };
  }),
});

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
  const title = `${terminal.style('bold', link)}: ${count(rows.length, 'conflict')}${options.all ? '' : ' open'}`;
  if (rows.length === 0) return title;
  const head = ['when', 'field', 'at Google', 'at the service', 'winner', 'contact'];
  const lines = rows.map(({ atMs, field, google, service, winner, googleId, serviceId }) => {
    const values = [shorten(google), shorten(service)];
    return [isoOf(atMs) ?? '', fieldWords(field), ...values, SIDE_TITLES[winner], `${googleId} / ${serviceId}`];
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
    for (const { name } of links) found.push({ link: name, conflicts: await app.store.conflicts(name, { all }) });
    if (options.json) terminal.print(JSON.stringify({ links: found.map(toJson) }));
    else terminal.print(found.map((one) => formatConflicts(one, { all }, terminal)).join('\n\n'));
    return EXIT.done;
  });

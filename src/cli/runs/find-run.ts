import { keptFor } from '../../engine/history/runs.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import type { RunRow } from '../../core/state/rows.ts';
import { UsageError } from '../command/exit-codes.ts';
import type { Opened } from '../command/with-app.ts';
import { formatTime } from '../terminal/layout.ts';

/** A run and its link. */
export type FoundRun = { readonly link: LinkConfig; readonly run: RunRow };

const SHOWN = 5;
const noSuchRun = (word: string, command: 'undo' | 'runs', retentionMs: number | null): string => {
  const kept = retentionMs === null ? '' : `, or it is too old: ${keptFor(retentionMs)}`;
  if (word === 'last') return `No run has written anything${kept}.`;
  const last = `\`contact-sync ${command} last\` ${command === 'undo' ? 'undoes' : 'shows'} the last one that wrote something.`;
  return `There is no run ${word}${kept}. \`contact-sync runs\` lists the runs; ${last}`;
};

/**
 * Returns the run whose id is or begins with the word; for `last` the last run that wrote something.
 *
 * @throws {UsageError} if it does not match exactly one run.
 */
export const findRun = async (
  { app, links }: Pick<Opened, 'app' | 'links'>,
  word: string,
  command: 'undo' | 'runs',
): Promise<FoundRun> => {
  // Every id begins with the empty text.
  if (word === '') throw new UsageError('RUN is empty. Give the id of a run, its first characters, or `last`.');
  const found: FoundRun[] = [];
  for (const link of links) {
    const query = word === 'last' ? ({ latest: 'writing' } as const) : { idPrefix: word };
    for (const run of await app.store.runs(link.name, query)) found.push({ link, run });
  }
  const exact = found.find(({ run }) => run.id === word);
  const [first, second] = found;
  if (exact !== undefined) return exact;
  if (first === undefined) throw new UsageError(noSuchRun(word, command, app.config.retentionMs));
  if (second === undefined) return first;
  const ids = found.slice(0, SHOWN).map(({ link, run }) => `${run.id} (${link.name}, ${formatTime(run.startedAtMs)})`);
  throw new UsageError(`${word} matches several runs: ${ids.join(', ')}. Give more of the id, or the link.`);
};

import { isoOf } from '../clock.ts';
import type { LinkConfig } from '../config/config.ts';
import { keptFor } from '../history/too-old.ts';
import type { RunRow } from '../store/store.ts';
import { UsageError } from './usage-error.ts';
import type { Opened } from './with-app.ts';

/** A run and the link that it belongs to. */
export type FoundRun = { readonly link: LinkConfig; readonly run: RunRow };

const SHOWN = 5;
const noSuchRun = (word: string, retentionMs: number | null): string => {
  const isLast = word === 'last';
  const what = isLast ? 'No run has written anything' : `There is no run ${word}`;
  const hint = isLast ? '' : ' `contact-sync status --json` names the last one.';
  return retentionMs === null ? `${what}.${hint}` : `${what}, or it is too old: ${keptFor(retentionMs)}.${hint}`;
};

/**
 * The run that the word means: its id, the beginning of one, or `last`: the last run that wrote anything.
 *
 * @throws {UsageError} where it names no run, or more than one.
 */
export const findRun = async ({ app, links }: Pick<Opened, 'app' | 'links'>, word: string): Promise<FoundRun> => {
  // Every id begins with nothing.
  if (word === '') throw new UsageError("RUN is empty. Give a run's id, the beginning of one, or `last`.");
  const found: FoundRun[] = [];
  for (const link of links) {
    const query = word === 'last' ? ({ latest: 'writing' } as const) : { idPrefix: word };
    for (const run of await app.store.runs(link.name, query)) found.push({ link, run });
  }
  const exact = found.find(({ run }) => run.id === word);
  const [first, second] = found;
  if (exact !== undefined) return exact;
  if (first === undefined) throw new UsageError(noSuchRun(word, app.config.retentionMs));
  if (second === undefined) return first;
  const ids = found.slice(0, SHOWN).map(({ link, run }) => `${run.id} (${link.name}, ${isoOf(run.startedAtMs)})`);
  throw new UsageError(`${word} may mean several runs; give more of the id, or the link: ${ids.join(', ')}.`);
};

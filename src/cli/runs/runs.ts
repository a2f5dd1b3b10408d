import type { LinkConfig } from '../../app/config/link-config.ts';
import { inWordsOf } from '../../core/contact/side.ts';
import type { Run, WriteView } from '../../core/view/views.ts';
import { durationOf, formatDuration, shortRun, writeNote, wroteWords } from '../../core/view/words.ts';
import { listWrites } from '../../engine/history/run-writes.ts';
import { listRuns, runView } from '../../engine/history/runs.ts';
import { isoOf } from '../../util/clock.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, ALL_OPTION, examples, JSON_OPTION, type Define, type ListOptions } from '../command/options.ts';
import { withApp, type CommonOptions, type Opened } from '../command/with-app.ts';
import { writeToJson, formatChanges } from '../terminal/changes.ts';
import { formatTime, formatTable } from '../terminal/layout.ts';
import { layoutOf, type Terminal } from '../terminal/terminal.ts';
import { findRun } from './find-run.ts';

type RunsOptions = CommonOptions & ListOptions;

/** Runs of each link that are listed without `--all`. */
const RUNS_SHOWN = 20;

type LinkRun = { readonly link: LinkConfig; readonly run: Run };

/** The run in the documented JSON format. The caller replaces `left` and `right` by the names of the sides. */
const toJson = ({ link, run }: LinkRun) => ({
  link: link.name,
  run: run.id,
  kind: run.kind,
  undoes: run.undoes,
  outcome: run.outcome,
  reason: run.reason,
  startedAt: isoOf(run.startedAtMs),
  endedAt: isoOf(run.endedAtMs),
  durationMs: durationOf(run),
  left: run.wrote?.left ?? null,
  right: run.wrote?.right ?? null,
});

const rowOf = ({ link, run }: LinkRun): readonly string[] => {
  const duration = durationOf(run);
  const [noDuration, noCounts] = run.outcome === 'running' ? ['', ''] : ['unknown', 'not counted'];
  const took = duration === null ? noDuration : formatDuration(duration);
  const wrote = run.wrote === null ? noCounts : wroteWords(run, link.sides).join('; ') || 'nothing';
  return [shortRun(run.id), formatTime(run.startedAtMs), run.kind, run.outcome, took, wrote];
};

const HEAD = ['run', 'started', 'kind', 'outcome', 'duration', 'wrote'];

const formatRuns = (link: LinkConfig, runs: readonly Run[], all: boolean, terminal: Terminal): string => {
  const name = terminal.style('bold', link.name);
  if (runs.length === 0) return `${name}: no run yet. Start one: contact-sync sync ${link.name}`;
  const table = formatTable(
    runs.map((run) => rowOf({ link, run })),
    { head: HEAD, indent: '  ' },
  );
  const more = all || runs.length < RUNS_SHOWN ? [] : ['  Older runs: --all. Writes of a run: contact-sync runs RUN'];
  return [`${name}:`, table, ...more].join('\n');
};

const tookWords = (run: Run): string => {
  if (run.outcome === 'running') return 'still running';
  const duration = durationOf(run);
  return duration === null ? 'ended at an unknown time' : `took ${formatDuration(duration)}`;
};

const formatRun = (one: LinkRun, writes: readonly WriteView[], shown: ListOptions, terminal: Terminal): string => {
  const { link, run } = one;
  const [id, began, kind, outcome] = rowOf(one);
  const undoes = run.undoes === null ? '' : ` of run ${shortRun(run.undoes)}`;
  const title = `${terminal.style('bold', link.name)}: ${kind}${undoes}, ${outcome}, started ${began}, ${tookWords(run)}`;
  const reason = run.reason === null ? [] : [`  ${run.reason}`];
  const changes = formatChanges(writes, link.sides, shown, layoutOf(terminal), writeNote);
  const none = changes.length > 0 ? [] : ['  The run wrote nothing.'];
  return [`${title} (${id})`, ...reason, ...changes, ...none].join('\n');
};

const showRun = async (
  terminal: Terminal,
  opened: Pick<Opened, 'app' | 'links'>,
  word: string,
  options: RunsOptions,
): Promise<void> => {
  const { link, run: row } = await findRun(opened, word, 'runs');
  const one = { link, run: runView(row) };
  const all = await listWrites(opened.app.store, link, row.id);
  if (options.json) {
    const writes = all.map((write) => writeToJson(write, link.sides));
    const document = { ...toJson(one), writes };
    terminal.print(JSON.stringify({ runs: [inWordsOf(link.sides, document)] }));
  } else terminal.print(formatRun(one, all, options, terminal));
};

const showRuns = async (
  terminal: Terminal,
  { app, links }: Pick<Opened, 'app' | 'links'>,
  options: RunsOptions,
): Promise<void> => {
  const { all = false } = options;
  const documents: unknown[] = [];
  const texts: string[] = [];
  for (const link of links) {
    const runs = await listRuns(app.store, link.name, { most: all ? Number.MAX_SAFE_INTEGER : RUNS_SHOWN });
    documents.push(...runs.map((run) => inWordsOf(link.sides, toJson({ link, run }))));
    texts.push(formatRuns(link, runs, all, terminal));
  }
  terminal.print(options.json ? JSON.stringify({ runs: documents }) : texts.join('\n\n'));
};

/**
 * `runs [LINK]`: lists past runs, the newest first. `runs RUN [LINK]`: shows the writes of one run, with names and values. Sends
 * no request to the sides.
 *
 * @throws {UsageError} if the word is neither a link nor exactly one run.
 */
const runs = (
  terminal: Terminal,
  word: string | undefined,
  linkName: string | undefined,
  options: RunsOptions,
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app, links }) => {
    const named = links.filter(({ name }) => name === word);
    if (word !== undefined && named.length === 0) await showRun(terminal, { app, links }, word, options);
    else await showRuns(terminal, { app, links: word === undefined ? links : named }, options);
    return EXIT.done;
  });

/** Defines `runs`. */
export const define: Define = (command, call) => {
  command
    .argument('[RUN|LINK]', 'id of a run or its first characters, or `last`; or a link, to list its runs')
    .argument('[LINK]', 'link of the run (default: all links)')
    .option(...JSON_OPTION)
    .option(...ALL_OPTION)
    .addHelpText('after', examples('runs', 'runs last --all'))
    .action(actionOf(call, { runs: [] }, runs));
};

import { listRuns, runView, whyTooOld } from '../../engine/history/runs.ts';
import type { RunRow } from '../../core/state/rows.ts';
import type { Context, Hono } from 'hono';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { shownWrites, writeOf } from '../../engine/history/run-writes.ts';
import { refuse } from './access.ts';
import type { Undoing } from './actions.ts';
import type { Env } from './env.ts';
import { filterIn } from './change-list.ts';
import { OUTCOME_WORDS, RUN_WORDS, runPage, runsPage } from './pages/runs.ts';
import { runPath } from './layout.ts';
import { chosenIn, handleForm, pageOf, type LinkParts } from './routing.ts';

const RUNS_SHOWN = 100;
const UNDOS_SEARCHED = 100;

/** Parses the journal id of a write; null for any other text. */
const writeIn = (text: string | null | undefined): number | null =>
  /^\d{1,15}$/u.test(text ?? '') ? Number(text) : null;

const NO_RUN = 'The run does not exist, or its history was deleted (RETENTION).';

const BUSY = 'Another undo or preview of this link is in progress. Nothing was started. Try again when it has ended.';

/** Adds the pages of runs and their undo. */
export const addRuns = (routes: Hono<Env>, parts: LinkParts): void => {
  const { app, actions, clock } = parts;
  const findRun = async ({ name }: LinkConfig, id: string): Promise<RunRow | null> =>
    (await app.store.runs(name, { idPrefix: id })).find((run) => run.id === id) ?? null;
  /** The state of the undo; null if it was itself undone since. */
  const undoingNow = async (link: LinkConfig): Promise<Undoing | null> => {
    const undoing = actions.undoing(link);
    if (undoing?.state !== 'undone') return undoing;
    const undos = await app.store.runs(link.name, { newest: UNDOS_SEARCHED, of: { kind: 'undo' } });
    return undos.some(({ undoes, outcome }) => undoes === undoing.by && outcome === 'completed') ? null : undoing;
  };
  const tooOld = (run: RunRow): string | null => whyTooOld(run, app.config.retentionMs, clock.now());
  routes.get('/links/:link/runs', async (context) => {
    const { link } = context.var;
    const kind = chosenIn(context, 'kind', RUN_WORDS);
    const outcome = chosenIn(context, 'outcome', OUTCOME_WORDS);
    const from = context.req.query('before');
    const before = from ? await findRun(link, from) : null;
    const runs = await listRuns(app.store, link.name, { most: RUNS_SHOWN + 1, before, kind, outcome });
    const of = { runs: runs.slice(0, RUNS_SHOWN), kind, outcome, isPast: before !== null };
    return context.html(runsPage(pageOf(parts, context), link, { ...of, hasOlder: runs.length > RUNS_SHOWN }));
  });
  routes.get('/links/:link/runs/:run', async (context) => {
    const { link } = context.var;
    const run = await findRun(link, context.req.param('run'));
    if (run === null) return refuse(context, 404, 'Run not found', NO_RUN);
    const write = writeIn(context.req.query('write'));
    const shown = filterIn((name) => context.req.query(name));
    const from = writeIn(context.req.query('from')) ?? 0;
    const of = {
      write,
      writes:
        write === null
          ? await shownWrites(app.store, link, run.id, { ...shown, from })
          : { all: await writeOf(app.store, link, run.id, write) },
      shown,
      undoing: await undoingNow(link),
      tooOld: tooOld(run),
      progress: actions.progress(link),
    };
    return context.html(runPage(pageOf(parts, context), link, runView(run), of));
  });
  const toRun = (link: string, form: URLSearchParams, context: Context): string =>
    runPath(link, context.req.param('run') ?? '', writeIn(form.get('write')));
  for (const step of ['preview', 'undo'] as const) {
    routes.post(
      `/links/:link/runs/:run/${step}`,
      handleForm(toRun, async (link, form, context) => {
        const run = await findRun(link, context.req.param('run') ?? '');
        if (run === null) return NO_RUN;
        const reason = tooOld(run);
        if (reason !== null) return reason;
        const target = { run, write: writeIn(form.get('write')) };
        const isStarted =
          step === 'preview' ? actions.preview(link, target) : actions.undo(link, target, form.get('halt'));
        return isStarted ? null : BUSY;
      }),
    );
  }
};

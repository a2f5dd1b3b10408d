import { Hono, type Context } from 'hono';
import type { App } from '../app/app.ts';
import type { Clock } from '../clock.ts';
import type { LinkConfig } from '../config/config.ts';
import { SIDES, type Side } from '../contact/side.ts';
import { listConflicts } from '../history/conflicts.ts';
import { explainContact } from '../history/explain.ts';
import { readLinkRecord } from '../history/link-record.ts';
import { listRuns, runView, writesOf } from '../history/runs.ts';
import { whyTooOld } from '../history/too-old.ts';
import type { Daemon } from '../jobs/daemon.ts';
import { readProgress, readServed } from '../jobs/heartbeat.ts';
import { readLinkStatus } from '../jobs/link-status.ts';
import type { RunRow } from '../store/store.ts';
import { refuse, type Env } from './access.ts';
import { shownOf } from './change-list.ts';
import type { Desk } from './desk.ts';
import { pageContext, type PageContext } from './layout.ts';
import { createLive } from './live.ts';
import { conflictsPage } from './pages/conflicts.ts';
import { leftOutPage } from './pages/left-out.ts';
import { linkPage, linksPage, type LinkView } from './pages/links.ts';
import { PEOPLE_SHOWN, peoplePage } from './pages/people.ts';
import { planPage } from './pages/plan.ts';
import { runPage, runsPage } from './pages/runs.ts';
import { linkPath, runPath } from './paths.ts';

export type LinkParts = {
  readonly app: App;
  readonly daemon: Pick<Daemon, 'links'>;
  readonly clock: Clock;
  readonly desk: Desk;
  readonly readonly: boolean;
};

const RUNS_SHOWN = 200;
const CHARTED = 40;

type Handler = (context: Context<Env>, link: LinkConfig) => Response | Promise<Response>;

/** Does something about the link that the address names. */
const withLink =
  ({ daemon }: LinkParts, handle: Handler) =>
  (context: Context<Env>): Response | Promise<Response> => {
    const link = daemon.links().find(({ name }) => name === context.req.param('link'));
    if (link === undefined) return refuse(context, 404, 'No such link', 'The daemon knows no link of that name.');
    return handle(context, link);
  };

/** Does what a form asks for, and shows the page at `to` with what came of it. */
const acting =
  (parts: LinkParts, to: (link: string) => string, act: (...of: Parameters<Handler>) => Promise<string | null>) =>
  (context: Context<Env>) => {
    if (parts.readonly) return refuse(context, 403, 'Only shown', 'This page only shows (CONSOLE_READONLY).');
    return looking(parts, to, act)(context);
  };

/** As {@link acting}, for what writes nothing. */
const looking = (
  parts: LinkParts,
  to: (link: string) => string,
  act: (...of: Parameters<Handler>) => Promise<string | null>,
) =>
  withLink(parts, async (context, link) => {
    const session = context.get('session');
    // What keeps it from being done is for the person who asked.
    session.notice = await act(context, link).catch((error: unknown) =>
      error instanceof Error ? error.message : 'It could not be done.',
    );
    return context.redirect(to(link.name), 303);
  });

const pageOf = ({ readonly, clock }: LinkParts, context: Context<Env>): PageContext =>
  pageContext(context.get('session'), readonly, clock.now());

const viewsOf = async ({ app, clock, desk }: LinkParts, links: readonly LinkConfig[]): Promise<readonly LinkView[]> => {
  const { dataDir } = app.config;
  const nowMs = clock.now();
  const service = { underWay: await readProgress(dataDir, nowMs), served: await readServed(dataDir, nowMs) };
  const views: LinkView[] = [];
  for (const link of links) {
    views.push({
      status: await readLinkStatus(app, link, service, nowMs),
      runs: await listRuns(app.store, link.name, CHARTED),
      progress: desk.progress(link),
    });
  }
  return views;
};

const addOverview = (routes: Hono<Env>, parts: LinkParts): void => {
  const { daemon, desk, clock } = parts;
  const live = createLive(clock);
  const toLink = (link: string): string => linkPath(link);
  routes.get('/', async (context) =>
    context.html(linksPage(pageOf(parts, context), await viewsOf(parts, daemon.links()))),
  );
  routes.get(
    '/links/:link',
    withLink(parts, async (context, link) => {
      const [view] = await viewsOf(parts, [link]);
      if (view === undefined) throw new Error('A link has a view.');
      return context.html(linkPage(pageOf(parts, context), view, desk.lastReport(link)));
    }),
  );
  routes.get(
    '/links/:link/live',
    withLink(parts, (context, link) => live(context, () => desk.progress(link))),
  );
  routes.post(
    '/links/:link/sync',
    acting(parts, toLink, async (context, link) => {
      const kind = context.get('form').get('kind') === 'full' ? 'full' : 'incremental';
      await desk.order(link, kind);
      return kind === 'full' ? 'A full resync begins.' : 'A sync begins.';
    }),
  );
};

const addPlan = (routes: Hono<Env>, parts: LinkParts): void => {
  const { desk } = parts;
  const toPlan = (link: string): string => linkPath(link, '/plan');
  routes.get(
    '/links/:link/plan',
    withLink(parts, (context, link) => {
      const shown = shownOf((name) => context.req.query(name));
      const of = { planning: desk.planning(link), progress: desk.progress(link), shown };
      return context.html(planPage(pageOf(parts, context), link, of));
    }),
  );
  routes.post(
    '/links/:link/plan',
    looking(parts, toPlan, async (_context, link) => {
      desk.plan(link);
      return null;
    }),
  );
  routes.post(
    '/links/:link/plan/accept',
    acting(parts, toPlan, async (context, link) => {
      desk.accept(link, context.get('form').get('plan') ?? '');
      return null;
    }),
  );
};

const sideOf = (word: string | null): Side | null => SIDES.find((side) => side === word) ?? null;

const findIn = (context: Context<Env>): string => context.req.query('find')?.trim() ?? '';

const addPeople = (routes: Hono<Env>, parts: LinkParts): void => {
  const { app, desk } = parts;
  routes.get(
    '/links/:link/conflicts',
    withLink(parts, async (context, link) => {
      const all = context.req.query('all') === '1';
      const policy = { direction: link.direction, conflicts: link.conflictPolicy };
      const conflicts = await listConflicts(app.store, link.name, policy, { all });
      return context.html(conflictsPage(pageOf(parts, context), link, { conflicts, all, find: findIn(context) }));
    }),
  );
  routes.post(
    '/links/:link/conflicts',
    acting(
      parts,
      (link) => linkPath(link, '/conflicts'),
      async (context, link) => {
        const form = context.get('form');
        const taken = sideOf(form.get('review'));
        const isOpen = await desk.review(link, Number(form.get('id')), taken);
        if (!isOpen) return 'That conflict is not open any more.';
        return taken === null ? 'It is left as it is.' : 'The next run writes the other value.';
      },
    ),
  );
  routes.get(
    '/links/:link/left',
    withLink(parts, async (context, link) =>
      context.html(
        leftOutPage(pageOf(parts, context), link, await readLinkRecord(app.store, link.name), findIn(context)),
      ),
    ),
  );
  routes.get(
    '/links/:link/people',
    withLink(parts, async (context, link) => {
      const text = context.req.query('who')?.trim() ?? '';
      const found = text === '' ? [] : await explainContact(app.store, link.name, text, PEOPLE_SHOWN);
      return context.html(peoplePage(pageOf(parts, context), link, { text, found }));
    }),
  );
};

const addRuns = (routes: Hono<Env>, parts: LinkParts): void => {
  const { app, desk, clock } = parts;
  const findRun = async (context: Context<Env>, { name }: LinkConfig): Promise<RunRow> => {
    const id = context.req.param('run') ?? '';
    const run = (await app.store.runs(name, { idPrefix: id })).find((each) => each.id === id);
    if (run === undefined) throw new Error('There is no such run, or it is too old.');
    return run;
  };
  const tooOld = (run: RunRow): string | null => whyTooOld(run, app.config.retentionMs, clock.now());
  const ofRun =
    (act: (link: LinkConfig, run: RunRow, form: URLSearchParams) => void): Parameters<typeof looking>[2] =>
    async (context, link) => {
      const run = await findRun(context, link);
      const reason = tooOld(run);
      if (reason === null) act(link, run, context.get('form'));
      return reason;
    };
  routes.get(
    '/links/:link/runs',
    withLink(parts, async (context, link) => {
      const runs = await listRuns(app.store, link.name, RUNS_SHOWN);
      return context.html(
        runsPage(pageOf(parts, context), link, { runs, outcome: context.req.query('outcome') ?? '' }),
      );
    }),
  );
  routes.get(
    '/links/:link/runs/:run',
    withLink(parts, async (context, link) => {
      const run = await findRun(context, link).catch(() => null);
      if (run === null) return refuse(context, 404, 'No such run', 'There is no such run, or it is too old.');
      const writes = await writesOf(app.store, link.name, run.id);
      const shown = shownOf((name) => context.req.query(name));
      const of = { writes, shown, undoing: desk.undoing(link), tooOld: tooOld(run), progress: desk.progress(link) };
      return context.html(runPage(pageOf(parts, context), link, runView(run), of));
    }),
  );
  for (const [step, doing] of [
    ['preview', looking],
    ['undo', acting],
  ] as const) {
    routes.post('/links/:link/runs/:run/' + step, (context) => {
      const act = ofRun((link, run, form) => {
        if (step === 'preview') desk.preview(link, run);
        else desk.undo(link, run, form.get('halt'));
      });
      return doing(parts, (link) => runPath(link, context.req.param('run') ?? ''), act)(context);
    });
  }
};

/** The pages of the links. */
export const linkRoutes = (parts: LinkParts): Hono<Env> => {
  const routes = new Hono<Env>();
  addOverview(routes, parts);
  addPlan(routes, parts);
  addPeople(routes, parts);
  addRuns(routes, parts);
  return routes;
};

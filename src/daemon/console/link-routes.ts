import { Hono } from 'hono';
import type { LinkConfig } from '../../app/config/config.ts';
import { readProgress, readServed } from '../../app/heartbeat.ts';
import { readLinkStatus } from '../jobs/link-status.ts';
import type { Env } from './access.ts';
import { endedRuns, forgottenOf } from './desk.ts';
import { createLive } from './live.ts';
import { readOverview } from './overview.ts';
import { linkPage, linksPage, type LinkView } from './pages/links.ts';
import { linkPath } from './paths.ts';
import { addPeople } from './people-routes.ts';
import { addPlan } from './plan-routes.ts';
import { acting, knownLink, linksFor, pageOf, type LinkParts } from './routing.ts';
import { addRuns } from './run-routes.ts';
import { addSettings } from './settings-routes.ts';

const viewsOf = async ({ app, clock, desk }: LinkParts, links: readonly LinkConfig[]): Promise<readonly LinkView[]> => {
  const { dataDir } = app.config;
  const nowMs = clock.now();
  const service = { underWay: await readProgress(dataDir, nowMs), served: await readServed(dataDir, nowMs) };
  const views: LinkView[] = [];
  for (const link of links) {
    views.push({
      status: await readLinkStatus(app, link, service, nowMs),
      progress: desk.progress(link),
    });
  }
  return views;
};

const addOverview = (routes: Hono<Env>, parts: LinkParts): void => {
  const { app, desk, clock } = parts;
  const live = createLive(clock);
  routes.get('/', async (context) =>
    context.html(linksPage(pageOf(parts, context), await viewsOf(parts, linksFor(parts, context)))),
  );
  routes.get('/links/:link', async (context) => {
    const { link } = context.var;
    const [before] = await viewsOf(parts, [link]);
    if (before === undefined) throw new Error('A link has a view.');
    const forgotten = await forgottenOf(app, link);
    const ended = await endedRuns(app, link);
    const needsPlan = before.status.state === 'halted' && before.progress?.isRun !== true;
    const planning = needsPlan ? desk.currentPlan(link, ended, forgotten) : desk.planning(link, ended, forgotten);
    const view = { ...before, progress: desk.progress(link) };
    const overview = await readOverview(app, link.name, clock.now());
    const of = { overview, planning, report: desk.lastReport(link, forgotten) };
    return context.html(linkPage(pageOf(parts, context), link, view, of));
  });
  routes.get('/links/:link/live', (context) => live(context, () => desk.progress(context.var.link)));
  const toLink = (link: string): string => linkPath(link);
  for (const step of ['pause', 'resume'] as const) {
    routes.post(
      `/links/:link/${step}`,
      acting(parts, toLink, async (link) => {
        await app.store.setPausedByHand(link.name, step === 'pause' ? clock.now() : null);
        return step === 'pause' ? 'The link is paused.' : 'The link is resumed.';
      }),
    );
  }
  routes.post(
    '/links/:link/sync',
    acting(parts, toLink, async (link, form) => {
      const kind = form.get('kind') === 'full' ? 'full' : 'incremental';
      await desk.order(link, kind);
      return kind === 'full' ? 'Full sync requested.' : 'Sync requested.';
    }),
  );
};

/** The pages of the links. */
export const linkRoutes = (parts: LinkParts): Hono<Env> => {
  // What stands below a link's address is reached by those alone who may know of the link.
  const routes = new Hono<Env>().use('/links/:link/*', knownLink(parts));
  addOverview(routes, parts);
  addPlan(routes, parts);
  addPeople(routes, parts);
  addRuns(routes, parts);
  addSettings(routes, parts);
  return routes;
};

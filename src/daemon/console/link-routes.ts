import { Hono } from 'hono';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { readLinkStatuses } from '../links/link-status.ts';
import type { Env } from './env.ts';
import { readOverview } from './overview.ts';
import { linkPage, linksPage, type LinkView } from './pages/links.ts';
import { linkPath } from './layout.ts';
import { addContacts } from './contact-routes.ts';
import { addPlan } from './plan-routes.ts';
import { faultyLinksFor, handleForm, knownLink, linksFor, pageOf, type LinkParts } from './routing.ts';
import { addRuns } from './run-routes.ts';
import { addSignIn, canReturnTo } from './account-routes.ts';

const viewsOf = async (
  { app, clock, actions }: LinkParts,
  links: readonly LinkConfig[],
): Promise<readonly LinkView[]> => {
  const statuses = await readLinkStatuses(app, links, clock.now());
  return links.flatMap((link, index) => {
    const status = statuses[index];
    return status === undefined ? [] : [{ status, progress: actions.progress(link) }];
  });
};

/** Pages ask for the progress of work repeatedly. The delay of each answer limits their requests. */
const ANSWER_AFTER_MS = 500;

const addOverview = (routes: Hono<Env>, parts: LinkParts): void => {
  const { app, actions, clock } = parts;
  routes.get('/', async (context) => {
    const links = linksFor(parts, context);
    const [first, ...others] = links;
    const faulty = faultyLinksFor(parts, context);
    if (first !== undefined && others.length === 0 && faulty.length === 0)
      return context.redirect(linkPath(first.name), 303);
    return context.html(linksPage(pageOf(parts, context), await viewsOf(parts, links), faulty));
  });
  routes.get('/links/:link', async (context) => {
    const { link } = context.var;
    const [before] = await viewsOf(parts, [link]);
    if (before === undefined) throw new Error('A link has a view.');
    const needsPlan = before.status.state === 'halted' && before.progress?.isRun !== true;
    const planning = await (needsPlan ? actions.currentPlan(link) : actions.planning(link));
    const view = { ...before, progress: actions.progress(link) };
    const overview = await readOverview(app, link);
    const of = { overview, canReturn: canReturnTo(context), planning, report: actions.lastReport(link) };
    return context.html(linkPage(pageOf(parts, context), link, view, of));
  });
  routes.get('/links/:link/live', async (context) => {
    const { link } = context.var;
    if (actions.progress(link) !== null) await clock.sleep(ANSWER_AFTER_MS);
    return context.json(actions.progress(link));
  });
  const toLink = (link: string): string => linkPath(link);
  for (const step of ['pause', 'resume'] as const) {
    routes.post(
      `/links/:link/${step}`,
      handleForm(toLink, async (link) => {
        await app.store.setPausedByHand(link.name, step === 'pause' ? clock.now() : null);
        return step === 'pause' ? 'The link is paused.' : 'The link is resumed.';
      }),
    );
  }
  routes.post(
    '/links/:link/sync',
    handleForm(toLink, async (link, form) => {
      const kind = form.get('kind') === 'full' ? 'full' : 'incremental';
      await actions.requestRun(link, kind);
      return kind === 'full' ? 'Full sync requested.' : 'Sync requested.';
    }),
  );
};

/** The pages of the links. */
export const linkRoutes = (parts: LinkParts): Hono<Env> => {
  // Only sessions that may see the link reach the pages below its address.
  const routes = new Hono<Env>().use('/links/:link/*', knownLink(parts));
  addOverview(routes, parts);
  addPlan(routes, parts);
  addContacts(routes, parts);
  addRuns(routes, parts);
  addSignIn(routes, parts);
  return routes;
};

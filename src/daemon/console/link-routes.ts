import { Hono, type Context } from 'hono';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { readLinkStatuses } from '../links/link-status.ts';
import type { Env } from './access.ts';
import { type WorkProgress } from './actions.ts';
import { readOverview } from './overview.ts';
import { linkPage, linksPage, type LinkView } from './pages/links.ts';
import { linkPath } from './layout.ts';
import { addContacts } from './contact-routes.ts';
import { addLeaveOut, addPlan } from './plan-routes.ts';
import { findIn, handleForm, knownLink, linksFor, pageOf, type LinkParts } from './routing.ts';
import { addRuns } from './run-routes.ts';
import { addSignIn, readSignIns } from './account-routes.ts';
import { streamSSE } from 'hono/streaming';
import type { Clock } from '../../util/clock.ts';

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

const addOverview = (routes: Hono<Env>, parts: LinkParts): void => {
  const { app, actions, clock } = parts;
  const live = createProgressStreams(clock);
  routes.get('/', async (context) => {
    const links = linksFor(parts, context);
    const [first, ...others] = links;
    if (first !== undefined && others.length === 0) return context.redirect(linkPath(first.name), 303);
    const shown = { find: findIn(context), onlyProblems: context.req.query('show') === 'problems' };
    return context.html(linksPage(pageOf(parts, context), await viewsOf(parts, links), shown));
  });
  routes.get('/links/:link', async (context) => {
    const { link } = context.var;
    const [before] = await viewsOf(parts, [link]);
    if (before === undefined) throw new Error('A link has a view.');
    const needsPlan = before.status.state === 'halted' && before.progress?.isRun !== true;
    const planning = await (needsPlan ? actions.currentPlan(link) : actions.planning(link));
    const view = { ...before, progress: actions.progress(link) };
    const overview = await readOverview(app, link);
    const signIns = await readSignIns(parts, context);
    const of = { overview, signIns, planning, report: actions.lastReport(link) };
    return context.html(linkPage(pageOf(parts, context), link, view, of));
  });
  routes.get('/links/:link/live', (context) => live(context, () => actions.progress(context.var.link)));
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
  addLeaveOut(routes, parts);
  addContacts(routes, parts);
  addRuns(routes, parts);
  addSignIn(routes, parts);
  return routes;
};

const SEND_EVERY_MS = 500;
/** The longest duration of a stream. The browser connects again afterwards. */
const LONGEST_MS = 10 * 60_000;
/** The largest number of streams of the sessions of one link, or of the sessions that see every link. */
const MOST_STREAMS_OF_SCOPE = 20;
/** From this number on, sessions of one link get no further stream. Sessions that see every link still do. */
const MOST_STREAMS = 40;

/** Streams progress as server-sent events until the work has ended. The number of streams is limited. */
export const createProgressStreams = (clock: Clock) => {
  let open = 0;
  const openOf = new Map<string | null, number>();
  const count = (scope: string | null, by: 1 | -1): void => {
    open += by;
    const own = (openOf.get(scope) ?? 0) + by;
    if (own > 0) openOf.set(scope, own);
    else openOf.delete(scope);
  };
  return (context: Context<Env>, read: () => WorkProgress | null): Response => {
    // A client of HEAD never reads the stream, so it would not end.
    if (context.req.method === 'HEAD') return context.body(null, 200, { 'content-type': 'text/event-stream' });
    const scope = context.get('session').link;
    const isFull = (openOf.get(scope) ?? 0) >= MOST_STREAMS_OF_SCOPE || (scope !== null && open >= MOST_STREAMS);
    if (isFull) return context.text('Too many open pages with live progress. Close some.\n', 503);
    count(scope, 1);
    return streamSSE(context, async (stream) => {
      const gone = new AbortController();
      stream.onAbort(() => gone.abort());
      const untilMs = clock.monotonic() + LONGEST_MS;
      try {
        for (let now = read(); clock.monotonic() < untilMs && !gone.signal.aborted; now = read()) {
          if (now === null) return await stream.writeSSE({ event: 'over', data: '' });
          await stream.writeSSE({ event: 'progress', data: JSON.stringify(now) });
          await clock.sleep(SEND_EVERY_MS, gone.signal).catch(() => undefined);
        }
      } finally {
        count(scope, -1);
      }
    });
  };
};

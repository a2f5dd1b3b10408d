import type { Hono } from 'hono';
import { decidingOf } from '../config/config.ts';
import { SIDES, type Side } from '../contact/side.ts';
import { listConflicts } from '../history/conflicts.ts';
import { explainById, findPeople } from '../history/explain.ts';
import { readLinkRecord } from '../history/link-record.ts';
import { reviewConflicts, unwrittenSide } from '../history/review.ts';
import { isAbout, retryRefused } from '../sync/retry.ts';
import { shownLinkState } from '../sync/state/link.ts';
import { count } from '../view/words.ts';
import type { Env } from './access.ts';
import { conflictsPage } from './pages/conflicts.ts';
import { leftOutPage } from './pages/left-out.ts';
import { PEOPLE_SHOWN, peoplePage } from './pages/people.ts';
import { linkPath } from './paths.ts';
import { acting, findIn, leaseParts, pageOf, type LinkParts } from './routing.ts';

const sideOf = (word: string | null): Side | null => SIDES.find((side) => side === word) ?? null;

const addConflicts = (routes: Hono<Env>, parts: LinkParts): void => {
  const { store } = parts.app;
  const toConflicts = (link: string): string => linkPath(link, '/conflicts');
  routes.get('/links/:link/conflicts', async (context) => {
    const { link } = context.var;
    const all = context.req.query('all') === '1';
    const conflicts = await listConflicts(store, link.name, decidingOf(link), { all });
    return context.html(conflictsPage(pageOf(parts, context), link, { conflicts, all, find: findIn(context) }));
  });
  routes.post(
    '/links/:link/conflicts',
    acting(parts, toConflicts, async (link, form) => {
      const { name, sides } = link;
      const id = Number(form.get('id'));
      const row = (await store.conflicts(name, { all: false })).find((each) => each.id === id);
      if (row === undefined) return 'The conflict is no longer open.';
      const taken = sideOf(form.get('review'));
      if (row.winner === null && taken === null) return 'The conflict needs a decision. Take one of the two values.';
      const fixed = unwrittenSide(link, row.field);
      if (taken !== null && fixed !== null && fixed !== taken) {
        return `The link does not write this field to ${sides[fixed].place}. Change the value there.`;
      }
      const [kept] = await reviewConflicts(leaseParts(parts), name, [row], taken);
      if (kept === null) return 'The conflict is no longer open.';
      if (kept === 'dismissed') return 'The current value is kept.';
      return `The next run writes the ${row.winner === null ? 'value that you chose' : 'other value'}.`;
    }),
  );
};

const addLeftOut = (routes: Hono<Env>, parts: LinkParts): void => {
  const { app, desk } = parts;
  const toLeftOut = (link: string): string => linkPath(link, '/left');
  routes.get('/links/:link/left', async (context) => {
    const { link } = context.var;
    const record = await readLinkRecord(app.store, link.name);
    const { state, pausedByHandAtMs } = await app.store.link(link.name);
    const health = { state: shownLinkState(state), pausedByHandAtMs };
    const of = { record, health, find: findIn(context) };
    return context.html(leftOutPage(pageOf(parts, context), link, of));
  });
  routes.post(
    '/links/:link/left',
    acting(parts, toLeftOut, async (link, form) => {
      const id = form.get('id');
      const retried = await retryRefused(leaseParts(parts), link.name, id === null ? () => true : isAbout(id));
      if (retried.length === 0) return 'No refused write is left to retry.';
      await desk.order(link, 'incremental');
      return `Sync requested. It retries ${count(retried.length, 'refused write')}.`;
    }),
  );
};

/** The pages about contacts. */
export const addPeople = (routes: Hono<Env>, parts: LinkParts): void => {
  addConflicts(routes, parts);
  addLeftOut(routes, parts);
  routes.get('/links/:link/people', async (context) => {
    const { link } = context.var;
    const text = context.req.query('who')?.trim() ?? '';
    const { store } = parts.app;
    const named = text === '' ? null : await explainById(store, link.name, text);
    const found = named === null && text !== '' ? await findPeople(store, link.name, text, PEOPLE_SHOWN) : [];
    const [only, ...others] = found;
    const person = only !== undefined && others.length === 0 ? await explainById(store, link.name, only.id) : named;
    return context.html(peoplePage(pageOf(parts, context), link, { text, person, found }));
  });
};

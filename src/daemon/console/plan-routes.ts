import { listVerdicts } from '../../engine/history/open-questions.ts';
import type { Hono } from 'hono';
import { restoreDeletions } from '../../engine/restore-deletions.ts';
import type { Env } from './access.ts';
import { shownOf } from './change-list.ts';
import { contactPath } from './pages/contact.ts';
import { planPage } from './pages/plan.ts';
import { linkPath } from './layout.ts';
import { handleForm, leaseParts, pageOf, saveVerdict, type LinkParts } from './routing.ts';

const toPlan = (link: string): string => linkPath(link, '/plan');

/** The page of a decision about two contacts: the contact whose page has the button, or the plan. */
const afterVerdict = (link: string, form: URLSearchParams): string => {
  const id = form.get('id');
  return id === null ? toPlan(link) : contactPath(link, id);
};

/** Adds the page of the plan, its acceptance and decisions about matches. */
export const addPlan = (routes: Hono<Env>, parts: LinkParts): void => {
  const { app, actions } = parts;
  routes.get('/links/:link/plan', async (context) => {
    const { link } = context.var;
    const shown = shownOf((name) => context.req.query(name));
    const verdicts = await listVerdicts(app.store, link.name);
    // No plan during a run, because the run changes its data.
    const isRunning = actions.progress(link)?.isRun === true;
    const planning = await (isRunning ? actions.planning(link) : actions.currentPlan(link));
    const of = { planning, progress: actions.progress(link), verdicts, shown };
    return context.html(planPage(pageOf(parts, context), link, of));
  });
  routes.post(
    '/links/:link/plan',
    handleForm(toPlan, async (link) => {
      actions.plan(link);
      return null;
    }),
  );
  routes.post(
    '/links/:link/plan/accept',
    handleForm(toPlan, async (link, form) => {
      actions.accept(link, form.get('plan') ?? '');
      return null;
    }),
  );
  routes.post(
    '/links/:link/plan/restore',
    handleForm(
      (link) => linkPath(link),
      async (link) => {
        const halted = await restoreDeletions(leaseParts(parts), link.name);
        await actions.requestRun(link, 'incremental', halted?.override ?? null);
        return 'Restore saved. The sync creates the deleted contacts again.';
      },
    ),
  );
  routes.post(
    '/links/:link/verdicts',
    handleForm(afterVerdict, (link, form) => saveVerdict(parts, link, form)),
  );
};

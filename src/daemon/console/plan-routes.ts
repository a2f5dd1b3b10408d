import { listVerdicts } from '../../engine/verdicts.ts';
import type { Hono } from 'hono';
import { isSide } from '../../core/contact/side.ts';
import { selectChanges } from '../../core/view/changes.ts';
import { decidePlanned, type PlannedChoice } from '../../engine/history/conflicts.ts';
import { count } from '../../core/view/words.ts';
import { plannedConflict, type PlanView } from './plans.ts';
import { restoreDeletions } from '../../engine/restore-deletions.ts';
import type { Env } from './env.ts';
import { filterIn } from './change-list.ts';
import { planPage } from './pages/plan.ts';
import { linkPath, withQuery } from './layout.ts';
import { handleForm, pageOf, type LinkParts } from './routing.ts';

/** The plan, with the filter of the page that has the form. */
const toPlan = (link: string, form: URLSearchParams): string =>
  withQuery(linkPath(link, '/plan'), { only: form.get('only') ?? '', find: form.get('find') ?? '' });

/** The decisions of a form about the conflicts of a plan that differ from it. They concern what the filter of its page shows. */
export const choicesIn = (
  { changes, contacts }: Pick<PlanView, 'changes' | 'contacts'>,
  form: URLSearchParams,
): readonly PlannedChoice[] =>
  selectChanges(
    changes,
    filterIn((name) => form.get(name)),
  ).flatMap((change): readonly PlannedChoice[] => {
    const conflict = plannedConflict(change);
    if (conflict === null) return [];
    const { leftId, rightId, fields, winner, name } = conflict;
    const asked = form.get('all') ?? form.get(name);
    if (!isSide(asked) || asked === winner) return [];
    const [left, right] = [contacts.get(`left ${leftId}`), contacts.get(`right ${rightId}`)];
    const read = left === undefined || right === undefined ? {} : { contacts: { left, right } };
    return [{ leftId, rightId, fields, from: asked, ...read }];
  });

/** Adds the page of the plan, its acceptance, and choices about its conflicts. */
export const addPlan = (routes: Hono<Env>, parts: LinkParts): void => {
  const { app, actions } = parts;
  routes.get('/links/:link/plan', async (context) => {
    const { link } = context.var;
    const shown = filterIn((name) => context.req.query(name));
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
      if (actions.accept(link, form.get('plan') ?? '')) return null;
      return 'A plan is being made. Nothing was accepted. Answer the plan when it is shown.';
    }),
  );
  routes.post(
    '/links/:link/plan/restore',
    handleForm(
      (link) => linkPath(link),
      async (link) => {
        const halted = await restoreDeletions(app.lease, link.name, link);
        await actions.requestRun(link, 'incremental', halted?.override ?? null, true);
        return 'Restore saved. The sync creates again what was deleted.';
      },
    ),
  );
  routes.post(
    '/links/:link/choices',
    handleForm(toPlan, async (link, form) => {
      const planning = await actions.planning(link);
      if (planning?.state !== 'planned') return 'The plan has changed. Choose again.';
      const { view } = planning;
      const choices = choicesIn(view, form);
      const decided = await decidePlanned(app.lease, link, view.lastRun ?? '', choices);
      if (decided > 0) actions.plan(link);
      return decided === 0 ? 'No choice differs from the plan.' : `${count(decided, 'conflict')} decided.`;
    }),
  );
};

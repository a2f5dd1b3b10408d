import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { App } from '../../../../src/app/app.ts';
import type { LinkConfig } from '../../../../src/app/config/link-config.ts';
import { createConsoleActions, type UndoTarget } from '../../../../src/daemon/console/actions.ts';
import type { Env } from '../../../../src/daemon/console/env.ts';
import { addRuns } from '../../../../src/daemon/console/run-routes.ts';
import { createSessions } from '../../../../src/daemon/console/sessions.ts';
import type { UndoReport } from '../../../../src/engine/history/undo.ts';
import type { JobReport } from '../../../../src/daemon/jobs/job.ts';
import { createVirtualClock } from '../../../support/clocks.ts';

const linkOf = (bucket: string): LinkConfig => ({ name: 'ada', buckets: [bucket] }) as unknown as LinkConfig;
type RunOutcome = 'completed' | 'halted' | 'failed';
const ended = (id: string, outcome: RunOutcome = 'completed', reason: string | null = null) => ({
  id,
  outcome,
  reason,
  wrote: null,
  endedAtMs: 1 as number | null,
});
const yielded = () => new Promise(setImmediate);

const PLAN = {
  kind: 'incremental',
  changes: [],
  unpaired: [],
  unsynced: null,
  halt: null,
  estimate: { requests: { left: 0, right: 0 }, durationMs: 0 },
};

type Parts = {
  readonly plan: () => Promise<unknown>;
  readonly undo?: () => Promise<unknown>;
  readonly onUndone?: (...of: unknown[]) => unknown;
  readonly runs?: () => readonly unknown[];
  readonly links?: () => readonly LinkConfig[];
  readonly requestJob?: (job: unknown) => Promise<void>;
};

const actionsOf = ({
  plan,
  undo,
  onUndone,
  runs = () => [],
  links = () => [],
  requestJob = () => Promise.resolve(),
}: Parts) => {
  const store = { runs: () => Promise.resolve(runs()) };
  const app = { plan, planUndo: plan, undo, store } as unknown as App;
  const daemon = { requestJob, progress: () => [], links };
  return createConsoleActions({ app, daemon, clock: createVirtualClock(), ...(onUndone && { onUndone }) });
};

test('results of a link are not shown for another link that was added under the same name', async () => {
  let link = linkOf('of the first');
  const actions = actionsOf({
    plan: () => Promise.reject(new Error('Mia Smith is there twice.')),
    links: () => [link],
  });
  actions.plan(link);
  actions.preview(link, { run: { id: 'run' }, write: null } as UndoTarget);
  actions.noteReport({ link: 'ada', kind: 'incremental', override: null }, { ending: 'failed' } as JobReport);
  await yielded();
  const shown = async () => [await actions.planning(link), actions.undoing(link), actions.lastReport(link)];
  link = linkOf('of the first');
  expect(await shown()).toMatchObject([{ state: 'failed' }, { state: 'failed' }, { ending: 'failed' }]);
  link = linkOf('of somebody else');
  expect(await shown()).toEqual([null, null, null]);
  await actions.close();
});

test('the acceptance of a plan, sent once or twice, covers the run that it started, but no later run and no run that halted or failed', async () => {
  const before = ended('before', 'halted');
  let runs = [{ ...ended('running'), endedAtMs: null }, before];
  const link = linkOf('a token');
  const requested: unknown[] = [];
  const requestJob = async (job: unknown): Promise<void> => void requested.push(job);
  const plan = () => Promise.resolve(PLAN);
  const actions = actionsOf({ plan, runs: () => runs, links: () => [link], requestJob });
  actions.plan(link);
  await yielded();
  const planning = await actions.planning(link);
  const accept = () => actions.accept(link, planning?.state === 'planned' ? planning.view.digest : '');
  const isAccepted = [accept(), accept()];
  await yielded();
  expect([...isAccepted, accept(), requested.length]).toEqual([true, true, true, 1]);
  const after = (...later: typeof runs) => {
    runs = [...later, before];
    return actions.planning(link);
  };
  expect(await after()).toMatchObject({ state: 'accepted', ranAs: null });
  expect(await after(ended('after'))).toMatchObject({ state: 'accepted', ranAs: 'after' });
  expect(await after(ended('later', 'halted'), ended('after'))).toBeNull();
  expect(await after(ended('later'), ended('after'))).toBeNull();
  expect(await after(ended('after', 'halted'))).toBeNull();
  expect(await after(ended('after', 'failed'))).toBeNull();
  await actions.close();
});

test('a plan that is requested while another one is under way is made after it, because of decisions in between', async () => {
  const plans: PromiseWithResolvers<unknown>[] = [];
  const plan = () => {
    const next = Promise.withResolvers<unknown>();
    plans.push(next);
    return next.promise;
  };
  const link = linkOf('a token');
  const actions = actionsOf({ plan, links: () => [link] });
  actions.plan(link);
  await yielded();
  actions.plan(link);
  plans[0]?.resolve(PLAN);
  await yielded();
  expect([plans.length, await actions.planning(link)]).toEqual([2, { state: 'planning' }]);
  plans[1]?.resolve(PLAN);
  await yielded();
  expect(await actions.planning(link)).toMatchObject({ state: 'planned' });
  await actions.close();
});

test('a plan is computed on the first request, and again after a run that wrote, halted for another reason or ended the halt', async () => {
  let planned = 0;
  let last = ended('halted', 'halted', 'too many');
  let runs: readonly (typeof last)[] = [];
  const plan = () => {
    planned += 1;
    return Promise.resolve({ ...PLAN, halt: { reason: 'too-many-deletes', message: last.reason } });
  };
  const link = linkOf('a token');
  const actions = actionsOf({ plan, runs: () => runs, links: () => [link] });
  const plansAfter = async (next: typeof last): Promise<number> => {
    last = next;
    runs = [last, ...runs];
    await actions.currentPlan(link);
    await yielded();
    return planned;
  };
  expect(await plansAfter(last)).toBe(1);
  expect(await plansAfter(ended('again', 'halted', 'too many'))).toBe(1);
  expect(await plansAfter(ended('failed', 'failed', 'no network'))).toBe(1);
  expect(await plansAfter(ended('other', 'halted', 'even more'))).toBe(2);
  expect(await plansAfter(ended('done'))).toBe(3);
  await actions.close();
});

const ZERO = { created: 0, updated: 0, deleted: 0, groupsChanged: 0, groupsDeleted: 0 };
const idle = (id: string) => ({ ...ended(id), wrote: { left: ZERO, right: ZERO } });
const writing = (id: string) => ({ ...idle(id), wrote: { left: ZERO, right: { ...ZERO, created: 1 } } });

test.each([
  ['that was followed by a run without writes', [idle('idle'), writing('writing'), idle('before')]],
  ['that was followed by a failed run', [ended('failed', 'failed'), writing('writing'), idle('before')]],
  ['so long ago that the last runs do not show it', Array.from({ length: 40 }, (_, index) => idle(`idle ${index}`))],
] as const)('a plan is outdated after a run that wrote, %s', async (_, later) => {
  let runs: readonly unknown[] = [idle('before')];
  const link = linkOf('a token');
  const actions = actionsOf({ plan: () => Promise.resolve(PLAN), runs: () => runs, links: () => [link] });
  actions.plan(link);
  await yielded();
  expect(await actions.planning(link)).toMatchObject({ state: 'planned' });
  runs = later;
  // The page of the link shows this state; that of the plan starts a new plan.
  expect(await actions.planning(link)).toBeNull();
  expect(await actions.currentPlan(link)).toEqual({ state: 'planning' });
  await actions.close();
});

test('a plan to pair contacts is outdated after a run, although pairing writes nothing', async () => {
  let runs: readonly unknown[] = [idle('before')];
  const link = linkOf('a token');
  const pairing = {
    ...PLAN,
    changes: [{ action: 'pair', side: 'left', name: 'Ada', leftId: 'c1', rightId: 'c1', changes: [] }],
  };
  const actions = actionsOf({ plan: () => Promise.resolve(pairing), runs: () => runs, links: () => [link] });
  actions.plan(link);
  await yielded();
  expect(await actions.planning(link)).toMatchObject({ state: 'planned' });
  runs = [idle('pairing'), ...runs];
  expect(await actions.planning(link)).toBeNull();
  await actions.close();
});

const REFUSED: UndoReport['refused'] = [
  { side: 'left', leftId: 'c1', rightId: null, name: 'Ada', field: 'title', reason: 'changed since' },
];

const UNDONE = { state: 'undone', message: 'The run is undone.', by: 'its undo' };
const IN_PART = { ...UNDONE, message: 'The run is undone, except for what is listed below.' };
const failed = (message: string) => ({ state: 'failed', message });

test.each<[string, RunOutcome, string | null, UndoReport['refused'], object]>([
  ['reverted everything', 'completed', null, [], UNDONE],
  ['reverted a part', 'completed', null, REFUSED, IN_PART],
  ['halted', 'halted', 'The run would delete 60 contacts.', [], failed('The run would delete 60 contacts.')],
  ['failed', 'failed', 'Google is not reachable.', [], failed('Google is not reachable.')],
])('[R8] an undo that %s is shown as such, so that it can be repeated', async (_, outcome, reason, refused, shown) => {
  const link = linkOf('a token');
  const summary = { run: 'its undo', outcome, reason };
  const result = { error: reason === null ? null : new Error(reason), summary };
  const undo = () => Promise.resolve({ result, report: { actions: [], refused } });
  const counted: unknown[] = [];
  const onUndone = (...of: unknown[]) => counted.push(...of);
  const actions = actionsOf({ plan: () => Promise.resolve(PLAN), undo, onUndone, links: () => [link] });
  actions.undo(link, { run: { id: 'run' }, write: null } as UndoTarget, null);
  await yielded();
  expect(actions.undoing(link)).toMatchObject(shown);
  // The metrics of runs and writes include the undos of the page.
  expect(counted).toMatchObject([expect.any(String), { run: 'its undo' }]);
  await actions.close();
});

test('an undo that does not start, because another one of the link is running, says so', async () => {
  const link = linkOf('a token');
  const first = Promise.withResolvers<unknown>();
  const asked: string[] = [];
  const undo = (_link: unknown, { id }: { readonly id: string }) => {
    asked.push(id);
    return first.promise;
  };
  const actions = actionsOf({ plan: () => Promise.resolve(PLAN), undo: undo as () => Promise<unknown> });
  const target = (id: string) => ({ run: { id }, write: null }) as UndoTarget;
  expect([actions.undo(link, target('a'), null), actions.undo(link, target('b'), null)]).toEqual([true, false]);
  expect([actions.preview(link, target('b')), asked]).toEqual([false, ['a']]);
  const routes = new Hono<Env>().use(async (context, next) => {
    context.set('link', link);
    context.set('session', session);
    context.set('form', new URLSearchParams());
    await next();
  });
  const session = createSessions(createVirtualClock(), () => 'secret').open({ link: null, isValid: () => true });
  const app = { store: { runs: () => Promise.resolve([{ id: 'b', endedAtMs: 1 }]) }, config: { retentionMs: null } };
  addRuns(routes, { app, actions, clock: createVirtualClock() } as unknown as Parameters<typeof addRuns>[1]);
  await routes.request('/links/ada/runs/b/undo', { method: 'POST' });
  expect(session.notice).toMatch(/^Another undo or preview of this link is in progress\. Nothing was started\./u);
  first.resolve({ result: { summary: { outcome: 'completed' } }, report: { refused: [] } });
  await actions.close();
});

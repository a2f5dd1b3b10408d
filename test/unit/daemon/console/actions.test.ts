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
const LINK = linkOf('a token');
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

const DEFAULTS = {
  plan: (): Promise<unknown> => Promise.resolve(PLAN),
  undo: (..._of: never[]): Promise<unknown> => Promise.resolve(),
  runs: (): readonly unknown[] => [],
  links: (): readonly LinkConfig[] => [LINK],
  requestJob: (_job: unknown): Promise<void> => Promise.resolve(),
  onUndone: (..._of: unknown[]): void => undefined,
};

const actionsOf = (given: Partial<typeof DEFAULTS>) => {
  const { plan, undo, runs, links, requestJob, onUndone } = { ...DEFAULTS, ...given };
  const store = { runs: () => Promise.resolve(runs()) };
  const app = { plan, planUndo: plan, undo, store } as unknown as App;
  const daemon = { requestJob, progress: () => [], links };
  return createConsoleActions({ app, daemon, clock: createVirtualClock(), onUndone });
};

test('results of a link are not shown for another link that was added under the same name', async () => {
  let link = linkOf('of the first');
  const actions = actionsOf({
    plan: () => Promise.reject(new Error('Mia Smith exists twice.')),
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
  const requested: unknown[] = [];
  const requestJob = async (job: unknown): Promise<void> => void requested.push(job);
  const actions = actionsOf({ runs: () => runs, requestJob });
  actions.plan(LINK);
  await yielded();
  const planning = await actions.planning(LINK);
  const accept = () => actions.accept(LINK, planning?.state === 'planned' ? planning.view.digest : '');
  const isAccepted = [accept(), accept()];
  await yielded();
  expect([...isAccepted, accept(), requested.length]).toEqual([true, true, true, 1]);
  const after = (...later: typeof runs) => {
    runs = [...later, before];
    return actions.planning(LINK);
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
  const actions = actionsOf({ plan });
  actions.plan(LINK);
  await yielded();
  actions.plan(LINK);
  plans[0]?.resolve(PLAN);
  await yielded();
  expect([plans.length, await actions.planning(LINK)]).toEqual([2, { state: 'planning' }]);
  plans[1]?.resolve(PLAN);
  await yielded();
  expect(await actions.planning(LINK)).toMatchObject({ state: 'planned' });
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
  const actions = actionsOf({ plan, runs: () => runs });
  const plansAfter = async (next: typeof last): Promise<number> => {
    last = next;
    runs = [last, ...runs];
    await actions.currentPlan(LINK);
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

const PAIR = { action: 'pair', side: 'left', name: 'Ada', leftId: 'c1', rightId: 'c1', changes: [] };
const LONG_AGO = Array.from({ length: 40 }, (_, index) => idle(`idle ${index}`));

test.each<[string, object[], readonly unknown[]]>([
  ['wrote, and was followed by a run without writes', [], [idle('idle'), writing('writing'), idle('before')]],
  ['wrote, and was followed by a failed run', [], [ended('failed', 'failed'), writing('writing'), idle('before')]],
  ['wrote so long ago that the last runs do not show it', [], LONG_AGO],
  ['wrote nothing, if the plan is to pair contacts', [PAIR], [idle('pairing'), idle('before')]],
])('a plan is outdated after a run that %s', async (_, changes, later) => {
  let runs: readonly unknown[] = [idle('before')];
  const actions = actionsOf({ plan: () => Promise.resolve({ ...PLAN, changes }), runs: () => runs });
  actions.plan(LINK);
  await yielded();
  expect(await actions.planning(LINK)).toMatchObject({ state: 'planned' });
  runs = later;
  // The page of the link shows this state; that of the plan starts a new plan.
  expect(await actions.planning(LINK)).toBeNull();
  expect(await actions.currentPlan(LINK)).toEqual({ state: 'planning' });
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
  const summary = { run: 'its undo', outcome, reason };
  const result = { error: reason === null ? null : new Error(reason), summary };
  const undo = () => Promise.resolve({ result, report: { actions: [], refused } });
  const counted: unknown[] = [];
  const onUndone = (...of: unknown[]): void => void counted.push(...of);
  const actions = actionsOf({ undo, onUndone });
  actions.undo(LINK, { run: { id: 'run' }, write: null } as UndoTarget, null);
  await yielded();
  expect(actions.undoing(LINK)).toMatchObject(shown);
  // The metrics of runs and writes include the undos of the page.
  expect(counted).toMatchObject([expect.any(String), { run: 'its undo' }]);
  await actions.close();
});

test('an undo that does not start, because another one of the link is running, says so', async () => {
  const first = Promise.withResolvers<unknown>();
  const asked: string[] = [];
  const undo = (_link: unknown, { id }: { readonly id: string }) => {
    asked.push(id);
    return first.promise;
  };
  const actions = actionsOf({ undo });
  const target = (id: string) => ({ run: { id }, write: null }) as UndoTarget;
  expect([actions.undo(LINK, target('a'), null), actions.undo(LINK, target('b'), null)]).toEqual([true, false]);
  expect([actions.preview(LINK, target('b')), asked]).toEqual([false, ['a']]);
  const routes = new Hono<Env>().use(async (context, next) => {
    context.set('link', LINK);
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

import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { createConsoleActions } from '../../../src/daemon/console/actions.ts';
import type { Env } from '../../../src/daemon/console/env.ts';
import { addRuns } from '../../../src/daemon/console/run-routes.ts';
import { createSessions } from '../../../src/daemon/console/sessions.ts';
import { googleId, person } from '../../support/linked-people.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';
import { seen } from './page-client.ts';

test('the page of a run does not say that the run is undone after its undo was undone from a terminal', async () => {
  await using linked = await startLinkedSandbox({ google: [person('Ada')], service: [] });
  await linked.synced();
  linked.clock.advance(60_000);
  linked.sandbox.google.account.updatePerson(googleId(linked, 'Ada'), { organizations: [{ title: 'Baker' }] });
  const { run: id } = await linked.synced();
  const { app, link, clock } = linked;
  const daemon = { requestJob: () => Promise.resolve(), progress: () => [], links: () => [link] };
  const ended = Promise.withResolvers<void>();
  const undo: typeof app.undo = (...of) => app.undo(...of).finally(ended.resolve);
  const actions = createConsoleActions({ app: { ...app, undo }, daemon, clock });
  const session = createSessions(clock, () => 'secret').open({ link: null, isValid: () => true });
  const routes = new Hono<Env>().use(async (context, next) => {
    context.set('link', link);
    context.set('session', session);
    await next();
  });
  addRuns(routes, { app, actions, clock } as unknown as Parameters<typeof addRuns>[1]);
  const shown = async (): Promise<string> =>
    seen(await (await routes.request(`/links/${link.name}/runs/${id}`)).text());
  const [run] = await app.store.runs(link.name, { idPrefix: id });
  if (run === undefined) throw new Error('The run is stored.');
  clock.advance(60_000);
  actions.undo(link, { run, write: null }, null);
  await ended.promise;
  await new Promise(setImmediate);
  expect(await shown()).toContain('The run is undone.');
  clock.advance(60_000);
  const [last] = await app.store.runs(link.name, { latest: 'ended' });
  await linked.undo(last?.id ?? '');
  const after = await shown();
  expect(after).not.toContain('The run is undone.');
  expect(after).toContain('Preview undo');
});

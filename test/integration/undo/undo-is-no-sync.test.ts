import { expect, test } from 'vitest';
import { headlineOf } from '../../../src/daemon/links/headline.ts';
import { readLinkStatuses } from '../../../src/daemon/links/link-status.ts';
import { readLinkHealth } from '../../../src/daemon/server/health.ts';
import { StoppedError } from '../../../src/engine/errors.ts';
import { person } from '../../support/linked-people.ts';
import { type LinkedSandbox, startSyncedSandbox } from '../../support/linked-sandbox.ts';

const MINUTE_MS = 60_000;
const PEOPLE = ['Ada', 'Ben', 'Cid'].map((name) => person(name));

/** A link whose last sync created a contact at the service. */
const startWithNew = async () => {
  const linked = await startSyncedSandbox({ google: PEOPLE, service: [] });
  linked.sandbox.google.account.createPerson({ names: [{ givenName: 'Gus', familyName: 'New' }] });
  const { run } = await linked.synced({ afterMs: MINUTE_MS });
  linked.clock.advance(MINUTE_MS);
  return { linked, run };
};

const statusOf = async ({ app, link, clock }: LinkedSandbox) => {
  const [status] = await readLinkStatuses(app, [link], clock.now());
  if (status === undefined) throw new Error('The link has a status.');
  const { lastSuccessAtMs: health } = await readLinkHealth(app.store, link);
  return { status, health };
};

test('an undo is no sync: the last success and the failures in a row stay as they are', async () => {
  const { linked, run } = await startWithNew();
  await using _ = linked;
  linked.sandbox.service.addFault({ times: 1000, action: { kind: 'status', status: 400 } });
  expect((await linked.sync()).summary.outcome).toBe('failed');
  linked.sandbox.service.clearFaults();
  linked.clock.advance(MINUTE_MS);
  const before = await statusOf(linked);
  expect(before.status).toMatchObject({ state: 'failing', failures: 1 });
  expect((await linked.undo(run)).result.summary.outcome).toBe('completed');
  const after = await statusOf(linked);
  expect(after.status).toMatchObject({ state: 'failing', failures: 1, lastSuccessAtMs: before.health });
  expect(after.health).toBe(before.health);
});

test('a link whose last sync was stopped is not called in sync after an undo', async () => {
  const { linked, run } = await startWithNew();
  await using _ = linked;
  const stop = AbortSignal.abort(new StoppedError());
  expect((await linked.sync({ stop })).summary).toMatchObject({ outcome: 'failed', stopped: true });
  const headline = async () => {
    const { status } = await statusOf(linked);
    return headlineOf({ ...status, isRunning: false }).text;
  };
  expect(await headline()).toBe('the last run was stopped');
  expect((await linked.undo(run)).result.summary.outcome).toBe('completed');
  expect(await headline()).toBe('the last run was stopped');
});

test('a contact with a reverted and a refused value is one contact that is not synced', async () => {
  await using linked = await startSyncedSandbox({ google: PEOPLE, service: [] });
  const { google, service } = linked.sandbox;
  const [ada] = google.account.people();
  const rename = (title: string) =>
    google.account.updatePerson(ada?.resourceName ?? '', { organizations: [{ title }] });
  rename('Clerk');
  const { run } = await linked.synced({ afterMs: MINUTE_MS });
  linked.clock.advance(MINUTE_MS);
  await linked.undo(run);
  rename('Head');
  service.addFault({ method: 'PATCH', times: 9, action: { kind: 'status', status: 422 } });
  await linked.synced({ afterMs: MINUTE_MS });
  const { status } = await statusOf(linked);
  expect(headlineOf({ ...status, isRunning: false }).text).toBe('1 contact not synced');
  expect(status.skipped).toMatchObject([{ leftId: ada?.resourceName, rightId: status.refused[0]?.rightId }]);
});

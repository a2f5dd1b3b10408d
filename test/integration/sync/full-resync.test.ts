import { expect, test, vi } from 'vitest';
import type { Side } from '../../../src/contact/side.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

test('R1: a full run with nothing to do reads no row again; what was edited and deleted since is found by it', async () => {
  await using linked = await startLinkedSandbox({ count: 120, seed: 4 });
  const { google, service } = linked.sandbox;
  const staging = vi.spyOn(linked.app.store, 'stagePage');
  const fullRun = async () => {
    linked.clock.advance(11 * 60_000);
    staging.mockClear();
    const { summary, error } = await linked.sync({ kind: 'full' });
    expect(error).toBeNull();
    const listed = (side: Side) => {
      const pages = staging.mock.calls.filter((call) => call[1] === side).map((call) => call[2]);
      return { read: pages.flatMap(({ upserts }) => upserts), unchanged: pages.flatMap(({ unchanged }) => unchanged) };
    };
    return { summary, google: listed('left'), service: listed('right') };
  };
  expect((await linked.sync()).error).toBeNull();
  const ids = service.account.contacts().map(({ id }) => id);
  const halves = (await linked.app.store.pairsWith('default', { ids, pairIds: [] })).map((pair) => pair.right);
  const undigested = halves.flatMap((half) => {
    return half.kind === 'present' && half.record.digest === undefined ? [half.record.id] : [];
  });
  // An answered create or update is the row that the listing shows; an answered change of membership is none.
  const first = await fullRun();
  expect(first.service.unchanged.length).toBeGreaterThan(0);
  expect(first.service.read.length).toBeGreaterThan(0);
  expect(new Set(first.service.read.map(({ record }) => record.id))).toEqual(new Set(undigested));
  const quiet = await fullRun();
  expect([quiet.google.read, quiet.service.read]).toEqual([[], []]);
  expect(new Set(quiet.google.unchanged)).toEqual(new Set(google.account.people().map((one) => one.resourceName)));
  expect(new Set(quiet.service.unchanged)).toEqual(new Set(service.account.contacts().map(({ id }) => id)));
  expect(quiet.summary.left).toMatchObject({ pulled: 0, created: 0, updated: 0, deleted: 0 });
  expect(quiet.summary.right).toMatchObject({ pulled: 0, created: 0, updated: 0, deleted: 0 });

  const [edited, deleted] = service.account.contacts();
  staging.mockClear();
  service.account.updateContact(edited?.id ?? '', { title: 'Edited at the service' });
  service.account.deleteContact(deleted?.id ?? '');
  const { summary, error } = await linked.sync({ kind: 'full' });
  expect(error).toBeNull();
  expect(summary.right.pulled).toBe(1);
  expect(summary.left).toMatchObject({ updated: 1, deleted: 1 });
  const titles = google.account.people().map((person) => person.organizations?.[0]?.title);
  expect(titles.filter((title) => title === 'Edited at the service')).toHaveLength(1);
});

import { expect, test, vi } from 'vitest';
import type { Side } from '../../../src/core/contact/side.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

test('R1: a full run with nothing to do reads no row again; what was edited and deleted since is found by it', async () => {
  await using linked = await startLinkedSandbox({ count: 120, seed: 4 });
  const { google, service } = linked.sandbox;
  const { store } = linked.app;
  const commits = vi.spyOn(store, 'commit');
  const lookups = vi.spyOn(store, 'known');
  const fullRun = async () => {
    linked.clock.advance(11 * 60_000);
    commits.mockClear();
    lookups.mockClear();
    const { summary, error } = await linked.sync({ kind: 'full' });
    expect(error).toBeNull();
    const listed = async (side: Side) => {
      const changes = commits.mock.calls.flatMap(([, , own]) => own);
      const shown = changes.flatMap((change) => (change.kind === 'shown' && change.side === side ? change.ids : []));
      const unchanged: string[] = [];
      for (const [index, [, asked, rows]] of lookups.mock.calls.entries()) {
        const known = await lookups.mock.results[index]?.value;
        if (asked === side) unchanged.push(...rows.filter(({ digest }) => known?.has(digest)).map(({ id }) => id));
      }
      return { read: shown.filter((id) => !unchanged.includes(id)), unchanged };
    };
    return { summary, google: await listed('left'), service: await listed('right') };
  };
  expect((await linked.sync()).error).toBeNull();
  const ids = service.account.contacts().map(({ id }) => id);
  const halves = await store.halves('default', { by: 'id', side: 'right', ids });
  const undigested = halves.filter(({ record }) => record.digest === undefined).map(({ id }) => id);
  // An answered create or update is the row that the listing shows; an answered change of membership is none.
  const first = await fullRun();
  expect(first.service.unchanged.length).toBeGreaterThan(0);
  expect(first.service.read.length).toBeGreaterThan(0);
  expect(new Set(first.service.read)).toEqual(new Set(undigested));
  const quiet = await fullRun();
  expect([quiet.google.read, quiet.service.read]).toEqual([[], []]);
  expect(new Set(quiet.google.unchanged)).toEqual(new Set(google.account.people().map((one) => one.resourceName)));
  expect(new Set(quiet.service.unchanged)).toEqual(new Set(service.account.contacts().map(({ id }) => id)));
  expect(quiet.summary.left).toMatchObject({ pulled: 0, created: 0, updated: 0, deleted: 0 });
  expect(quiet.summary.right).toMatchObject({ pulled: 0, created: 0, updated: 0, deleted: 0 });

  const [edited, deleted] = service.account.contacts();
  service.account.updateContact(edited?.id ?? '', { title: 'Edited at the service' });
  service.account.deleteContact(deleted?.id ?? '');
  const { summary, error } = await linked.sync({ kind: 'full' });
  expect(error).toBeNull();
  expect(summary.right.pulled).toBe(1);
  expect(summary.left).toMatchObject({ updated: 1, deleted: 1 });
  const titles = google.account.people().map((person) => person.organizations?.[0]?.title);
  expect(titles.filter((title) => title === 'Edited at the service')).toHaveLength(1);
});

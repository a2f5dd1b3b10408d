import { expect, test } from 'vitest';
import type { ServiceVariants } from '../../../src/sandbox/service/variants.ts';
import { named } from '../../support/linked-people.ts';
import { startSyncedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const DAY_MS = 86_400_000;
const PEOPLE = ['Ada', 'Ben', 'Cy'].map((name) => named(name));

test('R7: a deletion at the service is found after a listing with stamps of a clock a month ahead', async () => {
  await using linked = await startSyncedSandbox({ google: PEOPLE, service: [] });
  const { app, clock, link, sandbox } = linked;
  const { cursors } = await app.store.link(link.name);
  const token = (await app.store.acquireLease(link.name, 'test', clock.now(), clock.now() + 60_000)) ?? 0;
  const cursor = { ...cursors.right, listedAtMs: clock.now() + 30 * DAY_MS };
  await app.store.commit(link.name, token, [{ kind: 'put', table: 'cursors', row: { side: 'right', ...cursor } }]);
  await app.store.releaseLease(link.name, 'test');
  clock.advance(DAY_MS);
  sandbox.service.account.deleteContact(sandbox.service.account.contacts()[0]?.id ?? '');
  for (let day = 0; day < 3; day += 1) await linked.synced({ afterMs: DAY_MS });
  expect(sandbox.google.account.people()).toHaveLength(2);
});

const FOUR_PEOPLE = ['Ada', 'Ben', 'Cy', 'Di'].map((name) => named(name));
const MINUTE_MS = 60_000;

const setClock = async ({ sandbox }: LinkedSandbox, serviceClock: ServiceVariants['serviceClock']): Promise<void> => {
  const response = await fetch(`${sandbox.service.url}/__control/variants`, {
    method: 'POST',
    body: JSON.stringify({ serviceClock }),
  });
  expect(response.ok).toBe(true);
};

test.each([
  ['ahead-120s', 'exact'],
  ['ahead-120s', 'behind-120s'],
  ['exact', 'behind-120s'],
] as const)(
  'R14: the next run finds contacts edited and created at a service whose clock steps back (from %s to %s)',
  async (from, to) => {
    await using linked = await startSyncedSandbox(
      { google: FOUR_PEOPLE, service: [], variants: { service: { serviceClock: from } } },
      { SWEEP_INTERVAL: '24h' },
    );
    const { google, service } = linked.sandbox;
    linked.clock.advance(20 * MINUTE_MS);
    const titles = () => google.account.people().map((person) => person.organizations?.[0]?.title);
    const [first, second, third] = service.account.contacts().map(({ id }) => id);
    // The watermark is recent, and the overlap before it was read.
    service.account.updateContact(first ?? '', { title: 'before the step' });
    for (let count = 0; count < 2; count += 1) await linked.synced();
    await linked.synced({ afterMs: 3 * MINUTE_MS });

    service.account.updateContact(third ?? '', { title: 'ahead of the step' });
    await linked.synced();
    await setClock(linked, to);
    service.account.updateContact(second ?? '', { title: 'after the step' });
    service.account.createContact({ first_name: 'Eve', last_name: 'Tester' });
    const summary = await linked.synced();
    expect(summary).toMatchObject({ kind: 'incremental', left: { created: 1, updated: 1, deleted: 0 } });
    expect(titles()).toContain('after the step');

    linked.clock.advance(MINUTE_MS);
    service.account.updateContact(first ?? '', { title: 'long after the step' });
    await linked.synced();
    expect(titles()).toContain('long after the step');
    const quiet = await linked.sync({ afterMs: 10 * MINUTE_MS });
    expect(quiet.summary).toMatchObject({ left: { updated: 0, created: 0 }, right: { updated: 0, created: 0 } });
  },
);

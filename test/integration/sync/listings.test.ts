import { expect, test, vi } from 'vitest';
import { samplePeople } from '../../../src/sandbox/people/sample.ts';
import { googleId, named, serviceId } from '../../support/linked-people.ts';
import { startLinkedSandbox, startSyncedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = ['Ada', 'Ben'].map((name) => named(name));

test('R14: an expired sync token is recognised by its reason, whatever the status', async () => {
  await using linked = await startSyncedSandbox({ google: PEOPLE, service: [] });
  const { google, service } = linked.sandbox;
  linked.clock.advance(60_000);
  google.account.updatePerson(googleId(linked, 'Ada'), { organizations: [{ title: 'Countess' }] });
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'EXPIRED_SYNC_TOKEN' }];
  const body = { error: { code: 410, message: 'Sync token is expired.', status: 'FAILED_PRECONDITION', details } };
  google.addFault({ method: 'GET', path: /syncToken=/u, action: { kind: 'status', status: 410, body } });
  await linked.synced();
  expect(service.account.contacts()).toContainEqual(expect.objectContaining({ first_name: 'Ada', title: 'Countess' }));
});

test('R1: a full run without changes reads no row again; later edits and deletions are found by it', async () => {
  await using linked = await startLinkedSandbox({ count: 120, seed: 4 });
  const { google, service } = linked.sandbox;
  const lookups = vi.spyOn(linked.app.store, 'known');
  const fullRun = async () => {
    lookups.mockClear();
    const summary = await linked.synced({ kind: 'full', afterMs: 11 * 60_000 });
    const known = await Promise.all(lookups.mock.results.map(({ value }) => value));
    const rows = lookups.mock.calls.flatMap(([, , listed], index) =>
      listed.map(({ id, digest }) => ({ id, isKnown: known[index]?.has(digest) === true })),
    );
    const idsOf = (isKnown: boolean) => rows.filter((row) => row.isKnown === isKnown).map(({ id }) => id);
    return { summary, unchanged: idsOf(true), read: idsOf(false) };
  };
  await linked.synced();
  // The answer to a create or update equals the row of the listing. The answer to a membership change does not.
  const first = await fullRun();
  expect(first.unchanged.length).toBeGreaterThan(0);
  expect(first.read.length).toBeGreaterThan(0);
  const quiet = await fullRun();
  const everyId = [
    ...google.account.people().map((one) => one.resourceName),
    ...service.account.contacts().map(({ id }) => id),
  ];
  expect([quiet.read, new Set(quiet.unchanged)]).toEqual([[], new Set(everyId)]);
  const nothing = { pulled: 0, created: 0, updated: 0, deleted: 0 };
  expect(quiet.summary).toMatchObject({ left: nothing, right: nothing });

  const [edited, deleted] = service.account.contacts();
  service.account.updateContact(edited?.id ?? '', { title: 'Edited at the service' });
  service.account.deleteContact(deleted?.id ?? '');
  const summary = await linked.synced({ kind: 'full' });
  expect(summary.right.pulled).toBe(1);
  expect(summary.left).toMatchObject({ updated: 1, deleted: 1 });
  const titles = google.account.people().map((person) => person.organizations?.[0]?.title);
  expect(titles.filter((title) => title === 'Edited at the service')).toHaveLength(1);
});

test('R14: an idle run takes two requests a side, also if more contacts changed in one second than fit on a page', async () => {
  await using linked = await startLinkedSandbox({ google: samplePeople(60), service: [] }, { SWEEP_INTERVAL: '1d' });
  await linked.sync();
  const { account } = linked.sandbox.google;
  for (const { resourceName, organizations = [] } of account.people()) {
    account.updatePerson(resourceName ?? '', { organizations: [{ ...organizations[0], title: 'Sailor' }] });
  }
  expect((await linked.synced()).right.updated).toBe(60);
  // The first runs read the changes of the last two minutes again.
  for (let run = 0; run < 2; run += 1) await linked.sync({ afterMs: 121_000 });
  const idle = { requests: 2, updated: 0 };
  for (let run = 0; run < 3; run += 1) {
    expect(await linked.synced({ afterMs: 2_000 })).toMatchObject({ left: idle, right: idle });
  }
});

const HOUR_MS = 3_600_000;

test.each([
  ['goes on with the listing', 60_000, true],
  ['has forgotten the listing', 2 * HOUR_MS, false],
])('R7: a deletion after an interrupted listing is synced if Google %s', async (_, laterMs, isLinked) => {
  const staying = Array.from({ length: 1_100 }, (_each, index) => named(`P${index}`));
  const google = [named('Gone'), ...staying];
  await using linked = await startLinkedSandbox({
    google,
    service: isLinked ? google : staying,
    variants: { google: { pageTokens: 'oneHour' } },
  });
  const { sandbox, clock } = linked;
  const account = sandbox.google.account;
  if (isLinked) await linked.synced();
  clock.advance(HOUR_MS);
  sandbox.google.addFault({ path: /connections.*pageToken/u, action: { kind: 'status', status: 400 } });
  expect((await linked.sync({ kind: 'full' })).summary.outcome).toBe('failed');
  account.deletePerson(googleId(linked, 'Gone'));
  clock.advance(laterMs);
  for (const afterMs of [0, HOUR_MS, HOUR_MS]) await linked.synced({ afterMs });
  expect([serviceId(linked, 'Gone'), sandbox.service.account.contacts().length]).toEqual(['', 1_100]);
});

const DAY_MS = 86_400_000;
const THREE_PEOPLE = ['Ada', 'Ben', 'Cy'].map((name) => named(name));

test('R7: a deletion at the service is found after a listing with stamps of a clock a month ahead', async () => {
  await using linked = await startSyncedSandbox({ google: THREE_PEOPLE, service: [] });
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

test.each([
  ['ahead-120s', 'exact'],
  ['ahead-120s', 'behind-120s'],
  ['exact', 'behind-120s'],
] as const)('R14: edits and creates at a service whose clock steps back are found (%s to %s)', async (from, to) => {
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
  service.setVariants({ serviceClock: to });
  service.account.updateContact(second ?? '', { title: 'after the step' });
  service.account.createContact({ first_name: 'Eve', last_name: 'Tester' });
  const summary = await linked.synced();
  expect(summary).toMatchObject({ kind: 'incremental', left: { created: 1, updated: 1, deleted: 0 } });
  expect(titles()).toContain('after the step');

  linked.clock.advance(MINUTE_MS);
  service.account.updateContact(first ?? '', { title: 'long after the step' });
  await linked.synced();
  expect(titles()).toContain('long after the step');
  const none = { updated: 0, created: 0 };
  expect(await linked.synced({ afterMs: 10 * MINUTE_MS })).toMatchObject({ left: none, right: none });
});

test('R7, R9: a contact that stays refused and that a listing misses is deleted, and its write is settled', async () => {
  await using linked = await startSyncedSandbox(
    { google: PEOPLE, service: [], variants: { service: { missingRecordStatus: '403' } } },
    { SWEEP_INTERVAL: '1h' },
  );
  const { google, service } = linked.sandbox;
  const open = () => linked.app.store.journal('default', { open: true });
  google.account.updatePerson(googleId(linked, 'Ada'), { organizations: [{ title: 'Countess' }] });
  service.addFault({ method: 'PATCH', path: '^/v2/contacts/[^/]+$', action: { kind: 'reset-before' } });
  service.addFault({ method: 'GET', path: '^/v2/contacts/[^/]+$', action: { kind: 'status', status: 403 } });
  await linked.synced({ afterMs: 20 * MINUTE_MS });
  expect(await open()).toMatchObject([{ rightId: serviceId(linked, 'Ada') }]);
  service.account.deleteContact(serviceId(linked, 'Ada'));
  for (const minutes of [20, 60, 60]) await linked.synced({ afterMs: minutes * MINUTE_MS });
  expect(await open()).toEqual([]);
  // The edit beats the deletion: the contact comes back, once.
  const titles = service.account.contacts().map(({ title }) => title ?? '');
  expect([titles.toSorted(), google.account.people().length]).toEqual([['', 'Countess'], 2]);
});

test.each([
  ['of the link', { direction: 'to-left' }],
  ['of a field', { directions: { title: 'to-left' } }],
] as const)('R5: an edit that a direction %s held back is written after the direction ends', async (_, former) => {
  await using linked = await startLinkedSandbox({ google: [named('Ada', { title: 'Cook' })], service: [] });
  await linked.synced();
  const id = serviceId(linked, 'Ada');
  linked.sandbox.google.account.updatePerson(googleId(linked, 'Ada'), { organizations: [{ title: 'Chef' }] });
  expect(await linked.synced({ afterMs: DAY_MS, link: former })).toMatchObject({ right: { updated: 0 } });
  expect(await linked.synced({ afterMs: DAY_MS, link: former })).toMatchObject({ kind: 'incremental' });
  expect(await linked.synced({ afterMs: DAY_MS })).toMatchObject({ kind: 'full', right: { updated: 1 } });
  expect(linked.sandbox.service.account.contacts()).toMatchObject([{ id, title: 'Chef' }]);
  expect(await linked.synced({ afterMs: DAY_MS })).toMatchObject({ kind: 'incremental' });
});

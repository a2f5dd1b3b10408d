import { expect, test } from 'vitest';
import type { Fault } from '../../../src/sandbox/faults.ts';
import { readGroupNames, readSides } from '../../support/compare-sides.ts';
import { named } from '../../support/linked-people.ts';
import { startLinkedSandbox, startSyncedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';
import { GOOGLE_FAULT, SERVICE_FAULT, startFailing } from './failing-proxy.ts';

const PEOPLE = ['Ada', 'Ben'].map((name) => named(name));
const MY_CONTACTS = 'contactGroups/myContacts';
const STATUS_500 = { kind: 'status', status: 500 } as const;

const fail = ({ sandbox }: LinkedSandbox, fault: Fault): void => sandbox.service.addFault({ times: 1_000, ...fault });

/** Creates a label with Ada as its member. */
const createLabel = ({ sandbox: { google } }: LinkedSandbox): string => {
  const id = google.account.createGroup('Choir 🎉');
  google.account.setGroups(google.account.people()[0]?.resourceName ?? '', [MY_CONTACTS, id]);
  return id;
};

const countMembers = ({ sandbox: { service } }: LinkedSandbox): number =>
  service.account.contacts().filter(({ bucketIds }) => bucketIds.length > 0).length;

test('R15: contacts are created at the service although a bucket cannot be created', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  createLabel(linked);
  fail(linked, { method: 'POST', path: '^/v2/buckets$', action: STATUS_500 });
  await linked.synced();
  expect(linked.sandbox.service.account.contacts()).toHaveLength(2);
  expect(countMembers(linked)).toBe(0);
  linked.sandbox.service.clearFaults();
  await linked.synced();
  expect(countMembers(linked)).toBe(1);
});

test('R15, R9: a bucket that the service cannot delete fails no run and is deleted later', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  const id = createLabel(linked);
  await linked.synced();
  linked.sandbox.google.account.deleteGroup(id);
  fail(linked, { method: 'DELETE', path: '^/v2/buckets/', action: STATUS_500 });
  await linked.synced({ afterMs: 60_000 });
  expect(await linked.app.store.journal('default', { open: true })).toMatchObject([{ kind: 'group-delete' }]);
  linked.sandbox.service.clearFaults();
  await linked.synced();
  expect(await linked.app.store.journal('default', { open: true })).toEqual([]);
  expect(readGroupNames(linked.sandbox)).toEqual({ google: [], service: [] });
});

test('R17, R15: a rename that is answered with a redirect is reported, and the run completes', async () => {
  const moved = { status: 307, body: '' };
  await using linked = await startFailing(
    'service',
    ({ method, path }) => (method === 'PATCH' && path.startsWith('/v2/buckets') ? moved : null),
    { google: PEOPLE, service: [] },
  );
  const { google, service } = linked.sandbox;
  const id = createLabel(linked);
  await linked.synced();
  google.account.renameGroup(id, 'Band');
  google.account.updatePerson(google.account.people()[1]?.resourceName ?? '', { organizations: [{ title: 'Dr' }] });
  await linked.synced({ afterMs: 60_000 });
  expect(
    service.account
      .contacts()
      .map(({ title }) => title ?? '')
      .toSorted(),
  ).toEqual(['', 'Dr']);
});

const MINUTE_MS = 60_000;
const FOUR_PEOPLE = ['Ada', 'Ben', 'Cleo', 'Zoe'].map((name) => named(name));

test('R15, R7: a contact whose read fails at Google fails no run and does not count as deleted', async () => {
  let odd = '-';
  const isOdd = (path: string): boolean => path.includes(':batchGet') && decodeURIComponent(path).includes(odd);
  await using linked = await startFailing('google', ({ path }) => (isOdd(path) ? GOOGLE_FAULT : null), {
    google: FOUR_PEOPLE,
    service: [],
  });
  const { google, service } = linked.sandbox;
  await linked.synced();
  const idOf = (name: string) =>
    google.account.people().find(({ names }) => names?.[0]?.givenName === name)?.resourceName ?? '-';
  odd = idOf('Zoe');
  linked.clock.advance(30 * MINUTE_MS);
  google.account.deletePerson(odd);
  google.account.updatePerson(idOf('Ada'), { organizations: [{ title: 'Countess' }] });
  // The token is too old: the listing has no tombstone of Zoe, so her contact is read.
  await linked.synced({ afterMs: 7 * 24 * 60 * MINUTE_MS });
  expect(service.account.contacts().map(({ title }) => title ?? '')).toContain('Countess');
  expect(service.account.contacts()).toHaveLength(4);
  odd = '-';
  await linked.synced({ kind: 'full' });
  expect(service.account.contacts()).toHaveLength(3);
});

test('R15, R7: a label whose read fails at Google fails no run, and its bucket is kept until a read succeeds', async () => {
  let odd = '-';
  await using linked = await startFailing(
    'google',
    ({ method, path }) => (method === 'GET' && path.includes(odd) ? GOOGLE_FAULT : null),
    { google: FOUR_PEOPLE, service: [] },
  );
  const { google, service } = linked.sandbox;
  const label = google.account.createGroup('Choir');
  const [first] = google.account.people();
  google.account.setGroups(first?.resourceName ?? '', [MY_CONTACTS, label]);
  await linked.synced();
  google.account.deleteGroup(label);
  odd = label;
  linked.clock.advance(30 * MINUTE_MS);
  google.account.updatePerson(first?.resourceName ?? '', { organizations: [{ title: 'Countess' }] });
  await linked.synced();
  expect(service.account.contacts().map(({ title }) => title ?? '')).toContain('Countess');
  expect(readGroupNames(linked.sandbox).service).toEqual(['Choir']);
  odd = '-';
  await linked.synced();
  expect(readGroupNames(linked.sandbox)).toEqual({ google: [], service: [] });
});

const isAstral = (text: string): boolean => /[\u{10000}-\u{10FFFF}]/u.test(text);

test('R15: a contact whose write fails with a 500 is reported, and retried with growing delays', async () => {
  await using linked = await startFailing(
    'service',
    ({ method, body }) => (method === 'POST' && isAstral(body) ? SERVICE_FAULT : null),
    { google: [named('Zoe 🎉'), named('Ada')], service: [] },
  );
  const first = await linked.sync();
  expect(first.error).toBeNull();
  expect(first.summary.skipped).toBe(1);
  const before = linked.seen.filter((line) => line === 'POST /v2/contacts').length;
  expect((await linked.sync({ afterMs: 2 * MINUTE_MS })).summary).toMatchObject({ skipped: 0, right: { requests: 2 } });
  expect(linked.seen.filter((line) => line === 'POST /v2/contacts')).toHaveLength(before);
});

test('R15: other contacts are written while the writes of twelve contacts fail', async () => {
  const odd = Array.from({ length: 12 }, (_, index) => named(`Zoe 🎉 ${index}`));
  await using linked = await startFailing(
    'service',
    ({ method, body }) => (method === 'POST' && isAstral(body) ? SERVICE_FAULT : null),
    { google: [...odd, named('Ada')], service: [] },
  );
  const { google, service } = linked.sandbox;
  const sync = async (times: number) => {
    for (let run = 0; run < times; run += 1) {
      await linked.sync();
      linked.clock.advance(20 * MINUTE_MS);
    }
  };
  await sync(2);
  const ada = google.account.people().find(({ names }) => names?.[0]?.givenName === 'Ada')?.resourceName ?? '';
  google.account.updatePerson(ada, { organizations: [{ title: 'Countess' }] });
  await sync(3);
  expect(service.account.contacts().map(({ first_name: name, title }) => [name, title])).toEqual([['Ada', 'Countess']]);
});

test('R15, R11: the other contacts of a batch are created, get a label and are deleted where Google fails at one', async () => {
  let odd = '-';
  const isOdd = (path: string, body: string): boolean =>
    /batchCreate/u.test(path) ? isAstral(body) : /members:modify|batchDelete/u.test(path) && body.includes(odd);
  await using linked = await startFailing(
    'google',
    ({ method, path, body }) => (method === 'POST' && isOdd(path, body) ? GOOGLE_FAULT : null),
    { google: [], service: ['Ada', 'Ben', 'Odd', 'Cleo', 'Dora', 'Eve', 'Zoe 🎉'].map((name) => named(name)) },
    { DELETE_LIMIT: '100%' },
  );
  const { google, service } = linked.sandbox;
  const runDaily = async (days: number) => {
    for (let day = 0; day < days; day += 1) await linked.synced({ afterMs: 24 * 60 * MINUTE_MS, kind: 'full' });
  };
  const namesOf = (people: ReturnType<typeof google.account.people>) =>
    people.map(({ names }) => names?.[0]?.givenName ?? '').toSorted();
  await runDaily(2);
  expect(namesOf(google.account.people())).toEqual(['Ada', 'Ben', 'Cleo', 'Dora', 'Eve', 'Odd']);

  odd = google.account.people().find(({ names }) => names?.[0]?.givenName === 'Odd')?.resourceName ?? '-';
  const { id } = service.account.createBucket({ name: 'Choir' });
  for (const contact of service.account.contacts()) service.account.setBuckets(contact.id, [id]);
  await runDaily(2);
  const label = google.account.groups()[0]?.resourceName ?? '';
  const members = google.account.people().filter((person) => JSON.stringify(person.memberships).includes(label));
  expect(namesOf(members)).toEqual(['Ada', 'Ben', 'Cleo', 'Dora', 'Eve']);

  for (const { id: contact, first_name: name } of service.account.contacts()) {
    if (['Ada', 'Ben', 'Odd'].includes(name ?? '')) service.account.deleteContact(contact);
  }
  await runDaily(3);
  expect(namesOf(google.account.people())).toEqual(['Cleo', 'Dora', 'Eve', 'Odd']);
});

/** Every create at the service is answered with this status from now on. */
const breakCreates = ({ sandbox }: LinkedSandbox, status: number): void => {
  sandbox.service.addFault({
    method: 'POST',
    path: '/v2/contacts$',
    times: 10_000,
    action: { kind: 'status', status },
  });
};

const AT_ONCE = 12;
const UNANSWERED_CALLS = 10;

test('R15: a run ends early where the service fails at every write', async () => {
  // The run after the outage waits between its searches for contacts of lost creates.
  await using linked = await startLinkedSandbox({ count: 160, seed: 5 }, {}, { hurry: 20 });
  breakCreates(linked, 500);
  const broken = await linked.sync();
  expect(broken.summary.outcome).toBe('failed');
  expect(broken.summary.right.created).toBe(0);
  const journaled = await linked.app.store.journal('default', { open: true });
  expect(journaled.filter(({ side, kind }) => side === 'right' && kind === 'create').length).toBeLessThan(
    UNANSWERED_CALLS + AT_ONCE,
  );
  linked.sandbox.service.clearFaults();
  const repaired = await linked.sync();
  expect(repaired.error).toBeNull();
  const { google, service } = readSides(linked.sandbox);
  expect(google).toEqual(service);
});

test('R9, R16: a create that is refused with 403 leaves no write of unknown outcome', async () => {
  await using linked = await startLinkedSandbox({ count: 20, seed: 6 });
  breakCreates(linked, 403);
  const refused = await linked.sync();
  expect(refused.summary.outcome).toBe('failed');
  expect(await linked.app.store.journal('default', { open: true })).toEqual([]);
  linked.sandbox.service.clearFaults();
  await linked.synced();
  const { google, service } = readSides(linked.sandbox);
  expect(google).toEqual(service);
});

test('R9: an update whose answers are lost in both passes of a run counts once it is found at the service', async () => {
  await using linked = await startSyncedSandbox({ google: PEOPLE, service: [] });
  const { google, service } = linked.sandbox;
  linked.clock.advance(60_000);
  const [ada] = google.account.people();
  google.account.updatePerson(ada?.resourceName ?? '', { ...ada, organizations: [{ title: 'Countess' }] });
  for (const kind of ['reset-before', 'reset-after'] as const) {
    service.addFault({ method: 'PATCH', path: '^/v2/contacts/', action: { kind } });
  }
  const summary = await linked.synced();
  expect(summary.right).toMatchObject({ created: 0, updated: 1, deleted: 0 });
  expect(await linked.app.store.journal('default', { open: true })).toEqual([]);
});

import { expect, test } from 'vitest';
import { refusalsIn } from '../../../src/core/state/unsyncable.ts';
import { readGroupNames, readSides } from '../../support/compare-sides.ts';
import { googleId, named } from '../../support/linked-people.ts';
import { startLinkedSandbox, startSyncedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';
import { GOOGLE_FAULT, SERVICE_FAULT, startFailing } from './failing-proxy.ts';

const PEOPLE = ['Ada', 'Ben'].map((name) => named(name));
const MY_CONTACTS = 'contactGroups/myContacts';

test('R15: contacts are created at the service although a bucket cannot be created', async () => {
  const google = [named('Ada', { groups: ['Choir 🎉'] }), named('Ben')];
  await using linked = await startLinkedSandbox({ google, service: [] });
  const { service } = linked.sandbox;
  const members = () => service.account.contacts().map(({ bucketIds }) => bucketIds.length);
  const action = { kind: 'status', status: 500 } as const;
  service.addFault({ method: 'POST', path: '^/v2/buckets$', times: 1_000, action });
  await linked.synced();
  expect(members()).toEqual([0, 0]);
  service.clearFaults();
  await linked.synced();
  expect(members().filter((count) => count > 0)).toEqual([1]);
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
  odd = googleId(linked, 'Zoe');
  linked.clock.advance(30 * MINUTE_MS);
  google.account.deletePerson(odd);
  google.account.updatePerson(googleId(linked, 'Ada'), { organizations: [{ title: 'Countess' }] });
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
  google.account.updatePerson(googleId(linked, 'Ada'), { organizations: [{ title: 'Countess' }] });
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

  odd = googleId(linked, 'Odd');
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

const AT_ONCE = 12;
const UNANSWERED_CALLS = 10;

test('R15: a run ends early where the service fails at every write', async () => {
  // The run after the outage waits between its searches for contacts of lost creates.
  await using linked = await startLinkedSandbox({ count: 160, seed: 5 }, {}, { hurry: 20 });
  const action = { kind: 'status', status: 500 } as const;
  linked.sandbox.service.addFault({ method: 'POST', path: '/v2/contacts$', times: 10_000, action });
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

const SHARED = [{ value: 'Family@example.org', label: 'home' }];
/** A run waits between its searches for a contact whose creation got no answer. */
const HURRY = 20;

const relative = (givenName: string) => named(givenName, { emails: SHARED });

const NAMES = ['Ada', 'Ben', 'Cid', 'Dot', 'Eve', 'Fay'];

const start = (createKnownEmail: string, names: readonly string[]): Promise<LinkedSandbox> => {
  const variants = { service: { createKnownEmail: createKnownEmail as 'existing' } };
  return startLinkedSandbox({ google: names.map(relative), service: [], variants }, {}, { hurry: HURRY });
};

const syncDaily = async (linked: LinkedSandbox): Promise<void> => {
  await linked.synced();
  linked.clock.advance(24 * 60 * MINUTE_MS);
};

const atService = ({ sandbox }: LinkedSandbox) =>
  sandbox.service.account
    .contacts()
    .map(({ first_name, email_addresses }) => [first_name, email_addresses.map(({ address }) => address)] as const)
    .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));

const atGoogle = ({ sandbox }: LinkedSandbox) =>
  sandbox.google.account
    .people()
    .map(({ names, emailAddresses = [] }) => [names?.[0]?.givenName, emailAddresses.map(({ value }) => value)] as const)
    .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));

const everyoneHolds = (names: readonly string[]) => names.map((name) => [name, ['Family@example.org']]);

test.each(['duplicate', 'existing', 'existing-updated'])(
  'R5, R10: the contact that has an address is unchanged on both sides where the create of another one with it is answered with %s',
  async (variant) => {
    await using linked = await start(variant, ['Ada']);
    await syncDaily(linked);
    const { account } = linked.sandbox.service;
    const id = account.contacts()[0]?.id ?? '';
    account.updateContact(id, { tags: ['friend'] });
    await syncDaily(linked);
    const before = account.contact(id);
    const emailAddresses = SHARED.map(({ value, label }) => ({ value, type: label }));
    linked.sandbox.google.account.createPerson({
      names: [{ givenName: 'Ben', familyName: 'Tester' }],
      emailAddresses,
    });
    await syncDaily(linked);
    expect(account.contact(id)).toEqual(before);
    expect(atService(linked)).toEqual(everyoneHolds(['Ada', 'Ben']));
    expect(atGoogle(linked)).toEqual(everyoneHolds(['Ada', 'Ben']));
    const { left, right } = await linked.synced();
    const nothing = { created: 0, updated: 0, deleted: 0 };
    expect([left, right]).toMatchObject([nothing, nothing]);
  },
);

test.each(['422', '409'])(
  'R15: where a known address is refused with %s, all contacts are created, one with the address, and its write waits',
  async (variant) => {
    await using linked = await start(variant, NAMES);
    await syncDaily(linked);
    await syncDaily(linked);
    expect(atService(linked).map(([name]) => name)).toEqual(NAMES);
    expect(atService(linked).flatMap(([, held]) => held)).toEqual(['Family@example.org']);
    expect(atGoogle(linked)).toEqual(everyoneHolds(NAMES));
    const { rejections } = await linked.app.store.link('default');
    expect(refusalsIn(rejections)).toHaveLength(NAMES.length - 1);
  },
);

import { expect, test } from 'vitest';
import { refusalsIn } from '../../../src/core/state/unsyncable.ts';
import { readGroupNames, readSides } from '../../support/compare-sides.ts';
import { googleId, named, serviceId } from '../../support/linked-people.ts';
import { startLinkedSandbox, startSyncedSandbox } from '../../support/linked-sandbox.ts';
import { GOOGLE_FAULT, SERVICE_FAULT, startFailing } from './failing-proxy.ts';

const MY_CONTACTS = 'contactGroups/myContacts';
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

test('R15: writes that fail with a 500 are reported and sent again after growing delays, and other contacts are written', async () => {
  const odd = Array.from({ length: 12 }, (_, index) => named(`Zoe 🎉 ${index}`));
  await using linked = await startFailing(
    'service',
    ({ method, body }) => (method === 'POST' && isAstral(body) ? SERVICE_FAULT : null),
    { google: [...odd, named('Ada')], service: [] },
  );
  const { google, service } = linked.sandbox;
  const creates = (): number => linked.seen.filter((line) => line === 'POST /v2/contacts').length;
  for (let run = 0; run < 3; run += 1) await linked.sync({ afterMs: 20 * MINUTE_MS });
  google.account.updatePerson(googleId(linked, 'Ada'), { organizations: [{ title: 'Countess' }] });
  for (let run = 0; run < 3; run += 1) await linked.sync({ afterMs: 20 * MINUTE_MS });
  expect(service.account.contacts().map(({ first_name: name, title }) => [name, title])).toEqual([['Ada', 'Countess']]);
  const before = creates();
  expect(await linked.synced()).toMatchObject({ skipped: 0, right: { requests: 2 } });
  expect([creates(), refusalsIn((await linked.app.store.link('default')).rejections).length]).toEqual([before, 12]);
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

/** Twelve requests are under way at once, and ten calls in a row may be without an answer. */
const MOST_CALLS = 12 + 10;

test('R15: a run ends early where the service fails at every write', async () => {
  // The run after the outage waits between its searches for contacts of lost creates.
  await using linked = await startLinkedSandbox({ count: 160, seed: 5 }, {}, { hurry: 20 });
  const action = { kind: 'status', status: 500 } as const;
  linked.sandbox.service.addFault({ method: 'POST', path: '/v2/contacts$', times: 10_000, action });
  expect((await linked.sync()).summary).toMatchObject({ outcome: 'failed', right: { created: 0 } });
  const journaled = await linked.app.store.journal('default', { open: true });
  expect(journaled.filter(({ side, kind }) => side === 'right' && kind === 'create').length).toBeLessThan(MOST_CALLS);
  linked.sandbox.service.clearFaults();
  await linked.synced();
  const { google, service } = readSides(linked.sandbox);
  expect(google).toEqual(service);
});

test('R9: an update whose answers are lost in both passes of a run counts once it is found at the service', async () => {
  await using linked = await startSyncedSandbox({ google: FOUR_PEOPLE, service: [] });
  const { google, service } = linked.sandbox;
  google.account.updatePerson(googleId(linked, 'Ada'), { organizations: [{ title: 'Countess' }] });
  for (const kind of ['reset-before', 'reset-after'] as const) {
    service.addFault({ method: 'PATCH', path: '^/v2/contacts/', action: { kind } });
  }
  expect((await linked.synced({ afterMs: MINUTE_MS })).right).toMatchObject({ created: 0, updated: 1, deleted: 0 });
  expect(await linked.app.store.journal('default', { open: true })).toEqual([]);
});

test.each(['422', '409'] as const)(
  'R15: where a known address is refused with %s, all contacts are created, one with the address, and its write waits',
  async (createKnownEmail) => {
    const names = ['Ada', 'Ben', 'Cid', 'Dot', 'Eve', 'Fay'];
    const emails = [{ value: 'Family@example.org', label: 'home' }];
    const google = names.map((name) => named(name, { emails }));
    // A run waits between its searches for a contact whose creation got no answer.
    const people = { google, service: [], variants: { service: { createKnownEmail } } };
    await using linked = await startLinkedSandbox(people, {}, { hurry: 20 });
    for (const _ of [1, 2]) await linked.synced({ afterMs: 24 * 60 * MINUTE_MS });
    const contacts = linked.sandbox.service.account.contacts();
    expect(contacts.map(({ first_name: name }) => name ?? '').toSorted()).toEqual(names);
    expect(contacts.flatMap(({ email_addresses }) => email_addresses)).toMatchObject([{ address: emails[0]?.value }]);
    const held = linked.sandbox.google.account.people().map(({ emailAddresses = [] }) => emailAddresses.length);
    expect(held).toEqual(names.map(() => 1));
    expect(refusalsIn((await linked.app.store.link('default')).rejections)).toHaveLength(names.length - 1);
  },
);

test('R9, R4: an update that Google applied and answered with a 500 is no conflict with the value that it was made from', async () => {
  let applied: (() => void) | null = null;
  await using linked = await startFailing(
    'google',
    ({ path }) => {
      if (applied === null || !path.includes('batchUpdate')) return null;
      applied();
      applied = null;
      return GOOGLE_FAULT;
    },
    { google: FOUR_PEOPLE, service: [] },
  );
  const { google, service } = linked.sandbox;
  const id = googleId(linked, 'Ada');
  google.account.updatePerson(id, { names: [{ givenName: 'Ada', middleName: 'Ann', familyName: 'Tester' }] });
  await linked.synced();
  linked.clock.advance(30 * MINUTE_MS);
  service.account.updateContact(serviceId(linked, 'Ada'), { first_name: 'Katharina Ann' });
  service.account.updateContact(serviceId(linked, 'Ben'), { title: 'Dr' });
  // Google displays the middle name after the first name.
  applied = () => {
    google.account.updatePerson(id, { names: [{ givenName: 'Katharina', middleName: 'Ann', familyName: 'Tester' }] });
  };
  for (const _ of [1, 2]) await linked.synced({ afterMs: 30 * MINUTE_MS });
  expect(service.account.contacts().map(({ first_name: name }) => name ?? '')).toContain('Katharina Ann');
  expect(await linked.app.store.conflicts('default', { all: true })).toEqual([]);
});

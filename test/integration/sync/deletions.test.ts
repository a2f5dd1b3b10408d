import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { googleId, person, serviceId } from '../../support/linked-people.ts';
import { type LinkedSandbox, startLinkedSandbox, startSyncedSandbox } from '../../support/linked-sandbox.ts';

const DAY_MS = 24 * 60 * 60_000;
const MINUTE_MS = 60_000;
const ADDRESSED_PEOPLE = ['Ada', 'Ben', 'Cy'].map((name) => person(name));

test('R7: a deletion is stored on both sides for a day', async () => {
  await using linked = await startSyncedSandbox({ google: ADDRESSED_PEOPLE, service: [] });
  const [leftId, rightId] = [googleId(linked, 'Ada'), serviceId(linked, 'Ada')];
  linked.sandbox.google.account.deletePerson(leftId);
  expect((await linked.synced({ afterMs: MINUTE_MS })).right.deleted).toBe(1);
  const known = async () => {
    const halves = await linked.app.store.halves('default', { by: 'state', states: ['gone', 'doubted'] });
    return halves.map(({ id, pair }) => [id, pair]);
  };
  const both = [
    [leftId, null],
    [rightId, null],
  ];
  expect(await known()).toEqual(both);
  await linked.synced({ afterMs: DAY_MS - 5 * MINUTE_MS });
  expect(await known()).toEqual(both);
  await linked.synced({ afterMs: 10 * MINUTE_MS });
  expect(await known()).toEqual([]);
});

const syncAll = async (linked: LinkedSandbox, kinds: readonly ('full' | 'incremental')[]): Promise<void> => {
  for (const kind of kinds) {
    await linked.synced({ kind });
    linked.clock.advance(30 * MINUTE_MS);
  }
};

const idsAt = ({ sandbox: { google, service } }: LinkedSandbox) => ({
  google: google.account.people().map(({ resourceName }) => resourceName ?? ''),
  service: service.account.contacts().map(({ id }) => id),
});

test.each([
  ['google', 'service'],
  ['service', 'google'],
] as const)('R8, R12: contacts that were all deleted and added again at %s stay paired', async (where, other) => {
  await using linked = await startLinkedSandbox({ google: ADDRESSED_PEOPLE, service: [] });
  const { google, service } = linked.sandbox;
  await syncAll(linked, ['incremental']);
  const before = idsAt(linked);
  for (const id of before[where]) {
    if (where === 'google') google.account.deletePerson(id);
    else service.account.deleteContact(id);
  }
  for (const { givenName, familyName, emails } of ADDRESSED_PEOPLE) {
    const value = emails[0]?.value ?? '';
    const organizations = [{ title: 'Countess' }];
    const email_addresses = [{ address: value, label: null }];
    if (where === 'google') {
      google.account.createPerson({ names: [{ givenName, familyName }], emailAddresses: [{ value }], organizations });
    } else {
      const name = { first_name: givenName, last_name: familyName };
      service.account.createContact({ ...name, title: 'Countess', email_addresses });
    }
  }
  await syncAll(linked, ['full', 'incremental']);
  expect(idsAt(linked)[other]).toEqual(before[other]);
  const [left, right] = [google.account.people(), service.account.contacts()];
  expect(left.map(({ organizations }) => organizations?.[0]?.title)).toEqual(['Countess', 'Countess', 'Countess']);
  expect(right.map(({ title }) => title)).toEqual(['Countess', 'Countess', 'Countess']);
});

test('R8: an address book whose contacts were all replaced by others halts the run with both counts', async () => {
  await using linked = await startLinkedSandbox({ google: ADDRESSED_PEOPLE, service: [] });
  const { google, service } = linked.sandbox;
  await syncAll(linked, ['incremental']);
  for (const { id } of service.account.contacts()) service.account.deleteContact(id);
  for (const name of ['Dee', 'Eli']) service.account.createContact({ first_name: name, last_name: 'Other' });
  for (const kind of ['full', 'incremental'] as const) {
    const { error } = await linked.sync({ kind });
    expect(error).toMatchObject({ halt: { reason: 'side-emptied', side: 'right' } });
    expect(String(error)).toMatch(/All 3 linked contacts are missing at the service and 2 other contacts are there/u);
    expect(google.account.people()).toHaveLength(ADDRESSED_PEOPLE.length);
    linked.clock.advance(30 * MINUTE_MS);
  }
});

test('R12: for a few new contacts among many, reads by id find the contacts that were deleted and added again', async () => {
  const many = Array.from({ length: 150 }, (_, index) => ({ ...EMPTY_PERSON, givenName: `Person${index}` }));
  await using linked = await startLinkedSandbox({ google: [...ADDRESSED_PEOPLE, ...many], service: [] });
  const { google, service } = linked.sandbox;
  await syncAll(linked, ['incremental']);
  const ada = googleId(linked, 'Ada');
  service.account.deleteContact(serviceId(linked, 'Ada'));
  const requests = service.requests.length;
  const email = { address: 'ada@example.org', label: null };
  service.account.createContact({ first_name: 'Ada', last_name: 'Tester', email_addresses: [email] });
  await syncAll(linked, ['incremental']);
  const since = service.requests.slice(requests);
  expect(since.filter(({ path, query }) => path === '/v2/contacts' && !query.includes('updated_at'))).toEqual([]);
  const found = google.account.people().filter(({ names }) => names?.[0]?.givenName === 'Ada');
  expect(found.map(({ resourceName }) => resourceName)).toEqual([ada]);
  expect(service.account.contacts().filter(({ first_name: name }) => name === 'Ada')).toHaveLength(1);
});

import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { googleId, named, person, serviceId } from '../../support/linked-people.ts';
import { type LinkedSandbox, startLinkedSandbox, startSyncedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = ['Ada', 'Ben', 'Cid'].map((name) => named(name));
const DAY_MS = 24 * 60 * 60_000;

test('R7: a deletion is stored on both sides for a day', async () => {
  await using linked = await startSyncedSandbox({ google: PEOPLE, service: [] });
  const { google, service } = linked.sandbox;
  const [first] = google.account.people();
  const contact = service.account.contacts().find(({ first_name }) => first_name === first?.names?.[0]?.givenName);
  google.account.deletePerson(first?.resourceName ?? '');
  expect((await linked.sync({ afterMs: 60_000 })).summary.right.deleted).toBe(1);
  const known = async () => {
    const halves = await linked.app.store.halves('default', { by: 'state', states: ['gone', 'doubted'] });
    return halves.map(({ id, pair }) => [id, pair]);
  };
  const both = [
    [first?.resourceName, null],
    [contact?.id, null],
  ];
  expect(await known()).toEqual(both);
  await linked.synced({ afterMs: DAY_MS - 5 * 60_000 });
  expect(await known()).toEqual(both);
  await linked.synced({ afterMs: 10 * 60_000 });
  expect(await known()).toEqual([]);
  expect([google.account.people(), service.account.contacts()].map(({ length }) => length)).toEqual([2, 2]);
});

const MINUTE_MS = 60_000;
const ADDRESSED_PEOPLE = ['Ada', 'Ben', 'Cy'].map((name) => person(name));

const syncAll = async (linked: LinkedSandbox, kinds: readonly ('full' | 'incremental')[]): Promise<void> => {
  for (const kind of kinds) {
    await linked.synced({ kind });
    linked.clock.advance(30 * MINUTE_MS);
  }
};

test.each(['google', 'service'] as const)(
  'R8, R12: an address book whose contacts were all deleted and added again at %s stays paired',
  async (where) => {
    await using linked = await startLinkedSandbox({ google: ADDRESSED_PEOPLE, service: [] });
    const { google, service } = linked.sandbox;
    await syncAll(linked, ['incremental']);
    const kept = {
      google: google.account.people().map(({ resourceName }) => resourceName),
      service: service.account.contacts().map(({ id }) => id),
    };
    if (where === 'google') for (const name of kept.google) google.account.deletePerson(name ?? '');
    else for (const id of kept.service) service.account.deleteContact(id);
    for (const { givenName, familyName, emails } of ADDRESSED_PEOPLE) {
      const address = emails[0]?.value ?? '';
      if (where === 'google') {
        google.account.createPerson({ names: [{ givenName, familyName }], emailAddresses: [{ value: address }] });
      } else {
        service.account.createContact({
          first_name: givenName,
          last_name: familyName,
          title: 'Countess',
          email_addresses: [{ address, label: null }],
        });
      }
    }
    await syncAll(linked, ['full', 'incremental']);
    const now = {
      google: google.account.people().map(({ resourceName }) => resourceName),
      service: service.account.contacts().map(({ id }) => id),
    };
    const other = where === 'google' ? 'service' : 'google';
    expect(now[other]).toEqual(kept[other]);
    expect(now[where]).toHaveLength(ADDRESSED_PEOPLE.length);
    if (where === 'service') {
      expect(google.account.people().map(({ organizations }) => organizations?.[0]?.title)).toEqual(
        ADDRESSED_PEOPLE.map(() => 'Countess'),
      );
    }
  },
);

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
  const listings = service.requests.slice(requests).filter(({ path, query }) => {
    return path === '/v2/contacts' && !query.includes('updated_at');
  });
  expect(listings).toEqual([]);
  const names = ({ names: [name] = [] }: ReturnType<typeof google.account.people>[number]) => name?.givenName;
  expect(google.account.people().filter((one) => names(one) === 'Ada')).toMatchObject([{ resourceName: ada }]);
  expect(service.account.contacts().filter(({ first_name: name }) => name === 'Ada')).toHaveLength(1);
});

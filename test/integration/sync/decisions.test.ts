import { describe, expect, test } from 'vitest';
import { type Person } from '../../../src/sandbox/people/person.ts';
import { readGroupNames, readSides } from '../../support/compare-sides.ts';
import { googleId, person, serviceId } from '../../support/linked-people.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = ['Ada', 'Ben', 'Cid', 'Dot', 'Eve', 'Fay'].map((name) => person(name));

const started = async (options: { variables?: Record<string, string>; people?: readonly Person[] } = {}) => {
  const people = options.people ?? PEOPLE;
  const linked = await startLinkedSandbox(
    { google: people, service: [] },
    { SWEEP_INTERVAL: '1s', ...options.variables },
  );
  const { error } = await linked.sync();
  expect(error).toBeNull();
  linked.clock.advance(60_000);
  return linked;
};

const expectEqualSides = (linked: LinkedSandbox): void => {
  const sides = readSides(linked.sandbox);
  expect(sides.google).toEqual(sides.service);
};

const expectQuiet = async (linked: LinkedSandbox): Promise<void> => {
  const { summary } = await linked.sync();
  const none = { created: 0, updated: 0, deleted: 0 };
  expect(summary).toMatchObject({ outcome: 'completed', left: none, right: none });
};

describe('deletions', () => {
  test('R7, R14: a full listing finds a contact that was deleted at Google while the sync token was expired', async () => {
    await using linked = await started();
    linked.clock.advance(8 * 24 * 3_600_000);
    linked.sandbox.google.account.deletePerson(googleId(linked, 'Ada'));
    const { summary } = await linked.sync();
    expect(summary).toMatchObject({ outcome: 'completed', right: { deleted: 1 } });
    expectEqualSides(linked);
  });

  test.each(['google', 'service'] as const)(
    'R6: an edit beats a deletion at %s: the contact is restored',
    async (side) => {
      await using linked = await started();
      const { google, service } = linked.sandbox;
      const ids = { google: googleId(linked, 'Dot'), service: serviceId(linked, 'Dot') };
      if (side === 'google') {
        google.account.deletePerson(ids.google);
        service.account.updateContact(ids.service, { title: 'Survivor' });
      } else {
        service.account.deleteContact(ids.service);
        google.account.updatePerson(ids.google, { organizations: [{ title: 'Survivor' }] });
      }
      await linked.sync();
      expectEqualSides(linked);
      expect(readSides(linked.sandbox).google.map((row) => row.title)).toContain('Survivor');
      await expectQuiet(linked);
    },
  );

  test('DELETE_POLICY=keep keeps the other contact and never restores the deleted one', async () => {
    await using linked = await started({ variables: { DELETE_POLICY: 'keep' } });
    const { google, service } = linked.sandbox;
    google.account.deletePerson(googleId(linked, 'Eve'));
    await linked.sync();
    expect(serviceId(linked, 'Eve')).not.toBe('');
    service.account.updateContact(serviceId(linked, 'Eve'), { title: 'Still here' });
    await linked.sync();
    await linked.sync({ kind: 'full' });
    expect(googleId(linked, 'Eve')).toBe('');
    expect(serviceId(linked, 'Eve')).not.toBe('');
  });
});

describe('buckets and labels', () => {
  const grouped = [person('Ada', { groups: ['Choir'] }), person('Ben', { groups: ['Choir', 'Team'] }), person('Cid')];

  test('R11: a rename and a deletion of a group are propagated; contacts and their other memberships are kept', async () => {
    await using linked = await started({ people: grouped });
    const { google, service } = linked.sandbox;
    const choir = service.account.buckets().find((candidate) => candidate.name === 'Choir')?.id ?? '';
    service.account.updateBucket(choir, { name: 'Chorus' });
    const team = google.account.groups().find((candidate) => candidate.name === 'Team')?.resourceName ?? '';
    google.account.deleteGroup(team);
    await linked.sync();
    expect(readGroupNames(linked.sandbox)).toEqual({ google: ['Chorus'], service: ['Chorus'] });
    expectEqualSides(linked);
    expect(service.account.contacts()).toHaveLength(3);
    await expectQuiet(linked);
  });
});

describe('one-way links', () => {
  test('DIRECTION=to-service never writes to Google, and propagates a deletion at the source', async () => {
    await using linked = await started({ variables: { DIRECTION: 'to-service' } });
    const { google, service } = linked.sandbox;
    service.account.updateContact(serviceId(linked, 'Ada'), { title: 'Local' });
    service.account.createContact({ first_name: 'Zoe', last_name: 'Local' });
    google.account.deletePerson(googleId(linked, 'Ben'));
    await linked.sync();
    expect(google.account.people()).toHaveLength(PEOPLE.length - 1);
    expect(service.account.contact(serviceId(linked, 'Ada'))?.title).toBe('Local');
    expect(serviceId(linked, 'Ben')).toBe('');
    google.account.updatePerson(googleId(linked, 'Ada'), { organizations: [{ title: 'From the source' }] });
    await linked.sync();
    expect(service.account.contact(serviceId(linked, 'Ada'))?.title).toBe('From the source');
    const mutations = google.requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'));
    expect(mutations).toEqual([]);
  });
});

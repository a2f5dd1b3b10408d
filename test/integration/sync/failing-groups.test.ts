import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import type { Fault } from '../../../src/sandbox/service/faults.ts';
import { readGroupNames } from '../../support/compare-sides.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';
import { startFailing } from './failing-proxy.ts';

const PEOPLE = ['Ada', 'Ben'].map((givenName) => ({ ...EMPTY_PERSON, givenName, familyName: 'Tester' }));
const MY_CONTACTS = 'contactGroups/myContacts';
const FAULT = { kind: 'status', status: 500 } as const;

const fail = async ({ sandbox }: LinkedSandbox, fault: Fault): Promise<void> => {
  const body = JSON.stringify({ times: 1_000, ...fault });
  expect((await fetch(`${sandbox.service.url}/__control/faults`, { method: 'POST', body })).ok).toBe(true);
};

const repair = ({ sandbox }: LinkedSandbox) => fetch(`${sandbox.service.url}/__control/faults`, { method: 'DELETE' });

/** A label with Ada in it. */
const label = ({ sandbox: { google } }: LinkedSandbox): string => {
  const id = google.account.createGroup('Choir 🎉');
  google.account.setGroups(google.account.people()[0]?.resourceName ?? '', [MY_CONTACTS, id]);
  return id;
};

const members = ({ sandbox: { service } }: LinkedSandbox): number =>
  service.account.contacts().filter(({ bucketIds }) => bucketIds.length > 0).length;

test('R15: a bucket that the service cannot create keeps no contact from it', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  label(linked);
  await fail(linked, { method: 'POST', path: '^/v2/buckets$', action: FAULT });
  expect((await linked.sync()).error).toBeNull();
  expect(linked.sandbox.service.account.contacts()).toHaveLength(2);
  expect(members(linked)).toBe(0);
  await repair(linked);
  expect((await linked.sync()).error).toBeNull();
  expect(members(linked)).toBe(1);
});

test('R15, R9: a bucket that the service cannot delete ends no run, and goes later', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  const id = label(linked);
  expect((await linked.sync()).error).toBeNull();
  linked.sandbox.google.account.deleteGroup(id);
  await fail(linked, { method: 'DELETE', path: '^/v2/buckets/', action: FAULT });
  linked.clock.advance(60_000);
  expect((await linked.sync()).error).toBeNull();
  expect(await linked.app.store.journal('default', { open: true })).toMatchObject([{ kind: 'group-delete' }]);
  await repair(linked);
  expect((await linked.sync()).error).toBeNull();
  expect(await linked.app.store.journal('default', { open: true })).toEqual([]);
  expect(readGroupNames(linked.sandbox)).toEqual({ google: [], service: [] });
});

test('R17, R15: a rename that is answered with a redirect is reported, and stops nothing', async () => {
  const moved = { status: 307, body: '' };
  await using linked = await startFailing(
    'service',
    ({ method, path }) => (method === 'PATCH' && path.startsWith('/v2/buckets') ? moved : null),
    { google: PEOPLE, service: [] },
  );
  const { google, service } = linked.sandbox;
  const id = label(linked);
  expect((await linked.sync()).error).toBeNull();
  google.account.renameGroup(id, 'Band');
  google.account.updatePerson(google.account.people()[1]?.resourceName ?? '', { organizations: [{ title: 'Dr' }] });
  linked.clock.advance(60_000);
  expect((await linked.sync()).error).toBeNull();
  expect(
    service.account
      .contacts()
      .map(({ title }) => title ?? '')
      .toSorted(),
  ).toEqual(['', 'Dr']);
});

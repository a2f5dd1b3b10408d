import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { StoppedError } from '../../../src/engine/context.ts';
import type { Fault } from '../../../src/sandbox/service/faults.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = ['Ada', 'Ben'].map((givenName) => ({ ...EMPTY_PERSON, givenName, familyName: 'Tester' }));

const MY_CONTACTS = 'contactGroups/myContacts';

const fail = async ({ sandbox }: LinkedSandbox, fault: Fault): Promise<void> => {
  const response = await fetch(`${sandbox.service.url}/__control/faults`, {
    method: 'POST',
    body: JSON.stringify(fault),
  });
  expect(response.ok).toBe(true);
};

test('R9, R5: a change of membership whose answer was lost does not turn the user’s next change around', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  const { google, service } = linked.sandbox;
  const label = google.account.createGroup('Choir');
  const person = google.account.people()[0]?.resourceName ?? '';
  google.account.setGroups(person, [MY_CONTACTS, label]);
  expect((await linked.sync()).error).toBeNull();
  const members = () => service.account.contacts().filter(({ bucketIds }) => bucketIds.length > 0).length;
  expect(members()).toBe(1);

  google.account.setGroups(person, [MY_CONTACTS]);
  linked.clock.advance(60_000);
  // The bucket is taken off and the answer is lost; the run ends before it can look.
  await fail(linked, { method: 'DELETE', path: '/buckets$', action: { kind: 'reset-after' } });
  const outage = { kind: 'status', status: 500 } as const;
  await fail(linked, { method: 'GET', path: '^/v2/contacts/[^/]+$', times: 1_000, action: outage });
  const ending = new AbortController();
  const running = linked.app.run(linked.link, {
    kind: 'incremental',
    acceptDeletes: false,
    signal: ending.signal,
  });
  while (members() > 0) await fetch(`${service.url}/__control/requests`);
  ending.abort(new StoppedError());
  const broken = await running;
  expect(broken.summary.outcome).toBe('failed');
  expect(members()).toBe(0);
  expect(await linked.app.store.journal('default', { open: true })).toMatchObject([{ kind: 'membership' }]);

  await fetch(`${service.url}/__control/faults`, { method: 'DELETE' });
  google.account.setGroups(person, [MY_CONTACTS, label]);
  linked.clock.advance(60_000);
  expect((await linked.sync()).error).toBeNull();
  expect(members()).toBe(1);
  expect((await linked.sync()).summary.left).toMatchObject({ updated: 0 });
  expect(JSON.stringify(google.account.person(person)?.memberships)).toContain(label);
});

test('R11, R15: a membership that is refused as its label is linked for the first time is written in the end', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  const { app, clock, link, sandbox } = linked;
  const { google, service } = sandbox;
  const label = google.account.createGroup('Choir');
  for (const person of google.account.people()) {
    google.account.setGroups(person.resourceName ?? '', [MY_CONTACTS, label]);
  }
  const { signal } = new AbortController();
  const run = (buckets: readonly string[]) =>
    app.run({ ...link, buckets }, { kind: 'incremental', acceptDeletes: false, signal });
  const members = () => service.account.contacts().filter(({ bucketIds }) => bucketIds.length > 0).length;
  expect((await run(['!Choir'])).error).toBeNull();
  expect(members()).toBe(0);
  clock.advance(60_000);
  const action = { kind: 'status', status: 422 } as const;
  // The first request creates the bucket.
  await fail(linked, { method: 'POST', path: '/buckets$', skip: 1, action });
  await fail(linked, { method: 'PUT', path: '/buckets$', action });
  expect((await run(['*'])).error).toBeNull();
  expect(members()).toBe(1);
  await fetch(`${service.url}/__control/faults`, { method: 'DELETE' });
  for (let day = 0; day < 2; day += 1) {
    clock.advance(25 * 3_600_000);
    expect((await linked.sync()).error).toBeNull();
  }
  expect(members()).toBe(2);
});

test('R9, R11: one whose contact waits for a write of unknown outcome, as its label is linked for the first time, is written in the end', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  const { app, clock, link, sandbox } = linked;
  const { google, service } = sandbox;
  const label = google.account.createGroup('Choir');
  const people = google.account.people();
  for (const person of people) google.account.setGroups(person.resourceName ?? '', [MY_CONTACTS, label]);
  const { signal } = new AbortController();
  const run = (buckets: readonly string[]) =>
    app.run({ ...link, buckets }, { kind: 'incremental', acceptDeletes: false, signal });
  const members = () => service.account.contacts().filter(({ bucketIds }) => bucketIds.length > 0).length;
  expect((await run(['!Choir'])).error).toBeNull();
  clock.advance(60_000);
  // The title is written to one contact, the answer is lost, and for a while the contact is refused to every read.
  const [ada] = people;
  google.account.updatePerson(ada?.resourceName ?? '', { ...ada, organizations: [{ title: 'Countess' }] });
  google.account.setGroups(ada?.resourceName ?? '', [MY_CONTACTS, label]);
  await fail(linked, { method: 'PATCH', path: '^/v2/contacts/', action: { kind: 'reset-after' } });
  const withheld = { kind: 'status', status: 403 } as const;
  await fail(linked, { method: 'GET', path: '^/v2/contacts/[^/]+$', times: 1_000, action: withheld });
  expect((await run(['!Choir'])).error).toBeNull();
  expect(await app.store.journal('default', { open: true })).toMatchObject([{ kind: 'update' }]);
  clock.advance(60_000);
  expect((await run(['*'])).error).toBeNull();
  expect(members()).toBe(1);
  expect(await app.store.journal('default', { open: true })).toMatchObject([{ kind: 'update' }]);
  await fetch(`${service.url}/__control/faults`, { method: 'DELETE' });
  for (let day = 0; day < 2; day += 1) {
    clock.advance(25 * 3_600_000);
    expect((await linked.sync()).error).toBeNull();
  }
  expect(await app.store.journal('default', { open: true })).toEqual([]);
  expect(members()).toBe(2);
});

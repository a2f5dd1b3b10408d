import { expect, test } from 'vitest';
import type { Side } from '../../../src/core/contact/side.ts';
import { named } from '../../support/linked-people.ts';
import { startLinkedSandbox, startSyncedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = ['Ada', 'Ben', 'Cid'].map((name) => named(name));
const DAY_MS = 24 * 60 * 60_000;

/** The halves of a side that are known to be deleted. */
const deletedOn = async ({ app }: LinkedSandbox, side: Side) => {
  return app.store.halves('default', { by: 'state', side, states: ['gone', 'doubted'] });
};

test('R7: a deletion is stored on both sides for a day', async () => {
  await using linked = await startSyncedSandbox({ google: PEOPLE, service: [] });
  const { google, service } = linked.sandbox;
  const [person] = google.account.people();
  const contact = service.account.contacts().find(({ first_name }) => first_name === person?.names?.[0]?.givenName);
  google.account.deletePerson(person?.resourceName ?? '');
  expect((await linked.sync({ afterMs: 60_000 })).summary.right.deleted).toBe(1);
  const known = async () => {
    const [left, right] = [await deletedOn(linked, 'left'), await deletedOn(linked, 'right')];
    return [...left, ...right].map(({ id, pair }) => [id, pair]);
  };
  const both = [
    [person?.resourceName, null],
    [contact?.id, null],
  ];
  expect(await known()).toEqual(both);
  await linked.synced({ afterMs: DAY_MS - 5 * 60_000 });
  expect(await known()).toEqual(both);
  await linked.synced({ afterMs: 10 * 60_000 });
  expect(await known()).toEqual([]);
  expect([google.account.people(), service.account.contacts()].map(({ length }) => length)).toEqual([2, 2]);
});

test('R7: a deleted contact that a lagging listing still shows is not created again on the other side', async () => {
  const variants = { service: { listLag: '10s' } } as const;
  await using linked = await startSyncedSandbox({ google: PEOPLE, service: [], variants });
  const { google, service } = linked.sandbox;
  await linked.synced({ afterMs: 60 * 60_000, kind: 'full' });
  google.account.deletePerson(google.account.people()[0]?.resourceName ?? '');
  expect((await linked.sync()).summary.right.deleted).toBe(1);
  const summary = await linked.synced({ kind: 'full' });
  expect(summary.left).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  await linked.synced({ afterMs: 60_000, kind: 'full' });
  expect([google.account.people(), service.account.contacts()].map(({ length }) => length)).toEqual([2, 2]);
});

test('R6: an edit that was written to an archived contact beats the deletion: the contact is created again', async () => {
  const variants = { service: { deleteStyle: 'archived' } } as const;
  await using linked = await startSyncedSandbox({ google: PEOPLE, service: [], variants });
  const { google, service } = linked.sandbox;
  const listAll = async () => {
    await linked.synced({ afterMs: 60 * 60_000, kind: 'full' });
  };
  await listAll();
  const person = google.account.people()[0] ?? {};
  const name = person.names?.[0]?.givenName ?? '';
  const contact = service.account.contacts().find(({ first_name }) => first_name === name);
  service.account.archiveContact(contact?.id ?? '');
  const edited = { ...person, organizations: [{ title: 'Countess' }] };
  google.account.updatePerson(person.resourceName ?? '', edited);
  for (let listing = 0; listing < 4; listing += 1) await listAll();
  const titles = google.account.people().map(({ organizations }) => organizations?.[0]?.title);
  expect(titles).toContain('Countess');
  const standing = service.account.contacts().filter(({ archivedAtMs }) => archivedAtMs === null);
  expect(standing.find(({ first_name }) => first_name === name)).toMatchObject({ title: 'Countess' });
});

test('R6: a read that shows a contact as it was before our update is no edit: its deletion is propagated', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] }, { SWEEP_INTERVAL: '1s' });
  const { google, service } = linked.sandbox;
  google.setVariants({ readAfterWrite: 'firstReadStale' });
  await linked.synced();
  const id = service.account.contacts()[0]?.id ?? '';
  linked.clock.advance(60_000);
  service.account.updateContact(id, { company: 'Analytical Engines' });
  expect((await linked.sync()).summary.left.updated).toBe(1);
  linked.clock.advance(60_000);
  service.account.deleteContact(id);
  // Read once more before it is deleted, it is shown as it was before: so its deletion waits for the next run.
  expect((await linked.sync()).summary).toMatchObject({ left: { deleted: 0 }, right: { created: 0 } });
  expect((await linked.sync()).summary).toMatchObject({ left: { deleted: 1 }, right: { created: 0 } });
  expect([google.account.people(), service.account.contacts()].map(({ length }) => length)).toEqual([2, 2]);
});

import { expect, test } from 'vitest';
import { readLinkRecord } from '../../../src/engine/history/link-record.ts';
import { googleId, named, serviceId } from '../../support/linked-people.ts';
import { type LinkedSandbox, startSyncedSandbox } from '../../support/linked-sandbox.ts';

// A contact is read directly before it is deleted.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ACME = { name: 'Acme', title: 'CEO' };
const OLD = { name: 'OldCo', title: 'Advisor' };
const ADA_AND_BEN = { google: [named('Ada'), named('Ben')], service: [] };

const setAda = (linked: LinkedSandbox, values: object): void => {
  const { account } = linked.sandbox.google;
  const id = googleId(linked, 'Ada');
  account.updatePerson(id, { ...account.person(id), ...values });
};

/** Deletes Ada at the service and syncs for some days. Returns the names at both sides. */
const deletedAtService = async (linked: LinkedSandbox) => {
  const { google, service } = linked.sandbox;
  service.account.deleteContact(serviceId(linked, 'Ada'));
  for (let day = 0; day < 3; day += 1) await linked.synced({ afterMs: DAY_MS, kind: 'full' });
  return [
    google.account.people().map(({ names }) => names?.[0]?.givenName),
    service.account.contacts().map((contact) => contact.first_name),
  ];
};

test.each([
  ['the other one becomes the current one', [ACME, { ...OLD, current: true }]],
  ['another one is added before it', [{ name: 'NewCo' }, ACME, OLD]],
])('R6, R10: a contact with two organizations is deleted although %s', async (_, organizations) => {
  await using linked = await startSyncedSandbox(ADA_AND_BEN);
  setAda(linked, { organizations: [ACME, OLD] });
  await linked.synced({ afterMs: HOUR_MS });
  setAda(linked, { organizations });
  await linked.synced({ afterMs: HOUR_MS });
  expect(await deletedAtService(linked)).toEqual([['Ben'], ['Ben']]);
});

test('R6, R10: a contact is deleted although the organization that was synced is cleared and another one remains', async () => {
  await using linked = await startSyncedSandbox(ADA_AND_BEN);
  setAda(linked, { organizations: [ACME, OLD] });
  await linked.synced({ afterMs: HOUR_MS });
  linked.sandbox.service.account.updateContact(serviceId(linked, 'Ada'), { company: '', title: '' });
  await linked.synced({ afterMs: HOUR_MS });
  expect(await deletedAtService(linked)).toEqual([['Ben'], ['Ben']]);
});

test('R6, R17: a contact is deleted although a line break of its notes was replaced by a space', async () => {
  await using linked = await startSyncedSandbox(ADA_AND_BEN, { FIELDS: 'default,notes' });
  const { service } = linked.sandbox;
  const notes = service.account.customFields.define('Notes');
  service.account.createContact({ first_name: 'Zoe', custom_field_values: [{ field: { id: notes.id }, value: 'x' }] });
  setAda(linked, { biographies: [{ value: 'one\ntwo' }] });
  await linked.synced({ afterMs: HOUR_MS });
  setAda(linked, { biographies: [{ value: 'one two' }] });
  await linked.synced({ afterMs: 7 * HOUR_MS, kind: 'full' });
  const [google, atService] = await deletedAtService(linked);
  expect([google?.toSorted(), atService?.toSorted()]).toEqual([
    ['Ben', 'Zoe'],
    ['Ben', 'Zoe'],
  ]);
});

test.each([500, 403])('R15: a contact that cannot be read before its deletion is reported: %i', async (status) => {
  await using linked = await startSyncedSandbox(ADA_AND_BEN, {}, { hurry: 100 });
  const { google, service } = linked.sandbox;
  const id = serviceId(linked, 'Ada');
  const fault = { method: 'GET', path: `/contacts/${id}$`, times: 1_000, action: { kind: 'status', status } } as const;
  service.addFault(fault);
  google.account.deletePerson(googleId(linked, 'Ada'));
  expect(await linked.synced({ afterMs: DAY_MS })).toMatchObject({ skipped: 1, right: { deleted: 0 } });
  const { refused } = await readLinkRecord(linked.app.store, 'default');
  expect(refused).toMatchObject([{ side: 'right', rightId: id, name: 'Ada Tester' }]);
  // It is not read in every run.
  expect(await linked.synced({ afterMs: 1_000 })).toMatchObject({ skipped: 0 });
});

test('R8: a contact that its user deleted on both sides is not counted as deleted by the run, and no undo restores it', async () => {
  const people = { google: [named('Ada'), named('Ben'), named('Cleo')], service: [] };
  await using linked = await startSyncedSandbox(people, { DELETE_LIMIT: '100%' });
  const { google, service } = linked.sandbox;
  service.account.deleteContact(serviceId(linked, 'Ada'));
  google.account.deletePerson(googleId(linked, 'Ada'));
  google.account.deletePerson(googleId(linked, 'Ben'));
  const { run, right } = await linked.synced({ afterMs: HOUR_MS });
  const names = () => service.account.contacts().map((contact) => contact.first_name);
  expect([right.deleted, names()]).toEqual([1, ['Cleo']]);
  linked.clock.advance(HOUR_MS);
  await linked.undo(run, { accepts: { kind: 'losses' } });
  expect(names()).toEqual(['Cleo', 'Ben']);
});

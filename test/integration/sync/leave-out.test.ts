import { expect, test } from 'vitest';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import { FIRST_SYNC_WAITS } from '../../../src/engine/context.ts';
import { includeAgain, leaveOut, LeaveOutError } from '../../../src/engine/leave-out.ts';
import { googleId, serviceId } from '../../support/linked-people.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const named = (givenName: string, familyName: string): Person => ({
  ...EMPTY_PERSON,
  givenName,
  familyName,
  emails: [{ value: `${givenName}@x.org`.toLowerCase(), label: null }],
});

const parts = ({ app, clock }: LinkedSandbox) => ({
  store: app.store,
  clock,
  newId: () => 'by-hand',
  holders: app.holders,
});

const serviceNames = ({ sandbox }: LinkedSandbox) =>
  sandbox.service.account
    .contacts()
    .map((contact) => contact.first_name ?? '')
    .toSorted();

const sync = (linked: LinkedSandbox, kind: 'incremental' | 'full' = 'incremental') =>
  linked.synced({ afterMs: 60_000, kind });

/** Two contacts at Google, of which one is left out before the first sync is accepted. */
const halted = async (): Promise<LinkedSandbox> => {
  const google = [named('Ann', 'Lee'), named('Ben', 'Moor')];
  const linked = await startLinkedSandbox({ google, service: [] }, { FIRST_SYNC: 'review' });
  expect((await linked.sync({ kind: 'full' })).summary.outcome).toBe('halted');
  await leaveOut(parts(linked), 'default', { side: 'left', id: googleId(linked, 'Ann') });
  await linked.synced({ kind: 'full', acceptDeletes: true, acceptedHalt: FIRST_SYNC_WAITS });
  return linked;
};

test('a contact that is left out of the first sync is not created, also after edits', async () => {
  await using linked = await halted();
  expect(serviceNames(linked)).toEqual(['Ben']);
  linked.sandbox.google.account.updatePerson(googleId(linked, 'Ann'), { organizations: [{ title: 'Baker' }] });
  await sync(linked);
  await sync(linked, 'full');
  expect(serviceNames(linked)).toEqual(['Ben']);
});

test('a contact that was left out is created once it is included again', async () => {
  await using linked = await halted();
  await includeAgain(parts(linked), 'default', { side: 'left', id: googleId(linked, 'Ann') });
  await sync(linked);
  expect(serviceNames(linked)).toEqual(['Ann', 'Ben']);
});

test('R13: a contact that was left out is paired with a matching contact of the other side', async () => {
  await using linked = await halted();
  const address = 'ann@x.org';
  linked.sandbox.service.account.createContact({
    first_name: 'Ann',
    last_name: 'Lee',
    email_addresses: [{ address }],
  });
  expect((await sync(linked)).paired).toBe(1);
  expect(serviceNames(linked)).toEqual(['Ann', 'Ben']);
});

test('a contact whose deletion is left out stays', async () => {
  const google = [named('Ann', 'Lee'), named('Ben', 'Moor'), named('Cleo', 'Fox')];
  await using linked = await startLinkedSandbox({ google, service: [] }, { DELETE_LIMIT: '0' });
  await sync(linked, 'full');
  linked.sandbox.google.account.deletePerson(googleId(linked, 'Ann'));
  expect((await linked.sync({ afterMs: 60_000, kind: 'incremental' })).summary.outcome).toBe('halted');
  await leaveOut(parts(linked), 'default', { side: 'right', id: serviceId(linked, 'Ann') });
  await sync(linked);
  await sync(linked, 'full');
  expect(serviceNames(linked)).toEqual(['Ann', 'Ben', 'Cleo']);
  expect(linked.sandbox.google.account.people()).toHaveLength(2);
});

test('a contact with a counterpart cannot be left out, and one that is not left out cannot be included again', async () => {
  await using linked = await halted();
  const contact = { side: 'left', id: googleId(linked, 'Ben') } as const;
  await expect(leaveOut(parts(linked), 'default', contact)).rejects.toThrow(LeaveOutError);
  await expect(includeAgain(parts(linked), 'default', contact)).rejects.toThrow(LeaveOutError);
  await expect(leaveOut(parts(linked), 'default', { side: 'left', id: 'people/none' })).rejects.toThrow(LeaveOutError);
});

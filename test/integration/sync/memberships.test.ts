import { expect, test } from 'vitest';
import { readSides } from '../../support/compare-sides.ts';
import { googleId, labelId, named, person, serviceId } from '../../support/linked-people.ts';
import { GOOGLE_REFUSAL, startFailing } from './failing-proxy.ts';
import { startLinkedSandbox, startSyncedSandbox } from '../../support/linked-sandbox.ts';

const THREE_PEOPLE = ['Ada', 'Ben', 'Cleo'].map((name) => named(name));

const HOUR_MS = 3_600_000;

test('R11: a label that is renamed to that of a new bucket during the run does not mix the members of two buckets', async () => {
  await using linked = await startLinkedSandbox({ google: [], service: THREE_PEOPLE });
  const { google, service } = linked.sandbox;
  const family = service.account.createBucket({ name: 'Family' }).id;
  service.account.setBuckets(serviceId(linked, 'Ada'), [family]);
  await linked.synced();
  const label = labelId(linked, 'Family');
  expect(label).not.toBe('');

  const choir = service.account.createBucket({ name: 'Choir' }).id;
  service.account.setBuckets(serviceId(linked, 'Ben'), [choir]);
  await linked.synced({
    afterMs: HOUR_MS,
    kind: 'full',
    // At this time the groups are listed and not written yet.
    onEvent: (event) => {
      if (event.kind === 'planned' && google.account.groups().some(({ name }) => name === 'Family')) {
        google.account.renameGroup(label, 'Choir');
      }
    },
  });
  google.account.setGroups(googleId(linked, 'Cleo'), ['contactGroups/myContacts', label]);
  for (let hour = 0; hour < 3; hour += 1) await linked.synced({ afterMs: HOUR_MS, kind: 'full' });
  const bucketsOf = (name: string) => service.account.contact(serviceId(linked, name))?.bucketIds;
  expect(['Ada', 'Ben', 'Cleo'].map(bucketsOf)).toEqual([[family], [choir], [family]]);
});

const MY_CONTACTS = 'contactGroups/myContacts';
const startLeftOut = async () => {
  const google = ['Ada', 'Ben'].map((name) => named(name, { groups: ['Choir'] }));
  const linked = await startLinkedSandbox({ google, service: [] });
  const run = (buckets: readonly string[]) => linked.synced({ link: { buckets }, afterMs: 60_000 });
  const members = () =>
    linked.sandbox.service.account.contacts().filter(({ bucketIds }) => bucketIds.length > 0).length;
  const open = () => linked.app.store.journal('default', { open: true });
  await run(['!Choir']);
  expect(members()).toBe(0);
  return { linked, run, members, open };
};

test('R11, R15: a membership that is refused in the run that links its label is written later', async () => {
  const { linked, run, members } = await startLeftOut();
  await using _linked = linked;
  const { service } = linked.sandbox;
  const action = { kind: 'status', status: 422 } as const;
  // The first request creates the bucket.
  service.addFault({ method: 'POST', path: '/buckets$', skip: 1, action });
  service.addFault({ method: 'PUT', path: '/buckets$', action });
  await run(['*']);
  expect(members()).toBe(1);
  service.clearFaults();
  for (let day = 0; day < 2; day += 1) await linked.synced({ afterMs: 25 * HOUR_MS });
  expect(members()).toBe(2);
});

test('R9, R11: a membership of a contact with a write of unknown outcome, in the run that links its label, is written later', async () => {
  const { linked, run, members, open } = await startLeftOut();
  await using _linked = linked;
  const { google, service } = linked.sandbox;
  // The title is written to one contact, the answer is lost, and reads of the contact are refused for a while.
  google.account.updatePerson(googleId(linked, 'Ada'), { organizations: [{ title: 'Countess' }] });
  service.addFault({ method: 'PATCH', path: '^/v2/contacts/', action: { kind: 'reset-after' } });
  const withheld = { kind: 'status', status: 403 } as const;
  service.addFault({ method: 'GET', path: '^/v2/contacts/[^/]+$', times: 1_000, action: withheld });
  await run(['!Choir']);
  expect(await open()).toMatchObject([{ kind: 'update' }]);
  await run(['*']);
  expect([members(), await open()]).toMatchObject([1, [{ kind: 'update' }]]);
  service.clearFaults();
  for (let day = 0; day < 2; day += 1) await linked.synced({ afterMs: 25 * HOUR_MS });
  expect([members(), await open()]).toEqual([2, []]);
});

test.each([
  ['fail', { kind: 'status', status: 500 }],
  ['cannot be parsed', { kind: 'status', status: 200, body: { id: 7 } }],
  ['are refused', { kind: 'status', status: 422 }],
] as const)('R15: a label whose deletion fails at one side, and whose reads %s, stops no run', async (_, read) => {
  const ada = named('Ada', { groups: ['Choir'] });
  await using linked = await startSyncedSandbox({ google: [ada], service: [] }, {}, { hurry: 100 });
  const { google, service } = linked.sandbox;
  google.account.deleteGroup(labelId(linked, 'Choir'));
  const fault = { path: '/buckets/[^/]+$', times: 1_000 };
  service.addFault({ ...fault, method: 'DELETE', action: { kind: 'status', status: 500 } });
  service.addFault({ ...fault, method: 'GET', action: read });
  await linked.sync({ afterMs: HOUR_MS });
  expect(await linked.app.store.journal('default', { open: true })).toMatchObject([{ kind: 'group-delete' }]);
  google.account.updatePerson(googleId(linked, 'Ada'), { organizations: [{ title: 'Countess' }] });
  await linked.synced({ afterMs: HOUR_MS });
  expect(service.account.contacts()).toMatchObject([{ title: 'Countess' }]);
  service.clearFaults();
  for (let day = 0; day < 2; day += 1) await linked.synced({ afterMs: 25 * HOUR_MS });
  expect(service.account.buckets()).toEqual([]);
  expect(await linked.app.store.journal('default', { open: true })).toEqual([]);
});

test('R11: a label that replaces a deleted one of its name is not deleted with that one, if its bucket cannot be renamed', async () => {
  const ada = named('Ada', { groups: ['Choir'] });
  const variants = { service: { duplicateBucketName: '422' } } as const;
  await using linked = await startSyncedSandbox({ google: [ada], service: [], variants });
  const { google, service } = linked.sandbox;
  google.account.deleteGroup(labelId(linked, 'Choir'));
  const next = google.account.createGroup('Choir');
  google.account.setGroups(googleId(linked, 'Ada'), [MY_CONTACTS, next]);
  service.addFault({ method: 'PATCH', path: '/buckets/[^/]+$', action: { kind: 'status', status: 422 } });
  for (let hour = 0; hour < 3; hour += 1) await linked.synced({ afterMs: HOUR_MS, kind: 'full' });
  expect(google.account.groups().map(({ name }) => name)).toContain('Choir');
  expect(service.account.buckets()).toMatchObject([{ name: 'Choir' }]);
  expect(service.account.contacts()[0]?.bucketIds).toHaveLength(1);
});

test('R5: a group whose members are not united yet is united although the run that renamed it was cut off', async () => {
  const google = [person('Ada', { groups: ['Crew', 'Zoo'] }), person('Ben')];
  await using linked = await startSyncedSandbox({ google, service: [] });
  const { account } = linked.sandbox.google;
  const link = { buckets: ['*', '!Zoo'] };
  await linked.synced({ afterMs: HOUR_MS, link });
  account.setGroups(googleId(linked, 'Ben'), [MY_CONTACTS, labelId(linked, 'Zoo')]);
  await linked.synced({ afterMs: HOUR_MS, link });
  account.renameGroup(labelId(linked, 'Crew'), 'Team');
  account.renameGroup(labelId(linked, 'Zoo'), 'Zebra');
  const action = { kind: 'status', status: 401 } as const;
  linked.sandbox.service.addFault({ method: 'PATCH', path: 'buckets', skip: 1, times: 1, action });
  await linked.sync({ afterMs: HOUR_MS, link });
  for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS, link });
  const { service } = readSides(linked.sandbox);
  expect(service.map(({ name, groups }) => [name, groups])).toEqual([
    ['Ada Tester', ['Team', 'Zebra']],
    ['Ben Tester', ['Zebra']],
  ]);
});

test.each(['changeContact', 'leaveContact'] as const)(
  'R11: a read that lacks a membership of an earlier run does not end it (%s)',
  async (membershipChanges) => {
    const variants = { google: { readAfterWrite: 'firstReadStale', membershipChanges } as const };
    await using linked = await startLinkedSandbox({ google: [], service: THREE_PEOPLE, variants });
    const { service } = linked.sandbox;
    const ids = ['Family', 'Choir'].map((name) => service.account.createBucket({ name }).id);
    const [family = '', choir = ''] = ids;
    service.account.setBuckets(serviceId(linked, 'Ben'), ids);
    for (const _ of [1, 2]) await linked.synced({ afterMs: HOUR_MS, kind: 'full' });
    for (const buckets of [[family], [family, choir]]) {
      service.account.setBuckets(serviceId(linked, 'Ada'), buckets);
      await linked.synced({ afterMs: 60_000 });
    }
    for (const _ of [1, 2, 3]) {
      await linked.synced({ afterMs: 60_000 });
      expect(service.account.contact(serviceId(linked, 'Ada'))?.bucketIds.toSorted()).toEqual(ids.toSorted());
    }
  },
);

test('R9, R11: a part of a refused change of membership that Google applied does not come back after a user reverts it', async () => {
  let isRefusing = false;
  await using linked = await startFailing(
    'google',
    ({ path }) => (isRefusing && path.includes(`${labelId(linked, 'Choir')}/members:modify`) ? GOOGLE_REFUSAL : null),
    { google: [], service: THREE_PEOPLE },
  );
  const { service } = linked.sandbox;
  const ids = ['Family', 'Choir'].map((name) => service.account.createBucket({ name }).id);
  service.account.setBuckets(serviceId(linked, 'Ben'), ids);
  for (const _ of [1, 2]) await linked.synced({ afterMs: HOUR_MS });
  const ada = serviceId(linked, 'Ada');
  service.account.setBuckets(ada, ids);
  isRefusing = true;
  await linked.synced({ afterMs: HOUR_MS });
  service.account.setBuckets(ada, []);
  for (const _ of [1, 2]) await linked.synced({ afterMs: HOUR_MS });
  expect(service.account.contact(ada)?.bucketIds).toEqual([]);
});

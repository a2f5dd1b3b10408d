import { describe, expect, test } from 'vitest';
import { type Person } from '../../../src/sandbox/people/person.ts';
import { readGroupNames, readSides } from '../../support/compare-sides.ts';
import { bucketId, googleId, person, serviceId } from '../../support/linked-people.ts';
import { startSyncedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';
import { patchLink } from '../../support/store/rows.ts';

const people = (count: number): readonly Person[] =>
  Array.from({ length: count }, (_, index) => person(`Person${index}`));

const DAY_MS = 86_400_000;

const started = async (book: readonly Person[]): Promise<LinkedSandbox> => {
  const linked = await startSyncedSandbox({ google: book, service: [] }, { SWEEP_INTERVAL: '1s' });
  linked.clock.advance(60_000);
  return linked;
};

const deleteAtGoogle = ({ sandbox, clock }: LinkedSandbox, count: number): void => {
  const { account } = sandbox.google;
  for (const { resourceName } of account.people().slice(0, count)) account.deletePerson(resourceName ?? '');
  clock.advance(60_000);
};

const NOTHING = { created: 0, updated: 0, deleted: 0 };

const expectDeleted = async (linked: LinkedSandbox, deleted: number, options: object = {}): Promise<void> =>
  expect(await linked.synced(options)).toMatchObject({ outcome: 'completed', right: { deleted } });

const expectHalt = async (linked: LinkedSandbox, reason: string, message: RegExp): Promise<void> => {
  const before = readSides(linked.sandbox);
  const { summary, error } = await linked.sync();
  expect(error).toMatchObject({ halt: { reason } });
  expect(summary).toMatchObject({ outcome: 'halted', left: NOTHING, right: NOTHING });
  expect(summary.reason).toMatch(message);
  expect(readSides(linked.sandbox)).toEqual(before);
};

describe('R8: the limit of deletions within a day', () => {
  test('deletions above the limit within a day halt, and continue after the day', async () => {
    await using linked = await started(people(40));
    deleteAtGoogle(linked, 6);
    await expectDeleted(linked, 6);
    deleteAtGoogle(linked, 5);
    await expectHalt(linked, 'too-many-deletes', /delete 5 contacts at the service.*6 .*24 hours.*10.*34/su);
    await expectDeleted(linked, 5, { afterMs: DAY_MS });
  });

  test('--accept-deletes accepts them once, and the count starts again', async () => {
    await using linked = await started(people(60));
    deleteAtGoogle(linked, 10);
    await expectDeleted(linked, 10);
    deleteAtGoogle(linked, 11);
    await expectHalt(linked, 'too-many-deletes', /--accept-deletes/u);
    await expectDeleted(linked, 11, { accepts: { kind: 'losses' } });
    deleteAtGoogle(linked, 10);
    await expectDeleted(linked, 10);
    deleteAtGoogle(linked, 1);
    await expectHalt(linked, 'too-many-deletes', /24 hours/u);
  });

  test('deletions are counted after an acceptance by a clock that was ahead', async () => {
    await using linked = await started(people(60));
    const atMs = linked.clock.now() + 30 * DAY_MS;
    await patchLink(linked.app.store, 'default', { acceptedDeletes: { run: 'another', atMs } });
    deleteAtGoogle(linked, 10);
    await expectDeleted(linked, 10);
    deleteAtGoogle(linked, 1);
    await expectHalt(linked, 'too-many-deletes', /24 hours/u);
  });

  test('a field that a contact loses twice is counted once', async () => {
    await using linked = await startSyncedSandbox({ google: people(4), service: [] }, { DELETE_LIMIT: '1' });
    const setTitle = (id: string, title: string): void =>
      linked.sandbox.google.account.updatePerson(id, { organizations: title === '' ? [] : [{ title }] });
    for (const title of ['Boss', '', 'Boss', '']) {
      setTitle(googleId(linked, 'Person0'), title);
      expect(await linked.synced({ afterMs: 60_000 })).toMatchObject({ right: { updated: 1 } });
    }
    setTitle(googleId(linked, 'Person1'), 'Boss');
    await linked.synced({ afterMs: 60_000 });
    setTitle(googleId(linked, 'Person1'), '');
    linked.clock.advance(60_000);
    await expectHalt(linked, 'too-many-deletes', /empty the title of 1 contacts.*after 1 in the last 24 hours/su);
  });
});

test('R8: a deleted group counts by its members, in the guard and in the summary', async () => {
  await using linked = await started(people(30).map((one, index) => ({ ...one, groups: index < 11 ? ['Choir'] : [] })));
  linked.sandbox.service.account.deleteBucket(bucketId(linked, 'Choir'));
  linked.clock.advance(60_000);
  await expectHalt(
    linked,
    'too-many-deletes',
    /delete groups with 11 members at Google.*10.*30.*nothing was written.*--accept-deletes/su,
  );
  expect(readGroupNames(linked.sandbox).google).toEqual(['Choir']);
  const counts = { left: { deleted: 0, groupsDeleted: 1 }, right: { groupsDeleted: 0 } };
  expect(await linked.synced({ accepts: { kind: 'losses' } })).toMatchObject({ outcome: 'completed', ...counts });
  expect(readGroupNames(linked.sandbox).google).toEqual([]);
});

describe('R8: the account of a side', () => {
  const whoRequests = ({ sandbox: { google, service } }: LinkedSandbox) => [
    google.requests.filter(({ path }) => path.endsWith('/people/me')).length,
    service.requests.filter(({ path }) => path === '/v2/me').length,
  ];
  const editBothSides = (linked: LinkedSandbox): void => {
    const { google, service } = linked.sandbox;
    service.account.updateContact(serviceId(linked, 'Person0'), { title: 'Boss' });
    google.account.updatePerson(googleId(linked, 'Person1'), { organizations: [{ title: 'Chief' }] });
  };
  const BOTH = { left: { updated: 1 }, right: { updated: 1 } };

  test('an incremental run reads the account of each side once before its first write, and an idle run reads none', async () => {
    await using linked = await started(people(3));
    const [google = 0, service = 0] = whoRequests(linked);
    await linked.sync();
    expect(whoRequests(linked)).toEqual([google, service]);
    linked.clock.advance(60_000);
    editBothSides(linked);
    expect(await linked.synced()).toMatchObject(BOTH);
    expect(whoRequests(linked)).toEqual([google + 1, service + 1]);
  });

  test('another account behind the same credential halts the run, and no contact of it is ever created', async () => {
    await using linked = await started(people(3));
    const { account } = linked.sandbox.service;
    const { user } = account;
    account.user = { ...user, id: 'user_99' };
    const strangers = ['Xav', 'Yan', 'Zed'].map((name) =>
      account.createContact({ first_name: name, last_name: 'Other' }),
    );
    const { summary, error } = await linked.sync({ afterMs: 60_000 });
    expect(error).toMatchObject({ halt: { reason: 'account-changed', side: 'right' } });
    expect(summary).toMatchObject({ outcome: 'halted', left: NOTHING, right: NOTHING });
    expect(summary.reason).toMatch(/user_99.*nothing was written/su);
    expect(linked.sandbox.google.account.people()).toHaveLength(3);
    // The first account again: what was read of the other one is forgotten.
    account.user = user;
    for (const { id } of strangers) account.deleteContact(id);
    expect(await linked.synced({ afterMs: 60_000 })).toMatchObject({ left: NOTHING, right: NOTHING });
    expect(linked.sandbox.google.account.people()).toHaveLength(3);
  });

  test('no side is written where the account of one cannot be read', async () => {
    await using linked = await started(people(3));
    editBothSides(linked);
    const { service } = linked.sandbox;
    service.addFault({ path: '/v2/me', times: 99, action: { kind: 'status', status: 503, retryAfter: '3600' } });
    const { summary } = await linked.sync();
    expect(summary).toMatchObject({ outcome: 'failed', left: NOTHING, right: NOTHING });
    service.clearFaults();
    expect(await linked.synced()).toMatchObject(BOTH);
  });
});

test('R8, R12: a side is not empty if its contacts were deleted and added again, although one of them is really deleted', async () => {
  const book = { google: [person('Ada'), person('Ben'), person('Cid')], service: [] };
  await using linked = await startSyncedSandbox(book, { DELETE_LIMIT: '100%' });
  const { google, service } = linked.sandbox;
  for (const contact of service.account.contacts()) {
    service.account.deleteContact(contact.id);
    if (contact.first_name === 'Cid') continue;
    const { first_name, last_name, email_addresses } = contact;
    service.account.createContact({ first_name, last_name, email_addresses } as never);
  }
  expect(await linked.synced({ afterMs: DAY_MS })).toMatchObject({ left: { deleted: 1, created: 0 } });
  expect(google.account.people()).toHaveLength(2);
  expect(service.account.contacts()).toHaveLength(2);
});

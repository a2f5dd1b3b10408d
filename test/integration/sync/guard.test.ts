import { describe, expect, test } from 'vitest';
import { type Person } from '../../../src/sandbox/people/person.ts';
import { readGroupNames, readSides } from '../../support/compare-sides.ts';
import { bucketId, googleId, labelId, person, serviceId } from '../../support/linked-people.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';
import { patchLink } from '../../support/store/rows.ts';

const people = (count: number, more: Partial<Person> = {}): readonly Person[] =>
  Array.from({ length: count }, (_, index) => person(`Person${index}`, more));

const DAY_MS = 86_400_000;

const started = async (
  book: readonly Person[],
  variables: Readonly<Record<string, string>> = {},
): Promise<LinkedSandbox> => {
  const linked = await startLinkedSandbox({ google: book, service: [] }, { SWEEP_INTERVAL: '1s', ...variables });
  const { error } = await linked.sync();
  expect(error).toBeNull();
  linked.clock.advance(60_000);
  return linked;
};

const deleteAtGoogle = ({ sandbox, clock }: LinkedSandbox, count: number): void => {
  const { account } = sandbox.google;
  for (const { resourceName } of account.people().slice(0, count)) account.deletePerson(resourceName ?? '');
  clock.advance(60_000);
};

const NOTHING = { created: 0, updated: 0, deleted: 0 };

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
    expect((await linked.sync()).summary).toMatchObject({ outcome: 'completed', right: { deleted: 6 } });
    deleteAtGoogle(linked, 5);
    await expectHalt(linked, 'too-many-deletes', /delete 5 contacts at the service.*6 .*24 hours.*10.*40/su);
    expect((await linked.sync({ afterMs: DAY_MS })).summary).toMatchObject({
      outcome: 'completed',
      right: { deleted: 5 },
    });
  });

  test('exactly as many deletions as the limit within a day are accepted', async () => {
    await using linked = await started(people(40));
    deleteAtGoogle(linked, 6);
    await linked.sync();
    deleteAtGoogle(linked, 4);
    expect((await linked.sync()).summary).toMatchObject({ outcome: 'completed', right: { deleted: 4 } });
  });

  test('--accept-deletes accepts them once, and the count starts again', async () => {
    await using linked = await started(people(60));
    deleteAtGoogle(linked, 10);
    await linked.sync();
    deleteAtGoogle(linked, 11);
    await expectHalt(linked, 'too-many-deletes', /--accept-deletes/u);
    const accepted = await linked.sync({ acceptDeletes: true });
    expect(accepted.summary).toMatchObject({ outcome: 'completed', right: { deleted: 11 } });
    deleteAtGoogle(linked, 10);
    expect((await linked.sync()).summary).toMatchObject({ outcome: 'completed', right: { deleted: 10 } });
    deleteAtGoogle(linked, 1);
    await expectHalt(linked, 'too-many-deletes', /24 hours/u);
  });

  test('deletions are counted after an acceptance by a clock that was ahead', async () => {
    await using linked = await started(people(60));
    const atMs = linked.clock.now() + 30 * DAY_MS;
    await patchLink(linked.app.store, 'default', { acceptedDeletes: { run: 'another', atMs } });
    deleteAtGoogle(linked, 10);
    expect((await linked.sync()).summary).toMatchObject({ outcome: 'completed', right: { deleted: 10 } });
    deleteAtGoogle(linked, 1);
    await expectHalt(linked, 'too-many-deletes', /24 hours/u);
  });

  test('at most half of a small address book is deleted without acceptance, also in several runs', async () => {
    await using linked = await started(people(15));
    deleteAtGoogle(linked, 8);
    await expectHalt(linked, 'too-many-deletes', /delete 8 contacts at the service.*7.*15/su);
    await linked.synced({ acceptDeletes: true });
    expect(linked.sandbox.service.account.contacts()).toHaveLength(7);
  });

  test('the deletion of 13 of 15 contacts in two runs halts', async () => {
    await using linked = await started(people(15));
    deleteAtGoogle(linked, 7);
    expect((await linked.sync()).summary).toMatchObject({ outcome: 'completed', right: { deleted: 7 } });
    deleteAtGoogle(linked, 6);
    await expectHalt(linked, 'too-many-deletes', /delete 6 contacts at the service.*7 .*24 hours.*7.*15/su);
  });
});

describe('R8: what a halted run observed is read again', () => {
  test('no contact is deleted if the service lists archived contacts again', async () => {
    const hour = 3_600_000;
    // More contacts than the newest page of the service's feed.
    const [google, service] = [people(150), people(150)];
    await using linked = await startLinkedSandbox({ google, service }, { SWEEP_INTERVAL: '1h' });
    await linked.synced();
    const { account } = linked.sandbox.service;
    const some = account.contacts().slice(0, 20);
    for (const { id } of some) account.archiveContact(id);
    await linked.synced({ afterMs: 2 * hour });
    const halted = await linked.sync({ afterMs: 2 * hour });
    expect(halted.summary).toMatchObject({ outcome: 'halted', reason: expect.stringMatching(/delete 20 contacts/u) });
    for (const contact of some) account.book.store(contact);
    expect(await linked.synced({ afterMs: 60_000, acceptDeletes: true })).toMatchObject({ left: { deleted: 0 } });
    expect(linked.sandbox.google.account.people()).toHaveLength(150);
  });
});

describe('R8: a field that is emptied on many contacts', () => {
  const clearEmails = ({ sandbox, clock }: LinkedSandbox, names: readonly string[], linked: LinkedSandbox): void => {
    clock.advance(5_000);
    for (const name of names) sandbox.service.account.updateContact(serviceId(linked, name), { email_addresses: [] });
    clock.advance(60_000);
  };
  const names = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `Person${from + index}`);

  test('a list that is emptied on more contacts than DELETE_LIMIT halts, and --accept-deletes accepts it once', async () => {
    await using linked = await started(people(30));
    clearEmails(linked, names(0, 11), linked);
    await expectHalt(
      linked,
      'too-many-deletes',
      /empty the email addresses of 11 contacts at Google.*10.*30.*nothing was written.*--accept-deletes/su,
    );
    const accepted = await linked.sync({ acceptDeletes: true });
    expect(accepted.summary).toMatchObject({ outcome: 'completed', left: { updated: 11 } });
    const sides = readSides(linked.sandbox);
    expect(sides.google).toEqual(sides.service);
  });

  test('texts count like lists, and each field is counted separately', async () => {
    await using linked = await started(people(30, { company: 'Mill', title: 'Boss' }));
    linked.clock.advance(5_000);
    for (const name of names(0, 10))
      linked.sandbox.service.account.updateContact(serviceId(linked, name), { company: null });
    for (const name of names(10, 20))
      linked.sandbox.service.account.updateContact(serviceId(linked, name), { title: null });
    expect((await linked.sync({ afterMs: 60_000 })).summary).toMatchObject({
      outcome: 'completed',
      left: { updated: 20 },
    });
    linked.clock.advance(DAY_MS);
    for (const name of names(10, 21))
      linked.sandbox.service.account.updateContact(serviceId(linked, name), { company: null });
    linked.clock.advance(60_000);
    await expectHalt(linked, 'too-many-deletes', /empty the company of 11 contacts at Google/u);
  });

  test('over a day', async () => {
    await using linked = await started(people(30));
    clearEmails(linked, names(0, 6), linked);
    expect((await linked.sync()).summary).toMatchObject({ outcome: 'completed', left: { updated: 6 } });
    clearEmails(linked, names(6, 11), linked);
    await expectHalt(linked, 'too-many-deletes', /email addresses of 5 contacts at Google.*6 .*24 hours/su);
  });

  test('a changed value, and the removal of one of two values, do not count', async () => {
    const two = [
      { value: 'a@example.org', label: 'work' },
      { value: 'b@example.org', label: 'home' },
    ];
    const book = people(30).map((one, index) => ({
      ...one,
      emails: two.map((email) => ({ ...email, value: `${index}${email.value}` })),
    }));
    await using linked = await started(book);
    linked.clock.advance(5_000);
    for (const contact of linked.sandbox.service.account.contacts()) {
      const [first] = contact.email_addresses;
      const address = first?.address ?? '';
      linked.sandbox.service.account.updateContact(contact.id, { email_addresses: [{ address }] });
    }
    expect((await linked.sync({ afterMs: 60_000 })).summary).toMatchObject({
      outcome: 'completed',
      left: { updated: 30 },
    });
  });
});

describe('R8: a deleted group', () => {
  test('a deleted group counts by its members, in the guard and in the summary', async () => {
    await using linked = await started(
      people(30).map((one, index) => ({ ...one, groups: index < 11 ? ['Choir'] : [] })),
    );
    linked.sandbox.service.account.deleteBucket(bucketId(linked, 'Choir'));
    linked.clock.advance(60_000);
    await expectHalt(
      linked,
      'too-many-deletes',
      /delete groups with 11 members at Google.*10.*30.*nothing was written.*--accept-deletes/su,
    );
    expect(readGroupNames(linked.sandbox).google).toEqual(['Choir']);
    const accepted = await linked.sync({ acceptDeletes: true });
    expect(accepted.summary).toMatchObject({
      outcome: 'completed',
      left: { deleted: 0, groupsDeleted: 1 },
      right: { groupsDeleted: 0 },
    });
    expect(readGroupNames(linked.sandbox).google).toEqual([]);
  });

  test('no label is deleted where the list of buckets is empty and no bucket can be read', async () => {
    const book = people(12).map((one, index) => ({ ...one, groups: [`Group${index % 4}`] }));
    await using linked = await started(book);
    for (const { id } of linked.sandbox.service.account.buckets()) linked.sandbox.service.account.deleteBucket(id);
    linked.clock.advance(60_000);
    await expectHalt(linked, 'too-many-deletes', /delete groups with 12 members at Google/u);
  });

  test('over a day', async () => {
    const book = people(30).map((one, index) => ({ ...one, groups: index < 12 ? [`Group${index % 2}`] : [] }));
    await using linked = await started(book);
    linked.sandbox.google.account.deleteGroup(labelId(linked, 'Group0'));
    expect((await linked.sync({ afterMs: 60_000 })).summary).toMatchObject({
      outcome: 'completed',
      right: { groupsDeleted: 1 },
    });
    linked.sandbox.google.account.deleteGroup(labelId(linked, 'Group1'));
    linked.clock.advance(60_000);
    await expectHalt(linked, 'too-many-deletes', /groups with 6 members at the service.*6 .*24 hours/su);
  });

  test('a group without members is deleted without acceptance', async () => {
    await using linked = await started(people(3));
    linked.sandbox.service.account.createBucket({ name: 'Empty' });
    await linked.sync();
    expect(readGroupNames(linked.sandbox).google).toEqual(['Empty']);
    linked.clock.advance(60_000);
    linked.sandbox.service.account.deleteBucket(bucketId(linked, 'Empty'));
    const { summary } = await linked.sync();
    expect(summary).toMatchObject({ outcome: 'completed', left: { groupsDeleted: 1 } });
  });
});

describe('R7, R8: recently written contacts', () => {
  test('a resync minutes after a first sync, with lagging listings, does not halt and deletes no contact', async () => {
    const book = people(4);
    await using linked = await startLinkedSandbox({ google: [], service: book });
    linked.sandbox.google.setVariants({ readAfterWrite: 'firstReadStale' });
    await linked.synced();
    expect(linked.sandbox.google.account.people()).toHaveLength(4);
    const summary = await linked.synced({ afterMs: 2 * 60_000, kind: 'full' });
    expect(summary).toMatchObject({ outcome: 'completed', left: NOTHING, right: NOTHING });
    expect((await linked.sync({ afterMs: 30 * 60_000, kind: 'full' })).summary).toMatchObject({
      left: NOTHING,
      right: NOTHING,
    });
    expect(linked.sandbox.google.account.people()).toHaveLength(4);
  });
});

describe('R8: the account of a side', () => {
  const whoRequests = ({ sandbox }: LinkedSandbox) => ({
    google: sandbox.google.requests.filter(({ path }) => path.endsWith('/people/me')).length,
    service: sandbox.service.requests.filter(({ path }) => path === '/v2/me').length,
  });

  test('an incremental run reads the account of each side once before its first write, and an idle run reads none', async () => {
    await using linked = await started(people(3));
    const asked = whoRequests(linked);
    await linked.sync();
    expect(whoRequests(linked)).toEqual(asked);
    linked.clock.advance(60_000);
    linked.sandbox.service.account.updateContact(serviceId(linked, 'Person0'), { title: 'Boss' });
    linked.sandbox.google.account.updatePerson(googleId(linked, 'Person1'), { organizations: [{ title: 'Chief' }] });
    expect((await linked.sync()).summary).toMatchObject({ left: { updated: 1 }, right: { updated: 1 } });
    expect(whoRequests(linked)).toEqual({ google: asked.google + 1, service: asked.service + 1 });
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
    expect((await linked.sync({ afterMs: 60_000 })).summary).toMatchObject({
      outcome: 'completed',
      left: NOTHING,
      right: NOTHING,
    });
    expect(linked.sandbox.google.account.people()).toHaveLength(3);
  });

  test('no side is written where the account of one cannot be read', async () => {
    await using linked = await started(people(3));
    const { google, service } = linked.sandbox;
    service.account.updateContact(serviceId(linked, 'Person0'), { title: 'Boss' });
    google.account.updatePerson(googleId(linked, 'Person1'), { organizations: [{ title: 'Chief' }] });
    service.addFault({ path: '/v2/me', times: 99, action: { kind: 'status', status: 503, retryAfter: '3600' } });
    const { summary } = await linked.sync();
    expect(summary).toMatchObject({ outcome: 'failed', left: NOTHING, right: NOTHING });
    service.clearFaults();
    expect((await linked.sync()).summary).toMatchObject({ left: { updated: 1 }, right: { updated: 1 } });
  });
});

import { expect, test } from 'vitest';
import { HaltError } from '../../../src/engine/errors.ts';
import { listConflicts } from '../../../src/engine/history/conflicts.ts';
import { readLinkRecord } from '../../../src/engine/history/link-record.ts';
import { readSides } from '../../support/compare-sides.ts';
import { extentOf } from '../../support/extent.ts';
import { bucketId, googleId, labelId, named, person, serviceId } from '../../support/linked-people.ts';
import { type LinkedSandbox, startLinkedSandbox, startSyncedSandbox } from '../../support/linked-sandbox.ts';

/** An undo is interrupted after one of so many writes. */
const EACH = extentOf({ all: 1, sample: 4 });

const NAMES = ['Ada', 'Ben', 'Cid', 'Dot', 'Eve', 'Fay'];
const PEOPLE = NAMES.map((name) => person(name, { groups: name === 'Ada' ? ['Choir'] : ['Team'] }));

const started = async (): Promise<LinkedSandbox> => {
  const linked = await startSyncedSandbox({ google: PEOPLE, service: [] }, { SWEEP_INTERVAL: '1s' });
  linked.clock.advance(60_000);
  return linked;
};

/** Syncs, and returns the summary a minute later. */
const sync = async (linked: LinkedSandbox) => {
  const summary = await linked.synced();
  linked.clock.advance(60_000);
  return summary;
};

const undo = async (linked: LinkedSandbox, id?: string) => {
  const undone = await linked.undo(id);
  if (undone.result.error instanceof Error) throw undone.result.error;
  linked.clock.advance(60_000);
  return undone;
};

const NONE = { created: 0, updated: 0, deleted: 0 };

const expectQuiet = async (linked: LinkedSandbox): Promise<void> => {
  const before = readSides(linked.sandbox);
  for (const kind of ['incremental', 'full'] as const) {
    const summary = await linked.synced({ afterMs: 60_000, kind });
    expect(summary).toMatchObject({ outcome: 'completed', left: NONE, right: NONE, conflicts: 0 });
  }
  expect(readSides(linked.sandbox)).toEqual(before);
};

const titled = (linked: LinkedSandbox, name: string, title: string): void =>
  linked.sandbox.google.account.updatePerson(googleId(linked, name), { organizations: [{ title }] });

const GUS = { names: [{ givenName: 'Gus', familyName: 'New' }] };

/** One edit of every kind, so that the run after it writes, creates, deletes and moves on both sides. */
const editEverything = (linked: LinkedSandbox): void => {
  const { google, service } = linked.sandbox;
  const choir = { contactGroupMembership: { contactGroupResourceName: labelId(linked, 'Choir') } };
  google.account.updatePerson(googleId(linked, 'Ada'), {
    phoneNumbers: [{ value: '+49 30 901820', type: 'work' }],
    emailAddresses: [{ value: 'ada@new.example.org', type: 'home' }],
  });
  service.account.updateContact(serviceId(linked, 'Ada'), { title: 'Director' });
  google.account.updatePerson(googleId(linked, 'Ben'), { organizations: [{ name: 'Bakery' }], memberships: [choir] });
  service.account.setBuckets(serviceId(linked, 'Cid'), [bucketId(linked, 'Choir')]);
  google.account.deletePerson(googleId(linked, 'Dot'));
  service.account.deleteContact(serviceId(linked, 'Eve'));
  google.account.createPerson({ ...GUS, memberships: [choir] });
  service.account.createContact(
    { first_name: 'Hal', last_name: 'New', email_addresses: [{ address: 'hal@example.org' }] },
    { bucketIds: [bucketId(linked, 'Team')] },
  );
};

test('an undo restores both sides to the state before a run of mixed writes, its own undo to the state after it, and neither propagates anything', async () => {
  await using linked = await started();
  editEverything(linked);
  const before = readSides(linked.sandbox);
  const done = { created: 1, updated: 2, deleted: 1 };
  const { run, left, right } = await sync(linked);
  expect([left, right]).toMatchObject([done, done]);
  const after = readSides(linked.sandbox);
  const { result, report } = await undo(linked);
  expect(report.refused).toEqual([]);
  const summary = { kind: 'undo', undoes: run, outcome: 'completed', left: done, right: done };
  expect(result.summary).toMatchObject(summary);
  expect(readSides(linked.sandbox)).toEqual(before);
  await expectQuiet(linked);
  expect((await undo(linked)).report.refused).toEqual([]);
  expect(readSides(linked.sandbox)).toEqual(after);
  await expectQuiet(linked);
});

test('the record of a link names the undo of each contact that it created or whose counterpart it deleted', async () => {
  await using linked = await started();
  const { google } = linked.sandbox;
  google.account.deletePerson(googleId(linked, 'Dot'));
  google.account.createPerson(GUS);
  await sync(linked);
  const undoRun = (await undo(linked)).result.summary.run;
  const { alone } = await readLinkRecord(linked.app.store, 'default');
  expect(alone).toMatchObject([
    { side: 'left', name: 'Gus New', undoRun },
    { side: 'right', name: 'Dot Tester', undoRun },
  ]);
});

test('a contact is alone because of no undo if its counterpart was restored and its user deleted it', async () => {
  const people = { google: [named('Ada')], service: [] };
  await using linked = await startLinkedSandbox(people, { DELETE_POLICY: 'keep', SWEEP_INTERVAL: '1s' });
  const { run } = await sync(linked);
  const first = await linked.undo(run, { accepts: { kind: 'losses' } });
  linked.clock.advance(60_000);
  await linked.undo(first.result.summary.run, { accepts: { kind: 'losses' } });
  linked.clock.advance(60_000);
  await sync(linked);
  linked.sandbox.service.account.deleteContact(serviceId(linked, 'Ada'));
  await linked.sync({ afterMs: 86_400_000, kind: 'full', accepts: { kind: 'losses' } });
  expect((await readLinkRecord(linked.app.store, 'default')).alone).toMatchObject([{ side: 'left', undoRun: null }]);
});

test('an undo refuses each field that was changed since, and reverts the others', async () => {
  await using linked = await started();
  const { google, service } = linked.sandbox;
  google.account.updatePerson(googleId(linked, 'Ada'), { organizations: [{ name: 'Mill', title: 'Miller' }] });
  google.account.createPerson(GUS);
  await sync(linked);
  const [ada, gus] = [serviceId(linked, 'Ada'), serviceId(linked, 'Gus')];
  service.account.updateContact(ada, { title: 'Chief' });
  service.account.updateContact(gus, { tags: ['vip'] });
  expect((await undo(linked)).report.refused).toMatchObject([
    { side: 'right', rightId: gus, field: null },
    { side: 'right', rightId: ada, field: 'title' },
  ]);
  expect(service.account.contact(ada)).toMatchObject({ title: 'Chief', company: null });
  expect(service.account.contact(gus)).toBeDefined();
});

test.each([
  ['does not list an earlier refusal that is done', 1, 0, [], ''],
  ['lists a repeated refusal once, and the writes that it does not retry', 2, 1, ['Ada', 'Gus'], 'Miller'],
])('an undo with a second pass, for a write of unknown outcome, %s', async (...of) => {
  const [, adasRefusals, gusRefusals, listed, title] = of;
  await using linked = await started();
  const { google, service } = linked.sandbox;
  for (const name of ['Ada', 'Ben']) titled(linked, name, 'Miller');
  google.account.createPerson(GUS);
  await sync(linked);
  const refuse = (name: string, method: string, times: number): void =>
    service.addFault({ method, path: serviceId(linked, name), times, action: { kind: 'status', status: 422 } });
  service.addFault({ method: 'PATCH', path: serviceId(linked, 'Ben'), times: 2, action: { kind: 'reset-after' } });
  refuse('Ada', 'PATCH', adasRefusals);
  if (gusRefusals > 0) refuse('Gus', 'DELETE', gusRefusals);
  const ids = listed.map((name) => serviceId(linked, name));
  const { report } = await undo(linked);
  expect(report.refused.map(({ rightId }) => rightId ?? '').toSorted()).toEqual(ids.toSorted());
  expect(['Ada', 'Ben'].map((name) => service.account.contact(serviceId(linked, name))?.title)).toEqual([title, '']);
});

const recovered = async (linked: LinkedSandbox, change: () => unknown, edit: () => unknown): Promise<string> => {
  const { service } = linked.sandbox;
  const earlier = service.requests.length;
  await sync(linked);
  const skip = service.requests.slice(earlier).filter(({ path }) => path.includes('contacts')).length;
  change();
  for (const method of ['PATCH', 'POST']) {
    service.addFault({ method, path: 'contacts', times: 99, action: { kind: 'reset-after' } });
  }
  service.addFault({ method: 'GET', path: 'contacts', skip, times: 99, action: { kind: 'status', status: 400 } });
  const { summary } = await linked.sync();
  expect(summary).toMatchObject({ outcome: 'failed' });
  expect(await linked.app.store.journal('default', { open: true })).toHaveLength(1);
  service.clearFaults();
  linked.clock.advance(60_000);
  edit();
  linked.clock.advance(10 * 60_000);
  await sync(linked);
  return summary.run;
};

test('R5: an undo of a run whose answer was lost keeps a later edit of a text, and a later element of a list', async () => {
  await using linked = await started();
  const { google, service } = linked.sandbox;
  const change = (): void =>
    google.account.updatePerson(googleId(linked, 'Ada'), {
      organizations: [{ name: 'Mill', title: 'Miller' }],
      phoneNumbers: [{ value: '+49 30 901820' }],
    });
  const phone_numbers = [{ number: '+49 30 901820' }, { number: '+49 30 901821' }];
  const edit = (): unknown =>
    service.account.updateContact(serviceId(linked, 'Ada'), { title: 'Chief', phone_numbers });
  const run = await recovered(linked, change, edit);
  expect((await undo(linked, run)).report.refused).toMatchObject([{ side: 'right', field: 'title' }]);
  const contact = service.account.contact(serviceId(linked, 'Ada'));
  expect(contact).toMatchObject({ title: 'Chief', company: null, phone_numbers: phone_numbers.slice(1) });
});

test('R5: an undo of a run whose answer was lost keeps a created contact that was edited', async () => {
  await using linked = await started();
  const { google, service } = linked.sandbox;
  const change = (): unknown => google.account.createPerson(GUS);
  const edit = (): unknown => service.account.updateContact(serviceId(linked, 'Gus'), { title: 'Chief' });
  const run = await recovered(linked, change, edit);
  expect((await undo(linked, run)).report.refused).toMatchObject([{ side: 'right', field: null }]);
  expect(service.account.contact(serviceId(linked, 'Gus'))).toMatchObject({ title: 'Chief' });
});

test('the run after an undo finds edits on both sides that no run had read', async () => {
  await using linked = await started();
  const { google, service } = linked.sandbox;
  const [leftId, rightId] = [googleId(linked, 'Ada'), serviceId(linked, 'Ada')];
  const [one, two] = ['+49 30 901820', '+49 30 901821'];
  google.account.updatePerson(leftId, { organizations: [{ title: 'Miller' }], phoneNumbers: [{ value: one }] });
  await sync(linked);
  service.account.updateContact(rightId, { company: 'Mill', phone_numbers: [{ number: one }, { number: two }] });
  google.account.updatePerson(leftId, { urls: [{ value: 'https://ada.example.org' }] });
  await undo(linked);
  expect(service.account.contact(rightId)).toMatchObject({ title: '', company: 'Mill' });
  await linked.synced();
  expect(google.account.person(leftId)).toMatchObject({
    organizations: [{ name: 'Mill', title: 'Miller' }],
    phoneNumbers: [{ value: one }, { value: two }],
  });
  expect(service.account.contact(rightId)).toMatchObject({
    websites: [{ address: 'https://ada.example.org' }],
    phone_numbers: [{ number: two }],
  });
  await expectQuiet(linked);
});

test('R9: an undo without any answer counts its writes as its own, and propagates nothing', async () => {
  await using linked = await started();
  editEverything(linked);
  const before = readSides(linked.sandbox);
  const { run } = await sync(linked);
  for (const method of ['POST', 'PATCH', 'DELETE']) {
    const path = /people(?::batch(?:Create|Update|Delete)|\/)/u;
    linked.sandbox.google.addFault({ method, path, times: 1, action: { kind: 'reset-after' } });
  }
  for (const method of ['POST', 'PATCH', 'PUT', 'DELETE']) {
    linked.sandbox.service.addFault({ method, path: '/contacts', times: 2, action: { kind: 'reset-after' } });
  }
  await undo(linked);
  linked.sandbox.google.clearFaults();
  linked.sandbox.service.clearFaults();
  await undo(linked, run);
  expect(readSides(linked.sandbox)).toEqual(before);
  await expectQuiet(linked);
});

test('an undo that is interrupted after any write continues when repeated, also after a sync in between', async () => {
  let cuts = 0;
  for (let after = 1; ; after += EACH) {
    await using linked = await started();
    editEverything(linked);
    const before = readSides(linked.sandbox);
    const { run } = await sync(linked);
    const cut = new AbortController();
    let written = 0;
    const onEvent = ({ kind }: { readonly kind: string }): void => {
      written += kind === 'written' ? 1 : 0;
      if (written === after) cut.abort(new Error('cut off'));
    };
    const { result } = await linked.undo(run, { signal: cut.signal, onEvent });
    linked.clock.advance(60_000);
    if (result.error === null) break;
    cuts += 1;
    await sync(linked);
    await undo(linked, run);
    expect([after, readSides(linked.sandbox)]).toEqual([after, before]);
    await expectQuiet(linked);
  }
  expect(cuts).toBeGreaterThan(1);
});

test('R8: the guard halts an undo that deletes too much, and --accept-deletes accepts it once', async () => {
  const google = Array.from({ length: 12 }, (_, index) => person(`Person${index}`));
  await using linked = await startLinkedSandbox({ google, service: [] }, { SWEEP_INTERVAL: '1s' });
  await sync(linked);
  const sizes = () => Object.values(readSides(linked.sandbox)).map(({ length }) => length);
  await expect(undo(linked)).rejects.toThrow(HaltError);
  expect(sizes()).toEqual([12, 12]);
  await linked.undo(undefined, { accepts: { kind: 'losses' } });
  expect(sizes()).toEqual([12, 0]);
  await expectQuiet(linked);
});

test('R9: an undo restores no contact that already exists again next to its restored counterpart', async () => {
  const google = ['Ada', 'Ben', 'Cid', 'Dot'].map((name) => person(name));
  await using linked = await startLinkedSandbox({ google, service: [] }, { SWEEP_INTERVAL: '1s' });
  const { account } = linked.sandbox.google;
  await sync(linked);
  const ada = account.contacts.living(googleId(linked, 'Ada'));
  if (ada === undefined) throw new Error('There is no Ada.');
  account.deletePerson(ada.resourceName);
  account.deletePerson(googleId(linked, 'Ben'));
  const { run } = await sync(linked);
  // Google's bin gives her back.
  const state = { ...ada.state, updatedMicros: account.nextMicros() };
  account.contacts.update({ ...ada, deleted: false }, state, account.now());
  await sync(linked);
  const names = (side: 'google' | 'service') => readSides(linked.sandbox)[side].map(({ name }) => name.split(' ')[0]);
  expect([names('google'), names('service')]).toEqual([
    ['Ada', 'Cid', 'Dot'],
    ['Ada', 'Cid', 'Dot'],
  ]);
  expect((await undo(linked, run)).report.refused).toEqual([]);
  expect(names('service')).toEqual(['Ada', 'Ben', 'Cid', 'Dot']);
  await sync(linked);
  expect(names('google')).toEqual(['Ada', 'Cid', 'Dot']);
});

const DAY_MS = 24 * 3_600_000;

test('R9: an undo does not create a contact again while its first create may still appear', async () => {
  const book = ['Ada', 'Ben', 'Cid', 'Dot'].map((name) => person(name));
  await using linked = await startLinkedSandbox({ google: book, service: [] }, {}, { hurry: 100 });
  const { google, service } = linked.sandbox;
  await linked.synced();
  linked.clock.advance(DAY_MS);
  service.account.deleteContact(serviceId(linked, 'Ada'));
  const deletion = await linked.synced({ kind: 'full' });
  expect(google.account.people()).toHaveLength(3);
  linked.clock.advance(DAY_MS);
  google.addFault({ method: 'POST', path: /people:batchCreate/u, action: { kind: 'reset-before' } });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { report } = await linked.undo(deletion.run);
    expect(report.refused).toMatchObject([{ side: 'left', field: null }]);
    expect(google.account.people()).toHaveLength(3);
  }
  linked.clock.advance(DAY_MS);
  expect((await linked.undo(deletion.run)).report.refused).toEqual([]);
  expect(google.account.people()).toHaveLength(4);
});

test('R9: an undo deletes no contact that existed before and answered a create', async () => {
  const google = ['Dot', 'Eve', 'Fay', 'Gus'].map((name) => named(name));
  const service = [named('Ann', { groups: ['Friends'] })];
  await using linked = await startSyncedSandbox(
    { google, service, variants: { service: { createKnownEmail: 'existing' } } },
    { SERVICE_CONTACTS: 'Team', GOOGLE_CONTACTS: '*', SWEEP_INTERVAL: '1s' },
  );
  const { account } = linked.sandbox.service;
  const ann = serviceId(linked, 'Ann');
  linked.clock.advance(3_600_000);
  const address = 'ann@example.org';
  const names = [{ givenName: 'Zoe', familyName: 'Quill' }];
  linked.sandbox.google.account.createPerson({ names, emailAddresses: [{ value: address }] });
  const { run } = await linked.synced({
    // The contact gets the address after it was read, and before the create.
    onEvent: ({ kind }) => {
      if (kind === 'planned') account.updateContact(ann, { email_addresses: [{ address, label: 'home' }] });
    },
  });
  linked.clock.advance(60_000);
  await undo(linked, run);
  expect(account.contacts().map(({ id }) => id)).toContain(ann);
});

test('R15: a refusal is removed with its contact, which an undo brings back under another id', async () => {
  await using linked = await started();
  const { google, service } = linked.sandbox;
  const refused = { method: 'PATCH', path: '^/v2/contacts/', action: { kind: 'status', status: 422 } } as const;
  service.addFault({ times: 1_000, ...refused });
  for (const name of ['Ada', 'Ben']) titled(linked, name, 'Director');
  expect((await linked.synced({ afterMs: 60_000 })).skipped).toBe(2);
  service.clearFaults();
  for (const name of ['Ada', 'Ben']) google.account.deletePerson(googleId(linked, name));
  expect((await linked.synced({ afterMs: 60_000 })).right.deleted).toBe(2);
  await undo(linked);
  await linked.synced({ afterMs: 60_000 });
  expect((await linked.app.store.link('default')).rejections).toEqual([]);
});

test('R4: a recorded conflict stays after its contact is deleted and an undo brings it back', async () => {
  await using linked = await started();
  const { google, service } = linked.sandbox;
  const [leftId, rightId] = [googleId(linked, 'Ada'), serviceId(linked, 'Ada')];
  titled(linked, 'Ada', 'Director');
  service.account.updateContact(rightId, { title: 'Manager' });
  expect((await sync(linked)).conflicts).toBe(1);
  google.account.deletePerson(leftId);
  await sync(linked);
  await undo(linked);
  await linked.synced({ afterMs: 60_000, kind: 'full' });
  const terms = { direction: 'both', conflicts: 'newest' } as const;
  const recorded = await listConflicts(linked.app.store, 'default', terms, { all: true });
  const conflict = { field: 'title', left: 'Director', right: 'Manager', leftId, state: 'settled' };
  expect(recorded).toMatchObject([{ ...conflict, name: 'Ada Tester' }]);
  expect(await linked.app.store.conflicts('default', { all: false })).toEqual([]);
});

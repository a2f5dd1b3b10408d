import { describe, expect, test } from 'vitest';
import { HaltError } from '../../../src/engine/errors.ts';
import { listConflicts } from '../../../src/engine/history/conflicts.ts';
import { readLinkRecord } from '../../../src/engine/history/link-record.ts';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { readSides } from '../../support/compare-sides.ts';
import { bucketId, googleId, labelId, named, person, serviceId } from '../../support/linked-people.ts';
import { type LinkedSandbox, startLinkedSandbox, startSyncedSandbox } from '../../support/linked-sandbox.ts';

const NAMES = ['Ada', 'Ben', 'Cid', 'Dot', 'Eve', 'Fay'];
const PEOPLE = NAMES.map((name) => person(name, { groups: name === 'Ada' ? ['Choir'] : ['Team'] }));

const started = async (variables: Readonly<Record<string, string>> = {}): Promise<LinkedSandbox> => {
  const linked = await startSyncedSandbox({ google: PEOPLE, service: [] }, { SWEEP_INTERVAL: '1s', ...variables });
  linked.clock.advance(60_000);
  return linked;
};

const undo = async (linked: LinkedSandbox, id?: string) => {
  const undone = await linked.undo(id);
  if (undone.result.error instanceof Error) throw undone.result.error;
  linked.clock.advance(60_000);
  return undone;
};

const expectQuiet = async (linked: LinkedSandbox): Promise<void> => {
  const none = { created: 0, updated: 0, deleted: 0 };
  for (const kind of ['incremental', 'full'] as const) {
    const { summary } = await linked.sync({ afterMs: 60_000, kind });
    expect(summary).toMatchObject({ outcome: 'completed', left: none, right: none, conflicts: 0 });
  }
};

/** One edit of every kind, so that the run after it writes, creates, deletes and moves on both sides. */
const editEverything = (linked: LinkedSandbox): void => {
  const { google, service } = linked.sandbox;
  const choir = { contactGroupMembership: { contactGroupResourceName: labelId(linked, 'Choir') } };
  google.account.updatePerson(googleId(linked, 'Ada'), {
    phoneNumbers: [{ value: '+49 30 901820', type: 'work' }],
    emailAddresses: [{ value: 'ada@new.example.org', type: 'home' }],
  });
  service.account.updateContact(serviceId(linked, 'Ada'), { title: 'Director' });
  google.account.updatePerson(googleId(linked, 'Ben'), {
    organizations: [{ name: 'Bakery' }],
    memberships: [choir],
  });
  service.account.setBuckets(serviceId(linked, 'Cid'), [bucketId(linked, 'Choir')]);
  google.account.deletePerson(googleId(linked, 'Dot'));
  service.account.deleteContact(serviceId(linked, 'Eve'));
  google.account.createPerson({ names: [{ givenName: 'Gus', familyName: 'New' }], memberships: [choir] });
  service.account.createContact(
    { first_name: 'Hal', last_name: 'New', email_addresses: [{ address: 'hal@example.org' }] },
    { bucketIds: [bucketId(linked, 'Team')] },
  );
};

describe('undo', () => {
  test('an undo restores both sides to the state before a run of mixed writes, and propagates nothing', async () => {
    await using linked = await started();
    editEverything(linked);
    const before = readSides(linked.sandbox);
    const { summary } = await linked.sync();
    const done = { created: 1, deleted: 1 };
    expect(summary).toMatchObject({ left: { ...done, updated: 2 }, right: { ...done, updated: 2 } });
    linked.clock.advance(60_000);
    const { result, report } = await undo(linked);
    expect(report.refused).toEqual([]);
    expect(result.summary).toMatchObject({ kind: 'undo', undoes: summary.run, outcome: 'completed' });
    expect(result.summary).toMatchObject({ left: { ...done, updated: 2 }, right: { ...done, updated: 2 } });
    expect(readSides(linked.sandbox)).toEqual(before);
    await expectQuiet(linked);
    expect(readSides(linked.sandbox)).toEqual(before);
  });

  test('the record of a link names the undo of each contact that it created or whose counterpart it deleted', async () => {
    await using linked = await started();
    const { google } = linked.sandbox;
    google.account.deletePerson(googleId(linked, 'Dot'));
    google.account.createPerson({ names: [{ givenName: 'Gus', familyName: 'New' }] });
    await linked.synced();
    linked.clock.advance(60_000);
    const { result } = await undo(linked);
    const { alone } = await readLinkRecord(linked.app.store, 'default');
    const undoRun = result.summary.run;
    expect(alone).toMatchObject([
      { side: 'left', name: 'Gus New', undoRun },
      { side: 'right', name: 'Dot Tester', undoRun },
    ]);
  });

  test('the undo of an undo restores the state after the run', async () => {
    await using linked = await started();
    editEverything(linked);
    await linked.sync();
    const after = readSides(linked.sandbox);
    linked.clock.advance(60_000);
    await undo(linked);
    const { report } = await undo(linked);
    expect(report.refused).toEqual([]);
    expect(readSides(linked.sandbox)).toEqual(after);
    await expectQuiet(linked);
    expect(readSides(linked.sandbox)).toEqual(after);
  });

  test('an undo refuses each field that was changed since, and reverts the others', async () => {
    await using linked = await started();
    const { google, service } = linked.sandbox;
    google.account.updatePerson(googleId(linked, 'Ada'), { organizations: [{ name: 'Mill', title: 'Miller' }] });
    google.account.createPerson({ names: [{ givenName: 'Gus', familyName: 'New' }] });
    await linked.sync();
    linked.clock.advance(60_000);
    service.account.updateContact(serviceId(linked, 'Ada'), { title: 'Chief' });
    service.account.updateContact(serviceId(linked, 'Gus'), { tags: ['vip'] });
    const { report } = await undo(linked);
    expect(report.refused).toEqual([
      expect.objectContaining({ side: 'right', rightId: serviceId(linked, 'Gus'), field: null }),
      expect.objectContaining({ side: 'right', rightId: serviceId(linked, 'Ada'), field: 'title' }),
    ]);
    expect(service.account.contact(serviceId(linked, 'Ada'))).toMatchObject({ title: 'Chief', company: null });
    expect(service.account.contact(serviceId(linked, 'Gus'))).toBeDefined();
  });

  test.each([
    ['does not list an earlier refusal that is done', 1, 0, [], ''],
    ['lists a repeated refusal once, and the writes that it does not retry', 2, 1, ['Ada', 'Gus'], 'Miller'],
  ])('an undo with a second pass, for a write of unknown outcome, %s', async (...of) => {
    const [, adasRefusals, gusRefusals, listed, title] = of;
    await using linked = await started();
    const { google, service } = linked.sandbox;
    for (const name of ['Ada', 'Ben']) {
      google.account.updatePerson(googleId(linked, name), { organizations: [{ title: 'Miller' }] });
    }
    google.account.createPerson({ names: [{ givenName: 'Gus', familyName: 'New' }] });
    await linked.sync();
    linked.clock.advance(60_000);
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

  describe('R5: of a run whose answers were lost, after which the user edited the same fields', () => {
    const recovered = async (linked: LinkedSandbox, change: () => void, edit: () => void): Promise<string> => {
      const { service } = linked.sandbox;
      const earlier = service.requests.length;
      await linked.synced();
      const pulled = service.requests.slice(earlier).filter(({ path }) => path.includes('contacts')).length;
      linked.clock.advance(60_000);
      change();
      for (const method of ['PATCH', 'POST']) {
        service.addFault({ method, path: 'contacts', times: 99, action: { kind: 'reset-after' } });
      }
      service.addFault({
        method: 'GET',
        path: 'contacts',
        skip: pulled,
        times: 99,
        action: { kind: 'status', status: 400 },
      });
      const lost = await linked.sync();
      expect(lost.summary).toMatchObject({ outcome: 'failed' });
      expect(await linked.app.store.journal('default', { open: true })).toHaveLength(1);
      service.clearFaults();
      linked.clock.advance(60_000);
      edit();
      await linked.synced({ afterMs: 10 * 60_000 });
      linked.clock.advance(60_000);
      return lost.summary.run;
    };

    test('an undo keeps the edit of a text, and the element that was added to a list', async () => {
      await using linked = await started();
      const { google, service } = linked.sandbox;
      const change = (): void => {
        google.account.updatePerson(googleId(linked, 'Ada'), {
          organizations: [{ name: 'Mill', title: 'Miller' }],
          phoneNumbers: [{ value: '+49 30 901820' }],
        });
      };
      const run = await recovered(linked, change, () => {
        service.account.updateContact(serviceId(linked, 'Ada'), {
          title: 'Chief',
          phone_numbers: [{ number: '+49 30 901820' }, { number: '+49 30 901821' }],
        });
      });
      const { report } = await undo(linked, run);
      expect(report.refused).toEqual([expect.objectContaining({ side: 'right', field: 'title' })]);
      const contact = service.account.contact(serviceId(linked, 'Ada'));
      expect(contact).toMatchObject({ title: 'Chief', company: null });
      expect(contact?.phone_numbers.map((entry) => entry.number)).toEqual(['+49 30 901821']);
    });

    test('an undo keeps a created contact that was edited', async () => {
      await using linked = await started();
      const { google, service } = linked.sandbox;
      const change = (): void => {
        google.account.createPerson({ names: [{ givenName: 'Gus', familyName: 'New' }] });
      };
      const run = await recovered(linked, change, () => {
        service.account.updateContact(serviceId(linked, 'Gus'), { title: 'Chief' });
      });
      const { report } = await undo(linked, run);
      expect(report.refused).toEqual([expect.objectContaining({ side: 'right', field: null })]);
      expect(service.account.contact(serviceId(linked, 'Gus'))).toMatchObject({ title: 'Chief' });
    });
  });

  test('the run after an undo finds edits on both sides that no run had read', async () => {
    await using linked = await started();
    const { google, service } = linked.sandbox;
    google.account.updatePerson(googleId(linked, 'Ada'), {
      organizations: [{ title: 'Miller' }],
      phoneNumbers: [{ value: '+49 30 901820' }],
    });
    await linked.sync();
    linked.clock.advance(60_000);
    service.account.updateContact(serviceId(linked, 'Ada'), {
      company: 'Mill',
      phone_numbers: [{ number: '+49 30 901820' }, { number: '+49 30 901821' }],
    });
    google.account.updatePerson(googleId(linked, 'Ada'), { urls: [{ value: 'https://ada.example.org' }] });
    await undo(linked);
    expect(service.account.contact(serviceId(linked, 'Ada'))).toMatchObject({ title: '', company: 'Mill' });
    await linked.sync();
    const phones = google.account.person(googleId(linked, 'Ada'))?.phoneNumbers?.map((entry) => entry.value);
    expect(phones).toEqual(['+49 30 901820', '+49 30 901821']);
    expect(google.account.person(googleId(linked, 'Ada'))?.organizations?.[0]).toMatchObject({
      name: 'Mill',
      title: 'Miller',
    });
    const contact = service.account.contact(serviceId(linked, 'Ada'));
    expect(contact?.websites.map((entry) => entry.address)).toEqual(['https://ada.example.org']);
    expect(contact?.phone_numbers.map((entry) => entry.number)).toEqual(['+49 30 901821']);
    await expectQuiet(linked);
  });

  test('R9: an undo without any answer counts its writes as its own, and propagates nothing', async () => {
    await using linked = await started();
    editEverything(linked);
    const before = readSides(linked.sandbox);
    await linked.sync();
    linked.clock.advance(60_000);
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
    const run = (await linked.app.store.runs('default', { idPrefix: '' })).find(({ kind }) => kind !== 'undo');
    await undo(linked, run?.id);
    expect(readSides(linked.sandbox)).toEqual(before);
    await expectQuiet(linked);
    expect(readSides(linked.sandbox)).toEqual(before);
  });

  test('an undo that is interrupted after any write continues when repeated, also after a sync in between', async () => {
    let cuts = 0;
    for (let after = 1; ; after += 1) {
      await using linked = await started();
      editEverything(linked);
      const before = readSides(linked.sandbox);
      const { summary } = await linked.sync();
      linked.clock.advance(60_000);
      const cut = new AbortController();
      let written = 0;
      const onEvent = ({ kind }: { readonly kind: string }): void => {
        written += kind === 'written' ? 1 : 0;
        if (written === after) cut.abort(new Error('cut off'));
      };
      const { result } = await linked.undo(summary.run, { signal: cut.signal, onEvent });
      linked.clock.advance(60_000);
      if (result.error === null) break;
      cuts += 1;
      await linked.sync();
      linked.clock.advance(60_000);
      await undo(linked, summary.run);
      expect([after, readSides(linked.sandbox)]).toEqual([after, before]);
      await expectQuiet(linked);
    }
    expect(cuts).toBeGreaterThan(3);
  });

  test('R8: the guard halts an undo that deletes too much, and --accept-deletes accepts it once', async () => {
    await using linked = await startLinkedSandbox(
      { google: Array.from({ length: 12 }, (_, index) => person(`Person${index}`)), service: [] },
      { SWEEP_INTERVAL: '1s' },
    );
    await linked.sync();
    linked.clock.advance(60_000);
    await expect(undo(linked)).rejects.toThrow(HaltError);
    expect(linked.sandbox.service.account.contacts()).toHaveLength(12);
    await linked.undo(undefined, { acceptDeletes: true });
    expect(linked.sandbox.service.account.contacts()).toHaveLength(0);
    expect(linked.sandbox.google.account.people()).toHaveLength(12);
    await expectQuiet(linked);
    expect(linked.sandbox.service.account.contacts()).toHaveLength(0);
  });
});

const synced = async (linked: LinkedSandbox): Promise<string> => {
  const summary = await linked.synced();
  linked.clock.advance(60_000);
  return summary.run;
};

test('R9: an undo restores no contact that already exists again next to its restored counterpart', async () => {
  await using linked = await startLinkedSandbox(
    { google: ['Ada', 'Ben', 'Cid', 'Dot'].map((name) => person(name)), service: [] },
    { SWEEP_INTERVAL: '1s' },
  );
  const { account } = linked.sandbox.google;
  await synced(linked);
  const before = readSides(linked.sandbox);
  const ada = account.contacts.living(googleId(linked, 'Ada'));
  if (ada === undefined) throw new Error('There is no Ada.');
  account.deletePerson(ada.resourceName);
  account.deletePerson(googleId(linked, 'Ben'));
  const deletion = await synced(linked);
  // Google's bin gives her back.
  account.contacts.update(
    { ...ada, deleted: false },
    { ...ada.state, updatedMicros: account.nextMicros() },
    account.now(),
  );
  await synced(linked);
  const names = (side: 'google' | 'service') => readSides(linked.sandbox)[side].map(({ name }) => name);
  expect([names('google'), names('service')]).toEqual([
    ['Ada Tester', 'Cid Tester', 'Dot Tester'],
    ['Ada Tester', 'Cid Tester', 'Dot Tester'],
  ]);
  const { report, result } = await linked.undo(deletion);
  expect(result.error).toBeNull();
  expect(report.refused).toEqual([]);
  expect(names('service')).toEqual(before.service.map(({ name }) => name));
  linked.clock.advance(60_000);
  await synced(linked);
  expect(names('google')).toEqual(['Ada Tester', 'Cid Tester', 'Dot Tester']);
});

const DAY_MS = 24 * 3_600_000;

test('R9: an undo does not create a contact again while its first create may still appear', async () => {
  const book = ['Ada', 'Ben', 'Cid', 'Dot'].map((name) => person(name));
  await using linked = await startLinkedSandbox({ google: book, service: [] }, {}, { hurry: 100 });
  const { google, service } = linked.sandbox;
  await synced(linked);
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

const FOUR_PEOPLE = ['Dot', 'Eve', 'Fay', 'Gus'].map((name) => named(name));
const ADDRESS = 'ann@example.org';

test('R9: an undo deletes no contact that existed before and answered a create', async () => {
  const ann = { ...EMPTY_PERSON, givenName: 'Ann', familyName: 'Lee', groups: ['Friends'] };
  await using linked = await startSyncedSandbox(
    { google: FOUR_PEOPLE, service: [ann], variants: { service: { createKnownEmail: 'existing' } } },
    { SERVICE_CONTACTS: 'Team', GOOGLE_CONTACTS: '*', SWEEP_INTERVAL: '1s' },
  );
  const { google, service } = linked.sandbox;
  const compared = service.account.contacts().find((contact) => contact.first_name === 'Ann')?.id ?? '';
  linked.clock.advance(3_600_000);

  google.account.createPerson({
    names: [{ givenName: 'Zoe', familyName: 'Quill' }],
    emailAddresses: [{ value: ADDRESS, type: 'home' }],
  });
  const summary = await linked.synced({
    // The contact gets the address after it was read, and before the create.
    onEvent: (event) => {
      if (event.kind !== 'planned') return;
      service.account.updateContact(compared, { email_addresses: [{ address: ADDRESS, label: 'home' }] });
    },
  });
  linked.clock.advance(60_000);
  const { result } = await linked.undo(summary.run);
  expect(result.error).toBeNull();
  expect(service.account.contacts().map(({ id }) => id)).toContain(compared);
});

describe('what refers to a contact', () => {
  const titled = (linked: LinkedSandbox, id: string, title: string): void =>
    linked.sandbox.google.account.updatePerson(id, { organizations: [{ title }] });

  test('R15: a refusal is removed with its contact, which an undo brings back under another id', async () => {
    await using linked = await started();
    const { google, service } = linked.sandbox;
    const refused = { method: 'PATCH', path: '^/v2/contacts/', action: { kind: 'status', status: 422 } } as const;
    service.addFault({ times: 1_000, ...refused });
    for (const name of ['Ada', 'Ben']) titled(linked, googleId(linked, name), 'Director');
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
    titled(linked, leftId, 'Director');
    service.account.updateContact(rightId, { title: 'Manager' });
    expect((await linked.synced()).conflicts).toBe(1);
    linked.clock.advance(60_000);
    google.account.deletePerson(leftId);
    await linked.synced();
    linked.clock.advance(60_000);
    await undo(linked);
    await linked.synced({ afterMs: 60_000, kind: 'full' });
    const recorded = await listConflicts(
      linked.app.store,
      'default',
      { direction: 'both', conflicts: 'newest' },
      { all: true },
    );
    expect(recorded).toMatchObject([{ field: 'title', left: 'Director', right: 'Manager', leftId, state: 'settled' }]);
    expect(recorded[0]?.name).toBe('Ada Tester');
    expect(await linked.app.store.conflicts('default', { all: false })).toEqual([]);
  });
});

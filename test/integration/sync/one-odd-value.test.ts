import { expect, test } from 'vitest';
import type { SyncedField } from '../../../src/core/contact/contact.ts';
import { readLinkRecord } from '../../../src/engine/history/link-record.ts';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { googleId, named, person, serviceId } from '../../support/linked-people.ts';
import { type LinkedSandbox, startLinkedSandbox } from '../../support/linked-sandbox.ts';

const MINUTE_MS = 60_000;
const LONG = 'x'.repeat(10_001);
type Variables = Readonly<Record<string, string>>;

const ADA = named('Ada', { company: 'Acme', title: 'Engineer' });

const PHONE = '+49 30 5550199';

const syncLater = (linked: LinkedSandbox) => linked.synced({ afterMs: 20 * MINUTE_MS });

const recordOf = ({ app }: LinkedSandbox) => readLinkRecord(app.store, 'default');
const skippedOf = async (linked: LinkedSandbox) => (await recordOf(linked)).skipped;

/** A link with Ada on both sides, and what reads and changes her there. */
const startWithAda = async (variables: Variables = {}, options: SandboxOptions = {}) => {
  const linked = await startLinkedSandbox({ google: [ADA], service: [], ...options }, variables);
  await syncLater(linked);
  const { google, service } = linked.sandbox;
  const [id, other] = [googleId(linked, 'Ada'), serviceId(linked, 'Ada')];
  return {
    linked,
    atGoogle: () => google.account.person(id),
    atService: () => service.account.contact(other),
    updatePerson: (set: Parameters<typeof google.account.updatePerson>[1]) => google.account.updatePerson(id, set),
    updateContact: (set: Parameters<typeof service.account.updateContact>[1]) =>
      service.account.updateContact(other, set),
  };
};

type Values = Readonly<Record<string, unknown>>;

const TOO_LONG: readonly (readonly [SyncedField, Values, Values])[] = [
  ['firstName', { names: [{ givenName: LONG, familyName: 'Tester' }] }, { first_name: LONG }],
  ['title', { organizations: [{ name: 'Acme', title: LONG }] }, { title: LONG }],
  ['emailAddresses', { emailAddresses: [{ value: LONG }] }, { email_addresses: [{ address: LONG }] }],
  ['addresses', { addresses: [{ streetAddress: LONG }] }, { addresses: [{ street_1: LONG }] }],
];

test.each(TOO_LONG)('R15: %s that is too long stays on its side; the phone is synced', async (_, google, service) => {
  await using linked = await startLinkedSandbox({ google: [ADA, { ...ADA, givenName: 'Ben' }], service: [] });
  const { google: left, service: right } = linked.sandbox;
  await syncLater(linked);
  const [ada, adasContact] = [googleId(linked, 'Ada'), serviceId(linked, 'Ada')];
  const [bensPerson, ben] = [googleId(linked, 'Ben'), serviceId(linked, 'Ben')];
  const others = () => {
    const { names, organizations, emailAddresses, addresses } = left.account.person(bensPerson) ?? {};
    const contact = { ...right.account.contact(adasContact), phone_numbers: [], updatedAtMs: 0 };
    return { contact, person: { names, organizations, emailAddresses, addresses } };
  };
  const before = others();
  left.account.updatePerson(ada, { ...google, phoneNumbers: [{ value: PHONE }] });
  right.account.updateContact(ben, { ...service, phone_numbers: [{ number: PHONE }] });
  await syncLater(linked);

  expect(right.account.contact(adasContact)?.phone_numbers).toMatchObject([{ number: PHONE }]);
  expect(left.account.person(bensPerson)?.phoneNumbers).toMatchObject([{ value: PHONE }]);
  expect(others()).toEqual(before);
  const reason = expect.stringContaining('10,000');
  const skipped = (await skippedOf(linked)).toSorted((one, other) => (one.side < other.side ? -1 : 1));
  expect(skipped).toMatchObject([
    { side: 'left', leftId: ada, reason },
    { side: 'right', rightId: ben, reason },
  ]);
  expect(await syncLater(linked)).toMatchObject({ left: { updated: 0 }, right: { updated: 0 } });
});

test('R15, R5: a field that is too long is not overwritten by the other side, and syncs after it is shortened', async () => {
  const { linked, atGoogle, atService, updatePerson, updateContact } = await startWithAda();
  await using _ = linked;
  updatePerson({ organizations: [{ name: 'Acme', title: LONG }] });
  await syncLater(linked);
  updateContact({ title: 'Director', company: 'Bolt' });
  await syncLater(linked);
  expect(atGoogle()?.organizations).toMatchObject([{ name: 'Bolt', title: LONG }]);

  updatePerson({ organizations: [{ name: 'Bolt', title: 'Chief' }] });
  await syncLater(linked);
  expect([atGoogle()?.organizations?.[0]?.title, atService()?.title]).toEqual(['Chief', 'Chief']);
  expect(await skippedOf(linked)).toEqual([]);
});

test('R15: a new contact with a field that is too long is created without it', async () => {
  await using linked = await startLinkedSandbox({ google: [{ ...ADA, title: LONG }], service: [] });
  await syncLater(linked);
  expect(linked.sandbox.service.account.contacts()).toMatchObject([
    { first_name: 'Ada', company: 'Acme', title: null },
  ]);
  await syncLater(linked);
  expect(linked.sandbox.google.account.people()[0]?.organizations?.[0]?.title).toBe(LONG);
  expect(await skippedOf(linked)).toHaveLength(1);
});

const STRICT = { variants: { service: { longText: '422' } } } as const;
const NOT_TAKEN = 'y'.repeat(300);

test('R15: a refused field is not sent again, and the other fields of the update are written', async () => {
  const { linked, atService, updatePerson } = await startWithAda({}, STRICT);
  await using _ = linked;
  const phoneNumbers = [{ value: PHONE }];
  updatePerson({ organizations: [{ name: 'Bolt', title: NOT_TAKEN }], phoneNumbers });
  await syncLater(linked);
  expect(atService()).toMatchObject({ title: 'Engineer', company: 'Bolt', phone_numbers: [{ number: PHONE }] });
  const refused = { side: 'right', reason: expect.stringContaining('The field "title" was not written'), attempts: 1 };
  // It is not sent again before its time.
  expect(await linked.synced()).toMatchObject({ skipped: 0, right: { updated: 0 } });
  expect((await recordOf(linked)).refused).toMatchObject([refused]);

  updatePerson({ organizations: [{ name: 'Bolt', title: 'Chief' }], phoneNumbers });
  await syncLater(linked);
  expect([atService()?.title, (await recordOf(linked)).refused]).toEqual(['Chief', []]);
});

test('R15, R9: a new contact with two refused fields is created once, without these', async () => {
  const odd = { ...ADA, familyName: NOT_TAKEN, title: NOT_TAKEN, phones: [{ value: PHONE, label: null }] };
  await using linked = await startLinkedSandbox({ google: [odd], service: [], ...STRICT });
  for (const _ of [1, 2]) await syncLater(linked);
  const written = { first_name: 'Ada', company: 'Acme', phone_numbers: [{ number: PHONE }] };
  expect(linked.sandbox.service.account.contacts()).toMatchObject([written]);
  const reasons = (await recordOf(linked)).refused.map(({ reason }) => /^The field "([^"]+)"/u.exec(reason)?.[1]);
  expect(reasons).toEqual(expect.arrayContaining(['last name', 'title']));
});

test('R15, R9: a refused create is sent without email addresses only at its second attempt', async () => {
  const odd = { ...ADA, emails: [{ value: `${NOT_TAKEN}@x.example`, label: null }] };
  await using linked = await startLinkedSandbox({ google: [odd], service: [], ...STRICT });
  const contacts = () => linked.sandbox.service.account.contacts();
  await syncLater(linked);
  expect(contacts()).toEqual([]);
  await syncLater(linked);
  expect(contacts()).toMatchObject([{ first_name: 'Ada', company: 'Acme', title: 'Engineer', email_addresses: [] }]);
  const reason = expect.stringContaining('The field "email addresses" was not written');
  expect((await recordOf(linked)).refused).toMatchObject([{ reason }]);
  await syncLater(linked);
  expect(contacts()).toHaveLength(1);
});

test('R15, R10: a custom field that is too long is kept on its side while another one is written there', async () => {
  const { linked, atGoogle, updatePerson, updateContact } = await startWithAda({
    FIELDS: 'default,custom:One,custom:Two',
  });
  await using _ = linked;
  const { customFields } = linked.sandbox.service.account;
  const [, two = ''] = ['One', 'Two'].map((name) => customFields.define(name, 'textarea').id);
  updatePerson({ userDefined: [{ key: 'One', value: LONG }] });
  updateContact({ custom_field_values: [{ field: { id: two }, value: 'short' }] });
  for (const __ of [1, 2]) await syncLater(linked);
  expect(atGoogle()?.userDefined).toMatchObject([
    { key: 'One', value: LONG },
    { key: 'Two', value: 'short' },
  ]);
});

test('R15, R5: an ambiguous birthday is reported and overwritten on neither side', async () => {
  const { linked, atGoogle, atService, updatePerson, updateContact } = await startWithAda({
    FIELDS: 'default,birthday',
  });
  await using _ = linked;
  const birthday = linked.sandbox.service.account.customFields.define('Birthday', 'textfield').id;
  const setBirthday = (value: string) => updateContact({ custom_field_values: [{ field: { id: birthday }, value }] });
  setBirthday('05/06/1980');
  await syncLater(linked);
  const date = { year: 1980, month: 6, day: 5 };
  updatePerson({ birthdays: [{ date }] });
  await syncLater(linked);
  expect(atService()?.customFields).toMatchObject([{ value: '05/06/1980' }]);
  expect(atGoogle()?.birthdays).toMatchObject([{ date }]);
  const reason = expect.stringContaining('either of two days');
  expect(await skippedOf(linked)).toMatchObject([{ rightId: atService()?.id, reason }]);

  setBirthday('1980-06-05');
  await syncLater(linked);
  expect(await skippedOf(linked)).toEqual([]);
});

test('the record of a link lists refused, skipped and left-out contacts, and the time since which it fails', async () => {
  const both = [person('Ada'), person('Ben')];
  await using linked = await startLinkedSandbox({ google: both, service: both }, { DELETE_POLICY: 'keep' });
  const { google, service } = linked.sandbox;
  const read = () => recordOf(linked);
  expect(await read()).toEqual({
    pairs: 0,
    openConflicts: 0,
    refused: [],
    skipped: [],
    alone: [],
    unselected: { left: 0, right: 0 },
    lastRun: null,
    lastSync: null,
    lastSuccessAtMs: null,
    failures: 0,
  });
  await linked.sync();
  linked.clock.advance(60_000);

  const [ada, ben] = [googleId(linked, 'Ada'), googleId(linked, 'Ben')];
  const empty = google.account.createPerson({ birthdays: [{ date: { year: 1815 } }] });
  google.account.updatePerson(ada, { organizations: [{ title: 'Baker' }] });
  google.account.deletePerson(ben);
  service.addFault({ method: 'PATCH', path: '/contacts', action: { kind: 'status', status: 422 } });
  const { summary } = await linked.sync();
  const afterRefusal = await read();
  expect(afterRefusal).toMatchObject({
    pairs: 1,
    refused: [{ side: 'right', leftId: ada, name: 'Ada Tester', attempts: 1 }],
    skipped: [
      { side: 'left', leftId: empty, name: null, reason: expect.stringContaining('no value in a synced field') },
    ],
    alone: [{ side: 'right', name: 'Ben Tester', undoRun: null }],
    lastRun: { id: summary.run, outcome: 'completed' },
    failures: 0,
  });

  service.addFault({ path: '/', action: { kind: 'status', status: 404 }, times: 1_000 });
  for (const _ of [1, 2]) {
    expect((await linked.sync({ afterMs: 60_000 })).summary.outcome).toBe('failed');
  }
  expect(await read()).toMatchObject({ failures: 2, lastSuccessAtMs: afterRefusal.lastSuccessAtMs });
  service.clearFaults();
  expect((await linked.sync({ afterMs: 60_000 })).summary.outcome).toBe('completed');
  expect(await read()).toMatchObject({ failures: 0 });
});

import { expect, test } from 'vitest';
import type { SyncedField } from '../../../src/core/contact/contact.ts';
import { readLinkRecord } from '../../../src/engine/history/link-record.ts';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { type LinkedSandbox, startLinkedSandbox } from '../../support/linked-sandbox.ts';

const MINUTE_MS = 60_000;
const LONG = 'x'.repeat(10_001);
const ADA = { ...EMPTY_PERSON, givenName: 'Ada', familyName: 'Tester', company: 'Acme', title: 'Engineer' };

const syncLater = async (linked: LinkedSandbox): Promise<void> => {
  await linked.synced({ afterMs: 20 * MINUTE_MS });
};

const skippedOf = async ({ app }: LinkedSandbox) => (await readLinkRecord(app.store, 'default')).skipped;

type Names = { readonly givenName?: string; readonly familyName?: string };

/** Each field with a value that is too long, as Google holds it, and as the service does. */
const FIELDS: readonly {
  readonly field: SyncedField;
  readonly google: Readonly<Record<string, unknown>>;
  readonly service: Readonly<Record<string, unknown>>;
}[] = [
  {
    field: 'firstName',
    google: { names: [{ givenName: LONG, familyName: 'Tester' }] satisfies Names[] },
    service: { first_name: LONG },
  },
  { field: 'lastName', google: { names: [{ givenName: 'Ada', familyName: LONG }] }, service: { last_name: LONG } },
  { field: 'company', google: { organizations: [{ name: LONG, title: 'Engineer' }] }, service: { company: LONG } },
  { field: 'title', google: { organizations: [{ name: 'Acme', title: LONG }] }, service: { title: LONG } },
  {
    field: 'emailAddresses',
    google: { emailAddresses: [{ value: `${LONG}@x.example` }] },
    service: { email_addresses: [{ address: `${LONG}@x.example` }] },
  },
  {
    field: 'addresses',
    google: { addresses: [{ streetAddress: LONG, city: 'Town' }] },
    service: { addresses: [{ street_1: LONG, city: 'Town' }] },
  },
  { field: 'websites', google: { urls: [{ value: LONG }] }, service: { websites: [{ address: LONG }] } },
];

const PHONE = '+49 30 5550199';

test.each(FIELDS)('R15: $field that is too long at Google stays there, and the phone is synced', async ({ google }) => {
  await using linked = await startLinkedSandbox({ google: [ADA], service: [] });
  const { google: left, service: right } = linked.sandbox;
  await syncLater(linked);
  const id = left.account.people()[0]?.resourceName ?? '';
  const before = right.account.contacts()[0];
  left.account.updatePerson(id, { ...google, phoneNumbers: [{ value: PHONE }] });
  await syncLater(linked);

  const after = right.account.contacts()[0];
  expect(after?.phone_numbers.map(({ number }) => number)).toEqual([PHONE]);
  expect({ ...after, phone_numbers: [], updatedAtMs: 0 }).toEqual({ ...before, phone_numbers: [], updatedAtMs: 0 });
  expect(await skippedOf(linked)).toMatchObject([
    { side: 'left', leftId: id, reason: expect.stringContaining('10,000') },
  ]);
  // The run after it writes nothing.
  expect((await linked.sync({ afterMs: 20 * MINUTE_MS })).summary).toMatchObject({
    left: { updated: 0 },
    right: { updated: 0 },
  });
});

test.each(FIELDS)('R15: $field that is too long at the service stays there, and the phone is synced', async (row) => {
  await using linked = await startLinkedSandbox({ google: [ADA], service: [] });
  const { google: left, service: right } = linked.sandbox;
  await syncLater(linked);
  const id = right.account.contacts()[0]?.id ?? '';
  const before = left.account.people()[0];
  right.account.updateContact(id, { ...row.service, phone_numbers: [{ number: PHONE }] });
  await syncLater(linked);

  const after = left.account.people()[0];
  expect(after?.phoneNumbers?.map(({ value }) => value)).toEqual([PHONE]);
  expect(after?.names).toEqual(before?.names);
  expect(after?.organizations).toEqual(before?.organizations);
  expect(after?.emailAddresses).toEqual(before?.emailAddresses);
  expect(await skippedOf(linked)).toMatchObject([{ side: 'right', rightId: id }]);
});

test('R15, R5: a field that is too long is not overwritten by the other side, and syncs after it is shortened', async () => {
  await using linked = await startLinkedSandbox({ google: [ADA], service: [] });
  const { google: left, service: right } = linked.sandbox;
  await syncLater(linked);
  const [id, other] = [left.account.people()[0]?.resourceName ?? '', right.account.contacts()[0]?.id ?? ''];
  const title = () => left.account.people()[0]?.organizations?.[0]?.title;
  left.account.updatePerson(id, { organizations: [{ name: 'Acme', title: LONG }] });
  await syncLater(linked);
  right.account.updateContact(other, { title: 'Director', company: 'Bolt' });
  await syncLater(linked);
  expect(title()).toBe(LONG);
  expect(left.account.people()[0]?.organizations?.[0]?.name).toBe('Bolt');

  left.account.updatePerson(id, { organizations: [{ name: 'Bolt', title: 'Chief' }] });
  await syncLater(linked);
  expect([title(), right.account.contacts()[0]?.title]).toEqual(['Chief', 'Chief']);
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
  await using linked = await startLinkedSandbox({ google: [ADA], service: [], ...STRICT });
  const { google: left, service: right } = linked.sandbox;
  await syncLater(linked);
  const id = left.account.people()[0]?.resourceName ?? '';
  left.account.updatePerson(id, {
    organizations: [{ name: 'Bolt', title: NOT_TAKEN }],
    phoneNumbers: [{ value: PHONE }],
  });
  await syncLater(linked);
  const written = () => right.account.contacts()[0];
  expect(written()).toMatchObject({ title: 'Engineer', company: 'Bolt', phone_numbers: [{ number: PHONE }] });
  const { refused } = await readLinkRecord(linked.app.store, 'default');
  expect(refused).toMatchObject([
    { side: 'right', reason: expect.stringContaining('The field "title" was not written') },
  ]);

  // It is not sent again before its time.
  expect((await linked.sync()).summary).toMatchObject({ skipped: 0, right: { updated: 0 } });
  const { attempts } = (await readLinkRecord(linked.app.store, 'default')).refused[0] ?? {};
  expect(attempts).toBe(1);

  left.account.updatePerson(id, { organizations: [{ name: 'Bolt', title: 'Chief' }] });
  await syncLater(linked);
  expect(written()).toMatchObject({ title: 'Chief' });
  expect((await readLinkRecord(linked.app.store, 'default')).refused).toEqual([]);
});

test('R15, R9: a new contact with two refused fields is created once, without these', async () => {
  const odd = { ...ADA, familyName: NOT_TAKEN, title: NOT_TAKEN, phones: [{ value: PHONE, label: null }] };
  await using linked = await startLinkedSandbox({
    google: [odd, { ...ADA, givenName: 'Ben' }],
    service: [],
    ...STRICT,
  });
  await syncLater(linked);
  await syncLater(linked);
  const contacts = linked.sandbox.service.account
    .contacts()
    .toSorted((a, b) => ((a.first_name ?? '') < (b.first_name ?? '') ? -1 : 1));
  expect(contacts).toMatchObject([
    { first_name: 'Ada', company: 'Acme', phone_numbers: [{ number: PHONE }] },
    { first_name: 'Ben', title: 'Engineer' },
  ]);
  const { refused } = await readLinkRecord(linked.app.store, 'default');
  expect(refused.map(({ reason }) => /^The field "([^"]+)"/u.exec(reason)?.[1])).toEqual(
    expect.arrayContaining(['last name', 'title']),
  );
});

test('R15, R9: a refused create is sent without email addresses only at its second attempt', async () => {
  const odd = { ...ADA, emails: [{ value: `${NOT_TAKEN}@x.example`, label: null }] };
  await using linked = await startLinkedSandbox({ google: [odd], service: [], ...STRICT });
  const contacts = () => linked.sandbox.service.account.contacts();
  await syncLater(linked);
  expect(contacts()).toEqual([]);
  await syncLater(linked);
  expect(contacts()).toMatchObject([{ first_name: 'Ada', company: 'Acme', title: 'Engineer', email_addresses: [] }]);
  const { refused } = await readLinkRecord(linked.app.store, 'default');
  expect(refused).toMatchObject([{ reason: expect.stringContaining('The field "email addresses" was not written') }]);
  await syncLater(linked);
  expect(contacts()).toHaveLength(1);
});

test('R15, R10: a custom field that is too long is kept on its side while another one is written there', async () => {
  await using linked = await startLinkedSandbox(
    { google: [ADA], service: [] },
    { FIELDS: 'default,custom:One,custom:Two' },
  );
  const { google: left, service: right } = linked.sandbox;
  const [, two] = ['One', 'Two'].map((name) => right.account.customFields.define(name, 'textarea').id);
  await syncLater(linked);
  const [id, other] = [left.account.people()[0]?.resourceName ?? '', right.account.contacts()[0]?.id ?? ''];
  left.account.updatePerson(id, { userDefined: [{ key: 'One', value: LONG }] });
  right.account.updateContact(other, { custom_field_values: [{ field: { id: two ?? '' }, value: 'short' }] });
  await syncLater(linked);
  await syncLater(linked);
  expect(left.account.people()[0]?.userDefined?.map(({ key, value }) => [key, value])).toEqual([
    ['One', LONG],
    ['Two', 'short'],
  ]);
});

test('R15, R5: an ambiguous birthday is reported and overwritten on neither side', async () => {
  await using linked = await startLinkedSandbox({ google: [ADA], service: [] }, { FIELDS: 'default,birthday' });
  const { google: left, service: right } = linked.sandbox;
  const birthday = right.account.customFields.define('Birthday', 'textfield').id;
  await syncLater(linked);
  const [id, other] = [left.account.people()[0]?.resourceName ?? '', right.account.contacts()[0]?.id ?? ''];
  right.account.updateContact(other, { custom_field_values: [{ field: { id: birthday }, value: '05/06/1980' }] });
  await syncLater(linked);
  left.account.updatePerson(id, { birthdays: [{ date: { year: 1980, month: 6, day: 5 } }] });
  await syncLater(linked);
  const atService = () => right.account.contacts()[0]?.customFields.map(({ value }) => value);
  expect(atService()).toEqual(['05/06/1980']);
  expect(left.account.people()[0]?.birthdays?.[0]?.date).toEqual({ year: 1980, month: 6, day: 5 });
  expect(await skippedOf(linked)).toMatchObject([
    { rightId: other, reason: expect.stringContaining('either of two days') },
  ]);

  right.account.updateContact(other, { custom_field_values: [{ field: { id: birthday }, value: '1980-06-05' }] });
  await syncLater(linked);
  expect(await skippedOf(linked)).toEqual([]);
});

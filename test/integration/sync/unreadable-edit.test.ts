import { expect, test } from 'vitest';
import { readLinkRecord } from '../../../src/engine/history/link-record.ts';
import { googleId, person, serviceId } from '../../support/linked-people.ts';
import { type LinkedSandbox, startLinkedSandbox } from '../../support/linked-sandbox.ts';

const MINUTE_MS = 60_000;
/** A number that may have been rounded: a contact with it is unreadable. */
const ROUNDED = 2 ** 60;

const syncLater = (linked: LinkedSandbox) => linked.synced({ afterMs: 20 * MINUTE_MS });

test('R15, R5: an edit in a contact that cannot be read is not overwritten by the other side, and syncs once it can be read', async () => {
  const variants = { service: { customFieldType: 'stated' } } as const;
  const people = { google: [person('Ada')], service: [], variants };
  await using linked = await startLinkedSandbox(people, { FIELDS: 'default,custom:Budget' });
  await syncLater(linked);
  const { google, service } = linked.sandbox;
  const { account } = service;
  const [atGoogle, atService] = [googleId(linked, 'Ada'), serviceId(linked, 'Ada')];
  const emails = (...addresses: string[]) => addresses.map((address) => ({ address, label: null }));
  const { id } = account.customFields.define('Number', 'decimal');
  account.updateContact(atService, {
    email_addresses: emails('ada@example.org', 'service@example.org'),
    custom_field_values: [{ field: { id }, value: ROUNDED }],
  });
  await syncLater(linked);

  const values = ['ada@example.org', 'google@example.org'].map((value) => ({ value }));
  google.account.updatePerson(atGoogle, { emailAddresses: values });
  await syncLater(linked);
  expect(account.contact(atService)?.email_addresses).toMatchObject(emails('ada@example.org', 'service@example.org'));
  expect((await readLinkRecord(linked.app.store, 'default')).refused).toMatchObject([{ rightId: atService }]);

  account.updateContact(atService, { custom_field_values: [{ field: { id }, value: 1 }] });
  await syncLater(linked);
  const all = new Set(['ada@example.org', 'google@example.org', 'service@example.org']);
  const addresses = account.contact(atService)?.email_addresses.map(({ address }) => address) ?? [];
  expect(new Set(addresses)).toEqual(all);
  const atLast = google.account.person(atGoogle)?.emailAddresses?.map(({ value }) => value) ?? [];
  expect(new Set(atLast)).toEqual(all);
  expect((await readLinkRecord(linked.app.store, 'default')).refused).toEqual([]);
});

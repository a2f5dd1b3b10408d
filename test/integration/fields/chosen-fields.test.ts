import { describe, expect, test } from 'vitest';
import { startFakeLink } from '../../support/carddav/fake-link.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';
import { atGoogle, atService, idsOf, NOTHING_WRITTEN, startWith, syncWith } from './support.ts';

describe('R2: a value that a side cannot store', () => {
  test('the value is kept on its side, and the other fields are synced', async () => {
    const fields = { FIELDS: 'default,birthday,notes,custom:Budget' };
    await using linked = await startWith(['Ada', 'Ben'], fields, { customFieldType: 'stated' });
    const { google, service } = linked.sandbox;
    const birthday = service.account.customFields.define('Birthday', 'date');
    const budget = service.account.customFields.define('Budget', 'decimal');
    const custom_field_values = [
      { field: { id: birthday.id }, value: '1975-03-09' },
      { field: { id: budget.id }, value: 12.5 },
    ];
    service.account.createContact({ first_name: 'Zoe', last_name: 'Tester', custom_field_values });
    google.account.updatePerson(idsOf(linked, 'Ada').google, {
      birthdays: [{ date: { month: 5, day: 17 } }],
      biographies: [{ value: 'Nobody defined Notes', contentType: 'TEXT_PLAIN' }],
      userDefined: [{ key: 'Budget', value: 'a lot' }],
      organizations: [{ name: 'Acme' }],
    });
    google.account.updatePerson(idsOf(linked, 'Ben').google, { userDefined: [{ key: 'Budget', value: '300' }] });
    const { summary } = await syncWith(linked, fields);
    expect(summary).toMatchObject({ outcome: 'completed', skipped: 0 });
    expect(atService(linked, 'Ada')).toMatchObject({ company: 'Acme', customFields: [] });
    expect(atService(linked, 'Ben')).toMatchObject({ customFields: [{ id: budget.id, value: 300 }] });
    expect(atGoogle(linked, 'Zoe')).toMatchObject({
      birthdays: [{ date: { year: 1975, month: 3, day: 9 } }],
      userDefined: [{ key: 'Budget', value: '12.5' }],
    });
    expect((await syncWith(linked, fields)).summary).toMatchObject(NOTHING_WRITTEN);
    expect(atGoogle(linked, 'Ada')).toMatchObject({ birthdays: [{ date: { month: 5, day: 17 } }] });
  });

  test.each(['422', 'ignored'] as const)('is kept if its type is not reported: %s', async (customFieldMistyped) => {
    const fields = { FIELDS: 'default,birthday' };
    await using linked = await startWith(['Ada'], fields, { customFieldMistyped });
    const { google, service } = linked.sandbox;
    const { id } = service.account.customFields.define('Birthday', 'date');
    const value = [{ field: { id }, value: '1975-03-09' }];
    service.account.createContact({ first_name: 'Zoe', last_name: 'Tester', custom_field_values: value });
    google.account.updatePerson(idsOf(linked, 'Ada').google, { birthdays: [{ date: { month: 5, day: 17 } }] });
    await syncWith(linked, fields);
    expect(atService(linked, 'Ada').customFields).toEqual([]);
    google.account.updatePerson(idsOf(linked, 'Zoe').google, {
      birthdays: [{ date: { month: 6, day: 1 } }],
      organizations: [{ name: 'Acme' }],
    });
    await syncWith(linked, fields);
    expect(atService(linked, 'Zoe')).toMatchObject({ company: 'Acme', customFields: [{ id, value: '1975-03-09' }] });
    expect((await syncWith(linked, fields)).summary).toMatchObject(NOTHING_WRITTEN);
    expect(atGoogle(linked, 'Zoe').birthdays?.[0]?.date).toEqual({ month: 6, day: 1 });
  });
});

test('R2, R17: a number with too many digits is not written rounded, and its contact stays in sync', async () => {
  const fields = { FIELDS: 'default,custom:Account' };
  await using linked = await startWith(['Ada'], fields, { customFieldType: 'stated' });
  const { google, service } = linked.sandbox;
  const account = service.account.customFields.define('Account', 'decimal');
  const custom_field_values = [{ field: { id: account.id }, value: 1 }];
  service.account.createContact({ first_name: 'Zoe', last_name: 'Tester', custom_field_values });
  await syncWith(linked, fields);
  google.account.updatePerson(idsOf(linked, 'Ada').google, {
    userDefined: [{ key: 'Account', value: '12345678901234567890' }],
  });
  await syncWith(linked, fields);
  expect(atService(linked, 'Ada').customFields).toEqual([]);
  service.account.updateContact(idsOf(linked, 'Ada').service, { company: 'Acme' });
  await syncWith(linked, fields);
  expect(atGoogle(linked, 'Ada')).toMatchObject({
    organizations: [{ name: 'Acme' }],
    userDefined: [{ key: 'Account', value: '12345678901234567890' }],
  });
});

const EMAIL = [{ value: 'harrow@x.test' }];
const SENIOR = { names: [{ givenName: 'John', familyName: 'Harrow', honorificSuffix: 'Sr.' }], emailAddresses: EMAIL };

test('R13: a suffix field of Google that the link does not sync keeps father and son apart', async () => {
  await using linked = await startLinkedSandbox({ google: [], service: [] });
  const { google, service } = linked.sandbox;
  google.account.createPerson(SENIOR);
  const email_addresses = [{ address: 'harrow@x.test' }];
  service.account.createContact({ first_name: 'John', last_name: 'Harrow Jr.', email_addresses });
  await linked.synced();
  expect(service.account.contacts()).toMatchObject([{ last_name: 'Harrow Jr.' }, { last_name: 'Harrow' }]);
  expect(google.account.people()).toHaveLength(2);
});

test.each([
  ['suffix', 'N:Harrow;John;;;Jr.'],
  ['title', 'N:Harrow;John;;Mrs.;'],
  ['middle name', 'N:Harrow;John;Peter;;'],
])('R13: a %s on a card that the link does not sync keeps two people apart', async (_, name) => {
  await using linked = await startFakeLink();
  const names = [{ ...SENIOR.names[0], honorificPrefix: 'Mr.', middleName: 'Robert' }];
  linked.sandbox.google.account.createPerson({ ...SENIOR, names });
  const lines = ['BEGIN:VCARD', 'VERSION:3.0', 'UID:a', 'FN:John Harrow', name, 'EMAIL:harrow@x.test', 'END:VCARD', ''];
  linked.server.put('a.vcf', lines.join('\r\n'));
  await linked.synced();
  expect(linked.sandbox.google.account.people()).toHaveLength(2);
  expect(linked.server.text('a.vcf')).toContain(`${name}\r\n`);
});

import { describe, expect, test } from 'vitest';
import { USUAL_FIELDS } from '../../../src/core/contact/contact.ts';
import { atGoogle, atService, idsOf, NOTHING_WRITTEN, startWith, syncWith } from './support.ts';

const WITHOUT_TITLE = USUAL_FIELDS.filter((field) => field !== 'title' && field !== 'phoneNumbers').join(',');

describe('the fields of a link', () => {
  test('R3, R5, R13: fields that are removed are changed on neither side, and are merged when they are added again', async () => {
    await using linked = await startWith(['Ada', 'Ben', 'Cid'], {});
    const { google, service } = linked.sandbox;
    const title = (text: string) => ({ organizations: [{ name: 'Acme', title: text }] });
    const phone = (value: string) => ({ phoneNumbers: [{ value, type: 'work' }] });
    for (const name of ['Ada', 'Ben', 'Cid']) {
      google.account.updatePerson(idsOf(linked, name).google, { ...title('Analyst'), ...phone('+49 30 1234567') });
    }
    await syncWith(linked, {});
    expect(atService(linked, 'Ada').title).toBe('Analyst');

    const left = await syncWith(linked, { FIELDS: WITHOUT_TITLE });
    expect(left.summary).toMatchObject({ kind: 'full', ...NOTHING_WRITTEN });
    google.account.updatePerson(idsOf(linked, 'Ada').google, { ...title('Director'), ...phone('+49 30 7654321') });
    google.account.updatePerson(idsOf(linked, 'Ben').google, { ...title(''), phoneNumbers: [] });
    service.account.updateContact(idsOf(linked, 'Cid').service, { title: '', company: 'Bolt' });
    const without = await syncWith(linked, { FIELDS: WITHOUT_TITLE });
    expect(without.summary).toMatchObject({ kind: 'incremental', left: { updated: 1 }, right: { updated: 0 } });
    expect(atService(linked, 'Ada')).toMatchObject({ title: 'Analyst', phone_numbers: [{ number: '+49 30 1234567' }] });
    expect(atService(linked, 'Ben')).toMatchObject({ title: 'Analyst' });
    expect(atGoogle(linked, 'Cid')).toMatchObject({ organizations: [{ name: 'Bolt', title: 'Analyst' }] });

    const joined = await syncWith(linked, { CONFLICT_POLICY: 'google' });
    expect(joined.summary).toMatchObject({ kind: 'full', conflicts: 1 });
    // Two values are a conflict; a filled one beats an empty one; lists unite.
    expect(atService(linked, 'Ada').title).toBe('Director');
    expect(atService(linked, 'Ada').phone_numbers).toHaveLength(2);
    expect(atGoogle(linked, 'Ada').phoneNumbers).toHaveLength(2);
    expect(atGoogle(linked, 'Ben').organizations?.[0]?.title).toBe('Analyst');
    expect(atService(linked, 'Cid').title).toBe('Analyst');
    expect((await syncWith(linked, {})).summary).toMatchObject({ kind: 'incremental', ...NOTHING_WRITTEN });
  });

  test('R3, R4: one-way fields are never written to their source, in edits and in new contacts', async () => {
    const link = { directions: { title: 'to-left', phoneNumbers: 'to-right' } } as const;
    await using linked = await startWith(['Ada'], {});
    const { google, service } = linked.sandbox;
    google.account.updatePerson(idsOf(linked, 'Ada').google, {
      organizations: [{ name: 'Acme', title: 'Analyst' }],
      phoneNumbers: [{ value: '+49 30 1234567', type: 'work' }],
    });
    service.account.createContact({
      first_name: 'Zoe',
      last_name: 'Tester',
      title: 'Chief',
      phone_numbers: [{ number: '+33 1 42 68 53 00' }],
    });
    await syncWith(linked, {}, link);
    expect(atService(linked, 'Ada')).toMatchObject({
      title: null,
      company: 'Acme',
      phone_numbers: [{ number: '+49 30 1234567' }],
    });
    expect(atGoogle(linked, 'Zoe')).toMatchObject({ organizations: [{ title: 'Chief' }] });
    expect(atGoogle(linked, 'Zoe').phoneNumbers ?? []).toEqual([]);
    expect((await syncWith(linked, {}, link)).summary).toMatchObject(NOTHING_WRITTEN);

    google.account.updatePerson(idsOf(linked, 'Zoe').google, { organizations: [{ title: 'Edited at the phone' }] });
    service.account.updateContact(idsOf(linked, 'Ada').service, { phone_numbers: [] });
    expect((await syncWith(linked, {}, link)).summary).toMatchObject(NOTHING_WRITTEN);
    service.account.updateContact(idsOf(linked, 'Zoe').service, { title: 'President' });
    await syncWith(linked, {}, link);
    expect(atGoogle(linked, 'Zoe')).toMatchObject({ organizations: [{ title: 'President' }] });
    expect(atService(linked, 'Ada').phone_numbers).toEqual([]);
    // A value that stays on one side is no edit: a deletion is propagated.
    service.account.deleteContact(idsOf(linked, 'Ada').service);
    await syncWith(linked, { SWEEP_INTERVAL: '1s' }, link);
    expect(google.account.people().map(({ names }) => names?.[0]?.givenName)).toEqual(['Zoe']);
  });
});

describe('R2: a value that a side cannot store', () => {
  test('the value is kept on its side, and the other fields are synced', async () => {
    const fields = { FIELDS: 'default,birthday,notes,custom:Budget' };
    await using linked = await startWith(['Ada', 'Ben'], fields, { customFieldType: 'told' });
    const { google, service } = linked.sandbox;
    const [birthday, budget] = [
      service.account.customFields.define('Birthday', 'date'),
      service.account.customFields.define('Budget', 'decimal'),
    ];
    service.account.createContact({
      first_name: 'Zoe',
      last_name: 'Tester',
      custom_field_values: [
        { field: { id: birthday.id }, value: '1975-03-09' },
        { field: { id: budget.id }, value: 12.5 },
      ],
    });
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

  test.each(['422', 'ignored'] as const)(
    'the value is kept although the remote does not report its type: %s',
    async (customFieldMistyped) => {
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
    },
  );
});

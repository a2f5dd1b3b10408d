import { describe, expect } from 'vitest';
import type { ContactFields } from '../../../../src/sandbox/service/contact-fields.ts';
import {
  defaultVariants,
  type ServiceVariants,
  VARIANT_TABLE,
  withVariants,
} from '../../../../src/sandbox/service/variants.ts';
import { it, openService } from './harness.ts';

const email = (address: string, id?: string) => ({ address, ...(id === undefined ? {} : { id }) });

describe('the table of variants', () => {
  it('has a description and at least two values for each, the default first', () => {
    for (const { about, values } of VARIANT_TABLE) {
      expect(about).not.toBe('');
      expect(new Set(values).size).toBeGreaterThan(1);
    }
    const first = Object.fromEntries(VARIANT_TABLE.map(({ name, values }) => [name, values[0]]));
    expect(first).toEqual(defaultVariants());
    expect(first).toMatchObject({ pastEnd: 'empty', createKnownEmail: 'duplicate', missingRecordStatus: '404' });
  });

  it('refuses unknown names and values', () => {
    expect(() => withVariants(defaultVariants(), { colour: 'blue' })).toThrow();
    expect(() => withVariants(defaultVariants(), { bounds: 'blue' })).toThrow();
    expect(withVariants(defaultVariants(), { bounds: 'exclusive' }).bounds).toBe('exclusive');
  });
});

describe('an update of an array', () => {
  const sent = [email('A@x.example'), email('c@x.example', 'contact_identity_2')];

  it.each([
    ['replace', ['A@x.example', 'c@x.example']],
    ['merge-by-value', ['A@x.example', 'b@x.example', 'c@x.example']],
    ['merge-by-id', ['a@x.example', 'c@x.example', 'A@x.example']],
    ['append', ['a@x.example', 'b@x.example', 'A@x.example', 'c@x.example']],
  ] as const)('does %s', async (arrayPatch, expected) => {
    await using service = await openService({ variants: { arrayPatch } });
    const { account } = service.emulator;
    account.createContact({ email_addresses: [email('a@x.example'), email('b@x.example')] });
    account.updateContact('contact_1', { email_addresses: sent });
    expect(account.contact('contact_1')?.email_addresses.map(({ address }) => address)).toEqual(expected);
  });
});

describe('an update of a contact', () => {
  const start: ContactFields = { first_name: 'Ann', company: 'Acme', tags: ['vip'] };

  it.each<[Partial<ServiceVariants>, ContactFields, object]>([
    [{ scalarNull: 'ignored' }, { company: null }, { company: 'Acme' }],
    [{}, { company: '' }, { company: '' }],
    [{ scalarEmpty: 'clears' }, { company: '' }, { company: null }],
    [{ scalarEmpty: 'ignored' }, { company: '' }, { company: 'Acme' }],
    [{ emptyScalar: 'null' }, { first_name: null }, { first_name: null }],
    [{ emptyArray: 'ignored', nullArray: 'ignored' }, { tags: [] }, { tags: ['vip'] }],
    [{ nullArray: 'ignored' }, { tags: null }, { tags: ['vip'] }],
    [{ longText: 'truncated' }, { company: 'x'.repeat(256) }, { company: 'x'.repeat(255) }],
    [
      { normalisation: 'emails' },
      { email_addresses: [email(' A@X.example')] },
      { email_addresses: [{ address: 'a@x.example' }] },
    ],
    [
      { normalisation: 'phones' },
      { phone_numbers: [{ number: '315 555 0100' }] },
      { phone_numbers: [{ number: '(315) 555-0100' }] },
    ],
    [
      { normalisation: 'all' },
      { tags: ['A', 'a '], websites: [{ label: 'bLOG', address: 'w' }] },
      { tags: ['A'], websites: [{ label: 'Blog' }] },
    ],
  ])('under %j', async (variants, change, expected) => {
    await using service = await openService({ variants });
    service.emulator.account.createContact(start);
    const updated = await service.sendData('PATCH', '/v2/contacts/contact_1', change);
    expect(updated).toMatchObject({ status: 200, body: { data: expected } });
  });

  it('refuses values that the variants refuse', async ({ account, emulator, send, sendData }) => {
    emulator.setVariants({ longText: '422' });
    account.createContact(start);
    const path = '/v2/contacts/contact_1';
    expect((await sendData('PATCH', path, { company: 'x'.repeat(256) })).status).toBe(422);
    const whole = await send('GET', path);
    expect((await send('PATCH', path, whole.body)).status).toBe(200);
  });
});

describe('a new contact with a known email address', () => {
  it.each([
    ['duplicate', 200, 2, 'Ann'],
    ['existing', 200, 1, 'Ann'],
    ['existing-updated', 200, 1, 'Anna'],
    ['422', 422, 1, 'Ann'],
    ['409', 409, 1, 'Ann'],
  ] as const)('%s', async (createKnownEmail, status, count, name) => {
    await using service = await openService({ variants: { createKnownEmail } });
    const { account } = service.emulator;
    account.createContact({ first_name: 'Ann', email_addresses: [email('a@x.example')] });
    const fields = { first_name: 'Anna', email_addresses: [email('A@x.example')] };
    expect((await service.sendData('POST', '/v2/contacts', fields)).status).toBe(status);
    expect(account.contacts()).toHaveLength(count);
    expect(account.contact('contact_1')?.first_name).toBe(name);
    account.createContact({ first_name: 'Bea' });
    const added = { email_addresses: [email('A@x.example')] };
    const refused = status === 200 ? 200 : status;
    expect((await service.sendData('PATCH', `/v2/contacts/contact_${count + 1}`, added)).status).toBe(refused);
    expect((await service.sendData('PATCH', '/v2/contacts/contact_1', added)).status).toBe(200);
  });
});

describe('requirements of a new contact', () => {
  it.each([
    ['nothing', {}, 200],
    ['name-or-email', {}, 422],
    ['name-or-email', { email_addresses: [email('a@x.example')] }, 200],
    ['last-name', { first_name: 'Ann' }, 422],
  ] as const)('%s with %j', async (createRequires, fields, status) => {
    await using service = await openService({ variants: { createRequires } });
    expect((await service.sendData('POST', '/v2/contacts', fields)).status).toBe(status);
  });
});

describe('a deleted contact', () => {
  it.each([
    ['gone', 404, 404],
    ['410', 410, 410],
    ['archived', 200, 404],
  ] as const)('%s', async (deleteStyle, readStatus, secondStatus) => {
    await using service = await openService({ variants: { deleteStyle } });
    const { id } = service.emulator.account.createContact({});
    await service.send('DELETE', `/v2/contacts/${id}`);
    expect(await service.ids('/v2/contacts')).toEqual([]);
    expect((await service.send('GET', `/v2/contacts/${id}`)).status).toBe(readStatus);
    expect((await service.send('DELETE', `/v2/contacts/${id}`)).status).toBe(secondStatus);
  });

  it('is deleted twice with 200, and through a merged id, if the variants specify it', async () => {
    await using service = await openService({ variants: { secondDelete: '200', deleteMerged: 'deletes-survivor' } });
    const { account } = service.emulator;
    for (let count = 0; count < 2; count += 1) account.createContact({});
    account.mergeContacts('contact_1', ['contact_2']);
    expect((await service.send('DELETE', '/v2/contacts/contact_2')).body).toMatchObject({ data: { id: 'contact_1' } });
    expect(account.contacts()).toEqual([]);
    expect((await service.send('DELETE', '/v2/contacts/contact_1')).status).toBe(200);
  });
});

describe('times', () => {
  it.each([
    ['iso', '2026-01-01T12:00:00Z'],
    ['iso-ms', '2026-01-01T12:00:00.000Z'],
    ['mixed', '2026-01-01T12:00:00Z'],
  ] as const)('of a contact are read as %s', async (timestampFormat, expected) => {
    await using service = await openService({ variants: { timestampFormat } });
    service.emulator.account.createContact({});
    const { body } = await service.send('GET', '/v2/contacts/contact_1');
    expect(body).toMatchObject({ data: { created_at: expected } });
  });

  it('are those of a clock that is ahead, in the Date header too', async ({ account, emulator, send }) => {
    emulator.setVariants({ serviceClock: 'ahead-120s' });
    account.createContact({});
    const answer = await send('GET', '/v2/contacts/contact_1');
    expect(answer.body).toMatchObject({ data: { created_at: '2026-01-01 12:02:00 UTC' } });
    expect(answer.headers.get('date')).toBe('Thu, 01 Jan 2026 12:02:00 GMT');
  });

  it('of every second write are before the write if it is seen late', async ({ account, emulator }) => {
    emulator.setVariants({ lateVisibility: '2s' });
    const stamps = [1, 2].map(() => account.createBucket({ name: 'B' }).createdAtMs);
    expect(Math.abs((stamps[1] ?? 0) - (stamps[0] ?? 0))).toBe(2000);
  });
});

describe('the form of responses', () => {
  it.each<[Partial<ServiceVariants>, number, unknown]>([
    [{ errorBody: 'errors-object' }, 404, { errors: { cause: expect.any(String) } }],
    [{ errorBody: 'error-text' }, 404, { error: expect.any(String) }],
    [{ errorBody: 'error-records' }, 404, { errors: [{ message: expect.any(String), field: null }] }],
    [{ errorBody: 'empty' }, 404, ''],
    [{ errorBody: 'html', missingRecordStatus: '403' }, 403, expect.stringContaining('<html>')],
  ])('of an error under %j', async (variants, status, body) => {
    await using service = await openService({ variants });
    expect(await service.send('GET', '/v2/contacts/contact_1')).toMatchObject({ status, body });
  });

  it('leaves out fields without a value if the variant specifies it, but no meta', async () => {
    await using service = await openService({ variants: { nullFields: 'absent' } });
    service.emulator.account.createContact({});
    const { body } = await service.send('GET', '/v2/contacts');
    expect(body).toHaveProperty('meta.next_page', null);
    expect(body).not.toHaveProperty('data.0.company');
    expect(body).not.toHaveProperty('data.0.extra_data.muted_at');
  });

  it('uses 201 and 204 if the variant specifies it', async ({ emulator, send, sendData }) => {
    emulator.setVariants({ successStatus: 'created-201-deleted-204' });
    expect((await sendData('POST', '/v2/contacts', {})).status).toBe(201);
    expect(await send('DELETE', '/v2/contacts/contact_1')).toMatchObject({ status: 204, body: '' });
  });
});

import { describe, expect } from 'vitest';
import { it, openService } from './harness.ts';

const FULL = {
  first_name: 'Ann',
  last_name: 'Lee',
  company: 'Acme',
  title: 'Broker',
  avatar_url: 'https://pictures.example/ann.png',
  tags: ['vip'],
  addresses: [{ label: 'home', street_1: '1 Main St', city: 'Utica', state: 'NY', zip: '13501', country: 'US' }],
  email_addresses: [{ label: 'work', address: 'Ann@Acme.example' }],
  social_media_profiles: [{ label: 'net', url: 'https://net.example/ann' }],
  websites: [{ label: 'blog', address: 'https://ann.example' }],
  phone_numbers: [{ label: 'mobile', number: '+1 315 555 0100' }],
  custom_field_values: [{ field: { id: 'custom_field_7' }, value: 'Blue' }],
};

describe('contacts', () => {
  it('creates a contact with every writable field and reads it back', async ({ send, sendData }) => {
    const { custom_field_values: _custom, ...fields } = FULL;
    const created = await sendData('POST', '/v2/contacts', FULL);
    expect(created).toMatchObject({
      status: 200,
      body: {
        data: {
          ...fields,
          id: 'contact_1',
          created_at: '2026-01-01 12:00:00 UTC',
          updated_at: '2026-01-01 12:00:00 UTC',
          addresses: [{ ...FULL.addresses[0], full_address: '1 Main St, Utica, NY, 13501, US', street_2: null }],
          email_addresses: [{ ...FULL.email_addresses[0], id: 'contact_identity_1' }],
          custom_fields: [{ field: { id: 'custom_field_7', name: 'custom_field_7' }, value: 'Blue' }],
          extra_data: { last_bucketed_at: null, buckets: [], relationship_status: 'none' },
        },
        meta: {},
      },
    });
    expect((await send('GET', '/v2/contacts/contact_1')).body).toEqual(created.body);
  });

  it.each(['PATCH', 'PUT'])('changes by %s only the sent values and updates updated_at', async (method) => {
    await using service = await openService();
    await service.sendData('POST', '/v2/contacts', FULL);
    service.time.nowMs += 5500;
    const updated = await service.sendData(method, '/v2/contacts/contact_1', { title: 'Owner' });
    expect(updated.body).toMatchObject({
      data: { first_name: 'Ann', title: 'Owner', tags: ['vip'], updated_at: '2026-01-01 12:00:05 UTC' },
    });
  });

  it('does not change updated_at if an update changes nothing', async ({ time, sendData }) => {
    await sendData('POST', '/v2/contacts', FULL);
    time.nowMs += 5000;
    const updated = await sendData('PATCH', '/v2/contacts/contact_1', FULL);
    expect(updated.body).toMatchObject({ data: { updated_at: '2026-01-01 12:00:00 UTC' } });
  });

  it('replaces an array as a whole and keeps the ids of entries that stay', async ({ sendData }) => {
    await sendData('POST', '/v2/contacts', {
      email_addresses: [{ address: 'a@x.example' }, { address: 'b@x.example' }],
    });
    const updated = await sendData('PATCH', '/v2/contacts/contact_1', {
      email_addresses: [{ address: 'c@x.example' }, { address: 'b@x.example' }],
    });
    expect(updated.body).toMatchObject({
      data: {
        email_addresses: [
          { id: 'contact_identity_3', address: 'c@x.example' },
          { id: 'contact_identity_2', address: 'b@x.example' },
        ],
      },
    });
  });

  it('clears with null and with an empty array, and ignores extra_data', async ({ sendData }) => {
    await sendData('POST', '/v2/contacts', FULL);
    const changes = { company: null, phone_numbers: [], extra_data: { relationship_status: 'strong' } };
    const updated = await sendData('PATCH', '/v2/contacts/contact_1', changes);
    expect(updated.body).toMatchObject({
      data: { company: null, phone_numbers: [], extra_data: { relationship_status: 'none' } },
    });
  });

  it('returns the contact that it deletes and returns 404 from then on', async ({ send, sendData, ids }) => {
    await sendData('POST', '/v2/contacts', FULL);
    const deleted = await send('DELETE', '/v2/contacts/contact_1');
    expect(deleted).toMatchObject({ status: 200, body: { data: { id: 'contact_1', first_name: 'Ann' } } });
    for (const method of ['GET', 'DELETE']) {
      expect((await send(method, '/v2/contacts/contact_1')).status).toBe(404);
    }
    expect(await ids('/v2/contacts')).toEqual([]);
  });

  it('never assigns an id a second time', async ({ account }) => {
    account.deleteContact(account.createContact({}).id);
    expect(account.createContact({}).id).toBe('contact_2');
  });

  it('returns 400 for a body that is not JSON and 422 for one of another shape', async ({ send, sendData }) => {
    expect((await send('POST', '/v2/contacts', '{"data":')).status).toBe(400);
    expect(await sendData('POST', '/v2/contacts', { tags: 'vip' })).toMatchObject({
      status: 422,
      body: { errors: [expect.any(String)] },
    });
    expect((await send('POST', '/v2/contacts', { first_name: 'Ann' })).status).toBe(422);
  });

  it('removes an archived contact from the lists but keeps it', async ({ account, send, ids }) => {
    const { id } = account.createContact(FULL);
    account.archiveContact(id);
    expect(await ids('/v2/contacts')).toEqual([]);
    expect((await send('GET', `/v2/contacts/${id}`)).status).toBe(200);
  });
});

describe('merging contacts', () => {
  const merge = { contact_ids: ['contact_2'] };

  it('overwrites the survivor with the others, unites their lists and removes them', async () => {
    await using service = await openService();
    const { account } = service.emulator;
    const [own, theirs] = [account.createBucket({ name: 'Own' }), account.createBucket({ name: 'Theirs' })];
    const ann = { first_name: 'Ann', title: 'Broker', email_addresses: [{ address: 'a@x.example' }] };
    const anna = { first_name: 'Anna', email_addresses: [{ address: 'A@x.example' }, { address: 'b@x.example' }] };
    account.createContact(ann, { bucketIds: [own.id] });
    account.createContact(anna, { bucketIds: [theirs.id] });
    service.time.nowMs += 1000;
    const merged = await service.sendData('POST', '/v2/contacts/contact_1/merge', [merge]);
    expect(merged).toMatchObject({
      status: 200,
      body: {
        data: {
          id: 'contact_1',
          first_name: 'Anna',
          title: 'Broker',
          updated_at: '2026-01-01 12:00:01 UTC',
          email_addresses: [{ address: 'a@x.example' }, { address: 'b@x.example' }],
          extra_data: { buckets: [{ id: own.id }, { id: theirs.id }] },
        },
      },
    });
    expect((await service.send('GET', '/v2/contacts/contact_2')).status).toBe(404);
    expect(await service.ids(`/v2/buckets/${theirs.id}/contacts`)).toEqual(['contact_1']);
  });

  it('refuses to merge a contact into itself', async ({ account, sendData }) => {
    account.createContact({});
    const own = [{ contact_ids: ['contact_1'] }];
    expect((await sendData('POST', '/v2/contacts/contact_1/merge', own)).status).toBe(422);
  });

  it.each([
    ['redirect', { status: 301 }],
    ['survivor', { status: 200, body: { data: { id: 'contact_1' } } }],
    ['archived', { status: 200, body: { data: { id: 'contact_2' } } }],
  ] as const)('responds for a merged contact as the variant %s specifies', async (mergeLosers, expected) => {
    await using service = await openService({ variants: { mergeLosers } });
    service.emulator.account.createContact({});
    service.emulator.account.createContact({});
    service.emulator.account.mergeContacts('contact_1', ['contact_2']);
    const answer = await service.send('GET', '/v2/contacts/contact_2');
    expect(answer).toMatchObject(expected);
    expect(await service.ids('/v2/contacts')).toEqual(['contact_1']);
    if (mergeLosers === 'redirect') expect(answer.headers.get('location')).toBe('/v2/contacts/contact_1');
  });

  it('accepts the object form of the body if the variant specifies it', async ({ account, emulator, sendData }) => {
    account.createContact({});
    account.createContact({});
    expect((await sendData('POST', '/v2/contacts/contact_1/merge', merge)).status).toBe(422);
    emulator.setVariants({ mergeBody: 'object' });
    expect((await sendData('POST', '/v2/contacts/contact_1/merge', merge)).status).toBe(200);
  });
});

describe('interactions', () => {
  it('lists those with a contact and edits one', async ({ account, send, sendData }) => {
    account.createContact({ first_name: 'Ann', email_addresses: [{ address: 'a@x.example' }] });
    account.addInteraction('contact_1', { subject: 'Hello' });
    expect((await send('GET', '/v2/contacts/contact_1/interactions')).body).toMatchObject({
      data: [
        {
          id: 'interaction_1',
          subject: 'Hello',
          type: 'email',
          timestamp: '2026-01-01 12:00:00 UTC',
          participants: [{ contact_id: 'contact_1', handle: 'a@x.example', extra_data: { first_name: 'Ann' } }],
          extra_data: { contact_handle: 'a@x.example', contact: { id: 'contact_1' } },
        },
      ],
      meta: { total: 1 },
    });
    const change = { subject: 'Bye', timestamp: '2026-01-02T00:00:00Z' };
    const edited = await sendData('PATCH', '/v2/interactions/interaction_1', change);
    expect(edited.body).toMatchObject({ data: { subject: 'Bye', timestamp: '2026-01-02 00:00:00 UTC' } });
    expect((await send('GET', '/v2/contacts/contact_1')).body).toMatchObject({
      data: { updated_at: '2026-01-01 12:00:00 UTC', extra_data: { last_contacted: '2026-01-02 00:00:00 UTC' } },
    });
    expect((await sendData('PUT', '/v2/interactions/interaction_9', change)).status).toBe(404);
  });
});

import { describe, expect } from 'vitest';
import { it, openService, type Service } from './harness.ts';

const fill = ({ emulator: { account } }: Service): void => {
  for (const name of ['Clients', 'Friends', 'Leads']) account.createBucket({ name });
  account.createContact({ first_name: 'Ann' });
  account.createContact({ first_name: 'Bob' });
};
const ref = (...ids: readonly string[]) => ids.map((id) => ({ id }));

describe('buckets', () => {
  it('creates, reads, updates and deletes a bucket', async ({ time, send, sendData }) => {
    const fields = { name: 'Clients', goal: 'Call them', reminder_interval: 30 };
    const created = await sendData('POST', '/v2/buckets', fields);
    expect(created).toMatchObject({
      status: 200,
      body: {
        data: {
          ...fields,
          id: 'bucket_1',
          created_at: '2026-01-01 12:00:00 UTC',
          extra_data: { cloned_from_id: null, contact_count: 0, relationship_status: { total: 0 }, lead_pool: null },
        },
        meta: {},
      },
    });
    time.nowMs += 1000;
    const updated = await sendData('PATCH', '/v2/buckets/bucket_1', { goal: null });
    expect(updated.body).toMatchObject({
      data: { name: 'Clients', goal: null, reminder_interval: 30, updated_at: '2026-01-01 12:00:01 UTC' },
    });
    expect(await send('DELETE', '/v2/buckets/bucket_1')).toMatchObject({
      status: 200,
      body: { data: { id: 'bucket_1', name: 'Clients' } },
    });
    expect((await send('GET', '/v2/buckets/bucket_1')).status).toBe(404);
  });

  it('requires a name', async ({ sendData }) => {
    expect((await sendData('POST', '/v2/buckets', { goal: 'None' })).status).toBe(422);
  });

  it('keeps the contacts of a deleted bucket', async ({ service, account, send, ids }) => {
    fill(service);
    account.setBuckets('contact_1', ['bucket_1', 'bucket_2']);
    await send('DELETE', '/v2/buckets/bucket_1');
    expect(await ids('/v2/contacts')).toEqual(['contact_1', 'contact_2']);
    expect(await ids('/v2/contacts/contact_1/buckets')).toEqual(['bucket_2']);
  });

  it('finds buckets by name, in the manual order by default', async ({ service, ids }) => {
    fill(service);
    expect(await ids('/v2/buckets?q=IEN')).toEqual(['bucket_1', 'bucket_2']);
    expect(await ids('/v2/buckets')).toEqual(['bucket_1', 'bucket_2', 'bucket_3']);
    expect(await ids('/v2/buckets?order=-id')).toEqual(['bucket_3', 'bucket_2', 'bucket_1']);
  });

  it.each([
    ['422', 422, 1],
    ['existing', 200, 1],
    ['allowed', 200, 2],
  ] as const)('handles a name that exists as the variant %s specifies', async (duplicateBucketName, status, count) => {
    await using service = await openService({ variants: { duplicateBucketName, bucketNameCompare: 'loose' } });
    service.emulator.account.createBucket({ name: 'Clients' });
    expect((await service.sendData('POST', '/v2/buckets', { name: 'clients ' })).status).toBe(status);
    expect(service.emulator.account.buckets()).toHaveLength(count);
  });
});

describe('membership', () => {
  it('adds to, replaces and removes from the buckets of a contact', async ({ service, sendData, ids }) => {
    fill(service);
    const path = '/v2/contacts/contact_1/buckets';
    await sendData('POST', path, ref('bucket_1', 'bucket_2'));
    expect(await ids(path)).toEqual(['bucket_1', 'bucket_2']);
    const replaced = await sendData('PUT', path, ref('bucket_2', 'bucket_3'));
    expect(replaced.body).toMatchObject({ data: ref('bucket_2', 'bucket_3'), meta: { total: 2 } });
    await sendData('DELETE', path, ref('bucket_3'));
    expect(await ids(path)).toEqual(['bucket_2']);
    await sendData('PUT', path, []);
    expect(await ids(path)).toEqual([]);
  });

  it('adds contacts to a bucket and removes them', async ({ service, send, sendData, ids }) => {
    fill(service);
    const path = '/v2/buckets/bucket_1/contacts';
    const added = await sendData('POST', path, ref('contact_2', 'contact_1'));
    expect(added.body).toMatchObject({ data: ref('contact_1', 'contact_2') });
    expect((await send('GET', '/v2/buckets/bucket_1')).body).toMatchObject({
      data: { extra_data: { contact_count: 2 } },
    });
    await sendData('DELETE', path, ref('contact_1'));
    expect(await ids(path)).toEqual(['contact_2']);
  });

  it('updates last_bucketed_at but not updated_at', async ({ service, time, send, sendData }) => {
    fill(service);
    time.nowMs += 1000;
    await sendData('PUT', '/v2/contacts/contact_1/buckets', ref('bucket_1'));
    expect((await send('GET', '/v2/contacts/contact_1')).body).toMatchObject({
      data: {
        updated_at: '2026-01-01 12:00:00 UTC',
        extra_data: {
          last_bucketed_at: '2026-01-01 12:00:01 UTC',
          buckets: [{ id: 'bucket_1', name: 'Clients', reminder_interval: null }],
        },
      },
    });
  });

  it.each([
    ['contact', true, true],
    ['contact-if-changed', true, false],
    ['nothing', false, false],
  ] as const)(
    'changes the time of the contact as the variant %s specifies',
    async (membershipBump, onChange, onNoChange) => {
      await using service = await openService({ variants: { membershipBump } });
      fill(service);
      const isBumpedBy = async (): Promise<boolean> => {
        const before = service.emulator.account.contact('contact_1')?.updatedAtMs;
        service.time.nowMs += 1000;
        await service.sendData('PUT', '/v2/contacts/contact_1/buckets', ref('bucket_1'));
        return service.emulator.account.contact('contact_1')?.updatedAtMs !== before;
      };
      expect(await isBumpedBy()).toBe(onChange);
      expect(await isBumpedBy()).toBe(onNoChange);
    },
  );

  it.each([
    ['skipped', 200, ['contact_1']],
    ['404', 404, []],
    ['422', 422, []],
    ['partial-with-errors', 200, ['contact_1']],
  ] as const)('handles unknown ids as the variant %s specifies', async (bulkBadIds, status, members) => {
    await using service = await openService({ variants: { bulkBadIds } });
    fill(service);
    const answer = await service.sendData('POST', '/v2/buckets/bucket_1/contacts', ref('contact_1', 'contact_9'));
    expect(answer.status).toBe(status);
    expect(await service.ids('/v2/buckets/bucket_1/contacts')).toEqual(members);
    if (bulkBadIds === 'partial-with-errors') expect(answer.body).toHaveProperty('errors', ['Unknown id contact_9']);
  });

  it('pages the members of a bucket by 50', async ({ account, ids }) => {
    const { id } = account.createBucket({ name: 'All' });
    for (let count = 0; count < 51; count += 1) account.createContact({}, { bucketIds: [id] });
    expect(await ids(`/v2/buckets/${id}/contacts`)).toHaveLength(50);
    expect(await ids(`/v2/buckets/${id}/contacts?page=2`)).toEqual(['contact_51']);
  });
});

import { describe, expect } from 'vitest';
import type { ServiceVariants } from '../../../../src/sandbox/service/variants.ts';
import { fillContacts, it, openService } from './harness.ts';

const contactIds = (...numbers: readonly number[]): string[] => numbers.map((number) => `contact_${number}`);

describe('pages', () => {
  it('have 50 items and link to the previous and the next page, with the filters', async () => {
    await using service = await openService();
    fillContacts(service, 101);
    const path = '/v2/contacts?order=-id&q=Name';
    const url = `${service.emulator.url}${path}`;
    const meta = { total: 101, next_page: `${url}&page=3`, previous_page: `${url}&page=1` };
    expect((await service.send('GET', `${path}&page=2`)).body).toMatchObject({ meta });
    expect(await service.ids(`${path}&page=3`)).toEqual(['contact_1']);
    expect((await service.send('GET', `${path}&page=3`)).body).toMatchObject({ meta: { next_page: null } });
  });

  it.each<[Partial<ServiceVariants>, object]>([
    [{ nextPageForm: 'number' }, { total: 51, next_page: 2, previous_page: null }],
    [
      { nextPageForm: 'relative-path', noPage: 'empty-string' },
      { total: 51, next_page: '/v2/contacts?page=2', previous_page: '' },
    ],
    [{ metaTotal: 'absent', noPage: 'absent', nextPageForm: 'number' }, { next_page: 2 }],
  ])('are described as the variants %j specify', async (variants, meta) => {
    await using service = await openService({ variants });
    fillContacts(service, 51);
    expect((await service.send('GET', '/v2/contacts')).body).toHaveProperty('meta', meta);
  });
});

it('the order follows the fields of the route, descending with a minus, ties by number', async ({ account, ids }) => {
  account.createContact({ first_name: 'Ann', last_name: 'B' });
  account.createContact({ first_name: 'Cid', last_name: 'A' });
  account.createContact({ first_name: 'Ann', last_name: 'A' });
  expect(await ids('/v2/contacts?order=first_name')).toEqual(contactIds(1, 3, 2));
  expect(await ids('/v2/contacts?order=-first_name')).toEqual(contactIds(2, 1, 3));
  expect(await ids('/v2/contacts?order=last_name,-id')).toEqual(contactIds(3, 2, 1));
  account.updateContact('contact_1', { last_name: '' });
  expect(await ids('/v2/contacts?order=last_name,-id')).toEqual(contactIds(1, 3, 2));
});

describe('filters', () => {
  it.each([
    ['inclusive', contactIds(2, 3, 4)],
    ['exclusive', contactIds(3)],
    ['after-exclusive', contactIds(3, 4)],
  ] as const)('limit times %s', async (bounds, expected) => {
    await using service = await openService({ variants: { bounds } });
    fillContacts(service, 5);
    const range = 'updated_at.after=2026-01-01T12:00:01Z&updated_at.before=2026-01-01T13:00:03%2B01:00';
    expect(await service.ids(`/v2/contacts?${range}`)).toEqual(expected);
  });

  it('find contacts by company, tag, bucket, term, custom field and team', async ({ account, ids }) => {
    const { id } = account.createBucket({ name: 'Clients' });
    const custom_field_values = [{ field: { id: 'custom_field_7' }, value: 'Blue' }];
    account.createContact({ first_name: 'Ann', company: 'Acme' }, { bucketIds: [id] });
    account.createContact({ company: 'Acme Ltd', tags: ['vip'], custom_field_values });
    account.createContact({ email_addresses: [{ address: 'cid@acme.example' }] }, { isTeamContact: true });
    expect(await ids('/v2/contacts?company=Acme')).toEqual(contactIds(1));
    expect(await ids('/v2/contacts?tags=vip')).toEqual(contactIds(2));
    expect(await ids(`/v2/contacts?buckets=${id}`)).toEqual(contactIds(1));
    expect(await ids('/v2/contacts?q=acme')).toEqual(contactIds(1, 2));
    expect(await ids('/v2/contacts?q=acme&team_search=true')).toEqual(contactIds(1, 2, 3));
    expect(await ids('/v2/contacts?custom_field_7=Blue')).toEqual(contactIds(2));
  });
});

it.each([
  ['GET', '/v2/contacts?created_at.after=2026-01-01T12:00:01', undefined, 422],
  ['GET', '/v2/contacts?created_at.after=2026-01-01T12:00:01+00:00', undefined, 422],
  ['GET', '/v2/contacts?order=shoe_size', undefined, 422],
  ['GET', '/v2/contacts/search', undefined, 404],
  ['POST', '/v2/contacts', '{"data":', 400],
  ['POST', '/v2/contacts', '{"first_name": "Ann"}', 422],
  ['POST', '/v2/contacts', { tags: 'vip' }, 422],
  ['POST', '/v2/buckets', { goal: 'None' }, 422],
  ['POST', '/v2/contacts/contact_1/merge', [{ contact_ids: ['contact_1'] }], 422],
  [
    'GET',
    '/oauth2/authorize?client_id=stranger&scope=a&redirect_uri=http://a.example&response_type=code',
    undefined,
    400,
  ],
])('%s %s with %j is refused with %i', async (method, path, sent, status) => {
  await using service = await openService();
  fillContacts(service, 1);
  expect((await service.send(method, path, sent)).status).toBe(status);
  expect(service.emulator.account.contacts()).toHaveLength(1);
});

it('a list that lags shows changes late, while a read by id shows them at once', async () => {
  await using service = await openService({ variants: { listLag: '2s' } });
  const { account } = service.emulator;
  fillContacts(service, 2);
  service.time.nowMs += 5000;
  account.updateContact('contact_1', { title: 'New' });
  account.deleteContact('contact_2');
  account.createContact({});
  expect((await service.send('GET', '/v2/contacts/contact_1')).body).toMatchObject({ data: { title: 'New' } });
  const lagged = { data: [{ id: 'contact_1', title: '' }, { id: 'contact_2' }] };
  expect((await service.send('GET', '/v2/contacts')).body).toMatchObject(lagged);
  service.time.nowMs += 2000;
  expect(await service.ids('/v2/contacts')).toEqual(contactIds(1, 3));
});

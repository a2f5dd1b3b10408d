import { describe, expect } from 'vitest';
import type { ServiceVariants } from '../../../../src/sandbox/service/variants.ts';
import { fillContacts, it, openService } from './harness.ts';

const contactIds = (...numbers: readonly number[]): string[] => numbers.map((number) => `contact_${number}`);

describe('pages', () => {
  it('have 50 items and link to the previous and the next page by URL, with the filters', async () => {
    await using service = await openService();
    fillContacts(service, 101);
    const path = '/v2/contacts?order=-id&q=Name';
    const second = await service.send('GET', `${path}&page=2`);
    const url = `${service.emulator.url}${path}`;
    expect(second.body).toMatchObject({
      meta: { total: 101, next_page: `${url}&page=3`, previous_page: `${url}&page=1` },
    });
    expect(await service.ids(`${path}&page=3`)).toEqual(['contact_1']);
    expect((await service.send('GET', `${path}&page=3`)).body).toMatchObject({ meta: { next_page: null } });
    expect((await service.send('GET', path)).body).toMatchObject({ meta: { previous_page: null } });
  });

  it.each<[Partial<ServiceVariants>, object]>([
    [{ nextPageForm: 'number' }, { next_page: 2, previous_page: null }],
    [
      { nextPageForm: 'relative-path', noPage: 'empty-string' },
      { next_page: '/v2/contacts?page=2', previous_page: '' },
    ],
    [{ metaTotal: 'absent', noPage: 'absent', nextPageForm: 'number' }, { next_page: 2 }],
  ])('are described as the variants %j specify', async (variants, meta) => {
    await using service = await openService({ variants });
    fillContacts(service, 51);
    const { body } = await service.send('GET', '/v2/contacts');
    expect(body).toHaveProperty('meta', 'total' in meta || variants.metaTotal ? meta : { total: 51, ...meta });
  });

  it('return 404 for the search form of next_page', async ({ service, emulator, send }) => {
    emulator.setVariants({ nextPageForm: 'search-path' });
    fillContacts(service, 51);
    const { body } = await send('GET', '/v2/contacts');
    expect(body).toMatchObject({ meta: { next_page: `${emulator.url}/v2/contacts/search?page=2` } });
    expect((await send('GET', '/v2/contacts/search?page=2')).status).toBe(404);
  });

  it('are empty past the end, and as the variants specify', async ({ service, emulator, send, ids }) => {
    fillContacts(service, 2);
    expect(await ids('/v2/contacts?page=2')).toEqual([]);
    emulator.setVariants({ pastEnd: 'last-page' });
    expect(await ids('/v2/contacts?page=2')).toEqual(contactIds(1, 2));
    emulator.setVariants({ pastEnd: '404' });
    expect((await send('GET', '/v2/contacts?page=2')).status).toBe(404);
    expect(await ids('/v2/contacts?page=zero')).toEqual(contactIds(1, 2));
  });
});

describe('order', () => {
  it('is by number, not by the text of the id', async ({ service, ids }) => {
    fillContacts(service, 11);
    expect(await ids('/v2/contacts')).toEqual(contactIds(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  });

  it('follows the fields of the route, descending with a minus, ties by id', async ({ account, send, ids }) => {
    account.createContact({ first_name: 'Ann', last_name: 'B' });
    account.createContact({ first_name: 'Cid', last_name: 'A' });
    account.createContact({ first_name: 'Ann', last_name: 'A' });
    expect(await ids('/v2/contacts?order=first_name')).toEqual(contactIds(1, 3, 2));
    expect(await ids('/v2/contacts?order=-first_name')).toEqual(contactIds(2, 1, 3));
    expect(await ids('/v2/contacts?order=last_name,-id')).toEqual(contactIds(3, 2, 1));
    expect((await send('GET', '/v2/contacts?order=shoe_size')).status).toBe(422);
  });

  it('has a change at its new place at once', async ({ service, account, ids }) => {
    fillContacts(service, 3);
    expect(await ids('/v2/contacts?order=updated_at')).toEqual(contactIds(1, 2, 3));
    account.updateContact('contact_1', { title: 'New' });
    expect(await ids('/v2/contacts?order=updated_at')).toEqual(contactIds(2, 3, 1));
  });

  it('shuffles ties between requests if the variant specifies it', async ({ account, emulator, ids }) => {
    emulator.setVariants({ sortTies: 'unstable' });
    for (let count = 0; count < 20; count += 1) account.createContact({});
    const first = await ids('/v2/contacts?order=updated_at');
    const second = await ids('/v2/contacts?order=updated_at');
    expect(second).not.toEqual(first);
    expect(second.toSorted()).toEqual(first.toSorted());
  });
});

describe('filters', () => {
  const after = 'updated_at.after=2026-01-01T12:00:01Z';
  const before = 'updated_at.before=2026-01-01T13:00:03%2B01:00';

  it.each([
    ['inclusive', contactIds(2, 3, 4)],
    ['exclusive', contactIds(3)],
    ['after-exclusive', contactIds(3, 4)],
  ] as const)('limit times %s', async (bounds, expected) => {
    await using service = await openService({ variants: { bounds } });
    fillContacts(service, 5);
    expect(await service.ids(`/v2/contacts?${after}&${before}`)).toEqual(expected);
  });

  it('compare below the second if the variant specifies it', async ({ service, emulator, time, send, ids }) => {
    emulator.setVariants({ bounds: 'sub-second' });
    time.nowMs += 500;
    fillContacts(service, 1);
    const { body } = await send('GET', '/v2/contacts?updated_at.before=2026-01-01T12:00:00Z');
    expect(body).toMatchObject({ meta: { total: 0 } });
    expect(await ids('/v2/contacts?updated_at.before=2026-01-01T12:00:01Z')).toEqual(contactIds(1));
  });

  it('refuse a timestamp without an offset, or with a plus that was not escaped', async () => {
    await using service = await openService();
    for (const text of ['2026-01-01T12:00:01', '2026-01-01T12:00:01+00:00', 'yesterday']) {
      expect((await service.send('GET', `/v2/contacts?created_at.after=${text}`)).status).toBe(422);
    }
  });

  it('find contacts by company, tags, buckets, term, custom field and team', async ({ account, ids }) => {
    const { id } = account.createBucket({ name: 'Clients' });
    const custom = [{ field: { id: 'custom_field_7' }, value: 'Blue' }];
    account.createContact({ first_name: 'Ann', company: 'Acme' }, { bucketIds: [id] });
    account.createContact({ company: 'Acme Ltd', tags: ['vip'], custom_field_values: custom });
    account.createContact({ email_addresses: [{ address: 'cid@acme.example' }] }, { isTeamContact: true });
    expect(await ids('/v2/contacts?company=Acme')).toEqual(contactIds(1));
    expect(await ids('/v2/contacts?tags=vip')).toEqual(contactIds(2));
    expect(await ids(`/v2/contacts?buckets=${id}`)).toEqual(contactIds(1));
    expect(await ids('/v2/contacts?q=acme')).toEqual(contactIds(1, 2));
    expect(await ids('/v2/contacts?q=acme&team_search=true')).toEqual(contactIds(1, 2, 3));
    expect(await ids('/v2/contacts?custom_field_7=Blue&tags=vip')).toEqual(contactIds(2));
    expect(await ids('/v2/contacts?custom_field_7=Red')).toEqual([]);
  });

  it('ignore unknown parameters', async ({ service, ids }) => {
    fillContacts(service, 1);
    expect(await ids('/v2/contacts?colour=blue')).toEqual(contactIds(1));
  });
});

describe('a list that lags', () => {
  it('shows creates, changes and deletes late, while a read by id shows them at once', async () => {
    await using service = await openService({ variants: { listLag: '2s' } });
    const { account } = service.emulator;
    fillContacts(service, 2);
    service.time.nowMs += 5000;
    account.updateContact('contact_1', { title: 'New' });
    account.deleteContact('contact_2');
    account.createContact({});
    expect((await service.send('GET', '/v2/contacts/contact_1')).body).toMatchObject({ data: { title: 'New' } });
    expect((await service.send('GET', '/v2/contacts')).body).toMatchObject({
      data: [{ id: 'contact_1', title: '' }, { id: 'contact_2' }],
    });
    service.time.nowMs += 2000;
    expect(await service.ids('/v2/contacts')).toEqual(contactIds(1, 3));
  });
});

import { expect, test } from 'vitest';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { forever } from '../../../contract/scenes/steps.ts';
import type { Received } from '../scripted-server.ts';
import { apiError, person, startGoogle } from './support.ts';

const requestedIds = ({ query }: Received): string[] => query.getAll('resourceNames');

test('a read by id returns for each id whether the contact is found, moved, gone or unreadable', async () => {
  const answered = [{ person: person(1) }, { person: person(7) }, { status: { code: 5 } }, { httpStatusCode: 404 }];
  const odd = [{ status: { code: 13 } }, { person: { resourceName: 'people/c6' } }];
  const responses = [...answered, ...odd].map((answer, index) => {
    return { requestedResourceName: `people/c${index + 1}`, ...answer };
  });
  await using google = await startGoogle(() => ({ body: { responses } }));
  const ids = [1, 2, 3, 4, 5, 6, 7].map((number) => `people/c${number}`);
  const answers = await google.remote.read(ids, forever);
  const kinds = ids.map((id) => answers.get(id)?.kind).join(' ');
  expect(kinds).toBe('found moved gone gone unreadable unreadable unreadable');
  expect(answers.get('people/c2')).toMatchObject({ record: { id: 'people/c7' } });
});

test('a read by id requests at most 200 ids at a time, and each id once', async () => {
  await using google = await startGoogle((seen) => ({
    body: { responses: requestedIds(seen).map((id) => ({ requestedResourceName: id, status: { code: 5 } })) },
  }));
  const ids = Array.from({ length: 250 }, (_, index) => `people/c${index}`);
  const answers = await google.remote.read([...ids, 'people/c0'], forever);
  expect(answers.size).toBe(250);
  expect(google.requests.map((seen) => requestedIds(seen).length)).toEqual([200, 50]);
});

test('R7: a read by id returns an id that Google refuses as unreadable, reads the other ids, and throws on a server error', async () => {
  await using google = await startGoogle((seen) =>
    requestedIds(seen).includes('people/bad')
      ? apiError(400, 'INVALID_ARGUMENT')
      : { body: { responses: requestedIds(seen).map((id) => ({ requestedResourceName: id, person: person(1) })) } },
  );
  const answers = await google.remote.read(['people/c1', 'people/bad'], forever);
  expect([...answers.values()].map(({ kind }) => kind)).toEqual(['found', 'unreadable']);
  await using broken = await startGoogle(() => apiError(500, 'INTERNAL'));
  await expect(broken.remote.read(['people/c1'], forever)).rejects.toMatchObject({ kind: 'unavailable' });
});

const sinceMs = Date.parse('2026-01-01T12:00:00Z');
const names = [{ givenName: 'A' }];
const created = (number: number, originId: string, time: string) => ({
  ...person(number, { names, clientData: [{ key: 'contact-sync.service-id', value: originId }] }),
  metadata: { sources: [{ type: 'CONTACT', etag: `#${number}`, updateTime: `2026-01-01T${time}Z` }] },
});
const draft = contactOf({ firstName: 'A' });
const request = (number: number) => ({ key: `k${number}`, draft, groupIds: [], originId: `contact_${number}` });

test('R9: the search for lost creates matches the origin id among the newest contacts, and skips contacts that are already linked', async () => {
  await using google = await startGoogle(() => ({
    body: { connections: [created(9, 'contact_1', '12:01:00'), created(8, 'contact_1', '12:00:30'), person(7)] },
  }));
  const found = await google.remote.findCreated([request(1), request(2)], sinceMs, (id) => id === 'people/c9', forever);
  expect([...found].map(([key, { id }]) => [key, id])).toEqual([['k1', 'people/c8']]);
  const { query } = google.requests[0] ?? { query: new URLSearchParams() };
  expect(query.get('sortOrder')).toBe('LAST_MODIFIED_DESCENDING');
  expect([query.get('requestSyncToken'), query.has('syncToken')]).toEqual(['false', false]);
});

test.each<[string, string, string, string, boolean]>([
  ['with the same account', 'contact-sync.origin', 'account-1 contact_1', 'A', true],
  ['with another account', 'contact-sync.origin', 'account-2 contact_1', 'A', false],
  ['without an account', 'contact-sync.service-id', 'contact_1', 'A', true],
  ['with another name', 'contact-sync.origin', 'account-1 contact_1', 'Bob', false],
  ['with another name and without an account', 'contact-sync.service-id', 'contact_1', 'Bob', false],
])('R9: a lost create is found by account, origin and name: %s', async (_, key, value, givenName, isFound) => {
  const row = { ...created(9, '', '12:01:00'), names: [{ givenName }], clientData: [{ key, value }] };
  await using google = await startGoogle(() => ({ body: { connections: [row] } }));
  const sought = { ...request(1), originScope: 'account-1' };
  const found = await google.remote.findCreated([sought], sinceMs, () => false, forever);
  expect(found.has('k1')).toBe(isFound);
});

const SPOILT = { names: 'not a list' };
const marked = (value: unknown) => ({ ...SPOILT, clientData: [{ key: 'contact-sync.origin', value }] });
const scoped = { ...request(1), originScope: 'account-1' };
const find = async (rows: readonly unknown[]) => {
  await using google = await startGoogle(() => ({ body: { connections: rows } }));
  return await google.remote.findCreated([scoped], sinceMs, (id) => id === 'people/c5', forever);
};

test.each<[string, unknown]>([
  ['its origin', person(9, marked('account-1 contact_1'))],
  ['its origin without an account', { ...created(9, 'contact_1', '12:01:00'), ...SPOILT }],
  ['no client data', person(9, SPOILT)],
  ['malformed client data', person(9, marked(7))],
  ['no content', null],
])('R9, R17: a create is not reported as not applied while an unreadable row has %s', async (_, row) => {
  await expect(find([row, person(7)])).rejects.toMatchObject({ kind: 'unreadable', applied: 'no' });
});

test.each<[string, readonly unknown[]]>([
  ['has another origin', [person(9, marked('account-1 contact_2'))]],
  ['has an origin of another account', [person(9, marked('account-2 contact_1'))]],
  ['has client data of another program', [person(9, { ...SPOILT, clientData: [{ key: 'other', value: 'x' }] })]],
  ['is linked', [person(5, SPOILT)]],
  ['was modified before the create', [created(7, 'x', '11:54:00'), person(9, SPOILT)]],
])('R9: a create is reported as not applied if the unreadable row %s', async (_, rows) => {
  expect((await find(rows)).size).toBe(0);
});

test('R9: an unreadable row does not matter if every create is found', async () => {
  expect((await find([person(9, SPOILT), created(8, 'contact_1', '12:01:00')])).get('k1')?.id).toBe('people/c8');
});

test('R9: the search for lost creates reads pages until all are found, or the contacts are older than the creates by a margin', async () => {
  const pages: Record<string, unknown> = {
    '': { connections: [created(9, 'x', '12:30:00')], nextPageToken: 'p2' },
    p2: { connections: [created(8, 'contact_1', '11:56:00')], nextPageToken: 'p3' },
    p3: { connections: [created(7, 'y', '11:54:59')], nextPageToken: 'p4' },
  };
  await using google = await startGoogle(({ query }) => ({ body: pages[query.get('pageToken') ?? ''] }));
  const found = await google.remote.findCreated([request(1), request(2)], sinceMs, () => false, forever);
  expect(found.get('k1')?.id).toBe('people/c8');
  expect(google.requests).toHaveLength(3);
  await google.remote.findCreated([request(1)], sinceMs, () => false, forever);
  expect(google.requests).toHaveLength(5);
});

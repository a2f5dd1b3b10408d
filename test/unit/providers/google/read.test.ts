import { expect, test } from 'vitest';
import type { RemoteError } from '../../../../src/providers/errors.ts';
import { forever } from '../../../contract/scenes/steps.ts';
import type { Received } from '../scripted-server.ts';
import { apiError, creation, originData, person, startGoogle } from './support.ts';

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
const lost = (number: number) => creation(number, { firstName: 'A' });
const created = (number: number, originId: string, time: string) => ({
  ...person(number, { names: [{ givenName: 'A' }], ...originData(originId) }),
  metadata: { sources: [{ type: 'CONTACT', etag: `#${number}`, updateTime: `2026-01-01T${time}Z` }] },
});

const ORIGIN = 'contact-sync.origin';
const marked = (data: object, more: object = {}) => ({ ...created(9, '', '12:01:00'), ...data, ...more });
const BOB = { names: [{ givenName: 'Bob' }] };
const SPOILT = { names: 'not a list' };
const ELSEWHERE = originData('contact_1', ORIGIN, 'account-2');
const ODD = { clientData: [{ key: ORIGIN, value: 7 }] };
const UNCERTAIN = 'unreadable no';

test.each<[string, readonly unknown[], string | null]>([
  ['found behind a linked one', [5, 8].map((id) => created(id, 'contact_1', '12:00:30')), 'people/c8'],
  ['found with its account', [marked(originData('contact_1'))], 'people/c9'],
  ['not found with another account', [marked(ELSEWHERE)], null],
  ['not found with another name', [marked(originData('contact_1'), BOB)], null],
  ['uncertain while an unreadable row has its origin', [marked(originData('contact_1'), SPOILT)], UNCERTAIN],
  ['uncertain while one has no client data', [person(9, SPOILT), person(7)], UNCERTAIN],
  ['uncertain while one has malformed client data', [marked(ODD, SPOILT)], UNCERTAIN],
  ['uncertain while a row has no content', [null, person(7)], UNCERTAIN],
  ['not applied if the unreadable row has another origin', [marked(originData('contact_2'), SPOILT)], null],
  ['not applied if it has an origin of another account', [marked(ELSEWHERE, SPOILT)], null],
  ['not applied if it has client data of another program', [marked(originData('x', 'other'), SPOILT)], null],
  ['not applied if it is linked', [person(5, SPOILT)], null],
  ['not applied if it was modified before the create', [created(7, 'x', '11:54:00'), person(9, SPOILT)], null],
  ['found next to an unreadable row', [person(3, SPOILT), marked(originData('contact_1'))], 'people/c9'],
])('R9, R17: a lost create is %s', async (_, connections, outcome) => {
  await using google = await startGoogle(() => ({ body: { connections } }));
  const found = google.remote.findCreated([lost(1)], sinceMs, (id) => id === 'people/c5', forever);
  const outcomeOf = found.then(
    (records) => records.get('k1')?.id ?? null,
    ({ kind, applied }: RemoteError) => `${kind} ${applied}`,
  );
  expect(await outcomeOf).toBe(outcome);
  const query = google.requests[0]?.query;
  expect(query?.get('sortOrder')).toBe('LAST_MODIFIED_DESCENDING');
  expect([query?.get('requestSyncToken'), query?.has('syncToken')]).toEqual(['false', false]);
});

test('R9: the search for lost creates reads pages until all are found, or the contacts are older than the creates by a margin', async () => {
  const pages: Record<string, unknown> = {
    '': { connections: [created(9, 'x', '12:30:00')], nextPageToken: 'p2' },
    p2: { connections: [created(8, 'contact_1', '11:56:00')], nextPageToken: 'p3' },
    p3: { connections: [created(7, 'y', '11:54:59')], nextPageToken: 'p4' },
  };
  await using google = await startGoogle(({ query }) => ({ body: pages[query.get('pageToken') ?? ''] }));
  const found = await google.remote.findCreated([lost(1), lost(2)], sinceMs, () => false, forever);
  expect([...found].map(([key, { id }]) => [key, id])).toEqual([['k1', 'people/c8']]);
  expect(google.requests).toHaveLength(3);
  await google.remote.findCreated([lost(1)], sinceMs, () => false, forever);
  expect(google.requests).toHaveLength(5);
});

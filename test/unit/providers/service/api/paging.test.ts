import { isLastPage } from '../../../../../src/providers/service/api/paging.ts';
import { expect, it } from 'vitest';
import { UnreadableError } from '../../../../../src/providers/errors.ts';
import { parseContactRow } from '../../../../../src/providers/service/api/contacts.ts';
import type { ListParameters } from '../../../../../src/providers/service/api/list-parameters.ts';
import { collect } from '../../../../contract/scenes/steps.ts';
import type { Received, Reply } from '../../scripted-server.ts';
import { type CannedServer, failureOf, contactJson, list, NOW_MS, stamp, startServer, bucketJson } from '../support.ts';
import { bucketSchema } from '../../../../../src/providers/service/api/buckets.ts';
import { contactSchema } from '../../../../../src/providers/service/api/schemas-contacts.ts';
import { USUAL_MAPPING } from '../../../../../src/providers/service/fields.ts';
import { parseTimestamp } from '../../../../../src/providers/service/api/schemas-common.ts';

const rows = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => contactJson(from + index));

const pageOf = (request: Received): number => Number(request.query.get('page') ?? '1');

/** Answers with a list of `count` contacts, 50 to a page. `meta` returns the metadata of each page. */
const listing =
  (count: number, meta: (page: number, pages: number) => Record<string, unknown>) => (request: Received) => {
    const page = pageOf(request);
    const data = rows((page - 1) * 50 + 1, Math.min(page * 50, count));
    return { body: list(data, meta(page, Math.ceil(count / 50))) };
  };

const walk = async (answering: Parameters<typeof startServer>[0]) => {
  await using server = await startServer(answering);
  const pages = await collect(server.api.contacts.list({ order: ['id'], 'created_at.after': 0 }));
  const ids = new Set(pages.flatMap((page) => page.rowKeys));
  return { rows: ids.size, queries: server.received.map((request) => request.rawQuery) };
};

it.each<[string, (page: number, pages: number) => Record<string, unknown>]>([
  ['an absolute URL', (page, pages) => ({ next_page: page < pages ? 'https://api.example/v2/contacts?page=9' : null })],
  ['a URL of another route', (page, pages) => ({ next_page: page < pages ? '/v2/contacts/search?page=2' : '' })],
  ['a number', (page, pages) => (page < pages ? { next_page: page + 1 } : {})],
  ['absent and only the total is present', () => ({ total: 120 })],
  ['absent', () => ({})],
])('a list is read to its end with the parameters of the caller if next_page is %s', async (_name, meta) => {
  const walked = await walk(listing(120, meta));
  const query = 'order=id&created_at.after=1970-01-01T00%3A00%3A00%2B00%3A00';
  expect(walked.rows).toBe(120);
  expect(walked.queries).toEqual([query, `${query}&page=2`, `${query}&page=3`]);
});

const page = (to: number, meta: Record<string, unknown> = {}): Reply => ({ body: list(rows(1, to), meta) });
const gone = { status: 404, body: '<html></html>', headers: { 'content-type': 'text/html' } };
const listAt = (server: CannedServer) => collect(server.api.contacts.list({}));

it.each<[string, Reply, Reply, number]>([
  ['after its last page, if the next one is refused and was not announced', page(50), { status: 404, body: {} }, 50],
  ['at a 404 with a web page, if the first page is still available', page(50), gone, 50],
  ['before its total, if the next page is empty', page(30, { total: 900 }), page(0, { total: 900 }), 30],
  ['before its total, if the next page is refused', page(30, { total: 900 }), { status: 422 }, 30],
  ['before its total, if the next page repeats the first', page(30, { total: 900 }), page(30, { total: 900 }), 30],
  ['if the service repeats its last page without end', page(50, { next_page: 2 }), page(50, { next_page: 2 }), 50],
  ['after one page without pages, even if it is long', page(80), page(80), 80],
])('a list ends %s', async (_name, first, next, count) => {
  const walked = await walk((request) => (pageOf(request) === 1 ? first : next));
  expect(walked.rows).toBe(count);
  expect([new Set(walked.queries).size, walked.queries.length > 3]).toEqual([2, false]);
});

it('R7: a list is read beyond a truncated page up to the total', async () => {
  const whole = listing(120, () => ({ total: 120 }));
  const cut = (request: Received) => (pageOf(request) === 1 ? page(30, { total: 120 }) : whole(request));
  expect(await walk(cut)).toMatchObject({ rows: 100, queries: { length: 3 } });
});

it.each<[string, readonly Reply[], string]>([
  ['an announced page is missing', [page(50, { next_page: 2 }), { status: 404 }], 'not-found'],
  ['a web page with 404 answers every page but the first answer', [page(50), gone], 'unreadable'],
  ['it has no rows', [{ body: { meta: {} } }], 'unreadable'],
])('R7: a list fails if %s', async (_name, replies, kind) => {
  await using server = await startServer((_request, index) => replies[index] ?? gone);
  expect(await failureOf(listAt(server))).toMatchObject({ kind });
});

const answeringAt = (epochMs: number) => () => ({ body: list([contactJson(1, { updated_at: stamp(epochMs) })]) });

it('a filter by time rounds a bound outwards to whole seconds', async () => {
  await using server = await startServer(answeringAt(NOW_MS));
  const bounds = { 'updated_at.after': NOW_MS - 1, 'updated_at.before': NOW_MS + 1 };
  await collect(server.api.contacts.list(bounds));
  expect(server.received[0]?.query.get('updated_at.after')).toBe('2026-10-01T11:59:59+00:00');
  expect(server.received[0]?.query.get('updated_at.before')).toBe('2026-10-01T12:00:01+00:00');
});

it.each<[string, ListParameters]>([
  ['too early', { 'updated_at.after': NOW_MS + 2_000 }],
  ['too late', { 'updated_at.before': NOW_MS - 2_000 }],
  ['of another creation time', { 'created_at.after': NOW_MS }],
])('a filter by time that the service ignored fails the call: a row %s', async (_name, bounds) => {
  await using server = await startServer(answeringAt(NOW_MS));
  const error = await failureOf(collect(server.api.contacts.list(bounds)));
  expect(error).toBeInstanceOf(UnreadableError);
  expect(error.message).toContain('the service ignored the filter');
});

it('a filter by time accepts rows on its bound', async () => {
  await using server = await startServer(answeringAt(NOW_MS));
  expect(await collect(server.api.contacts.list({ 'updated_at.after': NOW_MS }))).toHaveLength(1);
});

const AT = Date.UTC(2016, 7, 26, 14, 37, 11);

it.each<[string, number]>([
  ['2016-08-26 14:37:11 UTC', AT],
  ['2016-08-26T14:37:11Z', AT],
  ['2016-08-26T14:37:11.250Z', AT + 250],
  ['2016-08-26T16:37:11+02:00', AT],
  ['2016-08-26 14:37:11', AT],
])('a timestamp is read from %s', (text, epochMs) => {
  expect(parseTimestamp(text)).toEqual({ text, epochMs });
});

it.each(['', 'yesterday', '2016-08-26', '2016-13-41 14:37:11 UTC'])('a timestamp is not read from "%s"', (text) => {
  expect(parseTimestamp(text)).toBeNull();
});

const LISTS = { addresses: [], email_addresses: [], phone_numbers: [], websites: [] };

it('a contact is valid with only its id, updated_at and the synced lists [R17]', () => {
  const contact = contactSchema.parse({ id: 'contact_1', updated_at: '2016-08-26 14:37:11 UTC', ...LISTS });
  expect(contact).toMatchObject({ first_name: '', company: null, email_addresses: [], tags: [], created_at: null });
  expect(contact.extra_data.buckets).toBeNull();
});

it('a contact is valid with nulls within lists, unknown keys, and malformed values that sync does not use', () => {
  const entry = { id: 'u1', label: null, address: 'a@b.example', primary: true };
  const json = contactJson(1, { email_addresses: [null, entry], brand_new: 1, extra_data: { new_too: {} } });
  expect(contactSchema.parse(json).email_addresses).toEqual([entry]);
  const odd = { custom_fields: 'none', tags: [1], location: 7, extra_data: { muted_at: 'never', buckets: null } };
  expect(contactSchema.parse(contactJson(1, odd)).tags).toEqual([]);
});

const parseRow = (row: unknown) => parseContactRow(row, USUAL_MAPPING);

it('a contact with a malformed used field is unreadable, with its id and the path, and without its values', () => {
  const row = { kind: 'unreadable', id: 'contact_1', updatedAt: null, name: ['First1', 'Last1'] };
  const reason = 'updated_at: not a timestamp';
  expect(parseRow(contactJson(1, { updated_at: 'soon' }))).toEqual({ ...row, reason });
  const broken = contactJson(1, { email_addresses: 'ada@example.org' });
  expect(parseRow(broken)).toMatchObject({ updatedAt: { text: stamp(NOW_MS - 999_000) } });
  expect(parseRow(null)).toMatchObject({ kind: 'unreadable', id: null, updatedAt: null });
  const secret = parseRow(contactJson(1, { first_name: { full: 'Zoe' }, email_addresses: 'zoe@example.org' }));
  expect(JSON.stringify(secret)).not.toMatch(/zoe/iu);
});

it('a bucket is valid with only its id and name', () => {
  expect(bucketSchema.parse({ id: 'bucket_1', name: 'A' })).toMatchObject({ name: 'A', goal: null });
  expect(bucketSchema.parse(bucketJson(1))).toMatchObject({ id: 'bucket_1' });
});

it.each<[string, boolean, number | null, boolean, number]>([
  ['an empty page', true, null, true, 0],
  ['a short page that announces another', false, null, true, 49],
  ['[R7] a short page within the total', false, 100, false, 49],
])('%s is certainly the last: %s', (_name, expected, total, announcesNext, rowCount) => {
  expect(isLastPage({ number: 1, total, announcesNext }, rowCount)).toBe(expected);
});

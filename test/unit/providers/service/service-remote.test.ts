import { expect, it } from 'vitest';
import { UnavailableError } from '../../../../src/providers/errors.ts';
import { forever } from '../../../contract/scenes/steps.ts';
import type { Reply, Received } from '../scripted-server.ts';
import type { CannedServer } from './support.ts';
import { failureOf, bucketJson, contactJson, creation, list, NOW_MS, one, stamp, startServer } from './support.ts';

const creating = (key: string) => creation(key, { firstName: 'Ada', lastName: 'King' });

it('a read of ids returns the state of each contact', async () => {
  await using server = await startServer(({ path }) => {
    const number = Number(path.split('_')[1]);
    if (number === 2) return { status: 404 };
    if (number === 3) return { status: 410 };
    if (number === 4) return { body: one(contactJson(1)) };
    if (number === 5)
      return { status: 301, headers: { location: 'https://elsewhere.example/v2/contacts/contact_1?x=1' } };
    if (number === 6) return { body: one(contactJson(6, { updated_at: 'odd' })) };
    return { body: one(contactJson(number)) };
  });
  const ids = [1, 2, 3, 4, 5, 6, 7].map((number) => `contact_${number}`);
  const answers = await server.remote.read(ids, forever);
  expect([...answers.keys()]).toEqual(ids);
  const kinds = [...answers.values()].map(({ kind }) => kind).join(' ');
  expect(kinds).toBe('found gone gone moved moved unreadable found');
  expect(answers.get('contact_4')).toMatchObject({ record: { id: 'contact_1' } });
});

it.each<Reply>([
  { status: 500 },
  { status: 502 },
  { status: 504 },
  { body: '{"data": {"id": "contact_1", "first' },
  { status: 422 },
  { status: 302, headers: { location: 'https://elsewhere.example/sign-in' } },
  { status: 301, headers: { location: '/v2/contacts/contact_1' } },
])('[R15] after the answer %j for one contact, the others are read if a list of contacts is available', async (odd) => {
  await using server = await startServer(({ path }) => {
    if (path === '/v2/contacts') return { body: list([]) };
    return path === '/v2/contacts/contact_1' ? odd : { body: one(contactJson(2)) };
  });
  const answers = await server.remote.read(['contact_1', 'contact_2'], forever);
  expect([...answers.values()].map(({ kind }) => kind)).toEqual(['unreadable', 'found']);
});

it('[R12] a contact is read through the redirects of several merges', async () => {
  await using server = await startServer(({ path }) => {
    const number = Number(path.split('_')[1]);
    if (number === 3) return { body: one(contactJson(3)) };
    return { status: 301, headers: { location: `/v2/contacts/contact_${number + 1}` } };
  });
  const answers = await server.remote.read(['contact_1'], forever);
  expect(answers.get('contact_1')).toMatchObject({ kind: 'moved', record: { id: 'contact_3' } });
});

const PAGE = { status: 404, body: '<html></html>', headers: { 'content-type': 'text/html' } };
const PLAIN = { status: 404, body: 'default backend - 404', headers: { 'content-type': 'text/plain' } };
const REFUSED = { status: 403 };
const unlessListed = (reply: Reply) => (request: Received) =>
  request.path === '/v2/contacts' ? { body: list([]) } : reply;
const unlessRead = (reply: Reply) => (request: Received) =>
  request.method === 'GET' ? { body: one(contactJson(1)) } : reply;
const WITHHELD = { answer: { kind: 'withheld' } };
const failing = (kind: string) => ({ error: { kind } });
const refused = (error: object) => ({ answer: [{ error }] });

/** The answer or the error of a call. */
const outcomeOf = (call: Promise<unknown>): Promise<object> =>
  call.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );

it.each<[string, (request: Received) => Reply, object, object]>([
  ['R7: a 403 for one contact withholds it', unlessListed(REFUSED), WITHHELD, refused({ kind: 'invalid' })],
  ['R7: a web page (404) for one contact withholds it', unlessListed(PAGE), WITHHELD, refused({ applied: 'unknown' })],
  ['R7: a web page (404) for all deletes none', () => PAGE, failing('unreadable'), refused({ applied: 'unknown' })],
  [
    'R7: a plain text (404) for one contact withholds it',
    unlessListed(PLAIN),
    WITHHELD,
    refused({ applied: 'unknown' }),
  ],
  ['R7: a plain text (404) for all deletes none', () => PLAIN, failing('unreadable'), refused({ applied: 'unknown' })],
  ['R7: a 500 for all deletes none', () => ({ status: 500 }), failing('unavailable'), refused({ applied: 'unknown' })],
  ['R16: a 403 for all is a revoked permission', () => REFUSED, failing('revoked'), failing('revoked')],
  ['R16: a 403 for writes is, too', unlessRead(REFUSED), { answer: { kind: 'found' } }, failing('revoked')],
])('%s, in a read and in a delete', async (_, answer, read, deletion) => {
  await using server = await startServer(answer);
  const reading = server.remote.read(['contact_1'], forever).then((answers) => answers.get('contact_1'));
  expect(await outcomeOf(reading)).toMatchObject(read);
  expect(await outcomeOf(server.remote.delete(['contact_1'], forever))).toMatchObject(deletion);
});

it('R7: a 403 for one contact refuses its membership, and a web page for all leaves a create unknown, and deletes no bucket', async () => {
  await using server = await startServer(unlessListed(REFUSED));
  const change = { key: 'k', id: 'contact_1', add: ['bucket_1'], remove: [], knownGroupIds: [] };
  expect(await server.remote.changeMembership([change], forever)).toMatchObject([{ error: { kind: 'invalid' } }]);
  await using paged = await startServer(() => PAGE);
  expect(await failureOf(paged.remote.readGroup('bucket_1', forever))).toMatchObject({ kind: 'unreadable' });
  expect(await paged.remote.create([creating('k')], forever)).toMatchObject([{ error: { applied: 'unknown' } }]);
});

it('R17: the answer to an update without a list that the link chose does not count as one without elements', async () => {
  const answer = contactJson(1, { title: 'Countess' });
  const row = { ...answer, title: '', tags: ['VIP'] };
  await using server = await startServer(({ method }) => ({ body: one(method === 'GET' ? row : answer) }), {
    fields: ['firstName', 'lastName', 'title', 'tags'],
  });
  const read = (await server.remote.read(['contact_1'], forever)).get('contact_1');
  if (read?.kind !== 'found') throw new Error(`the contact is ${read?.kind}`);
  const { record: current } = read;
  const desired = { ...current.contact, title: 'Countess' };
  const results = await server.remote.update([{ key: 'k', current, desired, fields: ['title'] }], forever);
  expect(results).toMatchObject([{ ok: false, error: { kind: 'unreadable', applied: 'unknown' } }]);
});

it('a 404 with a web page for a bucket means that the bucket is deleted if the list of buckets does not contain it', async () => {
  await using server = await startServer(({ path }) =>
    path === '/v2/buckets' ? { body: list([bucketJson(1)]) } : PAGE,
  );
  expect(await server.remote.readGroup('bucket_2', forever)).toBeNull();
  expect(await failureOf(server.remote.readGroup('bucket_1', forever))).toMatchObject({ kind: 'unreadable' });
});

it('a read that fails is abandoned after its time limit', async () => {
  await using server = await startServer(() => ({ status: 503 }));
  expect(await failureOf(server.remote.identify(forever))).toBeInstanceOf(UnavailableError);
  expect(server.received.length).toBeGreaterThan(2);
  expect(server.received.length).toBeLessThan(30);
});

const ada = { first_name: 'ada', last_name: 'KING', created_at: '2026-10-01 11:59:00 UTC' };

/** Answers with each of these pages as the next page of the one before. */
const pages =
  (...rows: readonly (readonly object[])[]) =>
  ({ query }: Received): Reply => {
    const page = Number(query.get('page') ?? '1');
    return { body: list(rows[page - 1] ?? [], { next_page: page < rows.length ? page + 1 : null }) };
  };

const findAt = async (server: CannedServer, keys = ['k'], isTaken = (_id: string) => false) => {
  const found = await server.remote.findCreated(keys.map(creating), NOW_MS, isTaken, forever);
  return [...found].map(([key, { id }]) => [key, id]);
};

it('[R9] the contact of a create without an answer is found among the newest contacts, and contacts that are already linked are skipped', async () => {
  const rows = [contactJson(9), contactJson(8, ada), contactJson(7, ada), { id: 'contact_6', first_name: 'Odd' }];
  const newest = rows.map((row) => ({ ...row, created_at: ada.created_at }));
  await using server = await startServer(() => ({ body: list(newest) }));
  expect(await findAt(server, ['k', 'l'], (id) => id === 'contact_8')).toEqual([['k', 'contact_7']]);
  expect(server.received[0]?.query.get('order')).toBe('-created_at');
  expect(server.received[0]?.query.get('created_at.after')).toBe('2026-10-01T11:55:00+00:00');
});

it('[R9] the contact of a create without an answer is found after any number of newer contacts, and an empty search sends no request', async () => {
  const rows = Array.from({ length: 300 }, (_, index) => ({ ...contactJson(301 - index), ...ada }));
  const others = rows.map((row, index) => (index === 299 ? row : { ...row, first_name: 'Eve' }));
  await using server = await startServer(pages(...[0, 1, 2, 3, 4, 5].map((n) => others.slice(n * 50, (n + 1) * 50))));
  expect(await findAt(server, [])).toEqual([]);
  expect(server.received).toHaveLength(0);
  expect(await findAt(server)).toEqual([['k', 'contact_2']]);
});

it('[R9] the contact of a create without an answer is found by the clock of the service, which may be behind the local clock', async () => {
  const behindMs = 2 * 3_600_000;
  const made = contactJson(1, { ...ada, created_at: stamp(NOW_MS - behindMs) });
  await using server = await startServer(({ query }) => {
    const isBounded = Date.parse(query.get('created_at.after') ?? '') > NOW_MS - behindMs;
    const date = new Date(NOW_MS - behindMs).toUTCString();
    return { headers: { date }, body: list(isBounded ? [] : [made], { next_page: null }) };
  });
  expect(await findAt(server)).toEqual([['k', 'contact_1']]);
  expect(server.received).toHaveLength(2);
});

it('[R9] the contact of a create without an answer is not a different contact with the same name, even if the right contact is on a later page', async () => {
  await using server = await startServer(pages([contactJson(2, { ...ada, title: 'Countess' })], [contactJson(1, ada)]));
  expect(await findAt(server)).toEqual([['k', 'contact_1']]);
});

it('[R9] the contact of a create without an answer is matched once if its row moves to the next page during the search', async () => {
  const row = contactJson(1, ada);
  await using server = await startServer(pages([row], [row, contactJson(2, { created_at: ada.created_at })]));
  expect(await findAt(server, ['k', 'l'])).toEqual([['k', 'contact_1']]);
  expect(server.received).toHaveLength(2);
});

it('buckets fail as a list if one bucket is unreadable', async () => {
  await using server = await startServer(() => ({ body: list([bucketJson(1), { id: 'bucket_2' }]) }));
  expect(await failureOf(server.remote.listGroups(forever))).toMatchObject({ kind: 'unreadable' });
});

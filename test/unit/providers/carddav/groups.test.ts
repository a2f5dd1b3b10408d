import { expect, test } from 'vitest';
import { EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import { cardNamed, cursorOf, forever, openServer, pagesOf, WHOLE } from './support.ts';

const namesIn = (groups: readonly { readonly name: string }[]): readonly string[] => groups.map(({ name }) => name);

test('after a restart the categories are found by one search', async () => {
  await using opened = await openServer();
  opened.server.put('a.vcf', cardNamed('A', 'CATEGORIES:Friends'));
  const cursor = cursorOf(await pagesOf(opened.connect(), WHOLE));
  const remote = opened.connect();
  await pagesOf(remote, { mode: 'changes', cursor });
  expect(namesIn(await remote.listGroups(forever))).toEqual(['Friends']);
  const before = opened.server.requests.length;
  expect(namesIn(await remote.listGroups(forever))).toEqual(['Friends']);
  expect(opened.server.requests.length - before).toBe(1);
});

test('a whole listing finds all categories, without a search', async () => {
  await using opened = await openServer();
  opened.server.put('a.vcf', cardNamed('A', 'CATEGORIES:Friends'));
  const remote = opened.connect();
  await pagesOf(remote, WHOLE);
  await remote.listGroups(forever);
  expect(opened.server.requests.filter(({ body }) => body.includes('CATEGORIES'))).toEqual([]);
});

test.each([
  { status: 403, body: '' },
  { status: 501, body: '' },
  { status: 207, body: '<d:multistatus' },
])('the cards are read if the search for categories is answered with $status $body', async (answer) => {
  await using opened = await openServer({
    intercept: (_, body) => (body.includes('name="CATEGORIES"') ? answer : null),
  });
  for (const name of ['Friends', 'Family']) opened.server.put(`${name}.vcf`, cardNamed(name, `CATEGORIES:${name}`));
  expect(namesIn(await opened.connect({ maxElapsedMs: 0 }).listGroups(forever))).toEqual(['Family', 'Friends']);
});

test('a linked category exists without a card, so that its label is not deleted on the other side (R7)', async () => {
  await using opened = await openServer();
  expect(await opened.connect().readGroup('category:Friends', forever)).toMatchObject({ name: 'Friends' });
});

test('members are added to and removed from a group card, and the other members are kept', async () => {
  await using opened = await openServer();
  const group = (...uids: readonly string[]): string =>
    cardNamed(
      'G',
      'X-ADDRESSBOOKSERVER-KIND:group',
      ...uids.map((uid) => `X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:${uid}`),
    );
  for (const name of ['A', 'B']) opened.server.put(`${name}.vcf`, cardNamed(name));
  opened.server.put('g.vcf', group('elsewhere', 'uid-B'));
  const remote = opened.connect();
  const change = { knownGroupIds: null };
  const results = await remote.changeMembership(
    [
      { key: 'a', id: 'A.vcf', add: ['g.vcf'], remove: [], ...change },
      { key: 'b', id: 'B.vcf', add: ['category:VIP'], remove: ['g.vcf'], ...change },
    ],
    forever,
  );
  expect(results).toEqual([
    { key: 'a', ok: true, value: ['g.vcf'] },
    { key: 'b', ok: true, value: ['category:VIP'] },
  ]);
  expect(opened.server.text('g.vcf')).toBe(group('elsewhere', 'uid-A'));
});

test('a card that changed since its last read is read again for a change of its categories (R11)', async () => {
  await using opened = await openServer();
  opened.server.put('a.vcf', cardNamed('A', 'CATEGORIES:Golf'));
  const remote = opened.connect();
  await remote.read(['a.vcf'], forever);
  opened.server.put('a.vcf', cardNamed('A', 'CATEGORIES:Golf,Chess'));
  const request = { key: 'a', id: 'a.vcf', add: ['category:VIP'], remove: ['category:Golf'], knownGroupIds: null };
  expect(await remote.changeMembership([request], forever)).toEqual([
    { key: 'a', ok: true, value: ['category:Chess', 'category:VIP'] },
  ]);
});

test('without a search on the server, group cards are found by reading all cards once, and then by their ids', async () => {
  await using opened = await openServer({
    intercept: (_, body) => (body.includes('addressbook-query') ? { status: 500 } : null),
  });
  for (const name of ['A', 'B']) opened.server.put(`${name}.vcf`, cardNamed(name));
  opened.server.put(
    'g.vcf',
    cardNamed('Friends', 'X-ADDRESSBOOKSERVER-KIND:group', 'X-ADDRESSBOOKSERVER-MEMBER:uid-A'),
  );
  const remote = opened.connect();
  expect(namesIn(await remote.listGroups(forever))).toEqual(['Friends']);
  const before = opened.server.requests.length;
  const answer = (await remote.read(['A.vcf'], forever)).get('A.vcf');
  expect(answer).toMatchObject({ kind: 'found', record: { groupIds: ['g.vcf'] } });
  expect(opened.server.requests.length - before).toBe(2);
});

test('a contact is created with its categories in one request', async () => {
  await using opened = await openServer();
  const remote = opened.connect();
  const draft = { ...EMPTY_CONTACT, firstName: 'Ada' };
  const request = { key: 'k', draft, groupIds: ['category:Golf', 'category:A, B'], originId: 'people/1' };
  const [result] = await remote.create([request], forever);
  expect(result).toMatchObject({ ok: true, value: { groupIds: ['category:A, B', 'category:Golf'] } });
  expect(opened.server.requests.filter(({ method }) => method === 'PUT')).toHaveLength(1);
});

import { expect, test } from 'vitest';
import { CursorExpiredError, WrongAddressError } from '../../../../src/providers/errors.ts';
import { found, type FakeServer } from '../../../support/carddav/fake-server.ts';
import {
  cardNamed,
  changesOf,
  cursorOf,
  forever,
  groupCard,
  idsOf,
  openCards,
  openServer,
  pagesOf,
  pullKnowing,
  recordsOf,
  WHOLE,
} from './support.ts';

test.each([
  ['the server truncates it (507)', { pageSize: 7 }],
  ['requests for many cards fail', { mostCards: 10 }],
])('a listing is read to its end if %s', async (_, settings) => {
  await using opened = await openServer(settings);
  for (let number = 0; number < 30; number += 1) opened.server.put(`${number}.vcf`, cardNamed(`N${number}`));
  expect(idsOf(await pagesOf(opened.connect({ maxElapsedMs: 0 }), WHOLE))).toHaveLength(30);
});

test('a refused credential is not reported as an expired token', async () => {
  await using opened = await openServer();
  const remote = opened.connect();
  const cursor = cursorOf(await pagesOf(remote, WHOLE));
  opened.server.set({ intercept: () => ({ status: 401 }) });
  await expect(pagesOf(remote, { mode: 'changes', cursor })).rejects.toMatchObject({ kind: 'unauthenticated' });
});

test('a server without sync tokens is listed again only if its CTag changed', async () => {
  await using opened = await openCards({ a: cardNamed('A') }, { hasSync: false });
  const { remote } = opened;
  const pages = await pagesOf(remote, WHOLE);
  expect(idsOf(pages)).toEqual(['a.vcf']);
  const unchangedPages = await pagesOf(remote, { mode: 'changes', cursor: cursorOf(pages) });
  expect(changesOf(unchangedPages)).toEqual([]);
  expect(cursorOf(unchangedPages)).toBe(cursorOf(pages));
  opened.server.put('b.vcf', cardNamed('B'));
  await expect(pagesOf(remote, { mode: 'changes', cursor: cursorOf(unchangedPages) })).rejects.toBeInstanceOf(
    CursorExpiredError,
  );
});

test('R15: a card that is not a valid vCard does not fail the others', async () => {
  const older = cardNamed('C').replace('3.0', '2.1');
  const encoded = cardNamed('D', 'NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller=');
  await using opened = await openCards({ a: cardNamed('A'), b: 'no card', c: older, d: encoded });
  const changes = changesOf(await pagesOf(opened.connect(), WHOLE));
  expect(changes.map(({ kind }) => kind)).toEqual(['upsert', 'unreadable', 'unreadable', 'unreadable']);
});

test('a group card is not a contact, and a changed group card requires a whole listing', async () => {
  const cards = { a: cardNamed('A'), b: cardNamed('B'), g: groupCard('Friends', 'uid-A') };
  await using opened = await openCards(cards);
  const { remote } = opened;
  const first = await pagesOf(remote, WHOLE);
  const groupsOf = (pages: typeof first) =>
    Object.fromEntries(recordsOf(pages).map(({ id, groupIds }) => [id, groupIds]));
  expect(groupsOf(first)).toEqual({ 'a.vcf': ['g.vcf'], 'b.vcf': [] });
  opened.server.put('g.vcf', groupCard('Friends', 'uid-B'));
  await expect(pagesOf(remote, { mode: 'changes', cursor: cursorOf(first) })).rejects.toThrow('a group changed');
  const next = await pullKnowing(remote, recordsOf(first));
  expect(groupsOf(next)).toEqual({ 'a.vcf': [], 'b.vcf': ['g.vcf'] });
});

test('R17: a new group card that the server leaves out of its answer requires a whole listing', async () => {
  await using opened = await openCards({ a: cardNamed('A') });
  const cursor = cursorOf(await pagesOf(opened.connect(), WHOLE));
  opened.server.put('a.vcf', cardNamed('A', 'TITLE:Cook'));
  opened.server.put('g.vcf', groupCard('Friends', 'uid-A'));
  opened.server.set({ leavesOut: ['g.vcf'] });
  const pulled = pagesOf(opened.connect(), { mode: 'changes', cursor });
  await expect(pulled).rejects.toThrow('a group was added');
});

test('R11: members of a group card that no search finds are in that group, after each listing', async () => {
  const cards = { a: cardNamed('A'), b: cardNamed('B'), g: groupCard('Friends', 'uid-A') };
  await using opened = await openCards(cards, { hidden: ['g.vcf'] });
  for (const remote of [opened.remote, opened.remote, opened.connect()]) {
    const pages = await pagesOf(remote, WHOLE);
    const last = new Map(recordsOf(pages).map(({ id, groupIds }) => [id, groupIds]));
    expect(Object.fromEntries(last)).toEqual({ 'a.vcf': ['g.vcf'], 'b.vcf': [] });
    expect(await remote.listGroups(forever)).toMatchObject([{ id: 'g.vcf', name: 'Friends' }]);
    opened.server.put('b.vcf', cardNamed('B', `TITLE:${remote.requestCount()}`));
    const changed = await pagesOf(opened.connect(), { mode: 'changes', cursor: cursorOf(pages) });
    expect(idsOf(changed)).toEqual(['b.vcf']);
  }
});

test('a group card is ignored if groups are categories', async () => {
  const cards = { a: cardNamed('A'), g: groupCard('Friends', 'uid-A') };
  await using opened = await openCards(cards);
  const remote = opened.connect({ groupStyle: 'categories' });
  const pages = await pagesOf(remote, WHOLE);
  expect(recordsOf(pages).map(({ groupIds }) => groupIds)).toEqual([[]]);
  opened.server.put('g.vcf', groupCard('Friends', 'uid-A', 'uid-B'));
  expect(changesOf(await pagesOf(remote, { mode: 'changes', cursor: cursorOf(pages) }))).toEqual([]);
});

test('group cards are not listed if nothing changed, or if groups are categories', async () => {
  await using opened = await openCards({ a: cardNamed('A') });
  const { server } = opened;
  const searches = async (cursor: string, groupStyle: 'auto' | 'categories'): Promise<number> => {
    const start = server.requests.length;
    await pagesOf(opened.connect({ groupStyle }), { mode: 'changes', cursor });
    return server.requests.slice(start).filter(({ body }) => body.includes('addressbook-query')).length;
  };
  const cursor = cursorOf(await pagesOf(opened.remote, WHOLE));
  expect(await searches(cursor, 'auto')).toBe(0);
  server.put('a.vcf', cardNamed('A', 'TITLE:Cook'));
  expect([await searches(cursor, 'auto'), await searches(cursor, 'categories')]).toEqual([1, 0]);
});

test('a category of an unchanged card is listed after a restart', async () => {
  await using opened = await openCards({ a: cardNamed('A', 'CATEGORIES:Friends,Chess club') });
  const first = await pagesOf(opened.connect(), WHOLE);
  const remote = opened.connect();
  const pages = await pullKnowing(remote, recordsOf(first));
  expect(pages.flatMap(({ unchanged }) => unchanged)).toEqual(['a.vcf']);
  expect((await remote.listGroups(forever)).map(({ name }) => name)).toEqual(['Chess club', 'Friends']);
});

test('an XML entity that an answer defines is not expanded', async () => {
  await using opened = await openServer();
  const body = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY boom "boom">]><d:multistatus xmlns:d="DAV:"><d:response><d:href>/&boom;</d:href></d:response></d:multistatus>`;
  opened.server.set({ intercept: () => ({ status: 207, body, headers: { 'content-type': 'application/xml' } }) });
  await expect(opened.connect({ maxElapsedMs: 0 }).identify(forever)).rejects.toMatchObject({ kind: 'unreadable' });
});

test.each([
  ['20240102T030405Z', '2024-01-02T03:04:05Z'],
  ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'],
  ['2024-01-02T03:04:05.678', '2024-01-02T03:04:05Z'],
  ['20240102T030405+0200', '2024-01-02T01:04:05Z'],
  ['20240102', null],
  ['recently', null],
])('without a modification time from the server, the time in REV %s is used if it is valid', async (revision, time) => {
  await using opened = await openCards({ a: cardNamed('A', `REV:${revision}`) });
  const [record] = recordsOf(await pagesOf(opened.connect(), WHOLE));
  expect(record?.modifiedAtMs).toBe(time === null ? null : Date.parse(time));
});

/** Answers a multiget with a missing card with 404, as SabreDAV 1 does. */
const refusesMissing = (server: FakeServer) => (_request: unknown, body: string) => {
  const names = [...body.matchAll(/href>[^<]*\/([^/<]+)</gu)].map(([, name = '']) => name);
  return body.includes('multiget') && names.some((name) => server.text(name) === null) ? { status: 404 } : null;
};

test('the other cards are read if the server refuses a multiget because of one deleted card', async () => {
  await using opened = await openCards({ a: cardNamed('a'), b: cardNamed('b'), d: cardNamed('d') });
  opened.server.set({ intercept: refusesMissing(opened.server) });
  const answers = await opened.remote.read(['a.vcf', 'b.vcf', 'c.vcf', 'd.vcf'], forever);
  expect([...answers].map(([id, { kind }]) => `${id} ${kind}`).join()).toBe(
    'a.vcf found,b.vcf found,c.vcf gone,d.vcf found',
  );
});

const multistatus = (row: string): string =>
  `<d:multistatus xmlns:d="DAV:" xmlns:card="urn:ietf:params:xml:ns:carddav">${row}<d:sync-token>1</d:sync-token></d:multistatus>`;

/** Opens an address book with one card. This kind of answer names the card at this path. */
const openElsewhere = (kind: string, href: string, hasSync = true) =>
  openCards(
    { a: cardNamed('A') },
    {
      hasSync,
      books: [{ name: 'Contacts', path: '/alias/ada/contacts/' }],
      intercept: ({ headers }, body) =>
        body.includes(kind) &&
        (headers['depth'] === '1' || kind !== 'propfind') &&
        !body.includes('addressbook-home-set')
          ? { status: 207, body: multistatus(found(href, '<d:getetag>"1"</d:getetag><card:address-data/>')) }
          : null,
    },
  );

test.each([
  ['sync-collection', true],
  ['propfind', false],
  ['addressbook-multiget', true],
  ['addressbook-query', true],
])('R17: an answer to %s that names only cards outside of the address book is refused', async (kind, hasSync) => {
  for (const href of ['/ada/contacts/a.vcf', '/alias/ada/contacts/deeper/a.vcf', '/ada/contacts/']) {
    await using opened = await openElsewhere(kind, href, hasSync);
    const pulled = kind === 'addressbook-query' ? opened.remote.listGroups(forever) : pagesOf(opened.remote, WHOLE);
    await expect(pulled).rejects.toThrow(WrongAddressError);
  }
});

test('R17: the cards of a server that requires Depth 0 of its reports are read', async () => {
  await using opened = await openCards(
    { a: cardNamed('A') },
    {
      intercept: ({ headers }, body) =>
        /multiget|sync-collection/u.test(body) && headers['depth'] !== '0'
          ? { status: 400, body: 'Depth must be 0' }
          : null,
    },
  );
  expect(idsOf(await pagesOf(opened.remote, WHOLE))).toEqual(['a.vcf']);
});

/** Opens a server whose ETags count the versions of one card, as those of SOGo do. */
const openCounting = async () => {
  const cards = new Map<string, { readonly text: string; readonly edits: number }>();
  const opened = await openServer({
    intercept: (_, body) => {
      const names = [...cards].filter(
        ([name]) => body.includes('sync-collection') || body.includes(`${name}</D:href>`),
      );
      if (!/sync-collection|multiget/u.test(body)) return null;
      const rows = names.map(([name, { text, edits }]) =>
        found(
          `/ada/contacts/${name}`,
          `<d:getetag>"gcs0000000${edits}"</d:getetag><card:address-data>${text}</card:address-data>`,
        ),
      );
      return { status: 207, headers: { 'content-type': 'application/xml' }, body: multistatus(rows.join('')) };
    },
  });
  const put = (name: string, text: string): void => {
    cards.set(name, { text, edits: (cards.get(name)?.edits ?? -1) + 1 });
  };
  return { ...opened, put };
};

test('R1: a new or edited card is read by a whole listing although another card has an equal ETag', async () => {
  await using opened = await openCounting();
  const remote = opened.connect();
  opened.put('a.vcf', cardNamed('Ann'));
  opened.put('b.vcf', cardNamed('Bea'));
  opened.put('b.vcf', cardNamed('Bea'));
  const first = await pagesOf(remote, { mode: 'whole', resume: null });
  opened.put('a.vcf', cardNamed('Ann', 'TITLE:Cook'));
  opened.put('c.vcf', cardNamed('Cid'));
  opened.put('c.vcf', cardNamed('Cid'));
  const next = await pullKnowing(remote, recordsOf(first));
  expect(changesOf(next)).toMatchObject([
    { kind: 'upsert', record: { id: 'a.vcf', contact: { title: 'Cook' } } },
    { kind: 'upsert', record: { id: 'c.vcf', contact: { firstName: 'Cid' } } },
  ]);
  expect(next.flatMap(({ unchanged }) => unchanged)).toEqual(['b.vcf']);
});

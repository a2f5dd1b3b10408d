import { expect, test } from 'vitest';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import type { Remote } from '../../../../src/providers/remote.ts';
import { found as foundRow, type FakeSettings } from '../../../support/carddav/fake-server.ts';
import {
  cardNamed,
  changesOf,
  creation,
  cursorOf,
  forever,
  groupCard,
  joining,
  openCards,
  openServer,
  type Opened,
  pagesOf,
  recordAt,
  valueOf,
  WHOLE,
  writeTitle,
} from './support.ts';

const ADA = creation('people/1', { firstName: 'Ada' });
const createIn = async (remote: Remote, request = ADA) => valueOf(await remote.create([request], forever));

/** Opens an address book with one card, and a remote that read it. */
const openCard = async (settings: Partial<FakeSettings> = {}, ...lines: readonly string[]) => {
  const opened = await openCards({ a: cardNamed('A', ...lines) }, settings);
  const remote = opened.connect({ maxElapsedMs: 0 });
  return { ...opened, remote, current: await recordAt(remote, 'a.vcf') };
};

const titled = async (remote: Remote, current: ContactRecord) => valueOf(await writeTitle(remote, current));

const requestsOf = ({ server }: Pick<Opened, 'server'>, method: string) =>
  server.requests.filter((request) => request.method === method);

test('R2: after a server stored a card exactly as it was sent, a write with a strong ETag is not read', async () => {
  await using opened = await openServer();
  const remote = opened.connect();
  const reads = () => requestsOf(opened, 'REPORT').filter(({ body }) => body.includes('multiget')).length;
  const first = await createIn(remote);
  expect(reads()).toBe(1);
  const second = await createIn(remote, creation('people/2', { firstName: 'Bea' }));
  expect(reads()).toBe(1);
  // A card is read before it is edited or deleted.
  const edited = await titled(remote, first);
  expect(reads()).toBe(2);
  expect([second, edited]).toEqual([await recordAt(remote, second.id), await recordAt(remote, edited.id)]);
  await remote.delete([second.id], forever);
  expect(reads()).toBe(5);
  expect([requestsOf(opened, 'PUT').length, requestsOf(opened, 'DELETE').length]).toEqual([3, 1]);
});

const withoutTitle = (text: string): string => text.replace(/^TITLE:.*\r\n/mu, '');
const marked = (text: string): string => withoutTitle(text).replace('END:', 'X-SERVER:1\r\nEND:');

test.each<[string, Partial<FakeSettings>, Partial<FakeSettings>]>([
  ['is read at a server that stores another text', { stores: marked }, {}],
  ['without an ETag is read', {}, { putEtag: 'none', stores: withoutTitle }],
])('R2: a write %s', async (_, atFirst, later) => {
  await using opened = await openServer(atFirst);
  const remote = opened.connect();
  const made = await createIn(remote);
  opened.server.set(later);
  expect((await titled(remote, made)).contact.title).toBe('');
});

/** The server has these faults from the next write on. */
const failAfterWrite = ({ server }: Pick<Opened, 'server'>, faults: Partial<FakeSettings>): void =>
  server.set({
    stores: (text) => {
      server.set(faults);
      return text;
    },
  });

/** Another client adds a company before each read after the next write. */
const editAfterWrite = (opened: Pick<Opened, 'server'>): void => {
  const edit = (text: string): string => text.replace(/(ORG:Engines\r\n)?FN:/u, 'ORG:Engines\r\nFN:');
  failAfterWrite(opened, { beforeRead: () => opened.server.put('a.vcf', edit(opened.server.text('a.vcf') ?? '')) });
};

test('R5: after a write with a strong ETag, an edit by another client is returned by the feed, not by the write', async () => {
  await using opened = await openCard({}, 'NICKNAME:Old');
  const { remote, server, current } = opened;
  const cursor = cursorOf(await pagesOf(remote, WHOLE));
  editAfterWrite(opened);
  const updated = await titled(remote, current);
  server.set({ beforeRead: () => {} });
  expect(updated).toMatchObject({ version: '', contact: { title: 'Countess', company: '' } });
  const changes = changesOf(await pagesOf(remote, { mode: 'changes', cursor }));
  expect(changes).toMatchObject([{ record: { contact: { title: 'Countess', company: 'Engines' } } }]);
});

test('R2: after a write without an ETag, the answer is the card that the read shows, even if another client changed it', async () => {
  await using opened = await openCard({ putEtag: 'none' }, 'NICKNAME:Old');
  editAfterWrite(opened);
  const updated = await titled(opened.remote, opened.current);
  expect(updated.contact).toMatchObject({ title: 'Countess', company: 'Engines' });
  expect(updated.version).not.toBe('');
});

test.each([
  ['leaves the card out of the read', { leavesOut: ['a.vcf'] }],
  ['fails at the read', { mostCards: 0 }],
  ['does not find the card', { beforeRead: 'removed' }],
] as const)('R2: the outcome of an update without an ETag is unknown if the server %s', async (_, fault) => {
  await using opened = await openCard({ putEtag: 'none' });
  const { remote, server, current } = opened;
  failAfterWrite(opened, 'beforeRead' in fault ? { beforeRead: () => server.remove('a.vcf') } : fault);
  const [result] = await writeTitle(remote, current);
  expect(result).toMatchObject({ ok: false, error: { applied: 'unknown' } });
});

test('R2: a value that the server drops without changing the ETag of the card is not part of the answer', async () => {
  await using opened = await openCard({ putEtag: 'none' });
  opened.server.set({ intercept: ({ method }) => (method === 'PUT' ? { status: 204 } : null) });
  expect(await titled(opened.remote, opened.current)).toEqual(opened.current);
});

test('an update of a card that was changed since its read fails as stale and writes nothing', async () => {
  await using opened = await openCard();
  const edited = cardNamed('A', 'ORG:Engines');
  opened.server.put('a.vcf', edited);
  const [result] = await writeTitle(opened.remote, opened.current);
  expect(result).toMatchObject({ ok: false, error: { kind: 'stale', applied: 'no' } });
  expect(opened.server.text('a.vcf')).toBe(edited);
});

test('a weak ETag is not sent as a condition', async () => {
  await using opened = await openCard({ isWeak: true });
  await titled(opened.remote, opened.current);
  expect(requestsOf(opened, 'PUT').map(({ headers }) => headers['if-match'])).toEqual([undefined]);
});

const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f'];
const EDITED = cardNamed('f', 'TEL:1');

/** Opens six cards with weak ETags. Another client edits the last one after the batch was read, at the first write. */
const openEdited = async (method: string) => {
  const opened = await openCards(Object.fromEntries(LETTERS.map((name) => [name, cardNamed(name)])), { isWeak: true });
  const currents = await Promise.all(LETTERS.map((name) => recordAt(opened.remote, `${name}.vcf`)));
  opened.server.set({
    intercept: (request) => {
      if (request.method !== method || opened.server.text('f.vcf') === EDITED) return null;
      opened.server.put('f.vcf', EDITED);
      return null;
    },
  });
  return { ...opened, currents };
};

test('R6: a card with a weak ETag that changed after the read of its batch is not deleted', async () => {
  await using opened = await openEdited('DELETE');
  const results = await opened.remote.delete(
    LETTERS.map((name) => `${name}.vcf`),
    forever,
  );
  expect(results.at(-1)).toMatchObject({ ok: false, error: { kind: 'stale' } });
  expect(opened.server.names()).toEqual(['f.vcf']);
});

test('R11: categories are added to a card with a weak ETag that changed after the read of its batch', async () => {
  await using opened = await openEdited('PUT');
  const requests = LETTERS.map((name) => joining(name, ['category:VIP']));
  expect((await opened.remote.changeMembership(requests, forever)).every(({ ok }) => ok)).toBe(true);
  expect(opened.server.text('f.vcf')).toMatch(/TEL:1\r\nCATEGORIES:VIP/u);
});

test('R9: a card of the same origin that belongs to another pair does not prevent a create, and is not found for it', async () => {
  await using opened = await openServer();
  const remote = opened.connect();
  const [first, second] = [await createIn(remote), await createIn(remote)];
  expect(second.id).not.toBe(first.id);
  const found = await remote.findCreated([ADA], 0, (id) => id === first.id, forever);
  expect(found.get('people/1')?.id).toBe(second.id);
});

test('R9: the outcome of a create is unknown if no read finds its card', async () => {
  await using opened = await openServer({ intercept: ({ method }) => (method === 'PUT' ? { status: 201 } : null) });
  const [result] = await opened.connect().create([ADA], forever);
  expect(result).toMatchObject({ ok: false, error: { applied: 'unknown' } });
});

test('R15: a new card that a server leaves out of the read does not affect the others', async () => {
  await using opened = await openServer();
  const remote = opened.connect();
  const first = await createIn(remote);
  opened.server.remove(first.id);
  opened.server.set({ leavesOut: [first.id], hidden: [first.id], putEtag: 'none' });
  const results = await remote.create([ADA, creation('people/2', { firstName: 'Bea' })], forever);
  expect(results).toMatchObject([{ ok: false, error: { applied: 'unknown' } }, { ok: true }]);
});

test('R9: a second card of an origin on a server that renames cards is distinguished from the first one by its values', async () => {
  await using opened = await openServer({ renames: 'silent' });
  const remote = opened.connect();
  const first = await createIn(remote);
  const second = await createIn(remote, { ...ADA, draft: { ...ADA.draft, title: 'Countess' } });
  expect(second.contact.title).toBe('Countess');
  expect(second.id).not.toBe(first.id);
});

test('R9: a card that a server stores under its own name is found, also after the server stored edits exactly as they were sent', async () => {
  await using opened = await openCard({ renames: 'silent' });
  await titled(opened.remote, opened.current);
  const made = await createIn(opened.remote);
  expect(opened.server.names()).toContain(made.id);
});

test('a group card that the server stores under its own name is the created group', async () => {
  await using opened = await openServer({ renames: 'silent' });
  const made = await opened.connect({ groupStyle: 'cards' }).createGroup('Family', forever);
  expect(opened.server.names()).toEqual([made.id]);
});

test('a write to a read-only address book fails without a request', async () => {
  await using opened = await openServer({ privileges: ['read'] });
  const [result] = await opened.connect().create([creation('people/1', { firstName: 'Ada' })], forever);
  expect(result).toMatchObject({ ok: false, error: { kind: 'invalid', applied: 'no' } });
  expect(opened.server.requests.filter(({ method }) => method === 'PUT')).toEqual([]);
});

test('a category is renamed and deleted on each card that has it, and on no other card', async () => {
  const other = cardNamed('B', 'CATEGORIES:Best friends');
  await using opened = await openCards({ a: cardNamed('A', 'CATEGORIES:Friends,VIP'), b: other });
  const { remote, server } = opened;
  const friends = { id: 'category:Friends', name: 'Friends', version: '' };
  const renamed = await remote.renameGroup(friends, 'Pals, old', forever);
  expect((await recordAt(remote, 'a.vcf')).groupIds).toEqual([friends.id, renamed.id, 'category:VIP'].toSorted());
  for (const { id } of [friends, renamed]) await remote.deleteGroup(id, forever);
  expect([server.text('a.vcf'), server.text('b.vcf')]).toEqual([cardNamed('A', 'CATEGORIES:VIP'), other]);
  expect(await remote.readGroup(renamed.id, forever)).toBeNull();
});

test('a new group is a card if the address book has group cards', async () => {
  await using opened = await openCards({ g: cardNamed('Friends', 'X-ADDRESSBOOKSERVER-KIND:group') });
  const made = await opened.connect().createGroup('Family', forever);
  expect(opened.server.text(made.id)).toContain('X-ADDRESSBOOKSERVER-KIND:group');
});

test('R17: an unreadable card is not deleted', async () => {
  await using opened = await openCards({ a: 'not a card', b: cardNamed('B') });
  const results = await opened.connect().delete(['a.vcf', 'b.vcf', 'c.vcf'], forever);
  expect(results.map(({ key, ok }) => `${key} ${ok}`)).toEqual(['a.vcf false', 'b.vcf true', 'c.vcf true']);
  expect([opened.server.text('a.vcf'), opened.server.text('b.vcf')]).toEqual(['not a card', null]);
});

test.each([201, 204])('an empty answer %d with the content type HTML, as from PHP, is a success', async (status) => {
  await using opened = await openCard();
  opened.server.set({
    intercept: ({ method }, body) => {
      if (method !== 'PUT') return null;
      opened.server.put('a.vcf', body);
      return { status, headers: { 'content-type': 'text/html' } };
    },
  });
  expect((await titled(opened.remote, opened.current)).contact.title).toBe('Countess');
});

test('R7: a card that a proxy answers for with a web page is not deleted', async () => {
  await using opened = await openCard();
  opened.server.set({
    intercept: ({ method }) =>
      method === 'DELETE'
        ? { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>nginx</html>' }
        : null,
  });
  const [result] = await opened.remote.delete(['a.vcf'], forever);
  expect(result).toMatchObject({ ok: false, error: { applied: 'unknown' } });
});

test('R7: a card that another client has deleted counts as deleted', async () => {
  await using opened = await openCard();
  opened.server.set({ intercept: ({ method }) => (method === 'DELETE' ? { status: 404 } : null) });
  expect(await opened.remote.delete(['a.vcf'], forever)).toEqual([{ key: 'a.vcf', ok: true, value: null }]);
});

test('R15: a card is written although its ETag has characters that no header can hold', async () => {
  await using opened = await openCard();
  const { remote, server } = opened;
  server.set({
    intercept: ({ method }, body) =>
      method === 'REPORT' && body.includes('multiget')
        ? {
            status: 207,
            body: `<d:multistatus xmlns:d="DAV:" xmlns:card="urn:ietf:params:xml:ns:carddav">${foundRow(
              '/ada/contacts/a.vcf',
              `<d:getetag>"\u0141"</d:getetag><card:address-data>${server.text('a.vcf')}</card:address-data>`,
            )}</d:multistatus>`,
          }
        : null,
  });
  expect((await titled(remote, await recordAt(remote, 'a.vcf'))).contact.title).toBe('Countess');
  expect(await remote.delete(['a.vcf'], forever)).toMatchObject([{ ok: true }]);
});

const namesIn = (groups: readonly { readonly name: string }[]): readonly string[] => groups.map(({ name }) => name);

test('after a restart the categories are found by one search', async () => {
  await using opened = await openCards({ a: cardNamed('A', 'CATEGORIES:Friends') });
  const cursor = cursorOf(await pagesOf(opened.connect(), WHOLE));
  const remote = opened.connect();
  await pagesOf(remote, { mode: 'changes', cursor });
  expect(namesIn(await remote.listGroups(forever))).toEqual(['Friends']);
  const before = opened.server.requests.length;
  expect(namesIn(await remote.listGroups(forever))).toEqual(['Friends']);
  expect(opened.server.requests.length - before).toBe(1);
});

test.each([
  { status: 403, body: '' },
  { status: 501, body: '' },
  { status: 207, body: '<d:multistatus' },
])('the cards are read if the search for categories is answered with $status $body', async (answer) => {
  const cards = ['Friends', 'Family'].map((name) => [name, cardNamed(name, `CATEGORIES:${name}`)]);
  await using opened = await openCards(Object.fromEntries(cards), {
    intercept: (_, body) => (body.includes('name="CATEGORIES"') ? answer : null),
  });
  expect(namesIn(await opened.connect({ maxElapsedMs: 0 }).listGroups(forever))).toEqual(['Family', 'Friends']);
});

test('a linked category exists without a card, so that its label is not deleted on the other side (R7)', async () => {
  await using opened = await openServer();
  expect(await opened.connect().readGroup('category:Friends', forever)).toMatchObject({ name: 'Friends' });
});

test('without a search on the server, group cards are found by reading all cards once, and then by their ids', async () => {
  const settings: Partial<FakeSettings> = {
    intercept: (_, body) => (body.includes('addressbook-query') ? { status: 500 } : null),
  };
  const cards = { A: cardNamed('A'), B: cardNamed('B'), g: groupCard('Friends', 'uid-A') };
  await using opened = await openCards(cards, settings);
  const remote = opened.connect();
  expect(namesIn(await remote.listGroups(forever))).toEqual(['Friends']);
  const before = opened.server.requests.length;
  const answer = (await remote.read(['A.vcf'], forever)).get('A.vcf');
  expect(answer).toMatchObject({ kind: 'found', record: { groupIds: ['g.vcf'] } });
  expect(opened.server.requests.length - before).toBe(2);
});

test('R9: a card that a server leaves out of a multiget was not created, and counts as deleted', async () => {
  await using opened = await openServer({ missing: { status: '404 Not Found', of: 'feed' } });
  const remote = opened.connect();
  expect(await remote.findCreated([ADA], 0, () => false, forever)).toEqual(new Map());
  expect(await remote.delete(['gone.vcf'], forever)).toEqual([{ key: 'gone.vcf', ok: true, value: null }]);
});

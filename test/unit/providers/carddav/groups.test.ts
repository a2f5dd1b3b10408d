import { describe, expect, test } from 'vitest';
import type { Remote } from '../../../../src/providers/remote.ts';
import type { FakeSettings } from '../../../support/carddav/fake-server.ts';
import {
  cardNamed,
  cardWith,
  changesOf,
  forever,
  groupCard,
  joining,
  openCards,
  openServer,
  pagesOf,
  WHOLE,
  recordAt,
} from './support.ts';

const join = (remote: Remote, id: string) => remote.changeMembership([joining('a', [id])], forever);

const SPELLINGS = [
  ['A  B', 'A B'],
  ['Bu\u0308ro', 'B\u00FCro'],
  ['Key\u00A0Account', 'Key Account'],
  [' Lead', 'Lead'],
  ['Tab\tname', 'Tab name'],
] as const;

describe.each(SPELLINGS)('R11: the group of a name in the spelling %j is that of %j', (spelling, name) => {
  test('if a category is created', async () => {
    await using opened = await openCards({ a: cardNamed('A') });
    const { remote, server } = opened;
    const made = await remote.createGroup(spelling, forever);
    expect(made).toMatchObject({ id: `category:${name}`, name });
    for (let time = 0; time < 2; time += 1) {
      expect(await join(remote, made.id)).toEqual([{ key: 'a', ok: true, value: [made.id] }]);
    }
    expect(server.text('a.vcf')).toContain(`CATEGORIES:${name}\r\n`);
  });

  test('if a group card is created or renamed', async () => {
    await using opened = await openServer();
    const remote = opened.connect({ groupStyle: 'cards' });
    const made = await remote.createGroup(spelling, forever);
    expect([made.name, await remote.createGroup(spelling, forever)]).toEqual([name, made]);
    expect(await remote.renameGroup(await remote.createGroup('Old', forever), spelling, forever)).toMatchObject({
      name,
    });
  });

  test('if a category that cards have in this spelling is renamed and deleted', async () => {
    await using opened = await openCards({ a: cardNamed('A', `CATEGORIES:${spelling}`) });
    const { remote, server } = opened;
    const [group = expect.fail('no group')] = await remote.listGroups(forever);
    expect(group.name).toBe(name);
    await remote.renameGroup(group, 'Team', forever);
    await remote.deleteGroup(group.id, forever);
    expect(server.text('a.vcf')).toBe(cardNamed('A', 'CATEGORIES:Team'));
  });
});

test('R11: a category without visible ASCII, in another spelling on a card, is deleted', async () => {
  await using opened = await openCards({ a: cardNamed('A', 'CATEGORIES:\u00E9,e\u0301\u00A0\u00FC') });
  await opened.remote.deleteGroup('category:\u00E9 \u00FC', forever);
  expect(opened.server.text('a.vcf')).toBe(cardNamed('A', 'CATEGORIES:\u00E9'));
});

test('R11: a category that a read shows for the first time is a group', async () => {
  await using opened = await openCards({ a: cardNamed('A') });
  const { remote, server } = opened;
  await pagesOf(remote, WHOLE);
  server.put('a.vcf', cardNamed('A', 'CATEGORIES:Crew'));
  expect((await recordAt(remote, 'a.vcf')).groupIds).toEqual(['category:Crew']);
  expect(await remote.listGroups(forever)).toMatchObject([{ name: 'Crew' }]);
});

test('R15: a category that is too long for a key of the database is no group, and stays on its card', async () => {
  const long = 'x'.repeat(501);
  await using opened = await openCards({ a: cardNamed('A', `CATEGORIES:${long},Crew`) });
  const { remote, server } = opened;
  expect(await remote.listGroups(forever)).toMatchObject([{ name: 'Crew' }]);
  expect((await recordAt(remote, 'a.vcf')).groupIds).toEqual(['category:Crew']);
  await expect(remote.createGroup(long, forever)).rejects.toMatchObject({ kind: 'invalid', applied: 'no' });
  const [group = expect.fail('no group')] = await remote.listGroups(forever);
  await expect(remote.renameGroup(group, long, forever)).rejects.toMatchObject({ kind: 'invalid', applied: 'no' });
  await remote.deleteGroup(group.id, forever);
  expect(server.text('a.vcf')?.replaceAll('\r\n ', '')).toBe(cardNamed('A', `CATEGORIES:${long}`));
});

const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** Opens eight cards with the category Crew, of which the server answers each write of `a` with this status. */
const openCrew = async (status: number) => {
  const cards = LETTERS.map((name) => [name, cardNamed(name, 'CATEGORIES:Crew')]);
  const opened = await openCards(Object.fromEntries(cards), {
    intercept: ({ method, url }) => (method === 'PUT' && url?.endsWith('/a.vcf') === true ? { status } : null),
  });
  const remote = opened.connect({ maxElapsedMs: 0 });
  const categories = () =>
    LETTERS.map((name) => /CATEGORIES:(.*)\r/u.exec(opened.server.text(`${name}.vcf`) ?? '')?.[1]);
  return { ...opened, remote, categories };
};

const CREW = { id: 'category:Crew', name: 'Crew', version: '' };

test.each([403, 412, 500])('R15: a category is deleted on the other cards if one write gets a %d', async (status) => {
  await using opened = await openCrew(status);
  await expect(opened.remote.deleteGroup(CREW.id, forever)).rejects.toMatchObject({ status });
  expect(opened.categories()).toEqual(['Crew', ...LETTERS.slice(1).map(() => undefined)]);
  expect(await opened.remote.readGroup(CREW.id, forever)).toEqual(CREW);
});

test('R15: an outage ends the deletion of a category at once', async () => {
  await using opened = await openCrew(503);
  await expect(opened.remote.deleteGroup(CREW.id, forever)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(opened.categories().filter((each) => each === 'Crew').length).toBeGreaterThan(1);
});

test('R11: a rename that one card refuses leaves all cards as they were', async () => {
  await using opened = await openCrew(403);
  opened.server.put('b.vcf', cardNamed('b', 'CATEGORIES:Crew,Team'));
  await expect(opened.remote.renameGroup(CREW, 'Team', forever)).rejects.toMatchObject({ status: 403 });
  expect(opened.categories()).toEqual(LETTERS.map((name) => (name === 'b' ? 'Crew,Team' : 'Crew')));
});

test('R11: a rename that one card refuses fails with that refusal if a card cannot be restored', async () => {
  await using opened = await openCrew(403);
  const former = opened.server.text('a.vcf');
  opened.server.set({
    intercept: ({ method, url }, body) =>
      method === 'PUT' && (url?.endsWith('/a.vcf') === true || !body.includes('Team')) ? { status: 403 } : null,
  });
  await expect(opened.remote.renameGroup(CREW, 'Team', forever)).rejects.toMatchObject({ status: 403 });
  expect(opened.server.text('a.vcf')).toBe(former);
});

const withoutUid = (name: string): string => cardWith('3.0', `FN:${name}`, `N:;${name};;;`);

const membersIn = (text: string | null): readonly string[] =>
  [...(text ?? '').matchAll(/MEMBER:(?:urn:uuid:)?(.*)\r/gu)].map(([, uid = '']) => uid);

test('R15: only a contact without a UID is refused if several contacts join a group card', async () => {
  await using opened = await openCards({
    a: cardNamed('A'),
    b: withoutUid('B'),
    c: cardNamed('C'),
    g: groupCard('Friends', 'uid-C'),
  });
  const results = await opened.remote.changeMembership(
    [joining('a', ['g.vcf']), joining('b', ['g.vcf']), joining('c', [], ['g.vcf'])],
    forever,
  );
  expect(results).toMatchObject([
    { key: 'a', ok: true, value: ['g.vcf'] },
    { key: 'b', ok: false, error: { kind: 'invalid' } },
    { key: 'c', ok: true, value: [] },
  ]);
  expect(membersIn(opened.server.text('g.vcf'))).toEqual(['uid-A']);
});

test('R11: a contact without a UID is no member of a group card with an empty member', async () => {
  for (const member of ['', 'urn:uuid:']) {
    await using opened = await openCards({
      b: withoutUid('B'),
      g: cardNamed('Friends', 'X-ADDRESSBOOKSERVER-KIND:group', `X-ADDRESSBOOKSERVER-MEMBER:${member}`),
    });
    const { remote, server } = opened;
    expect(changesOf(await pagesOf(remote, WHOLE))).toMatchObject([{ record: { id: 'b.vcf', groupIds: [] } }]);
    const former = server.text('g.vcf');
    expect(await remote.changeMembership([joining('b', [], ['g.vcf'])], forever)).toMatchObject([{ ok: true }]);
    expect(server.text('g.vcf')).toBe(former);
  }
});

test('R11: a contact whose UID another contact has, too, leaves a group card only together with it', async () => {
  await using opened = await openCards({
    a: cardNamed('A').replace('uid-A', 'URN:UUID:UID-same'),
    b: cardNamed('B').replace('uid-B', 'uid-same'),
    c: cardNamed('C'),
    g: groupCard('Friends', 'uid-same', 'uid-C'),
  });
  const { remote, server } = opened;
  const [one, two] = await remote.changeMembership([joining('a', [], ['g.vcf']), joining('c', [], ['g.vcf'])], forever);
  expect(one).toMatchObject({ ok: false, error: { kind: 'invalid', applied: 'no' } });
  expect(one).toMatchObject({ error: { message: expect.stringContaining('same UID') } });
  expect(two).toMatchObject({ ok: true, value: [] });
  expect(membersIn(server.text('g.vcf'))).toEqual(['uid-same']);
  const both = await remote.changeMembership([joining('a', [], ['g.vcf']), joining('b', [], ['g.vcf'])], forever);
  expect(both).toMatchObject([{ ok: true }, { ok: true }]);
  expect(membersIn(server.text('g.vcf'))).toEqual([]);
});

const WITHOUT_SEARCH: Partial<FakeSettings> = {
  intercept: (_, body) => (body.includes('addressbook-query') ? { status: 501 } : null),
};

const GROUPS = { a: cardNamed('A'), g: groupCard('Friends', 'uid-A'), h: groupCard('Family', 'uid-A') };

describe.each([
  ['with a search', {}],
  ['without a search', WITHOUT_SEARCH],
] as const)('R15: a group card that cannot be read, on a server %s,', (_, settings) => {
  test.each([
    ['has another version', GROUPS.g.replace('VERSION:3.0', 'VERSION:2.1')],
    ['contains two vCards', GROUPS.g + GROUPS.g],
  ])('does not hide the others if it %s', async (_name, broken) => {
    await using opened = await openCards(GROUPS, settings);
    const { remote, server } = opened;
    await pagesOf(remote, WHOLE);
    server.put('g.vcf', broken);
    expect((await remote.listGroups(forever)).map(({ name }) => name)).toEqual(['Family']);
    await expect(remote.readGroup('g.vcf', forever)).rejects.toMatchObject({ kind: 'unreadable' });
    expect((await recordAt(remote, 'a.vcf')).groupIds).toEqual(['h.vcf']);
    expect(await join(remote, 'category:VIP')).toMatchObject([{ ok: true, value: ['category:VIP', 'h.vcf'] }]);
  });

  test('counts as unread until a whole listing has read it, as the records before lack it (R17)', async () => {
    await using opened = await openCards(GROUPS, settings);
    const { remote, server } = opened;
    const cursor = (await pagesOf(remote, WHOLE)).at(-1)?.cursor ?? '';
    const { g } = GROUPS;
    server.put('a.vcf', cardNamed('A', 'TITLE:Cook'));
    // A server that has no search leaves the card out of its answers; any other one, out of the search too.
    server.set({ leavesOut: ['g.vcf'], hidden: ['g.vcf'] });
    const pages = await pagesOf(remote, { mode: 'changes', cursor });
    expect(pages.flatMap(({ changes }) => changes)).toMatchObject([{ record: { groupIds: ['h.vcf'] } }]);
    server.set({ leavesOut: [], hidden: [] });
    expect((await remote.listGroups(forever)).map(({ name }) => name)).toEqual(['Family']);
    await expect(remote.readGroup('g.vcf', forever)).rejects.toMatchObject({ kind: 'unreadable' });
    const next = pages.at(-1)?.cursor ?? '';
    for (const each of [remote, opened.connect()]) {
      await expect(pagesOf(each, { mode: 'changes', cursor: next })).rejects.toMatchObject({ kind: 'cursor-expired' });
      const [page] = await pagesOf(each, WHOLE);
      expect(page?.changes).toMatchObject([{ record: { groupIds: ['g.vcf', 'h.vcf'] } }]);
      expect((await each.listGroups(forever)).map(({ name }) => name)).toEqual(['Friends', 'Family']);
    }
    expect(server.text('g.vcf')).toBe(g);
  });
});

test('R15: a group card of a name that renamed groups had before is created', async () => {
  await using opened = await openServer();
  const remote = opened.connect({ groupStyle: 'cards' });
  for (let year = 2021; year < 2030; year += 1) {
    const group = await remote.createGroup('Current', forever);
    expect(group.name).toBe('Current');
    await remote.renameGroup(group, `Clients ${year}`, forever);
  }
  expect(await remote.listGroups(forever)).toHaveLength(9);
});

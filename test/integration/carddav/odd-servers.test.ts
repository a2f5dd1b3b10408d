import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/engine/run-event.ts';
import { cardNamed } from '../../unit/providers/carddav/support.ts';
import { startFakeLink, type FakeLink } from '../../support/carddav/fake-link.ts';
import { found, withStatus } from '../../support/carddav/fake-server.ts';
import { passOn, startProxy } from '../../support/network.ts';

const putCards = (link: FakeLink, ...names: readonly string[]): void => {
  for (const name of names) link.server.put(`${name}.vcf`, cardNamed(name));
};

/** Starts a link and syncs these cards. */
const synced = async (...names: readonly string[]): Promise<FakeLink> => {
  const link = await startFakeLink();
  putCards(link, ...names);
  await link.synced();
  await link.synced();
  return link;
};

const NOTHING = { created: 0, updated: 0, deleted: 0 };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const FOUND = found('/ada/contacts/Bea.vcf', '<d:getetag>"other"</d:getetag>');
const GONE = withStatus('/ada/contacts/Bea.vcf', '404 Not Found');

test('a card whose address is encoded in another charset than UTF-8 is synced like others', async () => {
  const names = ['Jürgen', '100%', 'Caf%E9', '%25C3%A9'];
  await using link = await startFakeLink({ addresses: 'latin1' });
  putCards(link, ...names);
  await link.synced();
  expect(link.names()).toEqual(names.toSorted());
  const [jürgen] = link.sandbox.google.account.people().filter((each) => each.names?.[0]?.givenName === 'Jürgen');
  link.sandbox.google.account.updatePerson(jürgen?.resourceName ?? '', { organizations: [{ title: 'Boss' }] });
  await link.synced({ afterMs: MINUTE_MS });
  expect(link.server.text('Jürgen.vcf')).toContain('TITLE:Boss');
  link.server.remove('Caf%E9.vcf');
  await link.synced({ afterMs: MINUTE_MS });
  expect(link.names()).not.toContain('Caf%E9');
  expect(link.server.names()).toHaveLength(3);
});

describe('R7: a deletion that the feed names is confirmed by a read', () => {
  test.each([
    ['found before gone', { before: FOUND, after: GONE }],
    ['gone before found', { before: GONE, after: FOUND }],
    ['gone only', { before: '', after: GONE }],
  ])('a card that exists is not deleted: %s', async (_order, furtherRows) => {
    await using link = await synced('Ann', 'Bea');
    link.server.set({ furtherRows });
    for (const afterMs of [0, MINUTE_MS, 7 * HOUR_MS]) {
      expect(await link.synced({ afterMs })).toMatchObject({ left: NOTHING, right: NOTHING });
    }
    expect(link.names()).toEqual(['Ann', 'Bea']);
  });

  test('a contradiction across two pages of the feed does not delete a card that exists', async () => {
    await using link = await synced('Ann', 'Bea', 'Cid');
    link.server.set({ pageSize: 1, furtherRows: { before: GONE, after: '' } });
    link.server.put('Bea.vcf', cardNamed('Bea', 'TITLE:Baker'));
    putCards(link, 'Dan');
    await link.synced();
    expect(link.names()).toEqual(['Ann', 'Bea', 'Cid', 'Dan']);
  });

  test('a contradiction in a whole listing deletes no card that exists, and creates it if it is new', async () => {
    await using link = await synced('Ann', 'Bea');
    link.server.set({ furtherRows: { before: '', after: GONE } });
    await link.synced({ kind: 'full' });
    expect(link.names()).toEqual(['Ann', 'Bea']);
  });

  test.each([
    ['404 Not Found', 'row'],
    ['410 Gone', 'row'],
    ['418 I am a teapot', 'row'],
    ['404 Not Found', 'properties'],
    ['418 I am a teapot', 'properties'],
    ['404 Not Found', 'feed'],
  ] as const)('a deletion that the server reports as %s of the %s is synced', async (status, of) => {
    await using link = await synced('Ann', 'Bea', 'Cid');
    link.server.set({ missing: { status, of } });
    link.server.remove('Bea.vcf');
    await link.synced();
    expect(link.names()).toEqual(['Ann', 'Cid']);
  });

  test('a card without properties that exists is not deleted', async () => {
    await using link = await synced('Ann', 'Bea');
    const row = withStatus('/ada/contacts/Bea.vcf', '418 I am a teapot');
    link.server.set({
      furtherRows: { before: '', after: row },
      intercept: (_request, body) =>
        body.includes('multiget') && body.includes('Bea.vcf')
          ? { status: 207, body: `<d:multistatus xmlns:d="DAV:">${row}</d:multistatus>` }
          : null,
    });
    await link.synced();
    expect(link.names()).toEqual(['Ann', 'Bea']);
  });

  test('a multiget that is answered with 404 for each card deletes no card that exists', async () => {
    await using link = await synced('Ann', 'Bea', 'Cid', 'Dan');
    link.server.set({
      furtherRows: { before: '', after: GONE },
      intercept: (_request, body) => (body.includes('multiget') ? { status: 404 } : null),
    });
    await link.sync({ kind: 'full' });
    link.server.set({ furtherRows: { before: '', after: '' }, intercept: () => null });
    await link.synced({ afterMs: 10 * MINUTE_MS });
    expect(link.names()).toEqual(['Ann', 'Bea', 'Cid', 'Dan']);
  });

  test('R17: a deletion that cannot be confirmed is confirmed later, although the feed does not repeat it', async () => {
    await using link = await synced('Ann', 'Bea', 'Cid');
    link.server.remove('Bea.vcf');
    link.server.set({ leavesOut: ['Bea.vcf'], intercept: ({ method }) => (method === 'GET' ? { status: 403 } : null) });
    await link.synced();
    await link.synced({ afterMs: MINUTE_MS });
    expect(link.names()).toEqual(['Ann', 'Bea', 'Cid']);
    link.server.set({ leavesOut: [], intercept: () => null });
    for (let run = 0; run < 3; run += 1) await link.synced({ afterMs: 20 * MINUTE_MS });
    expect(link.names()).toEqual(['Ann', 'Cid']);
  });
});

describe('R14: a server that refuses to report changes is listed', () => {
  test.each([400, 403, 404, 405, 409, 410, 412, 413, 415, 422, 500, 501, 507])(
    'after %s for the sync token',
    async (status) => {
      await using link = await synced('Ann', 'Bea');
      link.server.set({ refusesSync: { status, of: 'token' } });
      link.server.put('Ann.vcf', cardNamed('Anna'));
      link.server.remove('Bea.vcf');
      putCards(link, 'Cid');
      await link.synced();
      expect(link.names()).toEqual(['Anna', 'Cid']);
    },
  );

  test.each([404, 500, 501, 507])('after %s for the first listing and each later request', async (status) => {
    await using link = await startFakeLink({ refusesSync: { status, of: 'all' } });
    putCards(link, 'Ann', 'Bea');
    await link.synced();
    expect(link.names()).toEqual(['Ann', 'Bea']);
    link.server.remove('Bea.vcf');
    putCards(link, 'Cid');
    await link.synced();
    expect(link.names()).toEqual(['Ann', 'Cid']);
    expect(await link.synced()).toMatchObject({ left: NOTHING, right: NOTHING });
  });

  test('R7: an address book that does not exist any more is not an empty one', async () => {
    await using link = await synced('Ann', 'Bea');
    link.server.set({ intercept: () => ({ status: 404 }) });
    expect((await link.sync()).summary.outcome).toBe('failed');
    expect(link.names()).toEqual(['Ann', 'Bea']);
  });
});

describe('R14: changes that the feed leaves out are found by a sweep', () => {
  const muted = async (): Promise<FakeLink> => {
    const link = await synced('Ann', 'Bea', 'Cid', 'Dan');
    link.server.set({ isMute: true });
    link.server.remove('Bea.vcf');
    link.server.put('Cid.vcf', cardNamed('Cindy'));
    putCards(link, 'Eve');
    return link;
  };

  test('an edit, a deletion and a new card are found', async () => {
    await using link = await muted();
    await link.synced({ afterMs: HOUR_MS });
    expect(link.names()).toEqual(['Ann', 'Bea', 'Cid', 'Dan']);
    await link.synced({ afterMs: 6 * HOUR_MS });
    expect(link.names()).toEqual(['Ann', 'Cindy', 'Dan', 'Eve']);
  });

  test('they are found although the first sweep fails', async () => {
    await using link = await muted();
    link.server.set({ intercept: (_request, body) => (body.includes('multiget') ? { status: 503 } : null) });
    expect((await link.sync({ afterMs: 7 * HOUR_MS })).summary.outcome).toBe('failed');
    link.server.set({ intercept: () => null });
    await link.synced({ afterMs: MINUTE_MS });
    expect(link.names()).toEqual(['Ann', 'Cindy', 'Dan', 'Eve']);
  });

  test('a sweep reads no card with a known ETag', async () => {
    await using link = await synced('Ann', 'Bea');
    const before = link.server.requests.length;
    await link.synced({ afterMs: 7 * HOUR_MS });
    const bodies = link.server.requests.slice(before).map(({ body }) => body);
    expect(bodies.filter((body) => body.includes('sync-collection'))).toHaveLength(2);
    expect(bodies.filter((body) => body.includes('multiget'))).toHaveLength(0);
  });
});

const NAMES = Array.from({ length: 40 }, (_, index) => `P${index}`);

describe('R8: what a halted run observed is read again', () => {
  /** A link whose server has lost these cards, after the run that halted. */
  const halted = async (lost: readonly string[]): Promise<FakeLink> => {
    const link = await synced(...NAMES);
    for (const name of lost) link.server.remove(`${name}.vcf`);
    expect((await link.sync()).summary.outcome).toBe('halted');
    return link;
  };

  /** The server has the cards again, and its feed does not report them. */
  const restore = (link: FakeLink, names: readonly string[]): void => {
    link.server.set({ isMute: true });
    putCards(link, ...names);
  };

  test.each([{}, { accepts: { kind: 'losses' } as const }, { kind: 'full' as const }])(
    'no contact is deleted if the server has the cards again: %o',
    async (options) => {
      await using link = await halted(NAMES.slice(0, 12));
      restore(link, NAMES.slice(0, 12));
      expect(await link.synced({ afterMs: MINUTE_MS, ...options })).toMatchObject({ left: NOTHING, right: NOTHING });
      expect(link.names()).toHaveLength(40);
    },
  );

  test('--accept-deletes deletes the contacts that were shown and are still missing', async () => {
    await using link = await halted(NAMES.slice(0, 20));
    restore(link, NAMES.slice(0, 5));
    expect(await link.synced({ accepts: { kind: 'losses' } })).toMatchObject({ left: { deleted: 15 } });
    expect(link.names()).toHaveLength(25);
  });

  test.each<[string, () => Promise<FakeLink>, readonly string[], readonly string[], number]>([
    ['deletions that the halted run did not show', () => halted(NAMES.slice(0, 12)), [], NAMES.slice(12, 16), 16],
    ['other contacts', () => halted(NAMES.slice(0, 12)), NAMES.slice(0, 12), NAMES.slice(12, 24), 12],
    ['what no run has shown', () => synced(...NAMES), [], NAMES.slice(0, 12), 12],
  ])('--accept-deletes does not accept %s, and accepts it once shown', async (_, start, back, lost, count) => {
    await using link = await start();
    putCards(link, ...back);
    for (const name of lost) link.server.remove(`${name}.vcf`);
    const { summary } = await link.sync({ accepts: { kind: 'losses' } });
    expect(summary).toMatchObject({ outcome: 'halted', left: NOTHING });
    expect(summary.reason).toMatch(new RegExp(`delete ${count} contacts`, 'u'));
    expect(link.names()).toHaveLength(40);
    expect(await link.synced({ accepts: { kind: 'losses' } })).toMatchObject({ left: { deleted: count } });
  });

  test('an emptied address book is accepted after it was shown, and only what is missing then is deleted', async () => {
    await using link = await halted(NAMES);
    restore(link, NAMES.slice(0, 10));
    expect(await link.synced({ accepts: { kind: 'losses' } })).toMatchObject({ left: { deleted: 30 } });
    expect(link.names()).toHaveLength(10);
  });

  test('a contact that was edited on the other side is not created again', async () => {
    await using link = await halted(NAMES.slice(0, 12));
    restore(link, NAMES.slice(0, 12));
    const { account } = link.sandbox.google;
    const [person] = account.people().filter(({ names }) => names?.[0]?.givenName === 'P3');
    account.updatePerson(person?.resourceName ?? '', { organizations: [{ title: 'Baker' }] });
    expect(await link.synced({ afterMs: MINUTE_MS })).toMatchObject({ right: { created: 0, updated: 1 } });
    expect(link.server.text('P3.vcf')).toContain('TITLE:Baker');
  });

  test('R17: a deletion of an earlier run is not carried out while the card cannot be read', async () => {
    await using link = await halted(NAMES.slice(0, 12));
    link.server.set({
      leavesOut: NAMES.map((name) => `${name}.vcf`),
      intercept: ({ method }) => (method === 'GET' ? { status: 403 } : null),
    });
    expect(await link.synced({ accepts: { kind: 'losses' } })).toMatchObject({ left: NOTHING });
    expect(link.names()).toHaveLength(40);
  });

  test('values that are there again are not removed on the other side', async () => {
    await using link = await startFakeLink();
    const cards = (...lines: readonly string[]): void => {
      for (const name of NAMES.slice(0, 30)) link.server.put(`${name}.vcf`, cardNamed(name, ...lines));
    };
    cards('TITLE:Baker');
    await link.synced();
    cards();
    expect((await link.sync()).summary.reason).toMatch(/empty the title of 30 contacts/u);
    link.server.set({ isMute: true });
    cards('TITLE:Baker');
    expect(await link.synced()).toMatchObject({ left: NOTHING, right: NOTHING });
  });
});

describe('R15: a card that one answer does not contain is read by later runs', () => {
  test.each(['leavesOut', 'sendsNoData'] as const)('a new card, and an edit of a linked one: %s', async (manner) => {
    await using link = await synced('Ann', 'Bea');
    link.server.set({ [manner]: ['Bea.vcf', 'Cid.vcf'] });
    link.server.put('Bea.vcf', cardNamed('Beate'));
    putCards(link, 'Cid');
    await link.synced();
    expect(link.names()).toEqual(['Ann', 'Bea']);
    link.server.set({ [manner]: [] });
    await link.synced();
    expect(link.names()).toEqual(['Ann', 'Beate', 'Cid']);
  });
});

test('R15: a card that is not sent in UTF-8 is unreadable, and no damaged letter of it reaches the other side', async () => {
  await using link = await synced('Ann', 'Béa');
  link.server.set({ encoding: 'latin1' });
  link.server.put('Béa.vcf', cardNamed('Béa', 'TITLE:Baker'));
  link.server.put('Ann.vcf', cardNamed('Anna'));
  expect(await link.synced()).toMatchObject({ left: { updated: 1 }, skipped: 1 });
  expect(link.names()).toEqual(['Anna', 'Béa']);
  link.server.set({ encoding: 'utf8' });
  await link.synced({ afterMs: HOUR_MS });
  expect(link.sandbox.google.account.people()[1]?.organizations?.[0]?.title).toBe('Baker');
});

test('R15: an edit of a card without an ETag is refused with a reason, and not reported as stale', async () => {
  await using link = await startFakeLink({ hidesEtags: true, putEtag: 'none' });
  putCards(link, 'Ann');
  await link.synced();
  const { account } = link.sandbox.google;
  account.updatePerson(account.people()[0]?.resourceName ?? '', { organizations: [{ title: 'Baker' }] });
  expect(await link.synced({ afterMs: MINUTE_MS })).toMatchObject({ skipped: 1 });
  const { rejections } = await link.app.store.link('home');
  expect(rejections.map(({ reason }) => reason).join()).toMatch(/names no ETag/u);
});

test.each([
  [507, /quota of the account is full/u],
  [413, /larger than the server accepts/u],
])('R15: a refusal with %i says what is wrong', async (status, reason) => {
  await using link = await synced('Ann');
  link.server.set({ intercept: ({ method }) => (method === 'PUT' ? { status } : null) });
  const { account } = link.sandbox.google;
  account.updatePerson(account.people()[0]?.resourceName ?? '', { organizations: [{ title: 'Baker' }] });
  expect(await link.synced({ afterMs: MINUTE_MS })).toMatchObject({ skipped: 1 });
  const { rejections } = await link.app.store.link('home');
  expect(rejections.map((each) => each.reason).join()).toMatch(reason);
});

test('R2: an update that the server refuses and stores nevertheless is found by the next run, and written once', async () => {
  await using link = await synced('Ann');
  link.server.set({ storesWith: 409 });
  const { account } = link.sandbox.google;
  account.updatePerson(account.people()[0]?.resourceName ?? '', { organizations: [{ title: 'Baker' }] });
  expect(await link.synced({ afterMs: MINUTE_MS })).toMatchObject({ skipped: 1 });
  link.server.set({ storesWith: null });
  const puts = () => link.server.requests.filter(({ method }) => method === 'PUT').length;
  const before = puts();
  expect(await link.synced({ afterMs: HOUR_MS })).toMatchObject({ left: NOTHING, right: NOTHING, skipped: 0 });
  expect(puts()).toBe(before);
  expect(link.server.text('Ann.vcf')).toMatch(/TITLE:Baker/u);
});

test('an address book that may only be read is a source only, and this is reported once', async () => {
  await using link = await startFakeLink({ privileges: ['read'] });
  putCards(link, 'Ann', 'Bea');
  const { account } = link.sandbox.google;
  for (const givenName of ['Gus', 'Hal', 'Ida']) account.createPerson({ names: [{ givenName }] });
  const skipped: string[] = [];
  const onEvent = (event: RunEvent): void => {
    if (event.kind === 'skipped') skipped.push(event.reason);
  };
  expect(await link.synced({ onEvent })).toMatchObject({ left: { created: 2 }, right: NOTHING, skipped: 0 });
  expect(skipped).toEqual(['the account may only read the address book "Contacts"; it is not written']);
  expect((await link.app.store.link('home')).rejections).toEqual([]);
  expect(link.server.requests.filter(({ method }) => method === 'PUT')).toHaveLength(0);
  link.server.put('Ann.vcf', cardNamed('Anna'));
  await link.synced({ afterMs: MINUTE_MS });
  expect(link.names()).toEqual(['Anna', 'Bea', 'Gus', 'Hal', 'Ida']);
});

test('R5: changes that waited because an address book could only be read are written once it can be written again', async () => {
  await using link = await startFakeLink();
  putCards(link, 'Ann', 'Bea');
  await link.synced();
  const { account } = link.sandbox.google;
  link.server.set({ privileges: ['read'] });
  account.updatePerson(account.people()[0]?.resourceName ?? '', { organizations: [{ title: 'Baker' }] });
  account.createPerson({ names: [{ givenName: 'Gus' }] });
  // A process looks up the address book once.
  await link.reopened(async (program) => {
    for (let run = 0; run < 2; run += 1)
      expect(await program.synced({ afterMs: MINUTE_MS })).toMatchObject({ right: NOTHING });
  });
  link.server.set({ privileges: ['read', 'write'] });
  await link.reopened(async (program) => {
    expect(await program.synced({ afterMs: MINUTE_MS })).toMatchObject({ right: { created: 1, updated: 1 } });
    expect(await program.synced({ afterMs: MINUTE_MS })).toMatchObject({ left: NOTHING, right: NOTHING });
  });
  expect(link.server.text('Ann.vcf')).toMatch(/TITLE:Baker/u);
});

test('R17: an address book behind a proxy that changes its path is not an empty one, and no contact is duplicated', async () => {
  let target = '';
  await using proxy = await startProxy(async (request, response) => {
    request.url = (request.url ?? '/').replace(/^\/alias/u, '');
    const { status, headers, body } = await passOn(target, request, await buffer(request));
    response.writeHead(status, headers).end(body);
  });
  await using link = await startFakeLink({}, { CARDDAV_URL: `${proxy.url}/alias/ada/contacts/`, FIRST_SYNC: 'run' });
  target = link.server.url;
  putCards(link, 'Ann', 'Bea');
  const { account } = link.sandbox.google;
  for (const givenName of ['Ann', 'Bea']) account.createPerson({ names: [{ givenName }] });
  for (const afterMs of [0, MINUTE_MS, 7 * HOUR_MS]) {
    expect(String((await link.sync({ afterMs })).error)).toMatch(/names cards in \/ada\/contacts\/.*CARDDAV_URL/u);
  }
  expect(link.server.names()).toEqual(['Ann.vcf', 'Bea.vcf']);
});

test('R5: an edit of a card with a weak ETag between its read and its write is lost on no side', async () => {
  const names = ['Ann', 'Bea', 'Cid', 'Dan', 'Eve', 'Fay'];
  await using link = await startFakeLink({ isWeak: true, putEtag: 'none' });
  putCards(link, ...names);
  await link.synced();
  const { account } = link.sandbox.google;
  for (const { resourceName } of account.people()) {
    account.updatePerson(resourceName ?? '', { organizations: [{ title: 'Baker' }] });
  }
  let last = '';
  link.server.set({
    intercept: ({ method, url = '' }) => {
      if (method !== 'PUT' || last !== '') return null;
      // Four cards are written at once, so the last one has not been read again.
      last = url.includes('Fay') ? 'Ann' : 'Fay';
      link.server.put(`${last}.vcf`, cardNamed(last, 'TEL:+49 30 901820'));
      return null;
    },
  });
  await link.synced();
  await link.synced({ afterMs: 15 * MINUTE_MS });
  expect(link.server.text(`${last}.vcf`)).toMatch(/TEL:[^]*TITLE:Baker/u);
  const person = account.people().find((each) => each.names?.[0]?.givenName === last);
  expect(person?.phoneNumbers?.map(({ value }) => value)).toEqual(['+49 30 901820']);
});

test.each([
  ['in local time', -8 * 60 * MINUTE_MS, ''],
  ['of a clock that is two minutes behind', -2 * MINUTE_MS, 'Z'],
])('R14: an edit arrives although its REV is %s', async (_, offsetMs, zone) => {
  await using link = await startFakeLink();
  const put = (title: string, atMs: number, end = 'Z'): void => {
    const rev = new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:]/gu, '');
    link.server.put('Ann.vcf', cardNamed('Ann', `TITLE:${title}\r\nREV:${rev}${end}`));
  };
  const title = () => link.sandbox.google.account.people()[0]?.organizations?.[0]?.title;
  put('Countess', link.clock.now() - 1_440 * MINUTE_MS);
  await link.synced();
  put('Author', link.clock.now());
  await link.synced({ afterMs: MINUTE_MS });
  put('Programmer', link.clock.now() + offsetMs, zone);
  await link.synced({ afterMs: MINUTE_MS });
  expect(title()).toBe('Programmer');
});

test('R16: an address book that the account may not read is not replaced by another one', async () => {
  await using link = await startFakeLink({}, { FIRST_SYNC: 'run' });
  const { left, right } = link.link.sides;
  const settings = { ...right.settings, url: `${link.server.url}bob/shared/` };
  link.server.set({ intercept: ({ url = '' }) => (url.startsWith('/bob/') ? { status: 403 } : null) });
  putCards(link, 'Ann');
  link.sandbox.google.account.createPerson({ names: [{ givenName: 'Gus' }] });
  await link.sync({ link: { sides: { left, right: { ...right, settings } } } });
  expect([link.names(), link.server.names()]).toEqual([['Gus'], ['Ann.vcf']]);
});

test.each([
  ['create', 'PUT', 412],
  ['update', 'PUT', 412],
  ['update', 'PUT', 404],
  ['delete', 'DELETE', 412],
])('R15: a %s whose %s is always answered with %i is reported, and waits', async (kind, refused, status) => {
  await using link = await startFakeLink();
  const { account } = link.sandbox.google;
  const [ann = '', bea = ''] = ['Ann', 'Bea'].map((givenName) => account.createPerson({ names: [{ givenName }] }));
  await link.synced();
  if (kind === 'create') account.createPerson({ names: [{ givenName: 'Cid' }] });
  else if (kind === 'update') account.updatePerson(ann, { organizations: [{ title: 'Baker' }] });
  else account.deletePerson(bea);
  link.server.set({ intercept: ({ method }) => (method === refused ? { status } : null) });
  const skipped: number[] = [];
  for (let run = 0; run < 3; run += 1) skipped.push((await link.synced({ afterMs: MINUTE_MS })).skipped);
  expect(skipped.filter((count) => count === 1)).toHaveLength(1);
});

test.each([400, 422])('R15: a multiget that a server refuses (%i) because of one card ends no run', async (status) => {
  await using link = await startFakeLink({}, { CARDDAV_GROUPS: 'categories' });
  putCards(link, 'Ann', 'Bea', 'Odd');
  const isOdd = (body: string): boolean => body.includes('multiget') && body.includes('Odd.vcf');
  link.server.set({ intercept: ({ method }, body) => (method === 'REPORT' && isOdd(body) ? { status } : null) });
  await link.synced();
  expect(link.names()).toEqual(['Ann', 'Bea']);
});

import type { ConflictRow, RunRow } from '../../../src/core/state/rows.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { fieldsOf } from '../../../src/core/reconcile/operation.ts';
import type { Side } from '../../../src/core/contact/side.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { readGroupNames, readSides, type Row } from '../../support/compare-sides.ts';
import { findPostgres } from '../../support/postgres.ts';
import { ENGINES, HOME, KEY, openStoredWorld, TOKENS, type StoredWorld } from '../../support/store/stored-world.ts';

const postgres = await findPostgres();
afterAll(() => postgres?.close());

const SIGNAL = new AbortController().signal;
const MINUTE_MS = 60_000;
const NEW_KEY = 'a passphrase of the second year';

const serviceContact = ({ service }: Sandbox, firstName: string) =>
  service.account.contacts().find((contact) => contact.first_name === firstName);

const companyAtGoogle = ({ google }: Sandbox, givenName: string): string | null => {
  const found = google.account.people().find(({ names }) => names?.[0]?.givenName === givenName);
  return found?.organizations?.[0]?.name ?? null;
};

/** The given names of contacts by their ids on both sides; an id of a deleted contact is kept as it is. */
const namesIn = ({ google, service }: Sandbox): ((id: string | null) => string | null) => {
  const left = google.account.people().map(({ resourceName = '', names }) => [resourceName, names?.[0]?.givenName]);
  const right = service.account.contacts().map(({ id, first_name: name }) => [id, name]);
  const names = new Map([...left, ...right].map(([id, name]) => [id ?? '', name ?? '']));
  return (id) => (id === null ? null : (names.get(id) ?? id));
};

const conflictsOf = async ({ app, home }: StoredWorld) => {
  const nameOf = namesIn(home);
  const stateOf = ({ resolvedAtMs, review }: ConflictRow): string =>
    (resolvedAtMs === null ? 'open' : 'resolved') + (review === null ? '' : `, ${review}`);
  const rows = await app.store.conflicts('home', { all: true });
  return rows
    .map(
      (row) => `${nameOf(row.leftId)} ${row.field}: ${row.left} or ${row.right}, winner ${row.winner}, ${stateOf(row)}`,
    )
    .toSorted();
};

const verdictsOf = async ({ app, home }: StoredWorld) => {
  const nameOf = namesIn(home);
  const { verdicts } = await app.store.link('home');
  return verdicts.map(({ leftId, rightId, says }) => `${nameOf(leftId)} ${nameOf(rightId)} ${says}`).toSorted();
};

const rejectionsOf = async ({ app, home }: StoredWorld) => {
  const nameOf = namesIn(home);
  const { rejections } = await app.store.link('home');
  return rejections.map(({ side, leftId, reason, attempts }) => [side, nameOf(leftId), reason, attempts]);
};

const groupPairsOf = async ({ app }: StoredWorld) =>
  (await app.store.link('home')).groupPairs
    .map(({ left, right, status, settled }) => `${left?.name} ${right?.name} ${status} ${settled}`)
    .toSorted();

const openEntriesOf = async ({ app }: StoredWorld) =>
  (await app.store.journal('home', { open: true })).map(({ side, kind }) => `${side} ${kind}`);

/** The side, kind, contact or group, fields and outcome of each entry of a run. */
const entriesOf = async ({ app, home }: StoredWorld, run = ''): Promise<readonly string[]> => {
  const nameOf = namesIn(home);
  const rows = await app.store.journal('home', { run });
  return rows
    .map((row) => {
      const name = nameOf(row.leftId ?? row.rightId) ?? (row.kind === 'group-delete' ? row.group.name : undefined);
      return [row.side, row.kind, name, ...fieldsOf(row), row.state].join(' ');
    })
    .toSorted();
};

const lineOf = ({ name, company, title, emails, groups }: Row): string =>
  [name, company, title, ...emails, ...groups].filter((text) => text !== '').join(', ');

/** The oldest first: what each run was, and how many contacts it created, updated and deleted on each side. */
const runsOf = async ({ app }: StoredWorld): Promise<readonly string[]> => {
  const runs = await app.store.runs('home', { newest: 99 });
  const countsOf = (wrote: RunRow['wrote'], side: Side): string =>
    [wrote?.[side].created, wrote?.[side].updated, wrote?.[side].deleted].join('-');
  return runs
    .map(({ kind, outcome, wrote }) => `${kind} ${outcome} ${countsOf(wrote, 'left')} ${countsOf(wrote, 'right')}`)
    .toReversed();
};

/** Gives home tokens that its emulators accept, as `connect` does. */
const signIn = async ({ app, clock, home }: StoredWorld): Promise<void> => {
  const env = home.environment();
  const tokens = { google: env['GOOGLE_REFRESH_TOKEN'] ?? '', service: env['SERVICE_ACCESS_TOKEN'] ?? '' };
  for (const side of ['google', 'service'] as const)
    await app.vault.save('home', side, { token: tokens[side], account: null, scopes: null, storedAtMs: clock.now() });
};

/** Number of requests to both emulators other than reads. */
const writesTo = ({ google, service }: Sandbox): number =>
  [...google.requests, ...service.requests].filter(({ method, path }) => method !== 'GET' && path !== '/token').length;

const expectNoWrites = async (world: StoredWorld, link: 'home' | 'work'): Promise<void> => {
  const before = writesTo(world[link]);
  expect((await world.sync(link)).summary.outcome).toBe('completed');
  expect(writesTo(world[link])).toBe(before);
};

const RUNS = [
  'full completed 2-0-0 8-1-0',
  'incremental completed 0-0-0 0-0-0',
  'incremental completed 0-1-0 0-1-0',
  'incremental completed 0-4-0 0-0-0',
  'incremental completed 0-0-0 0-1-0',
  'undo completed 0-0-0 0-1-0',
  'full completed 0-0-0 0-0-0',
  'incremental completed 0-0-0 0-0-0',
  'incremental failed 0-0-0 0-0-0',
];
const CID = 'Cid company: Copper or Cobalt, winner right, ';
const CONFLICTS = [
  'Ada company: Alder or Acorn, winner right, open',
  'Ben title: Baker or Brewer, winner null, open',
  `${CID}open, left`,
  'Dot company: Dome or Dune, winner right, open, dismissed',
  'Eli company: Elm or Elder, winner right, resolved',
];
/** The contacts at Google after the first run on the database. */
const CONTACTS = [
  'Ada Berg, Acorn, ada@example.org, Choir',
  'Ann Lee, Miller, ann@example.org',
  'Ann Lee, Tailor, ann@example.org',
  'Ben Berg, Baker, ben@example.org, Choir, Team',
  'Cid Berg, Copper, cid@example.org',
  'Dot Berg, Dune, dot@example.org',
  'Eli Berg, Ember, eli@example.org',
  'Fay Berg, Refused, fay@example.org',
  'Hal Berg, Harbour, hal@example.org',
  'Ivy Berg, Mint, ivy@example.org',
  'Jan Lund, jan@example.org',
  'Kim Holm, Quay, kim@example.org, Team',
  'Lee Holm, Ledge, lee@example.org',
  'Mia Smith, house@example.org',
];
/** Values that the service holds instead: an undo reverted them, a person is asked about them, or the service refused others. */
const AT_SERVICE = new Map([
  ['Ben Berg, Baker, ben@example.org, Choir, Team', 'Ben Berg, Brewer, ben@example.org, Choir, Team'],
  ['Eli Berg, Ember, eli@example.org', 'Eli Berg, Elder, eli@example.org'],
  ['Fay Berg, Refused, fay@example.org', 'Fay Berg, fay@example.org'],
]);
const REJECTIONS = [
  [
    'right',
    'Fay',
    'The field "title" was not written: the service refused PATCH /v2/contacts/{id} (422) saying "The title is not allowed."',
    4,
  ],
];

describe.each(ENGINES)('a database of 2026-11 on %s', (engine) => {
  const open = async (settings = {}): Promise<StoredWorld> => {
    const world = await openStoredWorld({ engine, postgres, settings });
    await signIn(world);
    return world;
  };
  const isMissing = engine === 'postgres' && postgres === null;

  test.skipIf(isMissing)('all rows of the database are read', async () => {
    await using world = await openStoredWorld({ engine, postgres });
    const { store } = world.app;
    expect(await store.counts('home')).toMatchObject({ pairs: 11, present: { left: 11, right: 11 } });
    expect(await store.counts('work')).toMatchObject({ pairs: 0, present: { left: 10, right: 0 } });
    expect((await store.links()).map(({ name, state }) => [name, state])).toEqual([
      ['home', 'failing'],
      ['work', 'failing'],
    ]);
    expect(await openEntriesOf(world)).toEqual([
      'right create',
      'left update',
      'right update',
      'right membership',
      'right delete',
      'right group-delete',
    ]);
    expect(await conflictsOf(world)).toEqual(CONFLICTS);
    expect(await verdictsOf(world)).toEqual(['Ann Ann apart', 'Mia Amelia together']);
    expect(await rejectionsOf(world)).toEqual(REJECTIONS);
    expect(await groupPairsOf(world)).toEqual([
      'Choir Choir linked true',
      'Old Old linked true',
      'Team Team linked true',
    ]);
    expect(await runsOf(world)).toEqual(RUNS);
    const { cursors } = await store.link('work');
    expect(cursors).toMatchObject({ left: { cursor: null, resume: expect.any(String) }, right: { resume: null } });
    expect(await store.shown('work', 'left')).toHaveLength(10);
  });

  test.skipIf(isMissing)(
    'R9: the writes without an answer are settled as applied, and the run after that writes nothing',
    async () => {
      await using world = await open();
      const { app, home } = world;
      expect((await world.sync('home')).error).toBeNull();
      expect(await openEntriesOf(world)).toEqual([]);
      const [second, first] = (await app.store.runs('home', { newest: 2 })).map(({ id }) => id);
      expect(await entriesOf(world, first)).toEqual([
        'left update Lee company done',
        'right create Jan done',
        'right delete contact_8 done',
        'right group-delete Old done',
        'right membership Kim buckets done',
        'right update Ivy company done',
      ]);
      expect(await entriesOf(world, second)).toEqual([
        'left create Ann done',
        'left update Cid company done',
        'right create Ann done',
        'right update Ann emailAddresses done',
        'right update Cid company done',
        'right update Mia firstName done',
      ]);
      const { google, service } = readSides(home);
      expect(google.map(lineOf)).toEqual(CONTACTS);
      expect(service.map(lineOf)).toEqual(CONTACTS.map((line) => AT_SERVICE.get(line) ?? line));
      expect(readGroupNames(home)).toEqual({ google: ['Choir', 'Team'], service: ['Choir', 'Team'] });
      expect(await conflictsOf(world)).toEqual([
        ...CONFLICTS.map((line) => (line.startsWith(CID) ? `${CID}resolved, left` : line)),
        'Mia firstName: Mia or Amelia, winner left, open',
      ]);
      expect(await rejectionsOf(world)).toEqual(REJECTIONS);
      await expectNoWrites(world, 'home');
      expect(await verdictsOf(world)).toEqual(['Ann Ann apart']);
      await expectNoWrites(world, 'home');
    },
  );

  test.skipIf(isMissing)(
    'R14: the listing that was cut off is continued, and each contact is created once',
    async () => {
      await using world = await open();
      expect((await world.sync('work')).error).toBeNull();
      const pages = world.work.google.requests.filter(({ path }) => path.endsWith('/connections'));
      expect(pages.map(({ query }) => /(?:page|sync)Token(?==)/u.exec(query)?.[0])).toEqual(['pageToken', 'syncToken']);
      const { google, service } = readSides(world.work);
      expect(google).toHaveLength(12);
      expect(google.map(({ name }) => name)).toEqual(service.map(({ name }) => name));
      await expectNoWrites(world, 'work');
    },
  );

  test.skipIf(isMissing)('R15: a value that was refused is written at its time', async () => {
    await using world = await open();
    await world.sync('home');
    world.clock.advance(60 * MINUTE_MS);
    expect((await world.sync('home')).error).toBeNull();
    expect(await rejectionsOf(world)).toEqual([]);
    expect(serviceContact(world.home, 'Fay')?.title).toBe('Refused');
    await expectNoWrites(world, 'home');
  });

  test.skipIf(isMissing)('an earlier run is undone, and the next run writes nothing', async () => {
    await using world = await open();
    const { app, home } = world;
    await world.sync('home');
    const companies = () => [serviceContact(home, 'Hal')?.company ?? null, companyAtGoogle(home, 'Kim')];
    expect(companies()).toEqual(['Harbour', 'Quay']);
    const runs = await app.store.runs('home', { newest: 99 });
    const [run] = runs.filter(({ wrote }) => wrote?.left.updated === 1 && wrote.right.updated === 1);
    if (run === undefined) throw new Error('The run is missing.');
    const { result } = await app.undo(world.link('home'), run, { acceptDeletes: false, signal: SIGNAL });
    expect(result.error).toBeNull();
    expect(companies()).toEqual([null, 'Dock']);
    await expectNoWrites(world, 'home');
    expect(companies()).toEqual([null, 'Dock']);
  });

  test.skipIf(isMissing)(
    'the tokens are opened with CREDENTIALS_KEY, and with a changed key and the old one',
    async () => {
      {
        await using world = await openStoredWorld({ engine, postgres });
        const { vault } = world.app;
        expect(await vault.read('home', 'google')).toMatchObject({
          token: TOKENS[engine].google,
          account: 'owner@example.com',
        });
        expect(await vault.read('home', 'service')).toMatchObject({ token: TOKENS[engine].service });
        expect(await vault.isSealed('home', 'google')).toBe(true);
        expect(await vault.names()).toEqual([
          { link: 'home', side: 'google' },
          { link: 'home', side: 'service' },
        ]);
      }
      await using changed = await openStoredWorld({
        engine,
        postgres,
        settings: { credentialsKey: NEW_KEY, credentialsKeyOld: KEY },
      });
      expect(await changed.app.vault.read('home', 'google')).toMatchObject({ token: TOKENS[engine].google });
      expect(await changed.app.vault.isSealed('home', 'google')).toBe(true);
    },
  );
});

test('a database of 2026-11 on sqlite: tokens that were stored without a key are read, and sealed after a key is set', async () => {
  {
    await using world = await openStoredWorld({ engine: 'sqlite', postgres: null, tokens: 'open' });
    const { vault } = world.app;
    expect(await vault.read('home', 'google')).toMatchObject({ token: TOKENS.sqlite.google });
    expect(await vault.isSealed('home', 'google')).toBe(false);
    await signIn(world);
    expect((await world.sync('home')).error).toBeNull();
  }
  const settings = { credentialsKey: KEY, credentialsKeyOld: 'none' };
  await using world = await openStoredWorld({ engine: 'sqlite', postgres: null, tokens: 'open', settings });
  const { vault } = world.app;
  expect(await vault.read('home', 'service')).toMatchObject({ token: TOKENS.sqlite.service });
  expect(await vault.isSealed('home', 'service')).toBe(true);
});

test.skipIf(postgres === null)(
  'a database of 2026-11 on postgres: the links in it are read with their settings',
  async () => {
    await using world = await openStoredWorld({ engine: 'postgres', postgres });
    expect(world.storedLinks).toMatchObject([
      { name: 'home', settings: { ...HOME, google: { rootUrl: expect.stringMatching(/^http:/u) } }, fault: null },
      { name: 'work', settings: { service: { accessToken: 'token_0d183b1872cfd97ca1a059d2edd79997' } }, fault: null },
    ]);
  },
);

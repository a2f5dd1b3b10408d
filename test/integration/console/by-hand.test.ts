import { beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, says } from '../../support/jobs/log-lines.ts';
import { googleId, person, serviceId } from '../../support/linked-people.ts';
import { lastRunOn, planOf, seen, settled, shownAt, signIn, startPage, type Visitor } from './page-client.ts';

// Each test has contacts of its own, and continues with the link of the previous test.

const SLOW = { syncInterval: '7d', sweepInterval: '7d' };
const SETTINGS = { listen: '127.0.0.1:0', fields: { title: { winner: 'ask' } } };
const PAGE = '/links/work';

let world: DaemonWorld;
let sandbox: Sandbox;
let daemon: Awaited<ReturnType<typeof startPage>>['daemon'];
let visitor: Visitor;

beforeAll(async () => {
  const google = ['Ada', 'Ben', 'Cid', 'Dan', 'Eva', 'Fay', 'Gil'].map((name) => person(name));
  world = await startDaemonWorld({ work: { people: { google, service: [] }, ...SLOW } }, SETTINGS);
  sandbox = world.sandbox('work');
  const started = await startPage(world);
  ({ daemon } = started);
  await daemon.until(completed('work', 'full'));
  visitor = await signIn(world, started.address);
  return () => world[Symbol.asyncDispose]();
});

const sync = async (): Promise<void> => {
  const from = daemon.lines.length;
  await visitor.press(PAGE, `${PAGE}/sync`);
  await daemon.until(completed('work', 'incremental'), from);
};

const reload = async (settings: object, message: string): Promise<number> => {
  const from = daemon.lines.length;
  await world.configure({ work: { ...SLOW, ...settings } }, SETTINGS);
  daemon.kill('SIGHUP');
  await daemon.until(says(message), from);
  return from;
};

const shown = (path: string): Promise<string> => shownAt(visitor, path);
const pageOf = (name: string): string => `${PAGE}/contact?id=${encodeURIComponent(googleId({ sandbox }, name))}`;
const entitleAtGoogle = (name: string, title: string): void =>
  sandbox.google.account.updatePerson(googleId({ sandbox }, name), { organizations: [{ title }] });
const titlesOf = (name: string): readonly unknown[] => [
  sandbox.google.account.person(googleId({ sandbox }, name))?.organizations?.[0]?.title ?? '',
  sandbox.service.account.contact(serviceId({ sandbox }, name))?.title ?? '',
];
const dispute = (name: string, google: string, service: string): void => {
  entitleAtGoogle(name, google);
  sandbox.service.account.updateContact(serviceId({ sandbox }, name), { title: service });
};

test('runs are filtered by kind and outcome, and older runs are on the next page', async () => {
  await sync();
  const listed = async (query: string): Promise<readonly string[]> => {
    const { text } = await visitor.get(`${PAGE}/runs${query}`);
    return [...text.matchAll(/href="\/links\/work\/runs\/[^"]+">(\w+)/gu)].map(([, kind = '']) => kind);
  };
  expect(await listed('')).toEqual(['Sync', 'Full']);
  expect(await listed('?kind=full&outcome=completed')).toEqual(['Full']);
  expect(await listed('?outcome=halted')).toEqual([]);
  expect(await listed('?outcome=none&kind=<b>')).toEqual(['Sync', 'Full']);
  const newest = (await lastRunOn(visitor, `${PAGE}/runs`)).split('/').at(-1);
  expect(await listed(`?before=${newest}`)).toEqual(['Full']);
  expect(await listed(`?before=${newest}&kind=incremental`)).toEqual([]);
  expect(await listed('?before=none')).toEqual(['Sync', 'Full']);
});

test('[R13] candidates are shown side by side, are marked as one person or two people, and the decision can be removed', async () => {
  const { google, service } = sandbox;
  const count = google.account.people().length;
  const add = (at: 'google' | 'service', name: string, address: string): string => {
    const atGoogle = { names: [{ givenName: name, familyName: 'Smith' }], emailAddresses: [{ value: address }] };
    const atService = { first_name: name, last_name: 'Smith', title: 'Baker', email_addresses: [{ address }] };
    return at === 'google' ? google.account.createPerson(atGoogle) : service.account.createContact(atService).id;
  };
  const [mia = '', tim = ''] = ['Mia', 'Tim'].map((name) => add('google', name, 'family@x.org'));
  const [amelia = '', eve = ''] = ['Amelia', 'Eve'].map((name) => add('service', name, 'family@x.org'));
  const twins = [add('google', 'Zoe', 'zoe@x.org'), add('service', 'Zoe', 'zoe@x.org')] as const;
  const plan = seen(await planOf(visitor));
  expect(plan).toMatch(/Not paired: 1 .*Google: Mia Smith \(\d\).*Service: Eve Smith \(\d\)/u);
  expect(plan).not.toContain('contact-sync pair');
  expect(plan).toMatch(/Pairings: 1 .*Both contacts side by side .*title Baker.*They are different people/u);
  const decide = (left: string, right: string, word: string) =>
    visitor.press(`${PAGE}/plan`, `${PAGE}/verdicts`, { left, right, says: word });
  await decide(...twins, 'apart');
  expect(seen(await planOf(visitor))).not.toContain('Pairings: ');
  expect((await decide(mia, amelia, 'together')).headers['location']).toBe(`${PAGE}/plan`);
  expect(await shown(`${PAGE}/plan`)).toMatch(/Decisions by hand: 2 .* Mia Smith Amelia Smith one person/u);
  // An impossible decision is reported and not stored.
  await decide(mia, eve, 'together');
  expect(await shown(`${PAGE}/plan`)).toContain('are to be paired');
  await decide('', eve, 'apart');
  expect(await shown(`${PAGE}/plan`)).toContain('Choose one contact on each side.');
  await decide(tim, eve, 'apart');
  expect(seen(await planOf(visitor))).toMatch(/Pairings: 1 .*Decisions by hand: 3/u);
  await decide(tim, eve, 'forget');
  expect(await shown(`${PAGE}/plan`)).toContain('Decisions by hand: 2');
  await sync();
  // Mia and Amelia are one contact, and both contacts named Zoe exist on both sides.
  const sizes = [google.account.people().length, service.account.contacts().length];
  expect(sizes).toEqual([count + 5, count + 5]);
  expect(googleId({ sandbox }, 'Amelia') === '' || serviceId({ sandbox }, 'Mia') === '').toBe(true);
});

test('[R4] a conflict that needs a decision is marked on the page of its contact, and decided on the page, which the current plan contains', async () => {
  entitleAtGoogle('Ada', 'Baker');
  await sync();
  expect((await visitor.get(pageOf('Ada'))).text).not.toContain('<mark>');
  dispute('Ada', 'Butcher', 'Brewer');
  expect(seen(await planOf(visitor))).toMatch(
    /Conflicts: 1.*changed on both sides; needs a decision.*title: Google: Butcher Service: Brewer/u,
  );
  await sync();
  expect((await visitor.get(pageOf('Ada'))).text).toMatch(/<mark>Butcher<\/mark>[\s\S]*<mark>Brewer<\/mark>/u);
  const page = (await visitor.get(`${PAGE}/conflicts`)).text;
  expect(seen(page)).toContain('State: open, needs a decision.');
  expect(seen(page)).toMatch(/Butcher Contact changed \S+ \S+ UTC Take .* Brewer Contact changed \S+ \S+ UTC Take/u);
  const ids = /name="ids" value="(\d+)"/u.exec(page.slice(page.indexOf('Butcher')))?.[1] ?? '';
  const decide = (take: string) => visitor.press(`${PAGE}/conflicts`, `${PAGE}/conflicts`, { ids, take });
  await decide('neither');
  expect(await shown(`${PAGE}/conflicts`)).toContain('State: open, needs a decision.');
  // The page was loaded before the direction of the link excluded that side.
  await reload({ direction: 'to-google' }, 'configuration reloaded');
  await decide('left');
  const refused = /the link does not write the field to the service.*State: open, needs a decision\./u;
  expect(await shown(`${PAGE}/conflicts`)).toMatch(refused);
  await reload({ direction: 'both' }, 'configuration reloaded');
  const currentPlan = async (): Promise<string> => {
    await visitor.get(`${PAGE}/plan`);
    return seen(await settled(visitor, `${PAGE}/plan`));
  };
  expect(await currentPlan()).not.toContain('Updates: ');
  await decide('left');
  // A decision makes the plan before it outdated.
  expect(await currentPlan()).toMatch(/Updates: 1.*Brewer.*Butcher/u);
  await sync();
  expect(titlesOf('Ada')).toEqual(['Butcher', 'Butcher']);
});

test('all open conflicts are decided at once, and the next run writes the chosen values', async () => {
  const names = ['Ben', 'Cid', 'Dan'];
  for (const name of names) dispute(name, 'Clerk', 'Judge');
  await sync();
  const path = `${PAGE}/conflicts`;
  const page = (await visitor.get(path)).text;
  const [, ids = ''] = /name="ids" value="([\d,]+)"/u.exec(page) ?? [];
  expect(ids.split(',')).toHaveLength(3);
  expect(seen(page)).toContain('All 3 open conflicts: Take all from Google Take all from Service');
  // An id without a conflict changes nothing.
  const sent = await visitor.press(path, path, { ids: `${ids},999`, take: 'left', find: 'clerk' });
  expect(sent.headers['location']).toBe(`${path}?find=clerk`);
  expect(await shown(path)).toContain('3 conflicts decided. The next run writes the chosen values.');
  await sync();
  for (const name of names) expect(titlesOf(name)).toEqual(['Clerk', 'Clerk']);
  expect(await shown(path)).not.toContain('Clerk');
});

test('one write is previewed and undone on the page of its contact, and the other writes of the run remain', async () => {
  for (const name of ['Eva', 'Fay']) entitleAtGoogle(name, `Title of ${name}`);
  await sync();
  const history = (await visitor.get(pageOf('Eva'))).text;
  const [, preview = '', write = ''] =
    /action="([^"]+\/preview)">\s*<input type="hidden" name="write" value="(\d+)"/u.exec(history) ?? [];
  const run = preview.replace(/\/preview$/u, '');
  const begun = await visitor.press(PAGE, preview, { write });
  const path = String(begun.headers['location']);
  expect(path).toBe(`${run}?write=${write}`);
  const page = seen(await settled(visitor, path));
  expect(page).toMatch(/1 change would revert what the write did\..*Undo this write.*Eva Tester/u);
  expect(page).not.toContain('Fay');
  expect(titlesOf('Eva')).toEqual(['Title of Eva', 'Title of Eva']);
  await visitor.press(PAGE, `${run}/undo`, { write });
  expect(seen(await settled(visitor, path))).toContain('The write is undone.');
  expect([titlesOf('Eva')[1], titlesOf('Fay')[1]]).toEqual(['', 'Title of Fay']);
  // The undo is permanent: the value of the other side is not written again.
  await sync();
  expect(titlesOf('Eva')).toEqual(['Title of Eva', '']);
});

test('[R15] a refused write is retried only on request', async () => {
  sandbox.service.setVariants({ longText: '422' });
  const title = 'long '.repeat(60).trim();
  entitleAtGoogle('Gil', title);
  await sync();
  expect(await shown(`${PAGE}/contacts?show=unsynced`)).toMatch(/Gil Tester Google and Service refused: /u);
  expect(await shown(`${PAGE}/contacts?show=all`)).toMatch(/Fay Tester fay@example\.org Google and Service/u);
  expect(await shown(pageOf('Gil'))).toMatch(/refused the contact: .*Retry now/u);
  sandbox.service.setVariants({ longText: 'kept' });
  await sync();
  expect(titlesOf('Gil')[1]).not.toBe(title);
  const from = daemon.lines.length;
  const retry = (id: string) => visitor.press(pageOf('Gil'), `${PAGE}/contact/retry`, { id });
  await retry(googleId({ sandbox }, 'Gil'));
  await daemon.until(completed('work', 'incremental'), from);
  expect(titlesOf('Gil')[1]).toBe(title);
  expect(await shown(`${PAGE}/contacts?show=unsynced`)).not.toContain('Gil');
  await retry('people/none');
  expect(await shown(pageOf('Gil'))).toContain('No refused write is left to retry.');
});

test('a paused link runs only by hand until it is resumed, and health, metrics and status do not report a failure', async () => {
  expect((await visitor.press(PAGE, `${PAGE}/pause`)).headers['location']).toBe(PAGE);
  const paused = await shown(PAGE);
  expect(paused).toMatch(/Paused by hand .* Resume/u);
  expect(paused).not.toMatch(/In sync|next check/u);
  expect((await visitor.get('/readyz')).text).toBe('healthy: 1 link; paused by hand: work\n');
  expect((await visitor.get('/metrics')).text).toContain('contact_sync_link_paused_by_hand{link="work"} 1');
  const link = { state: 'active', pausedByHandAt: expect.any(String) as string, nextRunAt: null };
  expect(JSON.parse((await world.run('status', '--json')).stdout)).toMatchObject({ links: [link] });
  expect((await world.run('status')).stdout).toContain('Resume with: contact-sync');

  // Runs by hand still work, on the page and in a terminal.
  entitleAtGoogle('Ada', 'Farmer');
  await sync();
  expect(titlesOf('Ada')).toEqual(['Farmer', 'Farmer']);
  const synced = await world.run('sync', 'work');
  expect([synced.code, synced.stderr]).toEqual([0, expect.stringContaining('work is still paused by hand') as string]);

  const again = await reload({ syncInterval: '2h' }, 'link paused by hand');
  const resumed = await world.run('resume');
  expect([resumed.code, resumed.stdout]).toEqual([0, 'work is resumed.\n']);
  expect((await world.run('resume', 'work')).stdout).toBe('work was not paused by hand.\n');
  expect(await shown(PAGE)).not.toContain('Paused by hand');
  await reload({}, 'link resumed');
  await daemon.until(completed('work', 'incremental'), again);
});

import { afterAll, describe, expect, test } from 'vitest';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { readSides } from '../../support/compare-sides.ts';
import { startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, errors, says } from '../../support/jobs/log-lines.ts';
import { startTestRedis } from '../../support/redis.ts';
import { seen, settled, signIn, startPage, tokenIn, type Visitor } from './page-client.ts';

// The page of a real daemon, read and used over HTTP.

const redis = await startTestRedis();
afterAll(() => redis?.[Symbol.asyncDispose]());

/** No run starts by schedule after the first sync. */
const SLOW = { syncInterval: '7d', sweepInterval: '7d' };
const PAGE = { listen: '127.0.0.1:0' };

const startWorld = async (redisUrl: string | null, people: number, settings = PAGE as object) => {
  const world = await startDaemonWorld({ work: { people, ...SLOW } }, { ...settings, redisUrl });
  return { world, sandbox: world.sandbox('work') };
};

const signedIn = async (world: DaemonWorld) => {
  const { daemon, address } = await startPage(world);
  await daemon.until(completed('work', 'full'));
  const visitor = await signIn(world, address);
  return { daemon, visitor };
};

const planOf = async (visitor: Visitor): Promise<string> => {
  expect((await visitor.press('/links/work/plan', '/links/work/plan')).status).toBe(303);
  return settled(visitor, '/links/work/plan');
};

const digestIn = (page: string): string => /name="plan" value="([^"]+)"/u.exec(page)?.[1] ?? '';

/** Returns the halt that the button of a previewed undo accepts. */
const haltIn = (page: string): { readonly halt?: string } => {
  const halt = /name="halt" value="([^"]+)"/u.exec(page)?.[1];
  return halt === undefined ? {} : { halt };
};

const deleteAtGoogle = ({ google }: Sandbox, count: number): readonly string[] => {
  const deleted = google.account
    .people()
    .filter(({ names }) => names?.[0]?.familyName)
    .slice(0, count);
  for (const { resourceName } of deleted) google.account.deletePerson(resourceName ?? '');
  const nameOf = ({ names }: (typeof deleted)[number]): string =>
    [names?.[0]?.givenName, names?.[0]?.familyName].filter(Boolean).join(' ');
  return deleted.map((person) => nameOf(person).normalize('NFC'));
};

const HALTED = says('run halted', 'work');

const lastRunPath = (page: string): string => /href="(\/links\/work\/runs\/[^"]+)"/u.exec(page)?.[1] ?? '';

describe.each(['embedded', 'redis'] as const)('the page of a daemon, %s', (queue) => {
  test.skipIf(queue === 'redis' && redis === null)(
    'shows a halted plan with names, accepts it, and undoes its run',
    async () => {
      const { world, sandbox } = await startWorld(queue === 'redis' && redis !== null ? redis.url : null, 40);
      await using _ = world;
      const { daemon, visitor } = await signedIn(world);
      const before = sandbox.service.account.contacts().length;
      const names = deleteAtGoogle(sandbox, 14);

      expect((await visitor.press('/links/work', '/links/work/sync', { kind: 'incremental' })).status).toBe(303);
      await daemon.until(HALTED);
      expect(seen((await visitor.get('/links/work')).text)).toMatch(/Waiting for your review/u);
      const halted = lastRunPath((await visitor.get('/links/work')).text);
      for (const path of ['/links/work', halted]) {
        const text = seen((await visitor.get(path)).text);
        expect([path, text]).toEqual([
          path,
          expect.stringMatching(/would delete 14 contacts .* nothing was written\./u),
        ]);
        expect([path, text]).toEqual([path, expect.not.stringMatching(/contact-sync [a-z]/u)]);
      }

      const plan = await planOf(visitor);
      for (const name of names) expect(seen(plan).replaceAll('&#39;', "'")).toContain(name);
      expect(seen(plan)).toMatch(/would delete 14 contacts .* No run writes before you answer\./u);
      expect(seen(plan)).not.toContain('--accept-deletes');
      expect(sandbox.service.account.contacts().length).toBe(before);

      const accepted = await visitor.post('/links/work/plan/accept', { plan: digestIn(plan), token: tokenIn(plan) });
      expect(accepted.headers['location']).toBe('/links/work/plan');
      await daemon.until(completed('work', 'incremental'));
      expect(sandbox.service.account.contacts().length).toBe(before - 14);

      const run = lastRunPath((await visitor.get('/links/work')).text);
      expect(seen((await visitor.get(run)).text)).toContain('Deletions: 14');
      await visitor.press(run, `${run}/preview`);
      const preview = await settled(visitor, run);
      expect(seen(preview)).toContain('14 changes would revert what the run wrote.');
      await visitor.post(`${run}/undo`, { token: tokenIn(preview) });
      expect(seen(await settled(visitor, run))).toContain('The run is undone.');
      expect(sandbox.service.account.contacts().length).toBe(before);
      daemon.kill('SIGTERM');
      expect(await daemon.exited).toBe(0);
      expect(errors(daemon).filter((line) => !HALTED(line))).toEqual([]);
    },
  );
});

test('R6, R8: a halted plan is answered by restoring the deleted contacts, with all fields and groups', async () => {
  const { world, sandbox } = await startWorld(null, 60);
  await using _ = world;
  const { daemon, visitor } = await signedIn(world);
  const before = readSides(sandbox);
  deleteAtGoogle(sandbox, 22);
  await visitor.press('/links/work', '/links/work/sync', { kind: 'incremental' });
  await daemon.until(HALTED);
  const plan = await planOf(visitor);
  expect(seen(plan)).toMatch(/Restore 22 at Google.*Delete 22 at the service/u);
  const restored = await visitor.post('/links/work/plan/restore', { token: tokenIn(plan) });
  expect(restored.headers['location']).toBe('/links/work');
  await daemon.until(completed('work', 'incremental'));
  expect(readSides(sandbox)).toEqual(before);
  await visitor.get('/links/work/plan');
  expect(seen(await settled(visitor, '/links/work/plan'))).toContain('Nothing to do');
});

test('a first sync waits until its plan is accepted, and can be undone', async () => {
  await using world = await startDaemonWorld({ work: { people: 24, ...SLOW, firstSync: 'review' } }, PAGE);
  const { service, google } = world.sandbox('work');
  const [common] = google.account.people();
  const before = service.account.contacts().length;
  const { daemon, address } = await startPage(world);
  await daemon.until(HALTED);
  const visitor = await signIn(world, address);
  const page = seen((await visitor.get('/links/work')).text);
  expect(page).toMatch(/The first sync waits until its plan is accepted.*Review the plan/u);
  const status = await world.run('status', '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({ links: [{ state: 'halted', pairs: 0 }] });
  expect((await world.run('sync', '--accept-first', '--accept-deletes')).code).toBe(2);

  const plan = await planOf(visitor);
  expect(seen(plan)).toMatch(/Creations: \d+/u);
  expect(seen(plan)).toMatch(/The first sync waits .* No run writes before you answer\./u);
  expect(seen(plan)).toMatch(/fields of the contacts are not synced .*notes +photo .*Setting: FIELDS/u);
  expect(seen(plan)).toContain('Accept this plan ');
  expect(seen(plan)).not.toMatch(/Delete \d/u);
  expect(service.account.contacts().length).toBe(before);
  const other = await visitor.post('/links/work/plan/accept', { plan: 'another', token: tokenIn(plan) });
  expect(other.status).toBe(303);
  const again = await settled(visitor, '/links/work/plan');
  expect(seen(again)).toContain('The plan has changed since you accepted it.');
  await visitor.post('/links/work/plan/accept', { plan: digestIn(again), token: tokenIn(again) });
  await daemon.until(completed('work', 'full'));
  expect(service.account.contacts().length).toBeGreaterThan(before);
  const name = common?.names?.[0]?.familyName ?? '';
  expect(service.account.contacts().some(({ last_name }) => last_name === name)).toBe(true);
  const run = lastRunPath((await visitor.get('/links/work')).text);
  await visitor.press(run, `${run}/preview`);
  const preview = await settled(visitor, run);
  await visitor.post(`${run}/undo`, { token: tokenIn(preview), ...haltIn(preview) });
  expect(seen(await settled(visitor, run))).toContain('The run is undone.');
  expect(service.account.contacts().length).toBe(before);
});

test('a contact can be left out of a first sync, and included again later', async () => {
  await using world = await startDaemonWorld({ work: { people: 24, ...SLOW, firstSync: 'review' } }, PAGE);
  const { service, google } = world.sandbox('work');
  google.account.createPerson({ names: [{ givenName: 'Ottilie', familyName: 'Zander' }] });
  const id = google.account.people().find(({ names }) => names?.[0]?.givenName === 'Ottilie')?.resourceName ?? '';
  const isCreated = (): boolean => service.account.contacts().some((contact) => contact.first_name === 'Ottilie');
  const { daemon, address } = await startPage(world);
  await daemon.until(HALTED);
  const visitor = await signIn(world, address);
  expect(seen(await planOf(visitor))).toMatch(/Ottilie Zander .* Leave out/u);
  await visitor.press('/links/work/plan', '/links/work/leave-out', { side: 'left', id });
  // The plan is not made again, and can be accepted without that contact.
  const plan = (await visitor.get('/links/work/plan')).text;
  expect(seen(plan)).toContain('Left out: no run changes the contact.');
  expect(seen(plan)).not.toContain('Ottilie Zander');
  expect(seen(plan)).toContain('1 contact left out since then.');
  await visitor.post('/links/work/plan/accept', { plan: digestIn(plan), token: tokenIn(plan) });
  await daemon.until(completed('work', 'full'));
  expect(isCreated()).toBe(false);
  const contact = `/links/work/contact?id=${encodeURIComponent(id)}`;
  expect(seen((await visitor.get('/links/work/contacts?show=unsynced')).text)).toMatch(
    /Ottilie Zander Google only not created/u,
  );
  expect(seen((await visitor.get(contact)).text)).toMatch(/Ottilie Zander .* Include again/u);
  const from = daemon.lines.length;
  await visitor.press(contact, '/links/work/leave-out', { side: 'left', id, include: 'yes' });
  await visitor.press('/links/work', '/links/work/sync', { kind: 'incremental' });
  await daemon.until(completed('work', 'incremental'), from);
  expect(isCreated()).toBe(true);
});

test('a side is chosen for one or for all conflicts of a first sync, and the next plan writes its values', async () => {
  const titled = (title: string, ...names: readonly string[]): readonly Person[] =>
    names.map((name) => ({
      ...EMPTY_PERSON,
      givenName: name,
      familyName: 'Lovelace',
      title,
      emails: [{ value: `${name.toLowerCase()}@x.org`, label: null }],
    }));
  const people = { google: titled('Baker', 'Ada', 'Ben'), service: titled('Brewer', 'Ada', 'Ben') };
  // The times of both sides may be equal or not.
  const settings = { ...PAGE, conflictPolicy: 'google' };
  await using world = await startDaemonWorld({ work: { people, ...SLOW, firstSync: 'review' } }, settings);
  const { service, google } = world.sandbox('work');
  const { daemon, address } = await startPage(world);
  await daemon.until(HALTED);
  const visitor = await signIn(world, address);
  const plan = await planOf(visitor);
  expect(seen(plan)).toMatch(/Conflicts: 2 .*different at the first match; Google won/u);
  const ada = google.account.people().find(({ names }) => names?.[0]?.givenName === 'Ada')?.resourceName ?? '';
  const names = [...plan.matchAll(/<select id="(take:[^"]+)"/gu)].map(([, name = '']) => name);
  expect(names).toHaveLength(2);
  const nameOfAda = names.find((name) => name.endsWith(ada)) ?? '';
  const choose = async (fields: Readonly<Record<string, string>>): Promise<string> => {
    await visitor.press('/links/work/plan', '/links/work/choices', fields);
    return settled(visitor, '/links/work/plan');
  };
  const chosen = await choose({ all: 'right' });
  const written = /title: Baker &rarr; Brewer/gu;
  expect(seen(chosen).match(written)).toHaveLength(2);
  const mixed = await choose({ [nameOfAda.replace('take:update:right', 'take:update:left')]: 'left' });
  expect(seen(mixed)).toMatch(/the value of Google was chosen by hand/u);
  await visitor.post('/links/work/plan/accept', { plan: digestIn(mixed), token: tokenIn(mixed) });
  await daemon.until(completed('work', 'full'));
  const atService = service.account.contacts().map(({ first_name, title }) => `${first_name} ${title}`);
  const atGoogle = google.account
    .people()
    .map(({ names: [name] = [], organizations: [work] = [] }) => `${name?.givenName} ${work?.title}`);
  for (const titles of [atService, atGoogle]) expect(new Set(titles)).toEqual(new Set(['Ada Baker', 'Ben Brewer']));
});

test('a conflict that needs a decision is decided on the page', async () => {
  const { world, sandbox } = await startWorld(null, 12, { ...PAGE, fields: { title: { winner: 'ask' } } });
  await using _ = world;
  const { daemon, visitor } = await signedIn(world);
  const person = sandbox.google.account.people().find(({ emailAddresses = [] }) => emailAddresses.length > 0);
  const email = person?.emailAddresses?.[0]?.value ?? '';
  const contact = sandbox.service.account.contacts().find((one) => JSON.stringify(one).includes(email));
  sandbox.google.account.updatePerson(person?.resourceName ?? '', { organizations: [{ title: 'Baker' }] });
  sandbox.service.account.updateContact(contact?.id ?? '', { title: 'Brewer' });
  const plan = seen(await planOf(visitor));
  expect(plan).toMatch(/Conflicts: 1.*changed on both sides; needs a decision.*title: Google: Baker Service: Brewer/u);
  await visitor.press('/links/work', '/links/work/sync');
  await daemon.until(completed('work', 'incremental'));
  const page = (await visitor.get('/links/work/conflicts')).text;
  const row = page.slice(page.indexOf('Baker'));
  expect(seen(page)).toContain('State: open, needs a decision.');
  const changed = String.raw`Contact changed \S+ \S+ UTC`;
  const values = `^Baker ${changed} Take Google\\S+s .* Service Brewer ${changed} Take Service\\S+s`;
  expect(seen(row)).toMatch(new RegExp(values, 'u'));
  const ids = /name="ids" value="(\d+)"/u.exec(row)?.[1] ?? '';
  const decide = (take: string) => visitor.press('/links/work/conflicts', '/links/work/conflicts', { ids, take });
  await decide('neither');
  expect(seen((await visitor.get('/links/work/conflicts')).text)).toContain('State: open, needs a decision.');
  // The page was loaded before the direction of the link excluded that side.
  const reload = async (direction: string) => {
    await world.configure({ work: { ...SLOW, direction } }, { ...PAGE, fields: { title: { winner: 'ask' } } });
    const reloading = daemon.lines.length;
    daemon.kill('SIGHUP');
    await daemon.until(says('configuration reloaded'), reloading);
  };
  await reload('to-google');
  await decide('left');
  const refused = seen((await visitor.get('/links/work/conflicts')).text);
  expect(refused).toContain('the link does not write the field to the service');
  expect(refused).toContain('State: open, needs a decision.');
  await reload('both');
  await decide('left');
  const from = daemon.lines.length;
  await visitor.press('/links/work', '/links/work/sync');
  await daemon.until(completed('work', 'incremental'), from);
  expect(sandbox.service.account.contact(contact?.id ?? '')?.title).toBe('Baker');
  expect(sandbox.google.account.person(person?.resourceName ?? '')?.organizations?.[0]?.title).toBe('Baker');
});

test('all open conflicts are decided at once, and the next run writes the chosen values', async () => {
  const { world, sandbox } = await startWorld(null, 12, { ...PAGE, conflictPolicy: 'ask' });
  await using _ = world;
  const { daemon, visitor } = await signedIn(world);
  const { google, service } = sandbox;
  const edited = google.account.people().flatMap(({ resourceName, emailAddresses: [email] = [] }) => {
    const contact = service.account.contacts().find((one) => JSON.stringify(one).includes(email?.value ?? '-'));
    return contact === undefined ? [] : [{ person: resourceName ?? '', contact: contact.id }];
  });
  const [first, second, third] = edited;
  for (const { person, contact } of [first, second, third].filter((each) => each !== undefined)) {
    google.account.updatePerson(person, { organizations: [{ title: 'Baker' }] });
    service.account.updateContact(contact, { title: 'Brewer' });
  }
  await visitor.press('/links/work', '/links/work/sync');
  await daemon.until(completed('work', 'incremental'));
  const path = '/links/work/conflicts';
  const page = (await visitor.get(path)).text;
  const [, ids = ''] = /name="ids" value="([\d,]+)"/u.exec(page) ?? [];
  expect(ids.split(',')).toHaveLength(3);
  expect(seen(page)).toContain('All 3 open conflicts: Take all from Google Take all from Service');
  // An id without a conflict changes nothing.
  const sent = await visitor.press(path, path, { ids: `${ids},999`, take: 'left', find: 'baker' });
  expect(sent.headers['location']).toBe(`${path}?find=baker`);
  expect(seen((await visitor.get(path)).text)).toContain('3 conflicts decided.');
  const from = daemon.lines.length;
  await visitor.press('/links/work', '/links/work/sync');
  await daemon.until(completed('work', 'incremental'), from);
  const titles = service.account.contacts().map(({ title }) => title);
  expect(titles.filter((title) => title === 'Baker')).toHaveLength(3);
  expect(seen((await visitor.get(path)).text)).toContain('No conflicts.');
});

test('a paused link runs only by hand until it is resumed, and health, metrics and status do not report a failure', async () => {
  const { world, sandbox } = await startWorld(null, 12);
  await using _ = world;
  const { daemon, visitor } = await signedIn(world);
  const path = '/links/work';
  expect((await visitor.press(path, `${path}/pause`)).headers['location']).toBe(path);
  const paused = seen((await visitor.get(path)).text);
  expect(paused).not.toContain('In sync');
  expect(paused).toMatch(/Paused by hand .* Resume/u);
  expect(paused).not.toMatch(/next check/u);
  expect((await visitor.get('/readyz')).text).toBe('healthy: 1 link; paused by hand: work\n');
  expect((await visitor.get('/metrics')).text).toContain('contact_sync_link_paused_by_hand{link="work"} 1');
  const status = await world.run('status', '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({
    links: [{ state: 'active', pausedByHandAt: expect.any(String) as string, nextRunAt: null }],
  });
  expect((await world.run('status')).stdout).toContain('Resume with: contact-sync');

  // Runs by hand still work, on the page and in a terminal.
  const [person] = sandbox.google.account.people();
  sandbox.google.account.updatePerson(person?.resourceName ?? '', { organizations: [{ title: 'Baker' }] });
  await visitor.press(path, `${path}/sync`);
  await daemon.until(completed('work', 'incremental'));
  expect(sandbox.service.account.contacts().some(({ title }) => title === 'Baker')).toBe(true);
  const synced = await world.run('sync', 'work');
  expect([synced.code, synced.stderr]).toEqual([0, expect.stringContaining('work is still paused by hand') as string]);

  const again = daemon.lines.length;
  await world.configure({ work: { ...SLOW, syncInterval: '2h' } }, PAGE);
  daemon.kill('SIGHUP');
  await daemon.until(says('link paused by hand', 'work'), again);
  const resumed = await world.run('resume');
  expect([resumed.code, resumed.stdout]).toEqual([0, 'work is resumed.\n']);
  expect((await world.run('resume', 'work')).stdout).toBe('work was not paused by hand.\n');
  expect(seen((await visitor.get(path)).text)).not.toContain('Paused by hand');
  await world.configure({ work: SLOW }, PAGE);
  daemon.kill('SIGHUP');
  await daemon.until(says('link resumed', 'work'), again);
  await daemon.until(completed('work', 'incremental'), again);
});

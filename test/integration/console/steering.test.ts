import { afterAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { startCliHost } from '../../support/cli-host.ts';
import { startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, errors, says } from '../../support/jobs/log-lines.ts';
import { startTestRedis } from '../../support/jobs/test-redis.ts';
import { seen, signIn, startPage, tokenIn, type Visitor } from './page-client.ts';

// The page of a real daemon, read and pressed over HTTP.

const redis = await startTestRedis();
const host = startCliHost();
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await redis?.[Symbol.asyncDispose]();
});

/** Nothing runs by itself once the first sync is done. */
const SLOW = { syncInterval: '1h', sweepInterval: '1h' };
const PAGE = { listen: '127.0.0.1:0' };

const startWorld = async (redisUrl: string | null, people: number, settings = PAGE as object) => {
  const world = await startDaemonWorld(redisUrl, host);
  const sandbox = await world.addLink('work', people);
  await world.configure({ work: SLOW }, { ...settings });
  return { world, sandbox };
};

const signedIn = async (world: DaemonWorld) => {
  const { daemon, address } = await startPage(world);
  await daemon.until(completed('work', 'full'));
  const visitor = await signIn(world, address);
  return { daemon, visitor };
};

/** The page once nothing is under way. */
const settled = async (visitor: Visitor, path: string): Promise<string> => {
  const events = (await visitor.get('/links/work/live')).text;
  expect(events).toMatch(/event: over\ndata: \n\n$/u);
  return (await visitor.get(path)).text;
};

const planOf = async (visitor: Visitor): Promise<string> => {
  expect((await visitor.press('/links/work/plan', '/links/work/plan')).status).toBe(303);
  return settled(visitor, '/links/work/plan');
};

const digestIn = (page: string): string => /name="plan" value="([^"]+)"/u.exec(page)?.[1] ?? '';

const deleteAtGoogle = ({ google }: Sandbox, count: number): readonly string[] => {
  const gone = google.account
    .people()
    .filter(({ names }) => names?.[0]?.familyName)
    .slice(0, count);
  for (const { resourceName } of gone) google.account.deletePerson(resourceName ?? '');
  return gone.map(({ names }) => [names?.[0]?.givenName, names?.[0]?.familyName].filter(Boolean).join(' '));
};

const HALTED = says('run halted, nothing written', 'work');

const lastRunPath = (page: string): string => /href="(\/links\/work\/runs\/[^"]+)"/u.exec(page)?.[1] ?? '';

describe.each(['embedded', 'redis'] as const)('the page of a daemon, %s', (queue) => {
  test.skipIf(queue === 'redis' && redis === null)(
    'a halted plan is looked at with names and accepted, and its run undone',
    async () => {
      const { world, sandbox } = await startWorld(queue === 'redis' && redis !== null ? redis.url : null, 40);
      await using _ = world;
      const { daemon, visitor } = await signedIn(world);
      const before = sandbox.service.account.contacts().length;
      const names = deleteAtGoogle(sandbox, 14);

      expect((await visitor.press('/links/work', '/links/work/sync', { kind: 'incremental' })).status).toBe(303);
      await daemon.until(HALTED);
      expect(seen((await visitor.get('/')).text)).toMatch(/State halted/u);

      const plan = await planOf(visitor);
      for (const name of names) expect(seen(plan)).toContain(name);
      expect(seen(plan)).toMatch(/A run stops here, and writes nothing: .*14/u);
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

test('a plan is accepted as it was shown, and no other', async () => {
  const { world, sandbox } = await startWorld(null, 40);
  await using _ = world;
  const { daemon, visitor } = await signedIn(world);
  const before = sandbox.service.account.contacts().length;
  deleteAtGoogle(sandbox, 14);
  await visitor.press('/links/work', '/links/work/sync');
  await daemon.until(HALTED);
  const plan = await planOf(visitor);
  const [late] = deleteAtGoogle(sandbox, 1);
  expect(seen(plan)).not.toContain(late);
  await visitor.post('/links/work/plan/accept', { plan: digestIn(plan), token: tokenIn(plan) });
  const next = await settled(visitor, '/links/work/plan');
  expect(seen(next)).toContain('Something has changed since.');
  expect(seen(next)).toContain(late);
  expect(sandbox.service.account.contacts().length).toBe(before);
});

test('the other value of a conflict is taken and written by the next run', async () => {
  const { world, sandbox } = await startWorld(null, 12);
  await using _ = world;
  const { daemon, visitor } = await signedIn(world);
  const person = sandbox.google.account.people().find(({ emailAddresses = [] }) => emailAddresses.length > 0);
  const email = person?.emailAddresses?.[0]?.value ?? '';
  const contact = sandbox.service.account.contacts().find((one) => JSON.stringify(one).includes(email));
  sandbox.google.account.updatePerson(person?.resourceName ?? '', { organizations: [{ title: 'Baker' }] });
  sandbox.service.account.updateContact(contact?.id ?? '', { title: 'Brewer' });
  await visitor.press('/links/work', '/links/work/sync');
  await daemon.until(completed('work', 'incremental'));
  const conflicts = await visitor.get('/links/work/conflicts');
  expect(seen(conflicts.text)).toMatch(/Baker.*Brewer/u);
  expect(seen((await visitor.get('/links/work/conflicts?find=brewer')).text)).toMatch(/Baker.*Brewer/u);
  expect(seen((await visitor.get('/links/work/conflicts?find=butcher')).text)).not.toContain('Baker');
  const { values } = /value="(?<id>\d+)" \/>\s*<input type="hidden" name="review" value="(?<values>left|right)"/u.exec(
    conflicts.text.slice(conflicts.text.lastIndexOf('Baker')),
  )?.groups ?? { values: '' };
  const id = /name="id" value="(\d+)"/u.exec(conflicts.text.slice(conflicts.text.indexOf('Baker')))?.[1] ?? '';
  const loser = values === 'left' ? 'Baker' : 'Brewer';
  await visitor.press('/links/work/conflicts', '/links/work/conflicts', { id, review: values ?? '' });
  expect(seen((await visitor.get('/links/work/conflicts')).text)).toContain(
    'the other value is written by the next run',
  );
  const from = daemon.lines.length;
  await visitor.press('/links/work', '/links/work/sync');
  await daemon.until(completed('work', 'incremental'), from);
  expect(sandbox.service.account.contact(contact?.id ?? '')?.title).toBe(loser);
  expect(sandbox.google.account.person(person?.resourceName ?? '')?.organizations?.[0]?.title).toBe(loser);
  const found = seen((await visitor.get(`/links/work/people?who=${encodeURIComponent(email)}`)).text);
  expect(found).toContain('was taken by hand');
});

test('a page that only shows has no button that changes anything, and takes none', async () => {
  const { world, sandbox } = await startWorld(null, 12, { ...PAGE, consoleReadonly: true });
  await using _ = world;
  const { visitor } = await signedIn(world);
  const page = (await visitor.get('/links/work')).text;
  expect(page).not.toContain('/links/work/sync');
  const requests = sandbox.service.requests.length;
  for (const action of ['sync', 'plan/accept', 'conflicts', 'runs/any/undo']) {
    const answer = await visitor.press('/links/work', `/links/work/${action}`);
    expect([action, answer.status]).toEqual([action, 403]);
  }
  expect(sandbox.service.requests.length).toBe(requests);
  expect(seen(await planOf(visitor))).toContain('Nothing to do');
});

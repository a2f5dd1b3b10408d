import { afterAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { readSides } from '../../support/compare-sides.ts';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, errors, says } from '../../support/jobs/log-lines.ts';
import { googleId, person, serviceId } from '../../support/linked-people.ts';
import { startTestRedis } from '../../support/redis.ts';
import { lastRunOn, planOf, seen, settled, shownAt, signIn, startPage, tokenIn } from './page-client.ts';

const redis = await startTestRedis();
afterAll(() => redis?.[Symbol.asyncDispose]());

const SLOW = { syncInterval: '7d', sweepInterval: '7d' };
const PAGE = { listen: '127.0.0.1:0' };

const deleteAtGoogle = ({ google }: Sandbox, count: number): readonly string[] => {
  const named = google.account.people().filter(({ names }) => names?.[0]?.familyName);
  return named.slice(0, count).map(({ resourceName, names: [name] = [] }) => {
    google.account.deletePerson(resourceName ?? '');
    return [name?.givenName, name?.familyName].filter(Boolean).join(' ').normalize('NFC');
  });
};

const HALTED = says('run halted', 'work');

const LINK = '/links/work';

/** The form field and the token by which a plan is accepted. */
const acceptanceOf = (page: string) => ({
  plan: /name="plan" value="([^"]+)"/u.exec(page)?.[1] ?? '',
  token: tokenIn(page),
});

describe.each(['embedded', 'redis'] as const)('R6, R8: a halted plan on the page of a daemon, %s', (queue) => {
  test.skipIf(queue === 'redis' && redis === null)(
    'is shown, restored or accepted, and its run is undone',
    async () => {
      const redisUrl = queue === 'redis' ? redis?.url : null;
      await using world = await startDaemonWorld({ work: { people: 60, ...SLOW } }, { ...PAGE, redisUrl });
      const sandbox = world.sandbox('work');
      const { daemon, address } = await startPage(world);
      await daemon.until(completed('work', 'full'));
      const visitor = await signIn(world, address);
      const sync = async (until: Parameters<typeof daemon.until>[0]): Promise<void> => {
        const from = daemon.lines.length;
        expect((await visitor.press(LINK, `${LINK}/sync`, { kind: 'incremental' })).status).toBe(303);
        await daemon.until(until, from);
      };

      const whole = readSides(sandbox);
      deleteAtGoogle(sandbox, 22);
      await sync(HALTED);
      const restorable = await planOf(visitor);
      expect(seen(restorable)).toMatch(/Restore 22 at Google.*Delete 22 at the service/u);
      await visitor.post(`${LINK}/plan/restore`, { token: tokenIn(restorable) });
      await daemon.until(completed('work', 'incremental'));
      expect(readSides(sandbox)).toEqual(whole);
      await visitor.get(`${LINK}/plan`);
      expect(seen(await settled(visitor, `${LINK}/plan`))).toContain('Nothing to write.');

      const contacts = () => sandbox.service.account.contacts().length;
      const before = contacts();
      const names = deleteAtGoogle(sandbox, 14);
      await sync(HALTED);
      expect(await shownAt(visitor, LINK)).toMatch(/Waiting for your review.*Setting: DELETE_LIMIT/u);
      for (const path of [LINK, await lastRunOn(visitor, LINK)]) {
        const text = await shownAt(visitor, path);
        expect(text).toMatch(/would delete 14 contacts .* nothing was written\./u);
        expect(text).not.toMatch(/contact-sync [a-z]/u);
      }

      const plan = await planOf(visitor);
      for (const name of names) expect(seen(plan).replaceAll('&#39;', "'")).toContain(name);
      expect(seen(plan)).toMatch(/would delete 14 contacts .* No run writes before you answer\./u);
      expect(contacts()).toBe(before);
      const from = daemon.lines.length;
      const accepted = await visitor.post(`${LINK}/plan/accept`, acceptanceOf(plan));
      expect(accepted.headers['location']).toBe(`${LINK}/plan`);
      await daemon.until(completed('work', 'incremental'), from);
      expect(contacts()).toBe(before - 14);

      const run = await lastRunOn(visitor, LINK);
      expect(await shownAt(visitor, run)).toContain('Deletions: 14');
      await visitor.press(run, `${run}/preview`);
      const preview = await settled(visitor, run);
      expect(seen(preview)).toContain('14 changes would revert what the run wrote.');
      await visitor.post(`${run}/undo`, { token: tokenIn(preview) });
      expect(seen(await settled(visitor, run))).toContain('The run is undone.');
      expect(contacts()).toBe(before);
      daemon.kill('SIGTERM');
      expect(await daemon.exited).toBe(0);
      expect(errors(daemon).filter((line) => !HALTED(line))).toEqual([]);
    },
  );
});

test('[R8] [R13] a first sync waits until its plan is accepted with the choices of the user, and can be undone', async () => {
  const titled = (title: string) => ['Ada', 'Ben'].map((name) => person(name, { title }));
  const people = {
    google: [...titled('Baker'), person('Mia'), person('Hal')],
    service: [...titled('Brewer'), person('Amelia'), person('Gus')],
  };
  // The times of both sides may be equal or not.
  const settings = { ...PAGE, conflictPolicy: 'google', deleteLimit: '0' };
  await using world = await startDaemonWorld({ work: { people, ...SLOW, firstSync: 'review' } }, settings);
  const sandbox = world.sandbox('work');
  const { daemon, address } = await startPage(world);
  await daemon.until(HALTED);
  const visitor = await signIn(world, address);
  expect(await shownAt(visitor, LINK)).toMatch(/The first sync waits until its plan is accepted.*Review the plan/u);
  const status = await world.run('status', '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({ links: [{ state: 'halted', pairs: 0 }] });
  expect((await world.run('sync', '--accept-first', '--accept-deletes')).code).toBe(2);

  // The halted run has read both sides and linked no contacts.
  const [mia, amelia] = [googleId({ sandbox }, 'Mia'), serviceId({ sandbox }, 'Amelia')];
  const miaPage = `${LINK}/contact?id=${encodeURIComponent(mia)}`;
  expect(await shownAt(visitor, `${miaPage}&with=Amelia`)).toMatch(/Pair it by hand .* Amelia Tester amelia@/u);
  const decide = (word: string) =>
    visitor.press(LINK, `${LINK}/verdicts`, { id: mia, left: mia, right: amelia, says: word });
  expect((await decide('together')).headers['location']).toBe(miaPage);
  const plan = await planOf(visitor);
  expect(seen(plan)).toMatch(/Conflicts: 3 .*different at the first match; Google won.*Creations: 2 /u);
  expect(seen(plan)).toMatch(/The first sync waits .* No run writes before you answer\./u);
  expect(seen(plan)).toMatch(/fields of the contacts are not synced .*notes +photo .*Setting: FIELDS/u);
  const names = [...plan.matchAll(/<select id="(take:[^"]+)"/gu)].map(([, name = '']) => name);
  expect(names).toHaveLength(3);
  const nameOfAda = names.find((name) => name.endsWith(googleId({ sandbox }, 'Ada'))) ?? '';
  const choose = async (fields: Readonly<Record<string, string>>): Promise<string> => {
    await visitor.press(`${LINK}/plan`, `${LINK}/choices`, fields);
    return settled(visitor, `${LINK}/plan`);
  };
  expect(seen(await choose({ all: 'right' })).match(/title: Baker &rarr; Brewer/gu)).toHaveLength(2);
  const mixed = await choose({ [nameOfAda.replace('take:update:right', 'take:update:left')]: 'left' });
  expect(seen(mixed)).toMatch(/the value of Google was chosen by hand/u);
  const contactsOf = () => {
    const rows = readSides(sandbox);
    const named = (all: typeof rows.google) => all.map(({ name, title }) => `${name.split(' ')[0]} ${title}`.trim());
    return { google: named(rows.google), service: named(rows.service) };
  };
  const before = contactsOf();
  await visitor.post(`${LINK}/plan/accept`, acceptanceOf(mixed));
  await daemon.until(completed('work', 'full'));
  for (const contacts of Object.values(contactsOf())) {
    expect(contacts).toEqual(expect.arrayContaining(['Ada Baker', 'Ben Brewer', 'Gus', 'Hal']));
    expect(contacts.filter((contact) => /Mia|Amelia/u.test(contact))).toHaveLength(1);
  }
  expect(await shownAt(visitor, miaPage)).toMatch(/Linked\. .*These are two people/u);
  const run = await lastRunOn(visitor, LINK);

  await visitor.press(run, `${run}/preview`);
  const preview = await settled(visitor, run);
  const [, halt = ''] = /name="halt" value="([^"]+)"/u.exec(preview) ?? [];
  expect(halt).not.toBe('');
  await visitor.post(`${run}/undo`, { token: tokenIn(preview), halt });
  expect(seen(await settled(visitor, run))).toContain('The run is undone.');
  expect(contactsOf()).toEqual(before);
});

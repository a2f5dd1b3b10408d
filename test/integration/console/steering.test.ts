import { afterAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { readSides } from '../../support/compare-sides.ts';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, errors, says } from '../../support/jobs/log-lines.ts';
import { googleId, person, serviceId } from '../../support/linked-people.ts';
import { startTestRedis } from '../../support/redis.ts';
import { planOf, seen, settled, signIn, startPage, tokenIn } from './page-client.ts';

const redis = await startTestRedis();
afterAll(() => redis?.[Symbol.asyncDispose]());

const SLOW = { syncInterval: '7d', sweepInterval: '7d' };
const PAGE = { listen: '127.0.0.1:0' };

const digestIn = (page: string): string => /name="plan" value="([^"]+)"/u.exec(page)?.[1] ?? '';

const deleteAtGoogle = ({ google }: Sandbox, count: number): readonly string[] => {
  const deleted = google.account
    .people()
    .filter(({ names }) => names?.[0]?.familyName)
    .slice(0, count);
  for (const { resourceName } of deleted) google.account.deletePerson(resourceName ?? '');
  const nameOf = ({ names }: (typeof deleted)[number]): string =>
    [names?.[0]?.givenName, names?.[0]?.familyName].filter(Boolean).join(' ');
  return deleted.map((each) => nameOf(each).normalize('NFC'));
};

const HALTED = says('run halted', 'work');

const lastRunPath = (page: string): string => /href="(\/links\/work\/runs\/[^"]+)"/u.exec(page)?.[1] ?? '';

describe.each(['embedded', 'redis'] as const)('R6, R8: a halted plan on the page of a daemon, %s', (queue) => {
  test.skipIf(queue === 'redis' && redis === null)(
    'is shown with names, and answered by restoring the contacts or by accepting it, and its run is undone',
    async () => {
      const redisUrl = queue === 'redis' ? redis?.url : null;
      await using world = await startDaemonWorld({ work: { people: 60, ...SLOW } }, { ...PAGE, redisUrl });
      const sandbox = world.sandbox('work');
      const { daemon, address } = await startPage(world);
      await daemon.until(completed('work', 'full'));
      const visitor = await signIn(world, address);
      const sync = async (until: Parameters<typeof daemon.until>[0]): Promise<void> => {
        const from = daemon.lines.length;
        expect((await visitor.press('/links/work', '/links/work/sync', { kind: 'incremental' })).status).toBe(303);
        await daemon.until(until, from);
      };

      const whole = readSides(sandbox);
      deleteAtGoogle(sandbox, 22);
      await sync(HALTED);
      const restorable = await planOf(visitor);
      expect(seen(restorable)).toMatch(/Restore 22 at Google.*Delete 22 at the service/u);
      const restored = await visitor.post('/links/work/plan/restore', { token: tokenIn(restorable) });
      expect(restored.headers['location']).toBe('/links/work');
      await daemon.until(completed('work', 'incremental'));
      expect(readSides(sandbox)).toEqual(whole);
      await visitor.get('/links/work/plan');
      expect(seen(await settled(visitor, '/links/work/plan'))).toContain('Nothing to write.');

      const before = sandbox.service.account.contacts().length;
      const names = deleteAtGoogle(sandbox, 14);
      await sync(HALTED);
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
      expect(seen((await visitor.get('/links/work')).text)).toContain('Setting: DELETE_LIMIT');

      const plan = await planOf(visitor);
      for (const name of names) expect(seen(plan).replaceAll('&#39;', "'")).toContain(name);
      expect(seen(plan)).toMatch(/would delete 14 contacts .* No run writes before you answer\./u);
      expect(seen(plan)).not.toContain('--accept-deletes');
      expect(sandbox.service.account.contacts().length).toBe(before);

      const from = daemon.lines.length;
      const accepted = await visitor.post('/links/work/plan/accept', { plan: digestIn(plan), token: tokenIn(plan) });
      expect(accepted.headers['location']).toBe('/links/work/plan');
      await daemon.until(completed('work', 'incremental'), from);
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

test('[R8] [R13] a first sync waits until its plan is accepted with the choices of the user, and can be undone', async () => {
  const titled = (title: string) => ['Ada', 'Ben'].map((name) => person(name, { title }));
  const people = {
    google: [...titled('Baker'), person('Mia'), person('Ottilie'), person('Hal')],
    service: [...titled('Brewer'), person('Amelia'), person('Gus')],
  };
  // The times of both sides may be equal or not.
  const settings = { ...PAGE, conflictPolicy: 'google', deleteLimit: '0' };
  await using world = await startDaemonWorld({ work: { people, ...SLOW, firstSync: 'review' } }, settings);
  const sandbox = world.sandbox('work');
  const { service, google } = sandbox;
  const { daemon, address } = await startPage(world);
  await daemon.until(HALTED);
  const visitor = await signIn(world, address);
  const page = seen((await visitor.get('/links/work')).text);
  expect(page).toMatch(/The first sync waits until its plan is accepted.*Review the plan/u);
  const status = await world.run('status', '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({ links: [{ state: 'halted', pairs: 0 }] });
  expect((await world.run('sync', '--accept-first', '--accept-deletes')).code).toBe(2);

  // The halted run has read both sides and linked no contacts.
  const [mia, amelia] = [googleId({ sandbox }, 'Mia'), serviceId({ sandbox }, 'Amelia')];
  const miaPage = `/links/work/contact?id=${encodeURIComponent(mia)}`;
  expect(seen((await visitor.get(`${miaPage}&with=Amelia`)).text)).toMatch(
    /Pair it by hand .* Amelia Tester amelia@example\.org They are one person .* They are different people/u,
  );
  const decide = (word: string) =>
    visitor.press('/links/work', '/links/work/contact/pair', { id: mia, left: mia, right: amelia, says: word });
  expect((await decide('together')).headers['location']).toBe(miaPage);
  expect(seen((await visitor.get(miaPage)).text)).toMatch(
    /Saved: .*Decisions by hand Mia Tester at Google .*one person/u,
  );
  const plan = await planOf(visitor);
  expect(seen(plan)).toMatch(/Conflicts: 3 .*different at the first match; Google won.*Creations: 3 /u);
  expect(seen(plan)).toMatch(/The first sync waits .* No run writes before you answer\./u);
  expect(seen(plan)).toMatch(/fields of the contacts are not synced .*notes +photo .*Setting: FIELDS/u);
  expect(seen(plan)).toContain('Accept this plan ');
  expect(seen(plan)).not.toMatch(/Delete \d/u);
  const names = [...plan.matchAll(/<select id="(take:[^"]+)"/gu)].map(([, name = '']) => name);
  expect(names).toHaveLength(3);
  const nameOfAda = names.find((name) => name.endsWith(googleId({ sandbox }, 'Ada'))) ?? '';
  const choose = async (fields: Readonly<Record<string, string>>): Promise<string> => {
    await visitor.press('/links/work/plan', '/links/work/choices', fields);
    return settled(visitor, '/links/work/plan');
  };
  expect(seen(await choose({ all: 'right' })).match(/title: Baker &rarr; Brewer/gu)).toHaveLength(2);
  const mixed = await choose({ [nameOfAda.replace('take:update:right', 'take:update:left')]: 'left' });
  expect(seen(mixed)).toMatch(/the value of Google was chosen by hand/u);
  const again = await settled(visitor, '/links/work/plan');
  expect(seen(again)).toMatch(/Ottilie Tester .* Leave out/u);
  const id = googleId({ sandbox }, 'Ottilie');
  await visitor.press('/links/work/plan', '/links/work/leave-out', { side: 'left', id });
  // The plan is not made again, and can be accepted without that contact.
  const accepted = (await visitor.get('/links/work/plan')).text;
  expect(seen(accepted)).toContain('Left out: no run changes the contact.');
  expect(seen(accepted)).not.toContain('Ottilie Tester');
  expect(seen(accepted)).toContain('1 contact left out since then.');
  const contactsOf = (): readonly [string[], string[]] => [
    google.account.people().map(({ names: [name] = [], organizations: [work] = [] }) => {
      return `${name?.givenName} ${work?.title ?? ''}`.trim();
    }),
    service.account.contacts().map(({ first_name, title }) => `${first_name} ${title ?? ''}`.trim()),
  ];
  const before = contactsOf().map((each) => each.toSorted());
  await visitor.post('/links/work/plan/accept', { plan: digestIn(accepted), token: tokenIn(accepted) });
  await daemon.until(completed('work', 'full'));
  const [atGoogle, atService] = contactsOf();
  for (const contacts of [atGoogle, atService]) {
    expect(contacts).toEqual(expect.arrayContaining(['Ada Baker', 'Ben Brewer', 'Gus', 'Hal']));
    expect(contacts.filter((contact) => /Mia|Amelia/u.test(contact))).toHaveLength(1);
  }
  expect(atService).not.toContain('Ottilie');
  expect(seen((await visitor.get(miaPage)).text)).toMatch(/Linked\. .*These are two people/u);
  const run = lastRunPath((await visitor.get('/links/work')).text);

  const contact = `/links/work/contact?id=${encodeURIComponent(id)}`;
  const listed = async (show: string) => seen((await visitor.get(`/links/work/contacts?show=${show}`)).text);
  expect(await listed('alone')).toMatch(/Ottilie Tester .*Google only not created/u);
  expect(seen((await visitor.get(contact)).text)).toMatch(
    /Ottilie Tester On one side only\. No run creates this contact on the other side\. Include again/u,
  );
  await visitor.press(contact, '/links/work/leave-out', { side: 'left', id, include: 'yes' });
  await visitor.press('/links/work', '/links/work/sync', { kind: 'incremental' });
  await daemon.until(completed('work', 'incremental'));
  expect(contactsOf()[1]).toContain('Ottilie');

  await visitor.press(run, `${run}/preview`);
  const preview = await settled(visitor, run);
  const [, halt = ''] = /name="halt" value="([^"]+)"/u.exec(preview) ?? [];
  expect(halt).not.toBe('');
  await visitor.post(`${run}/undo`, { token: tokenIn(preview), halt });
  expect(seen(await settled(visitor, run))).toContain('The run is undone.');
  const [left, right] = contactsOf().map((each) => each.toSorted());
  expect([left, right?.filter((each) => each !== 'Ottilie')]).toEqual(before);
});

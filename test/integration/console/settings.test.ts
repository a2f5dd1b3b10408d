import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { accountsOf, startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, says } from '../../support/jobs/log-lines.ts';
import { findPostgres } from '../../support/postgres.ts';
import { startReceiver } from '../../support/network.ts';
import { seen, signIn, startPage } from './page-client.ts';

// The settings page of a daemon, over HTTP.

const postgres = await findPostgres();
afterAll(() => postgres?.close());

const SLOW = { syncInterval: '7d', sweepInterval: '7d' };
const PATH = '/links/work/settings';

const startWorld = async (settings: object, shared: object) => {
  const world = await startDaemonWorld(
    { work: { people: 3, ...SLOW, ...settings } },
    { listen: '127.0.0.1:0', ...shared },
  );
  const { daemon, address } = await startPage(world);
  return { world, daemon, visitor: await signIn(world, address), address };
};

const backupsOf = ({ dataDir }: DaemonWorld): readonly string[] => {
  const folder = join(dataDir, 'backups');
  return existsSync(folder) ? readdirSync(folder) : [];
};

test('settings of the file are shown as sentences and cannot be changed on the page', async () => {
  const { world, visitor } = await startWorld({ conflictPolicy: 'ask', deletePolicy: 'keep' }, {});
  await using _ = world;
  const { text } = await visitor.get(PATH);
  expect(seen(text)).toMatch(/Both sides are read every 7 days\..*a person decides\..*only unlinks the contact/u);
  expect(seen(text)).toContain('The configuration file and variables rule these settings.');
  expect(text).not.toContain('<input id="syncInterval"');
  await visitor.press(PATH, PATH, { syncInterval: '1h' });
  expect(seen((await visitor.get(PATH)).text)).toMatch(/configuration file rules .*every 7 days/u);
});

test('a test notification and a backup are made on request, only by a session of all links', async () => {
  await using receiver = await startReceiver();
  const { world, visitor, daemon, address } = await startWorld({}, { notifyUrl: receiver.url });
  await using _ = world;
  await daemon.until(completed('work', 'full'));
  const guest = await signIn(world, address, 'work');
  for (const action of ['notify', 'backup']) {
    expect((await guest.get(PATH)).text).not.toContain(`${PATH}/${action}`);
    await guest.press(PATH, `${PATH}/${action}`);
    expect(seen((await guest.get(PATH)).text)).toContain('This session sees one link only.');
  }
  expect([receiver.received.length, backupsOf(world)]).toEqual([0, []]);
  await visitor.press(PATH, `${PATH}/notify`);
  expect(seen((await visitor.get(PATH)).text)).toMatch(
    /127\.0\.0\.1:\d+ answered 204\. The test notification is sent\./u,
  );
  expect(receiver.received).toHaveLength(1);
  await visitor.press(PATH, `${PATH}/backup`);
  expect(seen((await visitor.get(PATH)).text)).toContain('Backed up to ');
  const [backup = '', ...others] = backupsOf(world);
  expect(others).toEqual([]);
  expect(readdirSync(join(world.dataDir, 'backups', backup)).toSorted()).toEqual(['contact-sync.db', 'manifest.json']);
});

test('a read-only page has no action of the settings', async () => {
  const { world, visitor } = await startWorld({}, { consoleReadonly: true });
  await using _ = world;
  for (const action of ['', '/sign-in', '/notify', '/backup']) {
    expect((await visitor.get(PATH)).text).not.toContain(`action="${PATH}${action}"`);
    expect((await visitor.press('/links/work', `${PATH}${action}`, { side: 'left' })).status).toBe(403);
  }
  expect(backupsOf(world)).toEqual([]);
});

describe.skipIf(postgres === null)('a link of the database', () => {
  test('is changed on the page, but not by an invalid value, an address or a session of one link', async () => {
    const databaseUrl = (await postgres?.createDatabase()) ?? '';
    const shared = { databaseUrl, credentialsKey: 'a passphrase of the first year', hostedLinkHosts: '127.0.0.1' };
    const { world, visitor, daemon, address } = await startWorld({}, shared);
    await using _ = world;
    const ada = await world.addLink('ada', 3);
    const from = join(world.dataDir, 'ada.json');
    await writeFile(from, JSON.stringify(accountsOf(ada, { ...SLOW, deleteLimit: 5 })));
    expect(await world.run('links', 'add', 'ada', '--from', from)).toMatchObject({ code: 0, stderr: '' });
    await daemon.until(completed('ada', 'full'));
    const path = '/links/ada/settings';
    const page = (await visitor.get(path)).text;
    expect(page).toMatch(/name="syncInterval"\s+value="7d"/u);
    expect(page).toMatch(/name="deleteLimit"\s+value="5"/u);

    const settingsNow = async (): Promise<string> => (await world.run('links', 'list', '--json')).stdout;
    const before = await settingsNow();
    await visitor.press(path, path, { syncInterval: 'often' });
    expect(seen((await visitor.get(path)).text)).toMatch(/syncInterval .*often/u);
    await visitor.press(path, path, {
      'service.baseUrl': 'http://127.0.0.2',
      service: '{}',
      consoleToken: 'x'.repeat(30),
    });
    expect(seen((await visitor.get(path)).text)).toContain('Nothing was changed.');
    const guest = await signIn(world, address, 'ada');
    await guest.press(path, path, { syncInterval: '30s' });
    expect(seen((await guest.get(path)).text)).toContain('This session sees one link only.');
    expect(await settingsNow()).toBe(before);

    const changing = daemon.lines.length;
    await visitor.press(path, path, { syncInterval: '2h', deleteLimit: '', firstSync: 'review' });
    expect(seen((await visitor.get(path)).text)).toContain('The settings are saved.');
    await daemon.until(says('links changed'), changing);
    const changed = (await visitor.get(path)).text;
    expect(seen(changed)).toMatch(
      /Both sides are read every 2 hours\..*more than 10 contacts or 10% .*until you accept its plan/u,
    );
    expect(changed).toMatch(/name="deleteLimit"\s+value=""/u);
  });
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { LinksDocument, RemovedDocument } from '../../../config/documents.ts';
import { accountsOf, startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, says, type LogLine } from '../../support/jobs/log-lines.ts';
import { startTestRedis } from '../../support/redis.ts';
import { findPostgres } from '../../support/postgres.ts';

const postgres = await findPostgres();
const redis = await startTestRedis();
afterAll(async () => {
  await redis?.[Symbol.asyncDispose]();
  await postgres?.close();
});

const SHARED = { credentialsKey: 'a passphrase of the first year', hostedLinkHosts: '127.0.0.1' };

/** Writes the settings of a link to the sandbox of that name; answers the file. */
const settingsFile = async (world: DaemonWorld, name: string, settings = {}): Promise<string> => {
  const sandbox = world.sandboxes.get(name) ?? (await world.addLink(name, 3));
  const path = join(world.dataDir, '..', `${name}.yaml`);
  await writeFile(path, stringify(accountsOf(sandbox, settings)));
  return path;
};

const listed = async (world: DaemonWorld, ...args: readonly string[]) => {
  const { stdout } = await world.run('links', ...args, '--json');
  return LinksDocument.parse(JSON.parse(stdout)).links;
};

describe.skipIf(postgres === null)('links in the database', () => {
  test('links are added, listed, changed and removed, and errors are reported', async () => {
    await using world = await startDaemonWorld();
    const databaseUrl = (await postgres?.createDatabase()) ?? '';
    await world.addLink('home', 3);
    await world.configure({ home: {} }, { ...SHARED, databaseUrl });
    const from = await settingsFile(world, 'ada', { syncInterval: '1h' });
    expect(await listed(world, 'add', 'ada', '--from', from, 'deletePolicy=keep')).toMatchObject([
      { link: 'ada', keptIn: 'database', sides: ['google', 'service'], problems: [] },
    ]);
    const token = world.sandbox('ada').environment()['GOOGLE_REFRESH_TOKEN'] ?? '';
    const rows = JSON.stringify(await postgres?.query(databaseUrl, 'select * from link_settings'));
    for (const secret of [token, 'deletePolicy']) expect(rows).not.toContain(secret);

    expect(await world.run('links', 'add', 'ada', '--from', from)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('keeps a link named ada already'),
    });
    expect(await world.run('links', 'add', 'home', '--from', from)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('links.home: is the name of a link of the configuration file too'),
    });
    expect(await world.run('links', 'add', 'bad', '--from', from, 'direction=sideways', 'often=yes')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/2 problems.*links\.bad\.often.*links\.bad\.direction/su),
    });
    const [changed] = await listed(world, 'set', 'ada', 'syncInterval=', 'sweepInterval=2h');
    expect(changed?.settings).toMatchObject({ sweepInterval: '2h', google: { refreshToken: '[secret]' } });
    expect(changed?.settings).not.toHaveProperty('syncInterval');
    expect(await world.run('links', 'set', 'ada', 'syncInterval=soon')).toMatchObject({ code: 2 });
    expect(await world.run('links', 'set', 'home', 'syncInterval=1h')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The link home is in the configuration file.'),
    });
    expect((await listed(world, 'list')).map(({ link, keptIn }) => [link, keptIn])).toEqual([
      ['home', 'file'],
      ['ada', 'database'],
    ]);
    expect((await world.run('links', 'list')).stdout).toMatch(/ada +database +google - service/u);

    // Every command knows it.
    expect(JSON.parse((await world.run('sync', 'ada', '--json')).stdout)).toMatchObject({
      runs: [{ link: 'ada', outcome: 'completed' }],
    });
    const removed = await world.run('links', 'remove', 'ada', '--json');
    expect(RemovedDocument.parse(JSON.parse(removed.stdout)).removed).toMatchObject({ forgotten: false, tokens: [] });
    expect(await world.run('links', 'remove', 'ada')).toMatchObject({ code: 2 });
    // The stored link is kept and continued.
    await listed(world, 'add', 'ada', '--from', from);
    expect(JSON.parse((await world.run('sync', 'ada', '--json')).stdout)).toMatchObject({
      runs: [{ kind: 'incremental', google: { created: 0 }, service: { created: 0 } }],
    });
    const forgotten = await world.run('links', 'remove', 'ada', '--forget', '--json');
    expect(RemovedDocument.parse(JSON.parse(forgotten.stdout)).removed).toMatchObject({ forgotten: true });
    expect(await postgres?.query(databaseUrl, "select 1 from halves where link = 'ada'")).toEqual([]);
  });

  test('a daemon applies added, changed and removed links, skips invalid ones, and reloads', async () => {
    await using world = await startDaemonWorld();
    const databaseUrl = (await postgres?.createDatabase()) ?? '';
    await world.configure({}, { ...SHARED, databaseUrl });
    const daemon = world.startProcess();
    await daemon.until(says('daemon started'));
    const from = await settingsFile(world, 'ada', { syncInterval: '1s' });
    await world.run('links', 'add', 'ada', '--from', from);
    expect(await daemon.until(says('links changed'))).toMatchObject({ added: ['ada'], removed: [], changed: [] });
    await daemon.until(completed('ada'));
    await world.run('links', 'set', 'ada', 'sweepInterval=1h');
    expect(await daemon.until(says('links changed'), daemon.lines.length)).toMatchObject({ changed: ['ada'] });
    // A file that has a link of that name now: the file's is served, the other one is left out.
    await world.configure({ ada: { syncInterval: '1s' } }, { ...SHARED, databaseUrl });
    daemon.kill('SIGHUP');
    const left = await daemon.until(says('link settings invalid'));
    expect(JSON.stringify(left['problems'])).toContain('is the name of a link of the configuration file too');
    await world.configure({}, { ...SHARED, databaseUrl });
    const beforeReload = daemon.lines.length;
    daemon.kill('SIGHUP');
    await daemon.until(says('configuration reloaded'), beforeReload);
    await daemon.until(completed('ada'), daemon.lines.length);
    await world.run('links', 'remove', 'ada');
    expect(await daemon.until(says('links changed'), beforeReload)).toMatchObject({ removed: ['ada'] });
    daemon.kill('SIGTERM');
    expect(await daemon.exited).toBe(0);
  });

  test('a daemon applies a link that is added while it starts', async () => {
    await using world = await startDaemonWorld();
    const databaseUrl = (await postgres?.createDatabase()) ?? '';
    await world.configure({}, { ...SHARED, databaseUrl });
    const from = await settingsFile(world, 'ada', { syncInterval: '1s' });
    await world.run('links', 'add', 'ada', '--from', from);
    const query = async (statement: string) => (await postgres?.query(databaseUrl, statement)) ?? [];
    await query('create table kept as select * from link_settings');
    await world.run('links', 'remove', 'ada');
    // The daemon has read that there is no link by the time that it asks whether there is another revision.
    const other = new pg.Client({ connectionString: databaseUrl });
    other.on('error', () => undefined);
    await other.connect();
    await using _ = { [Symbol.asyncDispose]: () => other.end() };
    await other.query('begin; lock table hosting in access exclusive mode');
    const daemon = world.startProcess();
    const waiting = "select 1 from pg_locks where relation = 'hosting'::regclass and not granted";
    await expect.poll(async () => (await query(waiting)).length).toBe(1);
    await other.query('insert into link_settings select * from kept');
    await other.query('update hosting set links_revision = links_revision + 1; commit');
    await daemon.until(completed('ada'));
    daemon.kill('SIGTERM');
    expect(await daemon.exited).toBe(0);
  });

  test.skipIf(redis === null)('hosts with one queue start and stop a link together', async () => {
    await using world = await startDaemonWorld({}, { redisUrl: redis?.url });
    const databaseUrl = (await postgres?.createDatabase()) ?? '';
    await world.configure({}, { ...SHARED, databaseUrl });
    const hosts = [world.startProcess(), world.startProcess()];
    const untilEach = (line: (line: LogLine) => boolean) => Promise.all(hosts.map((daemon) => daemon.until(line)));
    await untilEach(says('queue connected'));
    const from = await settingsFile(world, 'ada', { syncInterval: '1s' });
    await world.run('links', 'add', 'ada', '--from', from);
    await untilEach(says('links changed'));
    await Promise.race(hosts.map((daemon) => daemon.until(completed('ada'))));
    await world.run('links', 'remove', 'ada');
    const isGone = (line: LogLine): boolean => says('links changed')(line) && String(line['removed']) === 'ada';
    await untilEach(isGone);
    const isTaken = (line: LogLine): boolean => says('schedules created')(line) && Number(line['removed']) > 0;
    await Promise.race(hosts.map((daemon) => daemon.until(isTaken)));
    for (const daemon of hosts) daemon.kill('SIGTERM');
    expect(await Promise.all(hosts.map(({ exited }) => exited))).toEqual([0, 0]);
    expect((await world.run('status', '--json')).stdout).toContain('"unconfigured":["ada"]');
  });

  test('links in the database need a database; without one, `links list` shows the links of the configuration', async () => {
    await using world = await startDaemonWorld({ home: { people: 3 } });
    const { code, stdout } = await world.run('links', 'list');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^home +file +.*\n.*set DATABASE_URL\.\n$/mu)]);
    expect(JSON.parse((await world.run('links', 'list', '--json')).stdout)).toMatchObject({
      links: [{ link: 'home', keptIn: 'file', settings: null, problems: [] }],
    });
    expect(await world.run('links', 'add', 'work')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('DATABASE_URL: is not set, and links are stored in that database.'),
    });
  });
});

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createApp, type App } from '../../../src/app/app.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { loadConfig } from '../../../src/app/config/config.ts';
import { createRunner } from '../../../src/daemon/jobs/run-job.ts';
import { openVault } from '../../../src/store/vault.ts';
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts';
import { cliHost } from '../../support/cli-host.ts';
import { createEventLog } from '../../support/jobs/log-lines.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';
import { findPostgres } from '../../support/postgres.ts';
import { createVirtualClock } from '../../support/clocks.ts';
import { consentTo, startSignIn } from '../connect/sign-in.ts';

const postgres = await findPostgres();
const stack = new AsyncDisposableStack();
afterAll(async () => {
  await stack.disposeAsync();
  await postgres?.close();
});

const KEY = 'a passphrase of the first year';
const NEW_KEY = 'a passphrase of the second year';
const signedIn = { token: 'refresh-token-1', account: 'people/me', scopes: ['contacts'], storedAtMs: 1 };

const createDatabase = async (): Promise<string> => (await postgres?.createDatabase()) ?? '';

const hostAt = (url: string) => {
  const store = openPostgres({ url, clock: systemClock, connections: 2 });
  stack.defer(() => store.close());
  return { rows: store.tokens };
};
const vaultAt = (url: string, key: string | null) => openVault({ ...hostAt(url), key, clock: systemClock });

describe.skipIf(postgres === null)('tokens in the database', () => {
  test('a token that one host stores is read by another one, and is sealed in the database', async () => {
    const url = await createDatabase();
    const [one, other] = [vaultAt(url, KEY), vaultAt(url, KEY)];
    expect(await other.read('work', 'google')).toBeNull();
    await Promise.all([one.save('work', 'google', signedIn), other.save('work', 'service', signedIn)]);
    expect(await vaultAt(url, KEY).read('work', 'google')).toEqual(signedIn);
    expect(await one.names()).toEqual([
      { link: 'work', side: 'google' },
      { link: 'work', side: 'service' },
    ]);
    const rows = await postgres?.query(url, 'select * from credentials');
    expect(JSON.stringify(rows)).not.toContain(signedIn.token);
    await expect(vaultAt(url, null).save('work', 'google', signedIn)).rejects.toThrow(/without CREDENTIALS_KEY/u);
    await one.remove('work');
    expect(await one.names()).toEqual([]);
  });

  test('R16: a token that another host has stored is read at once after the cached tokens were dropped', async () => {
    const url = await createDatabase();
    const clock = createVirtualClock();
    const one = openVault({ ...hostAt(url), key: KEY, clock });
    await one.save('work', 'google', signedIn);
    expect(await one.read('work', 'google')).toEqual(signedIn);
    const renewed = { ...signedIn, token: 'refresh-token-2' };
    await vaultAt(url, KEY).save('work', 'google', renewed);
    expect(await one.read('work', 'google')).toEqual(signedIn);
    one.forget('work');
    expect(await one.read('work', 'google')).toEqual(renewed);
  });
});

const appAt = (world: LinkedSandbox, variables: Readonly<Record<string, string>>): App => {
  const env = { ...world.sandbox.environment(), DATA_DIR: world.dataDir, ...variables };
  return createApp(loadConfig({ env, cwd: world.dataDir }), createEventLog().events, { clock: world.clock });
};

describe.skipIf(postgres === null)('connect', () => {
  test('connect stores the token in the database, and a sync on another host uses it', async () => {
    const shared = { DATABASE_URL: await createDatabase(), CREDENTIALS_KEY: KEY };
    await using world = await startLinkedSandbox({ count: 3 });
    const { GOOGLE_REFRESH_TOKEN: _, ...env } = world.sandbox.environment();
    const at = (directory: string) => ({ ...env, ...shared, DATA_DIR: join(world.dataDir, directory) });
    const { address, paste, end } = await startSignIn(['google'], at('one'), world.dataDir);
    paste((await consentTo(address)).href);
    expect(await end).toMatchObject({ code: 0, stdout: expect.stringMatching(/Stored in 127\.0\.0\.1.*, encrypted/u) });
    expect(await readdir(join(world.dataDir, 'one')).catch(() => [])).not.toContain('credentials.json');
    const sync = await cliHost.run(['sync', '--json'], at('other'), world.dataDir);
    expect(JSON.parse(sync.stdout)).toMatchObject({ runs: [{ outcome: 'completed' }] });
    const wrong = { ...at('third'), CREDENTIALS_KEY: NEW_KEY };
    expect(await cliHost.run(['sync'], wrong, world.dataDir)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/The stored google token .*was encrypted with another key/u),
    });
  });

  test('a host with another key runs no link, and pauses none that the others serve', async () => {
    const shared = { DATABASE_URL: await createDatabase(), CREDENTIALS_KEY: KEY };
    await using world = await startLinkedSandbox({ count: 3 });
    const token = world.link.sides.left.token?.reveal() ?? '';
    const { GOOGLE_REFRESH_TOKEN: _, ...env } = world.sandbox.environment();
    const hostWith = (key: string): App =>
      appAt(world, { ...shared, ...env, CREDENTIALS_KEY: key, GOOGLE_REFRESH_TOKEN: '' });
    const run = async (app: App) => {
      const { events } = createEventLog();
      const runner = createRunner({ app, events, clock: world.clock, random: () => 0.5 });
      runner.setLinks(app.config.links);
      return runner.runJob({ link: 'default', kind: 'incremental', override: null });
    };
    await using right = hostWith(KEY);
    await right.vault.save('default', 'google', { ...signedIn, token });
    await using wrong = hostWith(NEW_KEY);
    expect(await run(wrong)).toMatchObject({ ending: 'failed', message: expect.stringContaining('another key') });
    expect((await right.store.link('default')).state).toBe('active');
    expect(await run(right)).toMatchObject({ ending: 'completed' });
  });
});

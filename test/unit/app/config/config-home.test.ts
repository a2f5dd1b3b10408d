import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { configFileOf, loadConfig, type LoadOptions } from '../../../../src/app/config/config.ts';
import { fingerprint } from '../../../../src/util/secret.ts';
import { REQUIRED, REQUIRED_YAML, useConfigDirectory } from './config-support.ts';

const { cwd: at, write } = useConfigDirectory();
let cwd: string;
let home: string;
beforeEach(() => {
  [cwd, home] = [at('here'), at('home')];
});

const load = (env: Record<string, string>, options: LoadOptions = {}) =>
  loadConfig({ cwd, env: { HOME: home, ...env }, ...options });
const installed = { isInstalled: true };

const USUAL_HOME = 'home/.local/share/contact-sync';

test.each<[string, Record<string, string>, LoadOptions, path: string, files?: readonly string[]]>([
  ['in the folder of a checkout', {}, {}, 'here/data'],
  ['in the home directory for an installed program, wherever it is started', {}, installed, USUAL_HOME],
  ['in XDG_DATA_HOME', { XDG_DATA_HOME: '/somewhere' }, installed, '/somewhere/contact-sync'],
  ['not in a relative XDG_DATA_HOME, which its specification ignores', { XDG_DATA_HOME: 'a' }, installed, USUAL_HOME],
  ['not ./data with the files of another program', {}, installed, USUAL_HOME, ['here/data/customers.csv']],
  ['./data of an installed program with a database', {}, installed, 'here/data', ['here/data/contact-sync.db']],
])('the data directory is %s', (_, env, options, path, files = []) => {
  for (const file of files) write(file, '');
  const dataDir = path.startsWith('/') ? path : at(path);
  expect(load({ ...REQUIRED, ...env }, options)).toMatchObject({ dataDir, isUsualDataDir: true });
});

test('the data directory comes from the variable before the file', () => {
  const configPath = write('here/given.yaml', `${REQUIRED_YAML}dataDir: /from-file\n`);
  const named = (env: Record<string, string>) => load(env, { config: configPath });
  expect(named({})).toMatchObject({ dataDir: '/from-file', isUsualDataDir: false });
  expect(named({ DATA_DIR: '/from-variable' }).dataDir).toBe('/from-variable');
});

describe('the configuration file is found', () => {
  const OF_USER = 'home/.config/contact-sync/contact-sync.yaml';

  test('in the current folder first, then, only by an installed program, in the home directory or XDG_CONFIG_HOME', () => {
    write(OF_USER, REQUIRED_YAML);
    expect(load({}, installed).file).toBe(at(OF_USER));
    expect(load(REQUIRED).file).toBeNull();
    const xdg = write('xdg/contact-sync/contact-sync.yaml', REQUIRED_YAML);
    expect(load({ XDG_CONFIG_HOME: at('xdg') }, installed).file).toBe(xdg);
    const here = write('here/config/contact-sync.yaml', REQUIRED_YAML);
    expect(load({}, installed).file).toBe(here);
  });

  test('and a new one is created in the checkout or in the home directory', () => {
    const fileOf = (options: LoadOptions) => configFileOf({ cwd, env: { HOME: home }, ...options });
    expect(fileOf({})).toBe(join(cwd, 'config/contact-sync.yaml'));
    expect(fileOf(installed)).toBe(at(OF_USER));
    expect(fileOf({ config: 'mine.yaml' })).toBe(join(cwd, 'mine.yaml'));
  });

  test('or the message lists the searched places and the command that creates one', () => {
    const missing = `looked for ${join(cwd, 'config/contact-sync.yaml')} and ${at(OF_USER)}). Make one with: contact-sync init`;
    expect(() => load({}, installed)).toThrow(missing);
    write(OF_USER, 'direction: both\n');
    expect(() => load({}, installed)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('init') }),
    );
  });
});

describe('a .env next to the configuration file', () => {
  const FILE = 'SERVICE_BASE_URL=https://service.test\nGOOGLE_CLIENT_ID=client\nGOOGLE_CLIENT_SECRET="client-secret"\n';

  test('sets variables, also without a configuration file', () => {
    write('here/config/.env', `${FILE}# half an hour\nSYNC_INTERVAL=30m\n`);
    expect(load({}).links).toMatchObject([{ name: 'default', syncIntervalMs: 1_800_000 }]);
  });

  test('is next to the named file, or in the home directory', () => {
    const configPath = write('here/other/mine.yaml', 'direction: to-google\n');
    write('here/other/.env', FILE);
    expect(load({}, { config: configPath }).links).toMatchObject([{ direction: 'to-left' }]);
    write('home/.config/contact-sync/.env', FILE);
    expect(load({}, installed).links).toHaveLength(1);
  });

  test('wins over the file, and the environment wins over it', () => {
    write('here/config/contact-sync.yaml', `${REQUIRED_YAML}syncInterval: 1m\nsweepInterval: 1h\n`);
    write('here/config/.env', 'SYNC_INTERVAL=2m\nSWEEP_INTERVAL=2h\n');
    const intervals = (env: Record<string, string>) => load(env).links;
    expect(intervals({ SYNC_INTERVAL: '3m' })).toMatchObject([{ syncIntervalMs: 180_000, sweepIntervalMs: 7_200_000 }]);
    // An empty variable counts as not set.
    expect(intervals({ SYNC_INTERVAL: '' })).toMatchObject([{ syncIntervalMs: 120_000 }]);
  });

  test('is overridden by a secret of the environment, however each is set', () => {
    write('here/config/.env', FILE);
    const secretFile = write('here/secret', 'from-a-file');
    const [link] = load({ GOOGLE_CLIENT_SECRET_FILE: secretFile }).links;
    expect(fingerprint(link?.sides.left.settings ?? {})).toContain('from-a-file');
  });

  test('is not read from the current folder, where it belongs to another program', () => {
    write('here/.env', FILE);
    expect(() => load({})).toThrow('SERVICE_BASE_URL');
  });
});

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError } from '../../../../src/util/config-error.ts';
import { loadConfig, type LoadOptions } from '../../../../src/app/config/config.ts';
import { oneProblem, problemsOf, REQUIRED, REQUIRED_YAML, useConfigDirectory } from './config-support.ts';

const { cwd, load, loadLink, write } = useConfigDirectory();

test('a link inherits from the top, its own section wins, and a variable wins over both', () => {
  const yaml = `${REQUIRED_YAML}
syncInterval: 1m
direction: to-google
links:
  home: { service: { accessToken: home-token } }
  work: { syncInterval: 2m, direction: to-service, google: { readLimit: 1/second }, buckets: ['Smith, John', Work] }
`;
  const { links } = load({ DIRECTION: 'both' }, yaml);
  const readLimit = { requests: 1, windowMs: 1_000 };
  const sidesWith = (more: object) => ({ sides: { left: { settings: { clientId: 'client', ...more } } } });
  expect(links).toMatchObject([
    { name: 'home', syncIntervalMs: 60_000, direction: 'both', ...sidesWith({}) },
    { name: 'work', syncIntervalMs: 120_000, buckets: ['Smith, John', 'Work'], ...sidesWith({ readLimit }) },
  ]);
  expect(links[1]?.direction).toBe('both');
  expect(links.map((link) => link.sides.right.token?.reveal())).toEqual(['home-token', undefined]);
});

test('numbers, empty values and null values are read as written', () => {
  const yaml = `${REQUIRED_YAML}
deleteLimit: 7
logPersonalData: true
redisUrl:
dataDir: null
links: { home: }
`;
  const config = load({}, yaml);
  expect(config).toMatchObject({ logPersonalData: true, redisUrl: null, dataDir: join(cwd(), 'data') });
  expect(config.links[0]).toMatchObject({ name: 'home', deleteLimit: { count: 7, percent: null } });
});

test('a numeric id keeps all its digits', () => {
  const yaml = REQUIRED_YAML.replace('clientId: client', 'clientId: 123456789012345678901');
  expect(loadLink({}, yaml).sides.left.settings['clientId']).toBe('123456789012345678901');
});

test.each([
  ['syncIntervall: 5m', 'syncIntervall', 'Did you mean syncInterval?'],
  ['SYNC_INTERVAL: 5m', 'SYNC_INTERVAL', 'Did you mean syncInterval?'],
  ['servise: { baseUrl: x }', 'servise.baseUrl', 'Did you mean service.baseUrl?'],
  ['links: { home: { service: { acessToken: x } } }', 'links.home.service.acessToken', 'service.accessToken?'],
  ['flavour: sweet', 'flavour', 'config/example.yaml'],
  ['__proto__: {}', '__proto__', 'is not a setting. Remove it'],
  ['__proto__: { retention: 4d }', '__proto__', 'is not a setting. Remove it'],
  ['google: { __proto__: {} }', 'google.__proto__', 'is not a setting. Remove it'],
  ['links: { home: { service: { __proto__: { baseUrl: x } } } }', 'links.home.service.__proto__', 'is not a setting'],
  ['syncInterval: [5m]', 'syncInterval', 'is a list'],
  ['links: [home]', 'links', 'names no link'],
  ['links: []', 'links', 'names no link'],
  ['links: {}', 'links', 'names no link'],
  ['links: { home sweet home: }', 'links.home sweet home', 'is not a name'],
  ['links: { home: 5m }', 'links.home', 'holds no settings'],
  ['buckets: [[a]]', 'buckets', 'is neither'],
])('%s is a problem of its key', (line, where, what) => {
  expect(problemsOf(() => load(REQUIRED, line))).toEqual(oneProblem(where, what));
});

test.each([
  ['a: 1\nb: "open', 'line 2, column 9 (missing char)'],
  ['links:\n  a:\n    buckets: [one, two\n    direction: both\n', 'line 4'],
  ['buckets: ]\n', 'line 1, column 10 (unexpected token)'],
  ['a:\n\tb: 1\n', 'line 2, column 1 (tab as indent)'],
  ['dataDir: /a\ndataDir: /b', 'line 2, column 1 (duplicate key)'],
  ['links:\n  a: {}\n  b: {buckets: x, buckets: y}\n  a: {}', 'line 3, column 19 (duplicate key)'],
  ['- a', 'no settings at its top'],
  ['dataDir: *unknown', 'alias'],
  ['links: &l {a: *l}', 'alias'],
  ['a: &a x\ndataDir: *a', 'alias'],
])('malformed YAML is one problem: %j', (yaml, what) => {
  const where = join(cwd(), 'given.yaml');
  expect(problemsOf(() => load({}, yaml))).toEqual(oneProblem(where, what));
});

test('a configuration error contains the data directory, where a daemon could be running', () => {
  const dataDirOf = (env: NonNullable<LoadOptions['env']>, yaml: string): unknown => {
    try {
      return load(env, yaml);
    } catch (error) {
      return error instanceof ConfigError ? error.dataDir : error;
    }
  };
  expect(dataDirOf({}, `${REQUIRED_YAML}dataDir: here\nsyncInterval: soon`)).toBe(join(cwd(), 'here'));
  expect(dataDirOf({ DATA_DIR: '/there' }, 'links: [')).toBe('/there');
  expect(dataDirOf({}, 'links: [')).toBe(join(cwd(), 'data'));
});

test('the default file is read if it exists, and other files if they are named', () => {
  write('config/contact-sync.yaml', `${REQUIRED_YAML}direction: to-google`);
  write('other.yaml', `${REQUIRED_YAML}direction: to-service`);
  const direction = (options: LoadOptions) => loadConfig({ cwd: cwd(), ...options }).links[0]?.direction;
  expect(direction({ env: {} })).toBe('to-left');
  expect(direction({ env: { CONTACT_SYNC_CONFIG: 'other.yaml' } })).toBe('to-right');
  expect(direction({ env: { CONTACT_SYNC_CONFIG: 'no.yaml' }, config: 'other.yaml' })).toBe('to-right');
});

test.each<[string, LoadOptions]>([
  ['--config', { env: {}, config: 'no.yaml' }],
  ['CONTACT_SYNC_CONFIG', { env: { CONTACT_SYNC_CONFIG: 'no.yaml' } }],
])('a missing file that %s names is a problem', (where, options) => {
  expect(problemsOf(() => loadConfig({ cwd: cwd(), ...options }))).toEqual(oneProblem(where, 'ENOENT'));
});

test('a secret can be in a file behind a symbolic link', () => {
  write('secret', 'redis://127.0.0.1\n');
  execFileSync('ln', ['-s', 'secret', join(cwd(), 'link')]);
  expect(load({ ...REQUIRED, REDIS_URL_FILE: 'link' }).redisUrl?.reveal()).toBe('redis://127.0.0.1');
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXAMPLES, ROOT } from '../../../../config/docs.ts';
import { USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { readConfig } from '../../../../src/app/config/config.ts';
import type { LinkConfig } from '../../../../src/app/config/link-config.ts';
import { allSettings } from '../../../../src/app/config/settings.ts';
import { Secret } from '../../../../src/util/secret.ts';
import { placesOf, oneProblem, problemsOf, REQUIRED, useConfigDirectory } from './config-support.ts';

const { cwd, load, loadLink } = useConfigDirectory();
const SETTINGS = allSettings();

test('variables alone describe one link named default, with the documented defaults', () => {
  const { links, ...config } = load(REQUIRED);
  const shared = { file: null, faultyLinks: [], databaseUrl: null, redisUrl: null, logPersonalData: false };
  const local = { dataDir: join(cwd(), 'data'), isUsualDataDir: true, listen: { host: '127.0.0.1', port: 8377 } };
  expect(config).toMatchObject({ ...shared, ...local, isListenOptional: true, retentionMs: 180 * 86_400_000 });
  const policies = { direction: 'both', conflicts: 'newest', deletes: 'propagate', firstSync: 'run' };
  const intervals = { syncIntervalMs: 300_000, hasAutoInterval: false, sweepIntervalMs: 21_600_000 };
  const chosen = { buckets: ['*'], fields: USUAL_FIELDS, directions: {}, conflictsByField: {} };
  const deleteLimit = { count: 10, percent: 10 };
  expect(links).toMatchObject([{ name: 'default', ...policies, ...intervals, ...chosen, deleteLimit }]);
  const readLimit = { requests: 90, windowMs: 60_000 };
  const rateLimit = { requests: 500, windowMs: 60_000 };
  expect(links[0]?.sides).toMatchObject({
    left: { name: 'google', contacts: ['*'], token: null, settings: { readLimit } },
    right: { name: 'service', contacts: ['*'], token: null, settings: { rateLimit } },
  });
});

test('the documented default of a setting is the one that the parser uses', () => {
  const usual = SETTINGS.flatMap(({ variable, usual: value }) => (variable && value ? [[variable, value]] : []));
  expect(usual.length).toBeGreaterThan(20);
  const documented = load({ ...REQUIRED, ...Object.fromEntries(usual) });
  expect(documented).toEqual({ ...load(REQUIRED), isListenOptional: false });
});

test.each([
  ['RETENTION', '36h', 'retentionMs', 129_600_000],
  ['RETENTION', '3650d', 'retentionMs', 315_360_000_000],
  ['RETENTION', 'off', 'retentionMs', null],
  ['LISTEN', '[::1]:0', 'listen', { host: '::1', port: 0 }],
  ['LISTEN', 'localhost:65535', 'listen', { host: 'localhost', port: 65_535 }],
  ['LISTEN', 'off', 'listen', null],
  ['LISTEN', '127.0.0.1:8377', 'isListenOptional', false],
] as const)('%s=%s of the process', (variable, value, key, expected) => {
  expect(load({ ...REQUIRED, [variable]: value })[key]).toEqual(expected);
});

test.each<[variable: string, value: string, key: keyof LinkConfig, expected: unknown]>([
  ['SYNC_INTERVAL', '30s', 'syncIntervalMs', 30_000],
  ['SYNC_INTERVAL', 'auto', 'hasAutoInterval', true],
  ['SYNC_INTERVAL', 'auto', 'syncIntervalMs', 300_000],
  ['SWEEP_INTERVAL', ' 1d ', 'sweepIntervalMs', 86_400_000],
  ['DELETE_LIMIT', '0', 'deleteLimit', { count: 0, percent: null }],
  ['DELETE_LIMIT', '25%', 'deleteLimit', { count: null, percent: 25 }],
  ['DELETE_LIMIT', '5, 2.5%', 'deleteLimit', { count: 5, percent: 2.5 }],
  ['DIRECTION', 'to-google', 'direction', 'to-left'],
  ['CONFLICT_POLICY', 'service', 'conflicts', 'right'],
  ['CONFLICT_POLICY', 'ask', 'conflicts', 'ask'],
  ['DELETE_POLICY', 'keep', 'deletes', 'keep'],
  ['FIRST_SYNC', 'review', 'firstSync', 'review'],
  ['BUCKETS', 'Family, Work*, !Work old', 'buckets', ['Family', 'Work*', '!Work old']],
  ['BUCKETS', '"A,B", !"C, D" ,"!E"', 'buckets', ['"A,B"', '!"C, D"', '"!E"']],
  ['BUCKETS', '5" disk, 3" disk', 'buckets', ['5" disk', '3" disk']],
  ['BUCKETS', '"Bob" team, Friends', 'buckets', ['"Bob" team', 'Friends']],
  ['DIRECTION', '', 'direction', 'both'],
])('%s=%s', (variable, value, key, expected) => {
  expect(loadLink({ ...REQUIRED, [variable]: value })[key]).toEqual(expected);
});

test('the webhook is a secret, also from a file, and can have a path and a query', () => {
  const url = 'https://hooks.test/services/path-of-the-webhook?token=x';
  const config = load({ ...REQUIRED, NOTIFY_URL: url });
  expect(config).toMatchObject({ notifyUrl: new Secret(url) });
  expect(JSON.stringify(config)).not.toContain('path-of-the-webhook');
  writeFileSync(join(cwd(), 'webhook'), `${url}\n`);
  expect(load({ ...REQUIRED, NOTIFY_URL_FILE: 'webhook' }).notifyUrl?.reveal()).toBe(url);
});

describe('a misspelt variable', () => {
  const misspelt = (env: Readonly<Record<string, string>>) =>
    readConfig({ env: { ...REQUIRED, ...env }, cwd: cwd() }).misspelt;

  test.each([
    ['SYNC_INTERVALL', 'SYNC_INTERVAL'],
    ['SERVICE_BASEURL', 'SERVICE_BASE_URL'],
    ['SERVICE_ACCES_TOKEN_FILE', 'SERVICE_ACCESS_TOKEN_FILE'],
    ['CONTACT_SYNC_CONFG', 'CONTACT_SYNC_CONFIG'],
    ['LOGLEVEL', 'LOG_LEVEL'],
  ])('%s is reported with the variable that was probably meant', (name, meant) => {
    expect(misspelt({ [name]: 'x' })).toBe(
      `contact-sync does not read ${name} (did you mean ${meant}?). Correct the name, or unset the variable.`,
    );
  });

  const OTHERS = ['NOTIFY_SOCKET', 'NPM_TOKEN', 'CI_TOKEN', 'LISTEN_FDS', 'PATH', 'SYNC_INTERVAL_OF_ANOTHER'];
  test.each(OTHERS)('%s is a variable of another program and is not reported', (name) => {
    expect(misspelt({ [name]: 'x' })).toBeNull();
  });

  test('is reported if the configuration has a problem', () => {
    expect(() => load({ SERVICE_BASEURL: 'https://service.test' })).toThrow(/did you mean SERVICE_BASE_URL\?/u);
  });
});

test('the missing configuration file is mentioned unless a variable has a setting of a link', () => {
  const file = 'There is no configuration file';
  expect(() => load({})).toThrow(file);
  expect(() => load({ DATA_DIR: '/data', LISTEN: '0.0.0.0:8377' })).toThrow(file);
  expect(() => load({ SYNC_INTERVAL: 'soon' })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(file) }),
  );
});

test('slashes at the end of URLs are normalized', () => {
  const service = { SERVICE_BASE_URL: 'http://127.0.0.1:8080/api//', SERVICE_AUTH_URL: 'http://127.0.0.1:8081/' };
  const { left, right } = loadLink({ ...REQUIRED, ...service, GOOGLE_ROOT_URL: 'http://127.0.0.1:8082' }).sides;
  expect(right.settings).toMatchObject({ baseUrl: 'http://127.0.0.1:8080/api', authUrl: 'http://127.0.0.1:8081' });
  expect(left.settings['rootUrl']).toBe('http://127.0.0.1:8082/');
});

test.each([
  ['RETENTION', '12h', 'from 1d to 3650d, such as 180d, or off'],
  ['RETENTION', '4000d', 'is not a retention period'],
  ['SYNC_INTERVAL', '5 minutes', 'is not a duration'],
  ['SYNC_INTERVAL', '0s', 'is out of range'],
  ['SYNC_INTERVAL', 'automatic', 'is not a duration'],
  ['SWEEP_INTERVAL', 'auto', 'is not a duration'],
  ['SERVICE_RATE_LIMIT', '500', 'is not a rate'],
  ['SERVICE_RATE_LIMIT', '10/constructor', 'is not a rate'],
  ['GOOGLE_READ_LIMIT', '0/minute', 'is not a rate'],
  ['DELETE_LIMIT', '101%', 'is not a limit'],
  ['DELETE_LIMIT', '10%,10', 'is not a limit'],
  ['DIRECTION', 'sideways', 'Choose one of both, to-google, to-service.'],
  ['CONFLICT_POLICY', 'oldest', '"oldest" is not known. Choose one of newest, ask, google, service.'],
  ['CONFLICT_POLICY', 'title=service', '"title=service" is not known.'],
  ['LOG_LEVEL', 'loud', 'Choose one of trace, debug, info, warn, error, fatal, silent.'],
  ['BUCKETS', '!Private', 'begins with an exclusion'],
  ['BUCKETS', '!Important', `is '"!Important"'.`],
  ['GOOGLE_CONTACTS', 'tag:x', `a group of this name is '"tag:x"'.`],
  ['GOOGLE_CONTACTS', '!Private', 'nothing would be selected'],
  ['GOOGLE_CONTACTS', '!*, Clients', 'nothing would be selected'],
  ['GOOGLE_CONTACTS', ' , ', 'is empty'],
  ['GOOGLE_CONTACTS', 'Clients, !tag:gold', '"tag:gold" does not exist on this side'],
  ['SERVICE_CONTACTS', 'Starred', '"Starred" does not exist on this side'],
  ['SERVICE_BASE_URL', 'service.test', 'http:// or https://'],
  ['SERVICE_BASE_URL', 'ftp://service.test', 'http:// or https://'],
  ['SERVICE_AUTH_URL', 'https://me:pass@service.test', 'has a user, password'],
  ['GOOGLE_ROOT_URL', 'https://google.test/?a=b', 'query'],
  ['REDIS_URL', 'http://redis.test', 'redis:// or rediss://'],
  ['REDIS_URL', 'redis://:100%sure@redis.test', 'Write %25 for each %.'],
  ['DATABASE_URL', 'mysql://db.test/x', 'postgres:// or postgresql://'],
  ['DATABASE_URL', 'postgres://db.test', 'names no database'],
  ['NOTIFY_URL', 'hooks.slack.test/T0', 'http:// or https://'],
  ['NOTIFY_URL', 'https://me:pass@hooks.test/T0', 'has a user or a password'],
  ['CONSOLE_TOKEN', 'too short', 'openssl rand -base64 24'],
  ['LISTEN', '8377', 'Write <host>:<port>, such as 127.0.0.1:8377.'],
  ['LISTEN', '127.0.0.1:65536', 'Write <host>:<port>'],
  ['LISTEN', 'http://127.0.0.1:8377', 'Write <host>:<port>'],
  ['LISTEN', '::1:8377', 'Write <host>:<port>'],
])('%s=%s is refused, and the problem has its name and a remedy', (variable, value, what) => {
  expect(problemsOf(() => load({ ...REQUIRED, [variable]: value }))).toEqual(oneProblem(variable, what));
});

test('a database that hosts share stores only encrypted tokens', () => {
  const DATABASE_URL = 'postgres://db.test/contact_sync';
  expect(problemsOf(() => load({ ...REQUIRED, DATABASE_URL }))).toEqual([
    { where: 'CREDENTIALS_KEY', what: expect.stringMatching(/^is not set, and with DATABASE_URL .*openssl rand/u) },
  ]);
  expect(load({ ...REQUIRED, DATABASE_URL, CREDENTIALS_KEY: 'k'.repeat(16) }).databaseUrl?.reveal()).toBe(DATABASE_URL);
});

test('all problems are listed at once, each of them once', () => {
  const links = 'links:\n  home: { deleteLimit: lots }\n  work: { dataDir: /tmp }\n';
  const yaml = `syncIntervall: 5m\ndirection: sideways\n${links}`;
  const process = { LOG_LEVEL: 'loud', SWEEP_INTERVAL: 'often' };
  const env = { ...process, GOOGLE_CLIENT_ID: 'client', FIELDS: 'default,notse,photoo' };
  const problems = problemsOf(() => load(env, yaml));
  expect(problems.map(({ where }) => where).toSorted()).toEqual([
    'FIELDS',
    'FIELDS',
    'GOOGLE_CLIENT_SECRET',
    'LOG_LEVEL',
    'SERVICE_BASE_URL',
    'SWEEP_INTERVAL',
    'direction',
    'links.home.deleteLimit',
    'links.work.dataDir',
    'syncIntervall',
  ]);
  for (const { where, what } of problems) expect(() => load(env, yaml)).toThrow(`${where}: ${what}`);
  expect(() => load(env, yaml)).toThrow('10 problems');
});

test('a missing setting is reported with each way to set it', () => {
  expect(problemsOf(() => load({}))).toEqual([
    { where: 'GOOGLE_CLIENT_ID', what: 'is not set. Set it or google.clientId in the configuration file.' },
    {
      where: 'GOOGLE_CLIENT_SECRET',
      what: 'is not set. Set it, GOOGLE_CLIENT_SECRET_FILE or google.clientSecret in the configuration file.',
    },
    { where: 'SERVICE_BASE_URL', what: 'is not set. Set it or service.baseUrl in the configuration file.' },
  ]);
});

describe('the examples', () => {
  const example = (name: string): string => readFileSync(join(import.meta.dirname, '../../../../config', name), 'utf8');
  const variables = (content: string): Readonly<Record<string, string>> =>
    Object.fromEntries([...content.matchAll(/^([A-Z_]+)=(.*)$/gmu)].map(([, name = '', value = '']) => [name, value]));

  test('an unmodified example.yaml changes nothing', () => {
    expect(load(REQUIRED, example('example.yaml'))).toEqual(load(REQUIRED, ''));
  });

  test('an unmodified example.env changes nothing', () => {
    expect(variables(example('example.env'))).toEqual({});
  });

  test('example.yaml loads with every setting uncommented, and has every setting', () => {
    const whole = example('example.yaml').replaceAll(/^( *)# ([a-zA-Z]+: \S+)$/gmu, (line, indent, setting) =>
      /File: /u.test(line) ? line : `${indent}${setting}`,
    );
    expect(placesOf(() => load({}, whole))).toEqual([]);
    const keys = [...whole.matchAll(/^ *([a-zA-Z]+): \S/gmu)].map(([, key]) => key);
    expect(SETTINGS.filter(({ key }) => !keys.includes(key.split('.').at(-1)))).toEqual([]);
  });

  test('example.env loads with every variable uncommented, and has every variable', () => {
    const whole = variables(example('example.env').replaceAll(/^# (?=[A-Z_]+=)/gmu, ''));
    const names = SETTINGS.flatMap(({ variable }) => variable ?? []);
    expect(Object.keys(whole).toSorted()).toEqual([...names, 'CONTACT_SYNC_CONFIG'].toSorted());
    expect(placesOf(() => load({ ...whole, CONTACT_SYNC_CONFIG: undefined }))).toEqual([]);
  });

  test.each(Object.entries(EXAMPLES))('%s is what the code generates (npm run docs writes it)', (file, render) => {
    expect(readFileSync(join(ROOT, file), 'utf8')).toBe(render());
  });
});

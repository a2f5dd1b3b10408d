import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError, loadConfig, type ConfigProblem, type LinkConfig, type LoadOptions } from '../../src/config.ts';
import { Secret } from '../../src/config/secret.ts';

const REQUIRED = {
  SERVICE_BASE_URL: 'https://service.test',
  GOOGLE_CLIENT_ID: 'client',
  GOOGLE_CLIENT_SECRET: 'client-secret',
};
const REQUIRED_YAML = `
service: { baseUrl: 'https://service.test' }
google: { clientId: client, clientSecret: client-secret }
`;

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'contact-sync-config-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const write = (path: string, content: string): string => {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), content);
  return join(cwd, path);
};
const load = (env: NonNullable<LoadOptions['env']>, yaml?: string) => {
  return loadConfig({ env, cwd, configPath: yaml === undefined ? null : write('given.yaml', yaml) });
};
const loadLink = (env: NonNullable<LoadOptions['env']>, yaml?: string): LinkConfig => {
  const [link] = load(env, yaml).links;
  if (link === undefined) throw new Error('no link');
  return link;
};
const problemsOf = (run: () => unknown): readonly ConfigProblem[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};
const placesOf = (run: () => unknown): string[] => problemsOf(run).map(({ where }) => where);

test('variables alone describe one link named default, with the documented defaults', () => {
  expect(load(REQUIRED)).toEqual({
    dataDir: join(cwd, 'data'),
    redisUrl: null,
    credentialsKey: null,
    credentialsKeyOld: null,
    concurrency: 10,
    logLevel: 'info',
    logFormat: 'json',
    logPersonalData: false,
    links: [
      {
        name: 'default',
        service: {
          baseUrl: 'https://service.test',
          authUrl: null,
          clientId: null,
          clientSecret: null,
          accessToken: null,
          rateLimit: { requests: 500, windowMs: 60_000 },
          rateScope: 'token',
        },
        google: {
          clientId: 'client',
          clientSecret: new Secret('client-secret'),
          refreshToken: null,
          rootUrl: 'https://people.googleapis.com/',
          authUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
          tokenUrl: 'https://oauth2.googleapis.com/token',
          readLimit: { requests: 90, windowMs: 60_000 },
          writeLimit: { requests: 90, windowMs: 60_000 },
        },
        syncIntervalMs: 300_000,
        sweepIntervalMs: 21_600_000,
        direction: 'both',
        conflictPolicy: 'newest',
        deletePolicy: 'propagate',
        deleteLimit: { count: 10, percent: 10 },
        buckets: ['*'],
      },
    ],
  });
});

test.each<[variable: string, value: string, key: keyof LinkConfig, expected: unknown]>([
  ['SYNC_INTERVAL', '30s', 'syncIntervalMs', 30_000],
  ['SYNC_INTERVAL', '5m', 'syncIntervalMs', 300_000],
  ['SWEEP_INTERVAL', '6h', 'sweepIntervalMs', 21_600_000],
  ['SWEEP_INTERVAL', ' 1d ', 'sweepIntervalMs', 86_400_000],
  ['DELETE_LIMIT', '0', 'deleteLimit', { count: 0, percent: null }],
  ['DELETE_LIMIT', '25%', 'deleteLimit', { count: null, percent: 25 }],
  ['DELETE_LIMIT', '5, 2.5%', 'deleteLimit', { count: 5, percent: 2.5 }],
  ['DIRECTION', 'to-google', 'direction', 'to-google'],
  ['CONFLICT_POLICY', 'service', 'conflictPolicy', 'service'],
  ['DELETE_POLICY', 'keep', 'deletePolicy', 'keep'],
  ['BUCKETS', 'Family, Work*, !Work old', 'buckets', ['Family', 'Work*', '!Work old']],
  ['BUCKETS', '{Family,Work},Friends', 'buckets', ['{Family,Work}', 'Friends']],
  ['DIRECTION', '', 'direction', 'both'],
])('%s=%s', (variable, value, key, expected) => {
  expect(loadLink({ ...REQUIRED, [variable]: value })[key]).toEqual(expected);
});

test.each([
  ['10/second', { requests: 10, windowMs: 1000 }],
  ['500/minute', { requests: 500, windowMs: 60_000 }],
  ['1 / hour', { requests: 1, windowMs: 3_600_000 }],
])('the rate %s', (value, expected) => {
  expect(loadLink({ ...REQUIRED, SERVICE_RATE_LIMIT: value }).service.rateLimit).toEqual(expected);
});

test('the limit belongs to the token or to the application', () => {
  expect(loadLink({ ...REQUIRED, SERVICE_RATE_SCOPE: 'application' }).service.rateScope).toBe('application');
  expect(() => loadLink({ ...REQUIRED, SERVICE_RATE_SCOPE: 'user' })).toThrow('Choose one of token, application');
});

test('slashes at the end of URLs are made uniform', () => {
  const link = loadLink({
    ...REQUIRED,
    SERVICE_BASE_URL: 'http://127.0.0.1:8080/api//',
    SERVICE_AUTH_URL: 'http://127.0.0.1:8081/',
    GOOGLE_ROOT_URL: 'http://127.0.0.1:8082',
  });
  expect(link.service.baseUrl).toBe('http://127.0.0.1:8080/api');
  expect(link.service.authUrl).toBe('http://127.0.0.1:8081');
  expect(link.google.rootUrl).toBe('http://127.0.0.1:8082/');
});

test.each([
  ['SYNC_INTERVAL', '5 minutes', 'is not a duration'],
  ['SYNC_INTERVAL', '0s', 'is out of range'],
  ['SWEEP_INTERVAL', '8d', 'is out of range'],
  ['SERVICE_RATE_LIMIT', '500', 'is not a rate'],
  ['GOOGLE_READ_LIMIT', '0/minute', 'is not a rate'],
  ['GOOGLE_WRITE_LIMIT', '5/day', 'is not a rate'],
  ['DELETE_LIMIT', '101%', 'is not a limit'],
  ['DELETE_LIMIT', '10%,10', 'is not a limit'],
  ['DIRECTION', 'sideways', 'Choose one of both, to-google, to-service.'],
  ['CONFLICT_POLICY', 'oldest', 'Choose one of newest, google, service.'],
  ['DELETE_POLICY', 'drop', 'Choose one of propagate, keep.'],
  ['LOG_LEVEL', 'loud', 'Choose one of trace, debug, info, warn, error, fatal, silent.'],
  ['LOG_FORMAT', 'xml', 'Choose one of json, pretty.'],
  ['LOG_PERSONAL_DATA', 'maybe', 'Choose one of true, false.'],
  ['BUCKETS', '!Private', 'begins with an exclusion'],
  ['SERVICE_BASE_URL', 'service.test', 'http:// or https://'],
  ['SERVICE_BASE_URL', 'ftp://service.test', 'http:// or https://'],
  ['SERVICE_AUTH_URL', 'https://me:pass@service.test', 'has a user, password'],
  ['GOOGLE_ROOT_URL', 'https://google.test/?a=b', 'query'],
  ['REDIS_URL', 'http://redis.test', 'redis:// or rediss://'],
  ['CONCURRENCY', '0', 'from 1 to 100'],
])('%s=%s is refused by its name, with a remedy', (variable, value, what) => {
  const problems = problemsOf(() => load({ ...REQUIRED, [variable]: value }));
  expect(problems).toEqual([{ where: variable, what: expect.stringContaining(what) }]);
});

test('every problem is listed at once, and once', () => {
  const yaml = `
syncIntervall: 5m
direction: sideways
links:
  home: { deleteLimit: lots }
  work: { dataDir: /tmp }
`;
  const error = (() => {
    try {
      return load({ LOG_LEVEL: 'loud', SWEEP_INTERVAL: 'often', GOOGLE_CLIENT_ID: 'client' }, yaml);
    } catch (caught) {
      return caught;
    }
  })();
  expect(error).toBeInstanceOf(ConfigError);
  if (!(error instanceof ConfigError)) return;
  expect(error.problems.map(({ where }) => where).toSorted()).toEqual([
    'GOOGLE_CLIENT_SECRET',
    'LOG_LEVEL',
    'SERVICE_BASE_URL',
    'SWEEP_INTERVAL',
    'direction',
    'links.home.deleteLimit',
    'links.work.dataDir',
    'syncIntervall',
  ]);
  for (const { where, what } of error.problems) expect(error.message).toContain(`${where}: ${what}`);
  expect(error.message).toContain('8 problems');
});

test('what is missing is named with each way to set it', () => {
  expect(problemsOf(() => load({}))).toEqual([
    { where: 'SERVICE_BASE_URL', what: 'is not set. Set it or service.baseUrl in the configuration file.' },
    { where: 'GOOGLE_CLIENT_ID', what: 'is not set. Set it or google.clientId in the configuration file.' },
    {
      where: 'GOOGLE_CLIENT_SECRET',
      what: 'is not set. Set it, GOOGLE_CLIENT_SECRET_FILE or google.clientSecret in the configuration file.',
    },
  ]);
});

describe('the file', () => {
  test('a link inherits from the top, its own section wins, and a variable wins over both', () => {
    const yaml = `${REQUIRED_YAML}
syncInterval: 1m
sweepInterval: 1h
direction: to-google
links:
  home:
    service: { accessToken: home-token }
  work:
    syncInterval: 2m
    direction: to-service
    google: { readLimit: 1/second }
    buckets: ['Smith, John', Work]
`;
    const { links } = load({ SWEEP_INTERVAL: '3h', DIRECTION: 'both' }, yaml);
    expect(links).toMatchObject([
      {
        name: 'home',
        syncIntervalMs: 60_000,
        sweepIntervalMs: 10_800_000,
        direction: 'both',
        google: { clientId: 'client' },
      },
      {
        name: 'work',
        syncIntervalMs: 120_000,
        sweepIntervalMs: 10_800_000,
        direction: 'both',
        google: { clientId: 'client', readLimit: { requests: 1, windowMs: 1000 } },
        buckets: ['Smith, John', 'Work'],
      },
    ]);
    expect(links.map((link) => link.service.accessToken?.reveal())).toEqual(['home-token', undefined]);
  });

  test('a file without links describes one named default', () => {
    expect(load({}, REQUIRED_YAML).links.map(({ name }) => name)).toEqual(['default']);
  });

  test('numbers, empty and null values are read as they stand', () => {
    const yaml = `${REQUIRED_YAML}
deleteLimit: 7
logPersonalData: true
redisUrl:
dataDir: null
links: { home: }
`;
    const config = load({}, yaml);
    expect(config).toMatchObject({ logPersonalData: true, redisUrl: null, dataDir: join(cwd, 'data') });
    expect(config.links[0]).toMatchObject({ name: 'home', deleteLimit: { count: 7, percent: null } });
  });

  test('an id of many digits keeps them all', () => {
    const yaml = REQUIRED_YAML.replace('clientId: client', 'clientId: 123456789012345678901');
    expect(loadLink({}, yaml).google.clientId).toBe('123456789012345678901');
  });

  test.each([
    ['syncIntervall: 5m', 'syncIntervall', 'Did you mean syncInterval?'],
    ['SYNC_INTERVAL: 5m', 'SYNC_INTERVAL', 'Did you mean syncInterval?'],
    ['servise: { baseUrl: x }', 'servise.baseUrl', 'Did you mean service.baseUrl?'],
    ['links: { home: { service: { acessToken: x } } }', 'links.home.service.acessToken', 'service.accessToken?'],
    ['flavour: sweet', 'flavour', 'config/example.yaml'],
    ['syncInterval: [5m]', 'syncInterval', 'is a list'],
    ['links: [home]', 'links', 'names no link'],
    ['links: { home sweet home: }', 'links.home sweet home', 'is not a name'],
    ['links: { home: 5m }', 'links.home', 'holds no settings'],
    ['buckets: [[a]]', 'buckets', 'is neither'],
  ])('%s', (line, where, what) => {
    const env = { ...REQUIRED };
    expect(problemsOf(() => load(env, line))).toEqual([{ where, what: expect.stringContaining(what) }]);
  });

  test.each([
    ['a: 1\nb: "open', 'line 2, column 9'],
    ['dataDir: /a\ndataDir: /b', 'line 2, column 1'],
    ['- a', 'no settings at its top'],
    ['dataDir: *unknown', 'alias'],
  ])('malformed YAML is one problem: %j', (yaml, what) => {
    const where = join(cwd, 'given.yaml');
    expect(problemsOf(() => load({}, yaml))).toEqual([{ where, what: expect.stringContaining(what) }]);
  });

  test('the usual file is read where it exists, and others where they are named', () => {
    write('config/contact-sync.yaml', `${REQUIRED_YAML}direction: to-google`);
    write('other.yaml', `${REQUIRED_YAML}direction: to-service`);
    const direction = (options: LoadOptions) => loadConfig({ cwd, ...options }).links[0]?.direction;
    expect(direction({ env: {} })).toBe('to-google');
    expect(direction({ env: { CONTACT_SYNC_CONFIG: 'other.yaml' } })).toBe('to-service');
    expect(direction({ env: { CONTACT_SYNC_CONFIG: 'no.yaml' }, configPath: 'other.yaml' })).toBe('to-service');
  });

  test.each<[string, LoadOptions]>([
    ['--config', { env: {}, configPath: 'no.yaml' }],
    ['CONTACT_SYNC_CONFIG', { env: { CONTACT_SYNC_CONFIG: 'no.yaml' } }],
  ])('a file that %s names but is not there is a problem', (where, options) => {
    const problems = problemsOf(() => loadConfig({ cwd, ...options }));
    expect(problems).toEqual([{ where, what: expect.stringContaining('ENOENT') }]);
  });
});

describe('secrets', () => {
  test('come from files too, named by a variable or in the YAML file', () => {
    write('client-secret', 'from-file\n');
    write('token', 'token-from-file\n');
    const link = loadLink(
      { ...REQUIRED, GOOGLE_CLIENT_SECRET: '', GOOGLE_CLIENT_SECRET_FILE: 'client-secret' },
      'service: { accessTokenFile: token }',
    );
    expect(link.google.clientSecret.reveal()).toBe('from-file');
    expect(link.service.accessToken?.reveal()).toBe('token-from-file');
  });

  test('a variable wins over a file that the YAML file names', () => {
    const link = loadLink({ ...REQUIRED, SERVICE_ACCESS_TOKEN: 'variable' }, 'service: { accessTokenFile: no-such }');
    expect(link.service.accessToken?.reveal()).toBe('variable');
  });

  test.each([
    [{ SERVICE_ACCESS_TOKEN_FILE: 'no-such' }, 'ENOENT'],
    [{ SERVICE_ACCESS_TOKEN_FILE: 'empty' }, 'is empty'],
    [{ SERVICE_ACCESS_TOKEN_FILE: 'empty', SERVICE_ACCESS_TOKEN: 'x' }, 'Keep one of the two'],
  ])('a bad secret file is one problem: %j', (env, what) => {
    write('empty', '\n');
    const problems = problemsOf(() => load({ ...REQUIRED, ...env }));
    expect(problems).toEqual([{ where: 'SERVICE_ACCESS_TOKEN_FILE', what: expect.stringContaining(what) }]);
  });

  test("one account's token is not taken for several links", () => {
    const env = { ...REQUIRED, SERVICE_ACCESS_TOKEN: 'x', GOOGLE_REFRESH_TOKEN: 'y' };
    expect(placesOf(() => load(env, 'links: { home: , work: }'))).toEqual([
      'SERVICE_ACCESS_TOKEN',
      'GOOGLE_REFRESH_TOKEN',
    ]);
    expect(loadLink(env, 'links: { home: }').service.accessToken?.reveal()).toBe('x');
  });

  test('are never printed', () => {
    const canary = 'canary-5c1d';
    const env = {
      ...REQUIRED,
      GOOGLE_CLIENT_SECRET: canary,
      SERVICE_ACCESS_TOKEN: canary,
      REDIS_URL: `redis://:${canary}@redis.test`,
    };
    const config = load(env);
    expect(config.redisUrl?.reveal()).toContain(canary);
    for (const printed of [JSON.stringify(config), inspect(config, { depth: 9 }), String(config.redisUrl)]) {
      expect(printed).not.toContain(canary);
      expect(printed).toContain('[secret]');
    }
  });

  test.each([
    'service: { accessToken: [canary-5c1d] }',
    'service: { accessToken: |canary-5c1d }',
    'service:\n  accessToken: |canary-5c1d\n    x',
    'service: { accessToken: !x!canary-5c1d y }',
    'service: { accessToken: *canary-5c1d }',
    'service: { accessToken: "canary-5c1d }',
    'service:\n  accessToken: canary-5c1d\n   x: canary-5c1d',
    'service: { accessToken: canary-5c1d }\n%canary-5c1d',
  ])('are not echoed by a problem: %j', (yaml) => {
    const env = {
      ...REQUIRED,
      REDIS_URL: 'canary-5c1d',
      SERVICE_AUTH_URL: 'https://canary-5c1d@x.test',
      DIRECTION: 'x',
    };
    const problems = problemsOf(() => load(env, yaml));
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).not.toContain('canary');
  });
});

describe('the examples', () => {
  const example = (name: string): string => readFileSync(join(import.meta.dirname, '../../config', name), 'utf8');
  const VARIABLES = [
    'SERVICE_BASE_URL SERVICE_AUTH_URL SERVICE_CLIENT_ID SERVICE_CLIENT_SECRET SERVICE_ACCESS_TOKEN SERVICE_RATE_LIMIT',
    'GOOGLE_CLIENT_ID GOOGLE_CLIENT_SECRET GOOGLE_REFRESH_TOKEN GOOGLE_ROOT_URL GOOGLE_AUTH_URL GOOGLE_TOKEN_URL',
    'SERVICE_RATE_SCOPE GOOGLE_READ_LIMIT GOOGLE_WRITE_LIMIT REDIS_URL CONCURRENCY DATA_DIR SYNC_INTERVAL SWEEP_INTERVAL DIRECTION',
    'CONFLICT_POLICY DELETE_POLICY DELETE_LIMIT BUCKETS LOG_LEVEL LOG_FORMAT LOG_PERSONAL_DATA CONTACT_SYNC_CONFIG',
    'CREDENTIALS_KEY CREDENTIALS_KEY_OLD',
  ].flatMap((line) => line.split(' '));
  const uncommented = (content: string, setting: RegExp): string =>
    content.replaceAll(setting, '$1').replaceAll(/\s+# or .*/gu, '');

  test('example.yaml loads as it stands and with every comment removed, and has every setting', () => {
    expect(loadLink({}, example('example.yaml'))).toMatchObject({ name: 'default', buckets: ['*', '!Private*'] });
    const whole = uncommented(example('example.yaml'), /^( *)# (?= *[a-zA-Z]+:(?: |$))/gmu);
    expect(placesOf(() => load({}, whole))).toEqual([]);
    const keys = [...whole.matchAll(/^ *([a-zA-Z]+):/gmu)].map(([, key]) => key?.toLowerCase());
    const names = VARIABLES.map((name) => name.replace(/^(?:SERVICE|GOOGLE)_|_/gu, '').toLowerCase());
    expect(names.filter((name) => !keys.includes(name) && name !== 'contactsyncconfig')).toEqual([]);
  });

  test('example.env loads as it stands, and has every variable', () => {
    const read = (content: string) =>
      Object.fromEntries(
        content
          .split('\n')
          .filter((line) => /^[A-Z_]+=/u.test(line))
          .map((line) => line.split('=', 2)),
      );
    expect(load(read(example('example.env'))).links).toHaveLength(1);
    const whole = read(uncommented(example('example.env'), /^()# (?=[A-Z_]+=)/gmu));
    expect(Object.keys(whole).toSorted()).toEqual(VARIABLES.toSorted());
    expect(placesOf(() => load({ ...whole, CONTACT_SYNC_CONFIG: undefined }))).toEqual([]);
  });
});

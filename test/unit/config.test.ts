import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { placeOf } from '../../src/config/accounts.ts';
import { ConfigError, type ConfigProblem } from '../../src/config/config-error.ts';
import { loadConfig, type LinkConfig, type LoadOptions } from '../../src/config/config.ts';
import { fingerprint, Secret } from '../../src/config/secret.ts';

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
    retentionMs: 180 * 86_400_000,
    concurrency: 10,
    logLevel: 'info',
    logFormat: 'json',
    logPersonalData: false,
    links: [
      {
        name: 'default',
        sides: {
          left: {
            name: 'google',
            title: 'Google',
            place: 'Google',
            provider: 'google',
            token: null,
            settings: {
              clientId: 'client',
              clientSecret: new Secret('client-secret'),
              rootUrl: 'https://people.googleapis.com/',
              authUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
              tokenUrl: 'https://oauth2.googleapis.com/token',
              readLimit: { requests: 90, windowMs: 60_000 },
              writeLimit: { requests: 90, windowMs: 60_000 },
            },
          },
          right: {
            name: 'service',
            title: 'Service',
            place: 'the service',
            provider: 'service',
            token: null,
            settings: {
              baseUrl: 'https://service.test',
              authUrl: null,
              clientId: null,
              clientSecret: null,
              rateLimit: { requests: 500, windowMs: 60_000 },
              rateScope: 'token',
            },
          },
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

test.each([
  ['1d', 86_400_000],
  ['36h', 129_600_000],
  ['3650d', 315_360_000_000],
  ['off', null],
])('RETENTION=%s', (value, expected) => {
  expect(load({ ...REQUIRED, RETENTION: value }).retentionMs).toBe(expected);
});

test.each(['0', '12h', '30m', '4000d', 'forever'])('RETENTION=%s is refused with what it can be', (value) => {
  expect(() => load({ ...REQUIRED, RETENTION: value })).toThrow(
    /RETENTION: "\w+" is no time to keep what runs wrote\. .* from 1d to 3650d, such as 180d, or off/u,
  );
});

test.each<[variable: string, value: string, key: keyof LinkConfig, expected: unknown]>([
  ['SYNC_INTERVAL', '30s', 'syncIntervalMs', 30_000],
  ['SYNC_INTERVAL', '5m', 'syncIntervalMs', 300_000],
  ['SWEEP_INTERVAL', '6h', 'sweepIntervalMs', 21_600_000],
  ['SWEEP_INTERVAL', ' 1d ', 'sweepIntervalMs', 86_400_000],
  ['DELETE_LIMIT', '0', 'deleteLimit', { count: 0, percent: null }],
  ['DELETE_LIMIT', '25%', 'deleteLimit', { count: null, percent: 25 }],
  ['DELETE_LIMIT', '5, 2.5%', 'deleteLimit', { count: 5, percent: 2.5 }],
  ['DIRECTION', 'to-google', 'direction', 'to-left'],
  ['CONFLICT_POLICY', 'service', 'conflictPolicy', 'right'],
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
  const { settings } = loadLink({ ...REQUIRED, SERVICE_RATE_LIMIT: value }).sides.right;
  expect(settings['rateLimit']).toEqual(expected);
});

test('the limit belongs to the token or to the application', () => {
  const { settings } = loadLink({ ...REQUIRED, SERVICE_RATE_SCOPE: 'application' }).sides.right;
  expect(settings['rateScope']).toBe('application');
  expect(() => loadLink({ ...REQUIRED, SERVICE_RATE_SCOPE: 'user' })).toThrow('Choose one of token, application');
});

test('slashes at the end of URLs are made uniform', () => {
  const { left, right } = loadLink({
    ...REQUIRED,
    SERVICE_BASE_URL: 'http://127.0.0.1:8080/api//',
    SERVICE_AUTH_URL: 'http://127.0.0.1:8081/',
    GOOGLE_ROOT_URL: 'http://127.0.0.1:8082',
  }).sides;
  expect(right.settings['baseUrl']).toBe('http://127.0.0.1:8080/api');
  expect(right.settings['authUrl']).toBe('http://127.0.0.1:8081');
  expect(left.settings['rootUrl']).toBe('http://127.0.0.1:8082/');
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
        sides: { left: { settings: { clientId: 'client' } } },
      },
      {
        name: 'work',
        syncIntervalMs: 120_000,
        sweepIntervalMs: 10_800_000,
        direction: 'both',
        sides: { left: { settings: { clientId: 'client', readLimit: { requests: 1, windowMs: 1000 } } } },
        buckets: ['Smith, John', 'Work'],
      },
    ]);
    expect(links.map((link) => link.sides.right.token?.reveal())).toEqual(['home-token', undefined]);
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
    expect(loadLink({}, yaml).sides.left.settings['clientId']).toBe('123456789012345678901');
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
    expect(direction({ env: {} })).toBe('to-left');
    expect(direction({ env: { CONTACT_SYNC_CONFIG: 'other.yaml' } })).toBe('to-right');
    expect(direction({ env: { CONTACT_SYNC_CONFIG: 'no.yaml' }, configPath: 'other.yaml' })).toBe('to-right');
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
    const { left, right } = loadLink(
      { ...REQUIRED, GOOGLE_CLIENT_SECRET: '', GOOGLE_CLIENT_SECRET_FILE: 'client-secret' },
      'service: { accessTokenFile: token }',
    ).sides;
    expect(left.settings['clientSecret']).toEqual(new Secret('from-file'));
    expect(fingerprint(left.settings)).toContain('"from-file"');
    expect(right.token?.reveal()).toBe('token-from-file');
  });

  test('a variable wins over a file that the YAML file names', () => {
    const link = loadLink({ ...REQUIRED, SERVICE_ACCESS_TOKEN: 'variable' }, 'service: { accessTokenFile: no-such }');
    expect(link.sides.right.token?.reveal()).toBe('variable');
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
    expect(loadLink(env, 'links: { home: }').sides.right.token?.reveal()).toBe('x');
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

describe('sides that the file names', () => {
  const GOOGLES = `
google: { clientId: client, clientSecret: client-secret }
links:
  - name: home
    left: { provider: google, name: private }
    right: { provider: google, name: work }
`;
  const words = (link: LinkConfig) =>
    [link.sides.left, link.sides.right].map(({ provider, name, title, place }) => ({ provider, name, title, place }));

  test('two accounts of one provider are told apart by their names', () => {
    const link = loadLink({}, GOOGLES);
    expect(link.name).toBe('home');
    expect(words(link)).toEqual([
      { provider: 'google', name: 'private', title: 'Google (private)', place: 'Google (private)' },
      { provider: 'google', name: 'work', title: 'Google (work)', place: 'Google (work)' },
    ]);
  });

  test('without names they are called by their roles, and a link that stands alone needs none either', () => {
    const yaml = `${REQUIRED_YAML}\nlinks: [{ left: { provider: service }, right: { provider: service } }]`;
    const link = loadLink({}, yaml);
    expect(link.name).toBe('default');
    expect(words(link)).toEqual([
      { provider: 'service', name: 'left', title: 'Service (left)', place: 'the service (left)' },
      { provider: 'service', name: 'right', title: 'Service (right)', place: 'the service (right)' },
    ]);
  });

  test('either provider plays either side, and is called by its name', () => {
    const yaml = `${REQUIRED_YAML}\nlinks: { home: { left: { provider: service }, right: { provider: google } } }`;
    const link = loadLink({ DIRECTION: 'to-google', CONFLICT_POLICY: 'service' }, yaml);
    expect(words(link)).toEqual([
      { provider: 'service', name: 'service', title: 'Service', place: 'the service' },
      { provider: 'google', name: 'google', title: 'Google', place: 'Google' },
    ]);
    expect(link).toMatchObject({ direction: 'to-right', conflictPolicy: 'left' });
    expect(link.sides.left.settings).toMatchObject({ baseUrl: 'https://service.test' });
  });

  test('a list and a mapping mean the same', () => {
    const mapping = GOOGLES.replace('  - name: home\n', '  home:\n');
    expect(load({}, mapping)).toEqual(load({}, GOOGLES));
  });

  test("a side's own section wins over its link's, that one over the top, and a variable over all", () => {
    const yaml = `
google: { clientId: top, clientSecret: s, readLimit: 1/second, writeLimit: 1/second, rootUrl: 'https://top.test' }
links:
  home:
    google: { clientId: link, readLimit: 2/second }
    left: { provider: google, clientId: own, rootUrl: 'https://own.test' }
    right: { provider: google }
`;
    const { left, right } = loadLink({ GOOGLE_ROOT_URL: 'https://variable.test' }, yaml).sides;
    const expected = { readLimit: { requests: 2 }, writeLimit: { requests: 1 }, rootUrl: 'https://variable.test/' };
    expect(left.settings).toMatchObject({ ...expected, clientId: 'own' });
    expect(right.settings).toMatchObject({ ...expected, clientId: 'link' });
  });

  test('each side has a token of its own, from a file too', () => {
    write('token', 'right-token');
    const yaml = GOOGLES.replace('name: private', 'name: private, refreshToken: left-token').replace(
      'name: work',
      'name: work, refreshTokenFile: token',
    );
    const { left, right } = loadLink({}, yaml).sides;
    expect([left.token?.reveal(), right.token?.reveal()]).toEqual(['left-token', 'right-token']);
    expect(left.settings).not.toHaveProperty('refreshToken');
  });

  test.each([
    ['to-private', 'to-left'],
    ['to-work', 'to-right'],
    ['both', 'both'],
  ])('DIRECTION=%s', (value, direction) => {
    expect(loadLink({ DIRECTION: value }, GOOGLES).direction).toBe(direction);
  });

  test.each([
    ['private', 'left'],
    ['work', 'right'],
  ])('CONFLICT_POLICY=%s', (value, conflictPolicy) => {
    expect(loadLink({ CONFLICT_POLICY: value }, GOOGLES).conflictPolicy).toBe(conflictPolicy);
  });

  test.each([
    ['DIRECTION', 'to-google', 'Choose one of both, to-private, to-work.'],
    ['CONFLICT_POLICY', 'google', 'Choose one of newest, private, work.'],
  ])('%s=%s is refused with what can be chosen', (variable, value, what) => {
    const problems = problemsOf(() => load({ [variable]: value }, GOOGLES));
    expect(problems).toEqual([{ where: variable, what: expect.stringContaining(what) }]);
  });

  test('a policy is judged for each link by its own sides', () => {
    const yaml = `${REQUIRED_YAML}
conflictPolicy: service
links: { home: , twins: { left: { provider: google }, right: { provider: google } } }
`;
    expect(problemsOf(() => load({}, yaml))).toEqual([
      { where: 'conflictPolicy', what: expect.stringContaining('Choose one of newest, left, right.') },
    ]);
  });

  const side = (left: string, right = '{ provider: service }'): string =>
    `links: { home: { left: ${left}, right: ${right} } }`;
  test.each([
    ['links: { home: { left: { provider: google } } }', 'links.home.right', 'is not set'],
    [side('google'), 'links.home.left', 'holds no settings'],
    [side('{ name: a }'), 'links.home.left.provider', 'Choose one of google, service.'],
    [side('{ provider: outlook }'), 'links.home.left.provider', '"outlook" is not known'],
    [side('{ provider: [google] }'), 'links.home.left.provider', 'is not set'],
    [side('{ provider: google, name: my own }'), 'links.home.left.name', 'is not a name'],
    [side('{ provider: google, name: [a] }'), 'links.home.left.name', 'is not a text'],
    [side('{ provider: google, name: right }'), 'links.home.left.name', 'what something else is called'],
    [side('{ provider: google, name: service }'), 'links.home.left.name', 'what something else is called'],
    [side('{ provider: google, name: Newest }'), 'links.home.left.name', 'has a meaning of its own'],
    [
      side('{ provider: google, name: a }', '{ provider: google, name: A }'),
      'links.home.right.name',
      'the left side too',
    ],
    [side('{ provider: google, clientld: x }'), 'links.home.left.clientld', 'Did you mean clientId?'],
    [side('{ provider: google, baseUrl: x }'), 'links.home.left.baseUrl', 'is not a setting'],
    [side('{ provider: google, readLimit: 5 }'), 'links.home.left.readLimit', 'is not a rate'],
    [side('{ provider: google, clientSecretFile: no-such }'), 'links.home.left.clientSecretFile', 'ENOENT'],
    ['left: { provider: google }', 'left.provider', 'is not a setting'],
    ['links: [{ name: a }, { name: a }]', 'links.a', 'another link too'],
    ['links: [{ name: a }, { syncInterval: 5m }]', 'links[1].name', 'is not set'],
    ['links: [{ name: a b }]', 'links.a b', 'is not a name'],
    ['links: []', 'links', 'names no link'],
  ])('%s', (line, where, what) => {
    // A variable would win over what is tested here.
    const { GOOGLE_CLIENT_SECRET: _, ...env } = REQUIRED;
    const yaml = `google: { clientSecret: s }\n${line}`;
    expect(problemsOf(() => load(env, yaml))).toEqual([{ where, what: expect.stringContaining(what) }]);
  });

  test('what is missing on both sides is one problem, and the fault of one side hides none of the other', () => {
    const yaml = 'links: { home: { left: { provider: google }, right: { provider: google, readLimit: lots } } }';
    expect(placesOf(() => load({}, yaml))).toEqual([
      'GOOGLE_CLIENT_ID',
      'GOOGLE_CLIENT_SECRET',
      'links.home.right.readLimit',
    ]);
  });

  test('a variable with one token is not taken for two sides', () => {
    expect(problemsOf(() => load({ GOOGLE_REFRESH_TOKEN: 'x' }, GOOGLES))).toEqual([
      { where: 'GOOGLE_REFRESH_TOKEN', what: expect.stringContaining('2 sides have the provider google') },
    ]);
  });

  test.each([
    ['google: { clientId: c, clientSecret: s, refreshToken: canary }', ''],
    [REQUIRED_YAML, ', refreshToken: canary'],
  ])('both sides with one token are refused, and it is not echoed', (top, own) => {
    const yaml = `${top}\nlinks: { home: { left: { provider: google${own} }, right: { provider: google${own} } } }`;
    const problems = problemsOf(() => load({}, yaml));
    expect(problems).toEqual([{ where: 'links.home', what: expect.stringContaining('the same refreshToken') }]);
    expect(JSON.stringify(problems)).not.toContain('canary');
  });

  test('a setting is to be set where it can be: one of an account at its side, every other as a variable', () => {
    const twins = loadLink({}, GOOGLES);
    expect(placeOf(twins, 'right', 'refreshToken')).toBe('links.home.right.refreshToken');
    expect(placeOf(twins, 'right', 'refreshTokenFile')).toBe('links.home.right.refreshTokenFile');
    expect(placeOf(twins, 'right', 'rootUrl')).toBe('GOOGLE_ROOT_URL');
    expect(placeOf(loadLink(REQUIRED), 'right', 'accessToken')).toBe('SERVICE_ACCESS_TOKEN');
  });
});

describe('the examples', () => {
  const example = (name: string): string => readFileSync(join(import.meta.dirname, '../../config', name), 'utf8');
  const VARIABLES = [
    'SERVICE_BASE_URL SERVICE_AUTH_URL SERVICE_CLIENT_ID SERVICE_CLIENT_SECRET SERVICE_ACCESS_TOKEN SERVICE_RATE_LIMIT',
    'GOOGLE_CLIENT_ID GOOGLE_CLIENT_SECRET GOOGLE_REFRESH_TOKEN GOOGLE_ROOT_URL GOOGLE_AUTH_URL GOOGLE_TOKEN_URL',
    'SERVICE_RATE_SCOPE GOOGLE_READ_LIMIT GOOGLE_WRITE_LIMIT REDIS_URL CONCURRENCY DATA_DIR SYNC_INTERVAL SWEEP_INTERVAL DIRECTION',
    'CONFLICT_POLICY DELETE_POLICY DELETE_LIMIT BUCKETS LOG_LEVEL LOG_FORMAT LOG_PERSONAL_DATA CONTACT_SYNC_CONFIG',
    'CREDENTIALS_KEY CREDENTIALS_KEY_OLD RETENTION',
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

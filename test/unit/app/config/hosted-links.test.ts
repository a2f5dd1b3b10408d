import { describe, expect, test } from 'vitest';
import { type Config, readConfig } from '../../../../src/app/config/config.ts';
import { parseLinkSettings, withAssignments, withoutSecrets } from '../../../../src/app/config/hosted-links.ts';
import { manageLinks } from '../../../../src/daemon/links/hosted-links.ts';
import { createLinkSource } from '../../../../src/daemon/links/link-changes.ts';
import type { HostedLinks, StoredLink } from '../../../../src/store/hosted-links.ts';
import { systemClock } from '../../../../src/util/clock.ts';
import { ConfigError } from '../../../../src/util/config-error.ts';
import { problemsOf, REQUIRED, REQUIRED_YAML, useConfigDirectory } from './config-support.ts';

const { cwd, write } = useConfigDirectory();

const HOSTED = { DATABASE_URL: 'postgres://db.test/contact_sync', CREDENTIALS_KEY: 'k'.repeat(16) };

const read = (env: Readonly<Record<string, string>>, yaml = `${REQUIRED_YAML}links: {}`) =>
  readConfig({ env: { ...HOSTED, ...env }, cwd: cwd(), configPath: write('given.yaml', yaml) });

const hosted = (name: string, settings: StoredLink['settings'], fault: string | null = null): StoredLink => ({
  name,
  settings,
  fault,
});

const faultsOf = (links: readonly StoredLink[], env = {}, yaml?: string) =>
  read(env, yaml)
    .readLinks(links)
    .faulty.map(({ name, problems }) => [name, ...problems.map(({ where, what }) => `${where} ${what}`)].join(': '));

describe('links in the database', () => {
  test('are read like links of the file: they share its top, and variables win over them', () => {
    const { config, readLinks } = read({ SWEEP_INTERVAL: '1h' }, `${REQUIRED_YAML}syncInterval: 7m\nlinks: {}`);
    expect(config.links).toEqual([]);
    const settings = { sweepInterval: '2h', deleteLimit: 25, left: { provider: 'google', refreshToken: 'r1' } };
    const { links, faulty } = readLinks([hosted('ada', { ...settings, right: { provider: 'service', name: 'crm' } })]);
    expect(faulty).toEqual([]);
    expect(links).toMatchObject([
      {
        name: 'ada',
        syncIntervalMs: 7 * 60_000,
        sweepIntervalMs: 3_600_000,
        deleteLimit: { count: 25, percent: null },
        sides: { left: { provider: 'google', settings: { clientId: 'client' } }, right: { name: 'crm' } },
      },
    ]);
    expect(links[0]?.sides.left.token?.reveal()).toBe('r1');
  });

  test('with a problem are left out with all their problems, and the others are used', () => {
    const { links, faulty } = read({}).readLinks([
      hosted('bad', { direction: 'sideways', syncIntervall: '5m' }),
      hosted('good', {}),
      hosted('shut', null, 'is encrypted with another key.'),
    ]);
    expect(links.map(({ name }) => name)).toEqual(['good']);
    expect(faulty).toMatchObject([
      { name: 'bad', problems: [{ where: 'links.bad.syncIntervall' }, { where: 'links.bad.direction' }] },
      { name: 'shut', problems: [{ where: 'links.shut', what: 'is encrypted with another key.' }] },
    ]);
  });

  test('are read again only if their settings changed, also links with a problem', () => {
    const { readLinks } = read({});
    const bad = hosted('bad', { direction: 'sideways' });
    const first = readLinks([hosted('ada', { syncInterval: '1h' }), hosted('bob', {}), bad]);
    const second = readLinks([hosted('ada', { syncInterval: '1h' }), hosted('bob', { syncInterval: '2h' }), bad]);
    expect(second.links[0]).toBe(first.links[0]);
    expect(second.links[1]).toMatchObject({ name: 'bob', syncIntervalMs: 7_200_000 });
    expect(second.faulty).toEqual(first.faulty);
    expect(second.faulty[0]?.problems[0]).toBe(first.faulty[0]?.problems[0]);
    // With other settings of the process the link is read again.
    expect(read({}).readLinks([hosted('ada', { syncInterval: '1h' })]).links[0]).not.toBe(first.links[0]);
  });

  test('are refused with the name of a link of the file or with an invalid name', () => {
    const yaml = `${REQUIRED_YAML}links: { home: {} }`;
    expect(faultsOf([hosted('home', {}), hosted('a/b', {})], {}, yaml)).toEqual([
      expect.stringMatching(/^home: links\.home is the name of a link of the configuration file too/u),
      expect.stringMatching(/^a\/b: links\.a\/b is not a name/u),
    ]);
  });

  test('are refused with a file of the host, without looking for the file', () => {
    const nowhere = hosted('ada', { google: { refreshTokenFile: '/nowhere' }, consoleTokenFile: '/nowhere' });
    expect(faultsOf([nowhere])).toEqual([
      expect.stringMatching(
        /^ada: links\.ada\.google\.refreshTokenFile names a file, .*links\.ada\.consoleTokenFile names a file/u,
      ),
    ]);
    expect(faultsOf([nowhere])[0]).not.toContain('cannot be read');
  });

  test('are refused with a file in a dotted key', () => {
    expect(faultsOf([hosted('ada', { 'google.refreshTokenFile': '/nowhere' })])).toEqual([
      expect.stringMatching(/^ada: links\.ada\.google\.refreshTokenFile names a file/u),
    ]);
  });

  test('are refused with the placeholder that lists show in place of a secret', () => {
    const link = hosted('ada', { left: { provider: 'google', refreshToken: '[secret]' }, consoleToken: '[secret]' });
    expect(faultsOf([link])).toEqual([
      expect.stringMatching(
        /^ada: links\.ada\.left\.refreshToken is what is shown .*links\.ada\.consoleToken is what is shown/u,
      ),
    ]);
  });

  test('are refused if a variable has a token for the account of another link', () => {
    expect(
      faultsOf([hosted('ada', {})], { GOOGLE_REFRESH_TOKEN: 'r1' }, `${REQUIRED_YAML}links: { home: {} }`),
    ).toEqual([expect.stringMatching(/^ada: GOOGLE_REFRESH_TOKEN is one account's/u)]);
  });

  test('are refused with the token of the API as a console token', () => {
    const consoleToken = 'a-token-of-twenty-four-or-more';
    expect(faultsOf([hosted('ada', { consoleToken })], { API_TOKEN: consoleToken, LISTEN: '127.0.0.1:0' })).toEqual([
      'ada: links.ada.consoleToken is API_TOKEN too. Give each a token of its own.',
    ]);
  });

  test('are refused with the console token of another link', () => {
    const consoleToken = 'a'.repeat(24);
    const [one, other] = [hosted('one', { consoleToken }), hosted('other', { consoleToken })];
    expect(faultsOf([one, other])).toEqual([
      expect.stringMatching(/^other: links\.other\.consoleToken opens another link/u),
    ]);
    expect(faultsOf([one], { CONSOLE_TOKEN: consoleToken })).toHaveLength(1);
  });
});

describe('settings', () => {
  test('are set as name=value in addition to a file, and an empty value removes one', () => {
    const section = parseLinkSettings('syncInterval: 5m\ngoogle: { readLimit: 1/minute }\n', 'ada.yaml');
    const changed = withAssignments(section, ['google.writeLimit=2/minute', 'syncInterval=', 'buckets=A=B,C']);
    expect(changed).toEqual({
      syncInterval: null,
      google: { readLimit: '1/minute', writeLimit: '2/minute' },
      buckets: 'A=B,C',
    });
  });

  test('are refused on a command line if they are secret or unknown', () => {
    const problems = problemsOf(() => withAssignments({}, ['google.refreshToken=r1', 'often']));
    expect(problems.map(({ where }) => where)).toEqual(['google.refreshToken', 'often']);
    expect(JSON.stringify(problems)).not.toContain('r1');
    expect(() => parseLinkSettings('a: [', 'ada.yaml')).toThrow(ConfigError);
  });

  test('are shown without their secrets', () => {
    const shown = withoutSecrets({
      left: { provider: 'google', refreshToken: 'r1' },
      consoleToken: 'c',
      buckets: ['A'],
    });
    expect(shown).toEqual({
      left: { provider: 'google', refreshToken: '[secret]' },
      consoleToken: '[secret]',
      buckets: ['A'],
    });
  });

  test('are shown without the secret of a dotted key, which is read like any other key', () => {
    const settings = { 'google.refreshToken': 'r1' };
    expect(
      read({})
        .readLinks([hosted('ada', settings)])
        .links[0]?.sides.left.token?.reveal(),
    ).toBe('r1');
    expect(withoutSecrets(settings)).toEqual({ 'google.refreshToken': '[secret]' });
  });
});

test('removing a link of the database does not delete the data of a link of the file with the same name', async () => {
  const [dropped, forgotten]: [string[], string[]] = [[], []];
  const hostedLinks: Pick<HostedLinks, 'all' | 'drop'> = {
    all: () => Promise.resolve([hosted('home', {})]),
    drop: (name) => Promise.resolve(dropped.push(name) > 0),
  };
  const manager = manageLinks({
    read: () => read({}, `${REQUIRED_YAML}links: { home: {} }`),
    hostedLinks: hostedLinks as HostedLinks,
    clock: systemClock,
    forget: (name) => Promise.resolve(forgotten.push(name) > 0 ? [] : null),
  });
  await expect(manager.remove('home', { forget: true })).rejects.toThrow('the stored data belongs to that one');
  expect([dropped, forgotten]).toEqual([[], []]);
  expect(await manager.remove('home', { forget: false })).toEqual({ name: 'home', tokens: null });
});

test('the links of a copied database without a revision remain after a reload', async () => {
  const hostedLinks: Pick<HostedLinks, 'revision' | 'all'> = {
    revision: () => Promise.resolve(0),
    all: () => Promise.resolve([hosted('ada', {})]),
  };
  const source = createLinkSource(() => read({}), { first: read({}), hostedLinks, onFaulty: () => undefined });
  const names = (config: Config | null) => config?.links.map(({ name }) => name);
  expect(names(await source.readChanges())).toEqual(['ada']);
  expect(await source.readChanges()).toBeNull();
  expect(names(source.reload())).toEqual(['ada']);
});

test('a file without a link is valid only with a database', () => {
  const load = (env: Readonly<Record<string, string>>, links: string) => () =>
    readConfig({ env: { ...REQUIRED, ...env }, cwd: cwd(), configPath: write('given.yaml', links) });
  for (const links of ['links: {}', 'links: []', 'links:']) {
    expect(load(HOSTED, links)().config.links).toEqual([]);
    expect(problemsOf(load({}, links))).toMatchObject([{ where: 'links' }]);
  }
  expect(problemsOf(load(HOSTED, 'links: home'))).toMatchObject([{ where: 'links' }]);
});

/** Returns a repository in memory. `onAdd` is called before a link is added, like a faster other process. */
const hostedLinksOf = (onAdd = (_links: Map<string, StoredLink['settings']>): void => undefined) => {
  const links = new Map<string, StoredLink['settings']>();
  const hostedLinks: Pick<HostedLinks, 'all' | 'add' | 'change' | 'drop'> = {
    all: async () => [...links].map(([name, settings]) => hosted(name, settings)),
    add: async (name, settings) => {
      onAdd(links);
      return !links.has(name) && links.set(name, settings).has(name);
    },
    change: async (name, change) => {
      const before = links.get(name);
      if (!before) return false;
      const next = await change(before);
      onAdd(links);
      links.set(name, next);
      return true;
    },
    drop: async (name) => links.delete(name),
  };
  return { links, hostedLinks: hostedLinks as HostedLinks };
};

const managerOf = (hostedLinks: HostedLinks, forget: () => Promise<[]> = async () => []) =>
  manageLinks({ read: () => read({}), hostedLinks, clock: { ...systemClock, sleep: async () => undefined }, forget });

const PAGE = { consoleToken: 'a-token-of-twenty-four-or-more' };

const OPENS_ANOTHER = /consoleToken: opens another link too/u;

describe('changes of links at the same time', () => {
  test('of two links that are added at once with the same console token one is refused', async () => {
    const { links, hostedLinks } = hostedLinksOf();
    const manager = managerOf(hostedLinks);
    const ends = await Promise.allSettled([manager.add('ada', PAGE), manager.add('bob', PAGE)]);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect([...links.keys()]).toEqual(['ada']);
  });

  test('a link is reverted if another process stores the same console token at the same time', async () => {
    const { links, hostedLinks } = hostedLinksOf((others) => others.set('of-another-process', PAGE));
    await expect(managerOf(hostedLinks).add('ada', PAGE)).rejects.toThrow(OPENS_ANOTHER);
    expect([...links.keys()]).toEqual(['of-another-process']);
    links.clear();
    links.set('bob', { syncInterval: '1h' });
    await expect(managerOf(hostedLinks).set('bob', PAGE)).rejects.toThrow(OPENS_ANOTHER);
    expect(links.get('bob')).toEqual({ syncInterval: '1h' });
  });

  test('no link is added while the data of a link with its name is being deleted', async () => {
    const { links, hostedLinks } = hostedLinksOf();
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const manager = managerOf(hostedLinks, async () => {
      begun.resolve();
      await ended.promise;
      return [];
    });
    await manager.add('ada', {});
    const removing = manager.remove('ada', { forget: true });
    await begun.promise;
    await expect(manager.add('ada', {})).rejects.toThrow('The data of a link named ada is being deleted.');
    await manager.add('bob', {});
    ended.resolve();
    await removing;
    await manager.add('ada', {});
    expect([...links.keys()]).toEqual(['bob', 'ada']);
  });

  test('the data of a removed link is not deleted if another process adds the link again', async () => {
    const { links, hostedLinks } = hostedLinksOf();
    const forgotten: string[] = [];
    const addAgain = async (): Promise<void> => void links.set('ada', {});
    const manager = manageLinks({
      read: () => read({}),
      hostedLinks,
      clock: { ...systemClock, sleep: addAgain },
      forget: async (name) => (forgotten.push(name), []),
    });
    await manager.add('ada', {});
    await expect(manager.remove('ada', { forget: true })).rejects.toThrow('added a link named ada again');
    expect(forgotten).toEqual([]);
  });
});

const TOP = `
service: { baseUrl: 'https://service.test', authUrl: 'https://auth.test', clientId: app, clientSecret: app-secret }
google: { clientId: client, clientSecret: client-secret }
links: {}
`;

/** Returns the places and the texts of the problems of a link in the database. */
const addressFaultsOf = (settings: StoredLink['settings'], env: Readonly<Record<string, string>> = {}, yaml = TOP) => {
  const { readLinks } = readConfig({ env: { ...HOSTED, ...env }, cwd: cwd(), configPath: write('given.yaml', yaml) });
  const { faulty } = readLinks([{ name: 'ada', settings, fault: null }]);
  const problems = faulty.flatMap((each) => each.problems);
  return { where: problems.map(({ where }) => where), text: problems.map(({ what }) => what).join(' ') };
};

const placesOf = (...of: Parameters<typeof addressFaultsOf>): readonly string[] => addressFaultsOf(...of).where;

const OWN = { clientId: 'own', clientSecret: 'own-secret' };

const ALLOWED = { HOSTED_LINK_HOSTS: 'crm.example, tokens.example:8443' };

describe('an address of a link in the database', () => {
  test.each([
    ['google.rootUrl', { google: { rootUrl: 'http://10.0.0.1' } }],
    ['google.authUrl', { google: { authUrl: 'https://collector.example/auth' } }],
    ['google.tokenUrl', { google: { tokenUrl: 'https://collector.example/token', ...OWN } }],
    ['google.tokenUrl', { 'google.tokenUrl': 'https://collector.example/token', google: OWN }],
    ['service.baseUrl', { service: { baseUrl: 'http://169.254.169.254/latest' } }],
    ['service.authUrl', { service: { authUrl: 'http://localhost:6379', ...OWN } }],
    [
      'left.tokenUrl',
      { left: { provider: 'google', tokenUrl: 'http://[::1]/', ...OWN }, right: { provider: 'service' } },
    ],
  ])('is refused at %s unless the operator allows its host', (place, settings) => {
    const { where, text } = addressFaultsOf(settings, ALLOWED);
    expect(where).toEqual([`links.ada.${place}`]);
    expect(text).toContain('HOSTED_LINK_HOSTS');
  });

  test.each([
    ['https://crm.example/api', true],
    ['https://CRM.example:9000', true],
    ['https://crm.example./', false],
    ['https://crm.example.evil.example', false],
    ['https://evil.example/crm.example', false],
    ['https://tokens.example:8443', true],
    ['https://tokens.example', false],
  ])('%s is allowed by hosts with and without a port: %s', (baseUrl, isAllowed) => {
    expect(placesOf({ service: { baseUrl } }, ALLOWED)).toEqual(isAllowed ? [] : ['links.ada.service.baseUrl']);
  });

  test("of the operator or of the provider's defaults needs no permission", () => {
    const service = { baseUrl: 'https://service.test/', authUrl: 'https://auth.test' };
    expect(placesOf({ service, google: { tokenUrl: 'https://oauth2.googleapis.com/token' } })).toEqual([]);
  });

  test.each([
    ['service', 'authUrl'],
    ['google', 'tokenUrl'],
  ] as const)('of %s that receives the secret of the client requires its own client', (provider, key) => {
    const address = { [key]: 'https://crm.example' };
    const { where, text } = addressFaultsOf({ [provider]: address }, ALLOWED);
    expect(where).toEqual([`links.ada.${provider}.clientId`, `links.ada.${provider}.clientSecret`]);
    expect(text).toContain('the value that all links share');
    expect(placesOf({ [provider]: { ...address, ...OWN } }, ALLOWED)).toEqual([]);
  });

  test('does not receive the secret of a variable, which would win over the secret of the link', () => {
    const google = { tokenUrl: 'https://crm.example', ...OWN };
    const { where, text } = addressFaultsOf({ google }, { ...ALLOWED, GOOGLE_CLIENT_SECRET: 'shared' });
    expect(where).toEqual(['links.ada.google.clientSecret']);
    expect(text).toContain('GOOGLE_CLIENT_SECRET wins over it');
  });

  test('does not receive a token of the top of the file', () => {
    const yaml = TOP.replace('clientId: app,', 'clientId: app, accessToken: shared,');
    const service = { baseUrl: 'https://crm.example' };
    expect(placesOf({ service }, ALLOWED, yaml)).toEqual(['links.ada.service.accessToken']);
    expect(placesOf({ service: { ...service, accessToken: 'own' } }, ALLOWED, yaml)).toEqual([]);
  });
});

test.each(['a b', 'https://crm.example', 'crm.example/path', 'user@crm.example', '*.example', 'a,,b'])(
  'HOSTED_LINK_HOSTS refuses %j, which is not a list of hosts',
  (hosts) => {
    expect(() => addressFaultsOf({}, { HOSTED_LINK_HOSTS: hosts })).toThrow(/HOSTED_LINK_HOSTS: ".*" is not a host/u);
  },
);

import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../../src/app/config/config.ts';
import type { StoredLink } from '../../../../src/store/hosted-links.ts';
import { useConfigDirectory } from './config-support.ts';

const { cwd, write } = useConfigDirectory();

const HOSTED = { DATABASE_URL: 'postgres://db.test/contact_sync', CREDENTIALS_KEY: 'k'.repeat(16) };
const TOP = `
service: { baseUrl: 'https://service.test', authUrl: 'https://auth.test', clientId: app, clientSecret: app-secret }
google: { clientId: client, clientSecret: client-secret }
links: {}
`;

/** Returns the places and the texts of the problems of a link in the database. */
const faultsOf = (settings: StoredLink['settings'], env: Readonly<Record<string, string>> = {}, yaml = TOP) => {
  const { readLinks } = readConfig({ env: { ...HOSTED, ...env }, cwd: cwd(), configPath: write('given.yaml', yaml) });
  const { faulty } = readLinks([{ name: 'ada', settings, fault: null }]);
  const problems = faulty.flatMap((each) => each.problems);
  return { where: problems.map(({ where }) => where), text: problems.map(({ what }) => what).join(' ') };
};
const placesOf = (...of: Parameters<typeof faultsOf>): readonly string[] => faultsOf(...of).where;

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
    const { where, text } = faultsOf(settings, ALLOWED);
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
    const { where, text } = faultsOf({ [provider]: address }, ALLOWED);
    expect(where).toEqual([`links.ada.${provider}.clientId`, `links.ada.${provider}.clientSecret`]);
    expect(text).toContain('the value that all links share');
    expect(placesOf({ [provider]: { ...address, ...OWN } }, ALLOWED)).toEqual([]);
  });

  test('does not receive the secret of a variable, which would win over the secret of the link', () => {
    const google = { tokenUrl: 'https://crm.example', ...OWN };
    const { where, text } = faultsOf({ google }, { ...ALLOWED, GOOGLE_CLIENT_SECRET: 'shared' });
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
    expect(() => faultsOf({}, { HOSTED_LINK_HOSTS: hosts })).toThrow(/HOSTED_LINK_HOSTS: ".*" is not a host/u);
  },
);

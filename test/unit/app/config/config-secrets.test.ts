import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { unencryptedAddresses, unencryptedNotification } from '../../../../src/app/config/unencrypted.ts';
import { fingerprint, Secret } from '../../../../src/util/secret.ts';
import { placesOf, oneProblem, problemsOf, REQUIRED, useConfigDirectory } from './config-support.ts';

const { load, loadLink, write } = useConfigDirectory();

describe('secrets', () => {
  test.each([
    ['SERVICE_ACCESS_TOKEN', 'Bearer abc', 'begins with the word Bearer'],
    ['SERVICE_ACCESS_TOKEN', '"abc"', 'is in quotation marks'],
    ['SERVICE_ACCESS_TOKEN', 'abc\u200Bdef', 'contains a space, a line break'],
    ['GOOGLE_REFRESH_TOKEN', "'1//abc'", 'is in quotation marks'],
    ['SERVICE_CLIENT_SECRET', 'abc def', 'contains a space, a line break'],
  ])('%s with a copy error is a problem of that name: %j', (name, value, what) => {
    const problems = problemsOf(() => load({ ...REQUIRED, [name]: value }));
    expect(problems).toEqual(oneProblem(name, what));
    expect(problems[0]?.what).not.toContain('abc');
  });

  test('can be in files that a variable or the YAML file names', () => {
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

  test('in a variable win over a file that the YAML file names', () => {
    const link = loadLink({ ...REQUIRED, SERVICE_ACCESS_TOKEN: 'variable' }, 'service: { accessTokenFile: no-such }');
    expect(link.sides.right.token?.reveal()).toBe('variable');
  });

  test.each([
    [{ SERVICE_ACCESS_TOKEN_FILE: 'no-such' }, 'ENOENT'],
    [{ SERVICE_ACCESS_TOKEN_FILE: 'empty' }, 'is empty'],
    [{ SERVICE_ACCESS_TOKEN_FILE: 'empty', SERVICE_ACCESS_TOKEN: 'x' }, 'Keep one of the two'],
  ])('a bad secret file is one problem: %j', (env, what) => {
    write('empty', '\n');
    expect(problemsOf(() => load({ ...REQUIRED, ...env }))).toEqual(oneProblem('SERVICE_ACCESS_TOKEN_FILE', what));
  });

  test('of one account are refused for several links', () => {
    const env = { ...REQUIRED, SERVICE_ACCESS_TOKEN: 'x', GOOGLE_REFRESH_TOKEN: 'y' };
    expect(placesOf(() => load(env, 'links: { home: , work: }'))).toEqual([
      'SERVICE_ACCESS_TOKEN',
      'GOOGLE_REFRESH_TOKEN',
    ]);
    expect(loadLink(env, 'links: { home: }').sides.right.token?.reveal()).toBe('x');
  });

  test('are never printed', () => {
    const canary = 'canary-5c1d';
    const secrets = { GOOGLE_CLIENT_SECRET: canary, SERVICE_ACCESS_TOKEN: canary };
    const config = load({ ...REQUIRED, ...secrets, REDIS_URL: `redis://:${canary}@redis.test` });
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
    const urls = { REDIS_URL: 'canary-5c1d', SERVICE_AUTH_URL: 'https://canary-5c1d@x.test' };
    const problems = problemsOf(() => load({ ...REQUIRED, ...urls, DIRECTION: 'x' }, yaml));
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).not.toContain('canary');
  });
});

test.each<[url: string, host: string | null]>([
  ['https://api.example', null],
  ['http://localhost:8080', null],
  ['http://127.1.2.3', null],
  ['http://[::1]:80', null],
  ['http://service.localhost', null],
  ['http://api.example', 'api.example'],
  ['http://10.0.0.7:80', '10.0.0.7'],
  ['http://localhost.example', 'localhost.example'],
  ['http://127.0.0.1.example', '127.0.0.1.example'],
])('every address at %s and a webhook there send unencrypted to %s', (url, host) => {
  const names = ['GOOGLE_ROOT_URL', 'GOOGLE_TOKEN_URL', 'SERVICE_AUTH_URL', 'SERVICE_BASE_URL'];
  const config = load({ ...REQUIRED, ...Object.fromEntries(names.map((name) => [name, url])), NOTIFY_URL: url });
  const found = config.links.flatMap((link) => unencryptedAddresses(link));
  expect(Object.fromEntries(found.map((address) => [address.where, address.host]))).toEqual(
    Object.fromEntries(host === null ? [] : names.map((name) => [name, host])),
  );
  const remedy = 'Set NOTIFY_URL to an address that begins with https://.';
  expect(unencryptedNotification(config)).toEqual(host === null ? null : { host, remedy });
});

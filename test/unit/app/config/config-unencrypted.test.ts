import { expect, test } from 'vitest';
import { loadConfig } from '../../../../src/app/config/config.ts';
import { unencryptedAddresses, unencryptedNotification } from '../../../../src/app/config/unencrypted.ts';

const configOf = (env: Readonly<Record<string, string>>) => {
  const base = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret', SERVICE_BASE_URL: 'https://api.example' };
  return loadConfig({ env: { ...base, ...env }, cwd: '/' });
};

const found = (env: Readonly<Record<string, string>>) => {
  const [link] = configOf(env).links;
  return link === undefined ? null : unencryptedAddresses(link);
};

test.each([
  'https://api.example',
  'http://localhost:8080',
  'http://127.0.0.1:8080',
  'http://127.1.2.3',
  'http://[::1]:80',
  'http://service.localhost',
])('an address that is encrypted or on this machine is not reported: %s', (address) => {
  expect(found({ SERVICE_BASE_URL: address })).toEqual([]);
});

test.each(['http://api.example', 'http://10.0.0.7:80', 'http://localhost.example', 'http://127.0.0.1.example'])(
  'an unencrypted address of another machine is reported: %s',
  (address) => {
    const where = 'SERVICE_BASE_URL';
    expect(found({ SERVICE_BASE_URL: address })).toEqual([{ side: 'service', where, host: new URL(address).hostname }]);
  },
);

test('every address of every side is checked', () => {
  const env = {
    GOOGLE_ROOT_URL: 'http://a.example',
    GOOGLE_TOKEN_URL: 'http://b.example',
    SERVICE_AUTH_URL: 'http://c.example',
  };
  expect(
    found(env)
      ?.map(({ where }) => where)
      .toSorted(),
  ).toEqual(Object.keys(env).toSorted());
});

test.each<[url: string, host: string | null]>([
  ['https://hooks.example/T0', null],
  ['http://127.0.0.1:8080/T0', null],
  ['http://hooks.example/T0', 'hooks.example'],
])('the webhook %s is sent unencrypted to %s', (url, host) => {
  const remedy = 'Set NOTIFY_URL to an address that begins with https://.';
  expect(unencryptedNotification(configOf({ NOTIFY_URL: url }))).toEqual(host === null ? null : { host, remedy });
  expect(unencryptedNotification(configOf({}))).toBeNull();
});

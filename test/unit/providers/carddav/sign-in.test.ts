import { expect, test } from 'vitest';
import { createAuthorization } from '../../../../src/providers/carddav/authorization.ts';
import { sentOf } from '../../../../src/providers/carddav/failure.ts';
import { unansweredRequest } from '../../../../src/providers/failure.ts';
import type { FakeSettings } from '../../../support/carddav/fake-server.ts';
import { forever, openServer } from './support.ts';

const TWO = [
  { name: 'Contacts', path: '/ada/contacts/' },
  { name: 'Work', path: '/ada/work%20book/' },
];

const WORK = ['Work', 'work', '/ada/work book', '/ada/work%20book/'];

test.each(WORK)('the setting %s selects one of two address books', async (addressbook) => {
  await using opened = await openServer({ books: TWO });
  expect(await opened.connect({ addressbook }).identify(forever)).toBe(`${opened.server.url}ada/work%20book/`);
});

test('an address that is the address book itself takes one request', async () => {
  await using opened = await openServer({ books: TWO });
  const remote = opened.connect({ url: `${opened.server.url}ada/work%20book` });
  opened.server.set({ books: [...TWO, { name: 'Work', path: '/ada/work%20book' }] });
  expect(await remote.identify(forever)).toBe(`${opened.server.url}ada/work%20book/`);
  expect(opened.server.requests).toHaveLength(1);
});

test('if the root is a web page, the well-known address is requested and its redirect is followed', async () => {
  await using opened = await openServer({
    intercept: ({ url = '' }) => {
      if (url === '/') return { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' };
      return url === '/.well-known/carddav' ? { status: 301, headers: { location: '/principals/ada/' } } : null;
    },
  });
  expect(await opened.connect().identify(forever)).toBe(`${opened.server.url}ada/contacts/`);
});

const away = (location: string) => ({ intercept: () => ({ status: 302, headers: { location } }) });
const SELECTS_NONE = 'CARDDAV_ADDRESSBOOK selects none; set it to one of "Contacts", "Work"';
const REFUSED = { intercept: () => ({ status: 401 }) };
const ELSEWHERE = 'not of the same provider or not encrypted';

test.each<[string, Partial<FakeSettings>, string, string]>([
  ['the credential is not sent to another host after a redirect', away('http://example.org/dav/'), '', ELSEWHERE],
  ['the credential is not sent to another address after a redirect', away('http://127.0.0.2:9/dav/'), '', ELSEWHERE],
  ['the credential is not sent to another port after a redirect', away('http://127.0.0.1:9/dav/'), '', ELSEWHERE],
  ['the error of a refused credential contains a solution', REFUSED, '', 'many servers require an app password'],
  ['R8: a missing address book is an error', {}, 'ada/gone/', 'the server has no /ada/gone/'],
  ['the error names the setting that selects nothing', { books: TWO }, '', SELECTS_NONE],
])('%s', async (_, settings, path, message) => {
  await using opened = await openServer(settings);
  await expect(opened.connect({ url: `${opened.server.url}${path}` }).identify(forever)).rejects.toThrow(message);
});

test('a redirect of a card is not followed', async () => {
  await using opened = await openServer();
  const remote = opened.connect();
  await remote.identify(forever);
  opened.server.set({ intercept: () => ({ status: 301, headers: { location: '/elsewhere/' } }) });
  await expect(remote.listGroups(forever)).rejects.toMatchObject({ kind: 'unreadable', retry: 'never' });
});

const NONCE = '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v';

const challenge = (algorithm: string, more = ''): string =>
  `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="${NONCE}", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"${more}`;

const parametersOf = (header: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...header.matchAll(/(\w+)="?([^",]*)"?/gu)].map(([, name = '', value = '']) => [name, value]));

test.each([
  ['ada', 'pässword', `Basic ${Buffer.from('ada:pässword', 'utf8').toString('base64')}`],
  [null, 'token', 'Bearer token'],
])('the user name %s and the password %s are sent as %s', (username, password, header) => {
  expect(createAuthorization({ username, password, newCnonce: String }).header('GET', '/')).toBe(header);
});

test.each([
  ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
  ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
])('a Digest challenge with %s is answered as in RFC 7616, 3.9.1', (algorithm, response) => {
  const newCnonce = (): string => 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';
  const authorization = createAuthorization({ username: 'Mufasa', password: 'Circle of Life', newCnonce });
  expect(authorization.accept([challenge(algorithm)])).toBe(true);
  const fields = parametersOf(authorization.header('GET', '/dir/index.html'));
  expect(fields).toMatchObject({ response, nc: '00000001', algorithm, uri: '/dir/index.html' });
  expect(parametersOf(authorization.header('GET', '/'))['nc']).toBe('00000002');
});

test('the strongest of several challenges is answered', () => {
  const authorization = createAuthorization({ username: 'ada', password: 'secret', newCnonce: String });
  expect(authorization.accept([`Basic realm="a", ${challenge('MD5')}, ${challenge('SHA-256')}`])).toBe(true);
  expect(parametersOf(authorization.header('GET', '/'))['algorithm']).toBe('SHA-256');
});

test('a second challenge means a refused password, unless the challenge has a stale nonce', () => {
  const authorization = createAuthorization({ username: 'ada', password: 'secret', newCnonce: String });
  expect(authorization.accept([challenge('MD5')])).toBe(true);
  expect(authorization.accept([challenge('MD5').replace(NONCE, 'another')])).toBe(false);
  expect(authorization.accept([challenge('MD5', ', stale=true').replace(NONCE, 'third')])).toBe(true);
});

test('a request is repeated at once with Digest if the server requires it, and later requests start with Digest', async () => {
  await using opened = await openServer({
    intercept: ({ headers }) =>
      String(headers.authorization).startsWith('Digest ')
        ? null
        : { status: 401, headers: { 'www-authenticate': challenge('MD5') } },
  });
  const remote = opened.connect();
  await remote.identify(forever);
  const basic = opened.server.requests.filter(({ headers }) => headers.authorization?.startsWith('Basic '));
  expect(basic).toHaveLength(1);
});

test('an https address whose server answers in plain HTTP is a permanent error that names the setting', () => {
  const cause = Object.assign(new Error('x'), { code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
  const error = unansweredRequest(sentOf({ method: 'PROPFIND', what: 'cards' }), cause);
  expect(error).toMatchObject({ retry: 'never', applied: 'no' });
  expect(error.message).toBe(
    'the server answered PROPFIND cards in plain HTTP, not HTTPS: write http:// in CARDDAV_URL',
  );
});

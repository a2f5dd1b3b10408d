import { expect, test } from 'vitest';
import { forever, openServer } from './support.ts';

const TWO = [
  { name: 'Contacts', path: '/ada/contacts/' },
  { name: 'Work', path: '/ada/work%20book/' },
];

test('the only address book of an account is found from the address of the server', async () => {
  await using opened = await openServer();
  expect(await opened.connect().identify(forever)).toBe(`${opened.server.url}ada/contacts/`);
});

test.each(['Work', 'work', '/ada/work book', '/ada/work%20book/'])(
  'the setting %s selects one of several address books',
  async (addressbook) => {
    await using opened = await openServer({ books: TWO });
    expect(await opened.connect({ addressbook }).identify(forever)).toBe(`${opened.server.url}ada/work%20book/`);
  },
);

test('the error lists the address books if there are several and none is selected', async () => {
  await using opened = await openServer({ books: TWO });
  await expect(opened.connect().identify(forever)).rejects.toThrow('set it to one of "Contacts", "Work"');
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

test.each(['http://example.org/dav/', 'http://127.0.0.2:9/dav/', 'http://127.0.0.1:9/dav/'])(
  'the credential is not sent to %s after a redirect',
  async (location) => {
    await using opened = await openServer({ intercept: () => ({ status: 302, headers: { location } }) });
    await expect(opened.connect().identify(forever)).rejects.toThrow('not of the same provider or not encrypted');
  },
);

test('a redirect of a card is not followed', async () => {
  await using opened = await openServer();
  const remote = opened.connect();
  await remote.identify(forever);
  opened.server.set({ intercept: () => ({ status: 301, headers: { location: '/elsewhere/' } }) });
  await expect(remote.listGroups(forever)).rejects.toMatchObject({ kind: 'unreadable', retry: 'never' });
});

test('the error of a refused credential contains a solution', async () => {
  await using opened = await openServer({ intercept: () => ({ status: 401 }) });
  await expect(opened.connect().identify(forever)).rejects.toThrow('many servers require an app password');
});

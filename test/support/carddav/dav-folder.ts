import { spawnSync } from 'node:child_process';
import { multistatusOf, parseXml, propertyOf } from '../../../src/providers/carddav/dav.ts';
import type { BookFolder } from './server.ts';

type Account = Pick<BookFolder, 'username' | 'password'>;

/** Runs curl with the account, as the owner's program does, and returns what it prints. */
export const curl = ({ username, password }: Account, words: readonly string[], input = ''): string => {
  const options = ['--silent', '--show-error', '--disable', '--noproxy', '*', '--user', `${username}:${password}`];
  const { status, stdout, stderr } = spawnSync('curl', [...options, ...words], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`curl ${words.join(' ')}: ${stderr}`);
  return stdout;
};

/** Sends a request of WebDAV; returns the text of the answer, or null if nothing has this URL. */
const requestDav = (
  account: Account,
  method: string,
  url: string,
  { body = '', headers = [] }: { readonly body?: string; readonly headers?: readonly string[] } = {},
): string | null => {
  const sent = [...headers.flatMap((header) => ['--header', header]), ...(body === '' ? [] : ['--data-binary', '@-'])];
  const answer = curl(account, ['--request', method, ...sent, '--write-out', '\n%{http_code}', url], body);
  const end = answer.lastIndexOf('\n');
  const status = Number(answer.slice(end + 1));
  if (status === 404) return null;
  if (status >= 300) throw new Error(`${method} ${url}: ${status} ${answer.slice(0, end)}`);
  return answer.slice(0, end);
};

const XML = 'Content-Type: application/xml';

const QUERY = `<C:addressbook-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav">
  <D:prop><C:address-data/></D:prop><C:filter/></C:addressbook-query>`;

/** The cards of an address book that a server does not keep as files. Its owner's program uses HTTP. */
export const davFolder = (account: Account, book: string): Pick<BookFolder, 'cards' | 'read' | 'write' | 'remove'> => {
  const urlOf = (name: string): string => book + encodeURIComponent(name);
  return {
    cards: () => {
      const answer = requestDav(account, 'REPORT', book, { body: QUERY, headers: ['Depth: 1', XML] }) ?? '';
      const found = multistatusOf(parseXml(answer))?.responses ?? [];
      return new Map(
        found.map((response) => {
          const name = decodeURIComponent(response.href.slice(response.href.lastIndexOf('/') + 1));
          return [name, propertyOf(response, 'C:address-data')?.text ?? ''];
        }),
      );
    },
    read: (name) => requestDav(account, 'GET', urlOf(name)),
    write: (name, text) => {
      requestDav(account, 'PUT', urlOf(name), { body: text, headers: ['Content-Type: text/vcard; charset=utf-8'] });
    },
    remove: (name) => {
      requestDav(account, 'DELETE', urlOf(name));
    },
  };
};

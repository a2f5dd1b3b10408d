import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startProxy } from '../network.ts';

/** The faults of the server. */
export type FakeSettings = {
  /** Whether it has `sync-collection`. */
  readonly hasSync: boolean;
  /** Number of changes in one answer; the answer is 507 for the others. */
  readonly pageSize: number;
  /** The ETag that a `PUT` answers with. */
  readonly putEtag: 'strong' | 'none';
  readonly isWeak: boolean;
  /** Cards that a multiget leaves out. */
  readonly leavesOut: readonly string[];
  /** Cards that a search does not find. */
  readonly hidden: readonly string[];
  /** Cards that a multiget returns without data. */
  readonly sendsNoData: readonly string[];
  /** The status of a missing card: of its whole row, or of its properties only. `feed`: a multiget has no row of it (SabreDAV 2 to 4). */
  readonly missing: { readonly status: string; readonly of: 'row' | 'properties' | 'feed' };
  /** If not null, `sync-collection` is refused as a whole with this status: always, or only with a token. */
  readonly refusesSync: { readonly status: number; readonly of: 'all' | 'token' } | null;
  /** Further rows of each answer to `sync-collection`, before the others and after them. */
  readonly furtherRows: { readonly before: string; readonly after: string };
  /** If true, no answer contains an ETag. */
  readonly hidesEtags: boolean;
  /** If true, the feed since a token contains no row. */
  readonly isMute: boolean;
  /** More cards than this in one multiget are a failure. */
  readonly mostCards: number;
  /** The text that is stored in the place of the one that was sent. */
  readonly stores: (text: string) => string;
  /** The vCard versions that the server states; none if it is empty. */
  readonly versions: readonly string[];
  /** The text of a card in the version that a request asks for (SabreDAV 4, Cyrus). */
  readonly converts: (text: string, version: string) => string;
  /** Whether the server reports the length of a stored card. */
  readonly reportsLength: boolean;
  /** Whether a new card is stored under a name of the server, and whether its answer names it. */
  readonly renames: 'no' | 'located' | 'silent';
  /** The answer to a `PUT` that is stored nevertheless; null for the usual answer. */
  readonly storesWith: number | null;
  /** The encoding of answers. In Latin-1, only letters beyond ASCII differ from UTF-8. */
  readonly encoding: 'utf8' | 'latin1';
  /** The charset of the percent-encoding in addresses of cards. */
  readonly addresses: 'utf8' | 'latin1';
  /** Called before a card is read by a multiget. */
  readonly beforeRead: () => void;
  readonly privileges: readonly string[];
  /** The address books, by their names and paths. */
  readonly books: readonly { readonly name: string; readonly path: string }[];
  /** Answers a request in the place of the server; null leaves it to the server. */
  readonly intercept: (
    request: IncomingMessage,
    body: string,
  ) => { status: number; headers?: Record<string, string>; body?: string } | null;
};

const DEFAULTS: FakeSettings = {
  hasSync: true,
  pageSize: 1_000,
  putEtag: 'strong',
  isWeak: false,
  leavesOut: [],
  hidden: [],
  sendsNoData: [],
  missing: { status: '404 Not Found', of: 'row' },
  refusesSync: null,
  furtherRows: { before: '', after: '' },
  hidesEtags: false,
  isMute: false,
  mostCards: 1_000,
  stores: (text) => text,
  versions: [],
  converts: (text) => text,
  reportsLength: true,
  renames: 'no',
  storesWith: null,
  encoding: 'utf8',
  addresses: 'utf8',
  beforeRead: () => {},
  privileges: ['read', 'write'],
  books: [{ name: 'Contacts', path: '/ada/contacts/' }],
  intercept: () => null,
};

type Stored = { readonly text: string; readonly version: number };

/** A request that arrived. */
type Arrived = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

/** A small CardDAV server in memory with one address book of cards, and with the faults of other servers. */
export type FakeServer = AsyncDisposable & {
  readonly url: string;
  readonly requests: readonly Arrived[];
  put(name: string, text: string): void;
  remove(name: string): void;
  text(name: string): string | null;
  /** The names of the cards. */
  names(): readonly string[];
  set(settings: Partial<FakeSettings>): void;
};

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const multistatus = (content: string): string =>
  `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:card="urn:ietf:params:xml:ns:carddav" xmlns:cs="http://calendarserver.org/ns/">${content}</d:multistatus>`;
/** A row of a found card. */
export const found = (href: string, props: string): string =>
  `<d:response><d:href>${escaped(href)}</d:href><d:propstat><d:prop>${props}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
/** A row with a status, as a server writes it for a deleted card. */
export const withStatus = (href: string, status: string): string =>
  `<d:response><d:href>${escaped(href)}</d:href><d:status>HTTP/1.1 ${status}</d:status></d:response>`;
const withoutProps = (href: string, status: string): string =>
  `<d:response><d:href>${escaped(href)}</d:href><d:propstat><d:prop><d:getetag/></d:prop><d:status>HTTP/1.1 ${status}</d:status></d:propstat></d:response>`;

const inLatin1 = (name: string): string =>
  name.replaceAll(/[^\w.-]/gu, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`);
const fromLatin1 = (segment: string): string =>
  segment.replaceAll(/%([\da-f]{2})/giu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Starts the server. */
export const startFakeServer = async (given: Partial<FakeSettings> = {}): Promise<FakeServer> => {
  let settings = { ...DEFAULTS, ...given };
  const cards = new Map<string, Stored>();
  const log: string[] = [];
  const requests: Arrived[] = [];
  let version = 0;
  const etag = (name: string): string => `${settings.isWeak ? 'W/' : ''}"${cards.get(name)?.version ?? 0}"`;
  const put = (name: string, text: string): void => {
    version += 1;
    cards.set(name, { text, version });
    log.push(name);
  };
  const remove = (name: string): void => {
    cards.delete(name);
    log.push(name);
  };
  const etagHeader = (name: string): Record<string, string> => (settings.hidesEtags ? {} : { etag: etag(name) });
  const bookPath = (): string => settings.books[0]?.path ?? '/';
  const hrefOf = (name: string): string =>
    `${bookPath()}${settings.addresses === 'latin1' ? inLatin1(name) : encodeURIComponent(name)}`;
  const nameIn = (path: string): string => {
    const segment = path.split('/').at(-1) ?? '';
    return settings.addresses === 'latin1' ? fromLatin1(segment) : decodeURIComponent(segment);
  };
  const etagProp = (name: string): string =>
    settings.hidesEtags ? '<d:resourcetype/>' : `<d:getetag>${escaped(etag(name))}</d:getetag>`;
  const bookProps = (name: string): string =>
    `<d:resourcetype><d:collection/><card:addressbook/></d:resourcetype><d:displayname>${escaped(name)}</d:displayname>
     <cs:getctag>${log.length}</cs:getctag>
     <d:supported-report-set>${settings.hasSync ? '<d:supported-report><d:report><d:sync-collection/></d:report></d:supported-report>' : ''}</d:supported-report-set>
     ${settings.versions.length === 0 ? '' : `<card:supported-address-data>${settings.versions.map((each) => `<card:address-data-type content-type="text/vcard" version="${each}"/>`).join('')}</card:supported-address-data>`}
     <d:current-user-privilege-set>${settings.privileges.map((each) => `<d:privilege><d:${each}/></d:privilege>`).join('')}</d:current-user-privilege-set>`;

  const propfind = (path: string, depth: string): string | null => {
    const book = settings.books.find((each) => each.path === path);
    if (book !== undefined && depth === '1') {
      return (
        found(path, bookProps(book.name)) +
        [...cards.keys()].map((name) => found(hrefOf(name), etagProp(name))).join('')
      );
    }
    if (book !== undefined) return found(path, bookProps(book.name));
    if (path === '/' || path === '/.well-known/carddav') {
      return found('/', '<d:current-user-principal><d:href>/principals/ada/</d:href></d:current-user-principal>');
    }
    if (path === '/principals/ada/') {
      return found(path, '<card:addressbook-home-set><d:href>/ada/</d:href></card:addressbook-home-set>');
    }
    if (path !== '/ada/') return null;
    const books = settings.books.map((each) => found(each.path, bookProps(each.name)));
    return found(path, '<d:resourcetype><d:collection/></d:resourcetype>') + (depth === '1' ? books.join('') : '');
  };

  const missingRow = (name: string): string => {
    const { of, status } = settings.missing;
    return of === 'properties' ? withoutProps(hrefOf(name), status) : withStatus(hrefOf(name), status);
  };

  const sync = (body: string): { status: number; body: string } => {
    const token = /sync-token>([^<]*)</u.exec(body)?.[1] ?? '';
    const since = token === '' ? 0 : Number(/^token-(\d+)$/u.exec(token)?.[1] ?? Number.NaN);
    const { refusesSync } = settings;
    if (refusesSync !== null && (refusesSync.of === 'all' || token !== '')) {
      return { status: refusesSync.status, body: '' };
    }
    if (Number.isNaN(since) || since > log.length) {
      return { status: 403, body: '<d:error xmlns:d="DAV:"><d:valid-sync-token/></d:error>' };
    }
    const part = log.slice(since, since + settings.pageSize);
    const end = since + part.length;
    const names = new Set(part);
    const isMute = settings.isMute && token !== '';
    const shown = [...(isMute ? [] : names)].map((name) =>
      cards.has(name) ? found(hrefOf(name), etagProp(name)) : missingRow(name),
    );
    const { before, after } = settings.furtherRows;
    const cut = end < log.length ? withStatus(bookPath(), '507 Insufficient Storage') : '';
    return {
      status: 207,
      body: multistatus(`${before}${shown.join('')}${after}${cut}<d:sync-token>token-${end}</d:sync-token>`),
    };
  };

  /** A row with the card as the request asks for it: in version 3.0 unless it states another one. */
  const dataOf = (name: string, body: string): string => {
    const text = cards.get(name)?.text ?? '';
    const length = `<d:getcontentlength>${Buffer.byteLength(text)}</d:getcontentlength>`;
    const [, asked = '3.0'] = /address-data[^>]*version="([^"]*)"/u.exec(body) ?? [];
    const data = `<card:address-data>${escaped(settings.converts(text, asked))}</card:address-data>`;
    const shown = body.includes('address-data') ? data : '';
    return found(hrefOf(name), `${etagProp(name)}${settings.reportsLength ? length : ''}${shown}`);
  };

  const multiget = (body: string): { status: number; body: string } => {
    settings.beforeRead();
    const names = [...body.matchAll(/href>([^<]*)</gu)].map(([, href = '']) => nameIn(href));
    if (names.length > settings.mostCards) return { status: 500, body: '' };
    const shown = names.filter(
      (name) => !settings.leavesOut.includes(name) && (cards.has(name) || settings.missing.of !== 'feed'),
    );
    return {
      status: 207,
      body: multistatus(
        shown
          .map((name) => {
            if (!cards.has(name)) return missingRow(name);
            return settings.sendsNoData.includes(name) ? found(hrefOf(name), etagProp(name)) : dataOf(name, body);
          })
          .join(''),
      ),
    };
  };

  const query = (body: string): { status: number; body: string } => {
    const filters = [...body.matchAll(/prop-filter name="([^"]*)">(?:<[^>]*>([^<]*)<)?/gu)];
    const matches = (text: string): boolean =>
      filters.some(([, property = '', wanted = '']) =>
        text
          .split(/\r?\n/u)
          .some(
            (line) =>
              new RegExp(`^(?:[\\w-]+\\.)?${property}[;:]`, 'iu').test(line) &&
              line.toLowerCase().includes(wanted.toLowerCase()),
          ),
      );
    return {
      status: 207,
      body: multistatus(
        [...cards]
          .filter(([name, { text }]) => !settings.hidden.includes(name) && matches(text))
          .map(([name]) => dataOf(name, body))
          .join(''),
      ),
    };
  };

  const write = ({ method, headers }: IncomingMessage, name: string, body: string) => {
    const isThere = cards.has(name);
    const condition = headers['if-match'];
    if (headers['if-none-match'] === '*' && isThere) return { status: 412, body: '' };
    if (condition !== undefined && (!isThere || condition !== etag(name) || settings.isWeak))
      return { status: 412, body: '' };
    if (method === 'DELETE') {
      if (!isThere) return { status: 404, body: '' };
      remove(name);
      return { status: 204, body: '' };
    }
    const storedAs = settings.renames === 'no' || isThere ? name : `${log.length + 100}.vcf`;
    put(storedAs, settings.stores(body));
    if (settings.storesWith !== null) return { status: settings.storesWith, body: '' };
    const answer = {
      ...(settings.putEtag === 'strong' && { etag: etag(storedAs) }),
      ...(settings.renames === 'located' && !isThere && { location: hrefOf(storedAs) }),
    };
    return { status: isThere ? 204 : 201, body: '', headers: answer };
  };

  const answer = (
    request: IncomingMessage,
    path: string,
    body: string,
  ): { status: number; body: string; headers?: Record<string, string> } => {
    const { method = '', headers } = request;
    if (method === 'PROPFIND') {
      const content = propfind(path, String(headers['depth']));
      return content === null ? { status: 404, body: '' } : { status: 207, body: multistatus(content) };
    }
    if (method === 'REPORT' && body.includes('sync-collection')) return sync(body);
    if (method === 'REPORT') return body.includes('multiget') ? multiget(body) : query(body);
    if (method === 'GET') {
      const name = nameIn(path);
      return cards.has(name)
        ? {
            status: 200,
            body: cards.get(name)?.text ?? '',
            headers: { 'content-type': 'text/vcard', ...etagHeader(name) },
          }
        : { status: 404, body: '' };
    }
    return write(request, nameIn(path), body);
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await buffer(request)).toString('utf8');
    const { method = '', url: path = '/', headers } = request;
    requests.push({ method, path, headers, body });
    const {
      status,
      headers: own = {},
      body: text = '',
    } = settings.intercept(request, body) ?? answer(request, path, body);
    const type = text === '' ? {} : { 'content-type': 'application/xml' };
    response.writeHead(status, { ...type, ...own }).end(text, settings.encoding);
  };

  const proxy = await startProxy(serve);
  return {
    url: `${proxy.url}/`,
    requests,
    put,
    remove,
    text: (name) => cards.get(name)?.text ?? null,
    names: () => [...cards.keys()],
    set: (changes) => {
      settings = { ...settings, ...changes };
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
};

import { textKey } from '../../core/contact/text.ts';
import { isSameHref } from './href.ts';
import { childOf, contains, type DavResponse, propertyOf, propertyText, propfind } from './dav.ts';
import { type DavAnswer, requireMultistatus, type SendDav } from './send.ts';
import { headerNamed } from '../../net/headers.ts';
import { InvalidError, NotFoundError, RevokedError, WrongAddressError } from '../errors.ts';
import { notSent } from '../failure.ts';

/** An address book of the account. */
export type AddressBook = {
  /** Ends in a slash. */
  readonly url: string;
  readonly name: string;
  /** True if changes can be requested by token (RFC 6578). */
  readonly hasSync: boolean;
  /** True if the account may write, or if the server does not report its rights. */
  readonly isWritable: boolean;
  /** The version of new cards: 4.0 only if the address book does not accept 3.0. */
  readonly version: '3.0' | '4.0';
  /** The vCard versions that the server accepts; empty if it does not report them. */
  readonly versions: readonly string[];
};

export type DiscoveryOptions = {
  readonly send: SendDav;
  /** The server, the principal, the home or the address book. */
  readonly url: string;
  /** The name, path or URL of the address book; null: the only one. */
  readonly addressbook: string | null;
};

const PROPERTIES = [
  'D:resourcetype',
  'D:displayname',
  'D:current-user-principal',
  'D:principal-URL',
  'C:addressbook-home-set',
  'D:supported-report-set',
  'C:supported-address-data',
  'D:current-user-privilege-set',
];

const MOST_REDIRECTS = 5;
const ABOUT = 'the address book';
const ROUTE = `PROPFIND ${ABOUT}`;

/** Returns the domain that the hosts of one provider share: `icloud.com` of `contacts.icloud.com`. */
const domainOf = (host: string): string => {
  const labels = host.split('.');
  return labels.length > 2 && !/^[\d.]+$/u.test(host) ? labels.slice(1).join('.') : host;
};

/** Returns the URL, which must be encrypted and of the same provider, because the credential is sent to it. */
const trustedUrl = (href: string, base: string, configured: string): string => {
  const url = new URL(href, base);
  const own = new URL(configured);
  const domain = domainOf(own.hostname);
  const isOwn = url.hostname === own.hostname || url.hostname === domain || url.hostname.endsWith(`.${domain}`);
  const isSafe = url.protocol === 'https:' || url.origin === own.origin;
  if (isOwn && isSafe) return url.href;
  const text = `the server refers to ${url.origin}, which is not of the same provider or not encrypted: set CARDDAV_URL to it if you trust it`;
  throw new WrongAddressError(text, notSent(ROUTE));
};

const withSlash = (url: string): string => (url.endsWith('/') ? url : `${url}/`);

/** Returns whether an answer shows that the server has no collection there. 200 is a web page. */
const isMissing = (status: number): boolean => [200, 403, 404, 405, 501].includes(status);

const missingPath = (path: string): NotFoundError =>
  new NotFoundError(`the server has no ${path}; check CARDDAV_URL`, { status: 404, route: ROUTE, applied: 'no' });

const refusedPath = (path: string): RevokedError =>
  new RevokedError(`the account may not read ${path}; check CARDDAV_URL and the sharing of the address book`, {
    status: 403,
    route: ROUTE,
    applied: 'no',
  });

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** Redirects are followed here, because the credential may be sent only to the same provider. */
const isHandled = (status: number): boolean => isMissing(status) || isRedirect(status);

/**
 * Requests properties and follows redirects within the provider. Null if the server has no such collection.
 *
 * @throws {NotFoundError} for a path of `CARDDAV_URL` that does not exist: another address book must not take its place.
 */
const ask = async ({ send, url: configured }: DiscoveryOptions, url: string, depth: '0' | '1') => {
  let next = url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const request = { ...propfind(next, depth, PROPERTIES, ABOUT), allowStatus: isHandled };
    const answer: DavAnswer = await send(request);
    if (isMissing(answer.status)) {
      const { pathname } = new URL(url);
      if (url === configured && pathname !== '/') {
        if (answer.status === 404) throw missingPath(pathname);
        if (answer.status === 403) throw refusedPath(pathname);
      }
      return null;
    }
    const location = headerNamed(answer.headers, 'location');
    if (answer.status === 207 || location === null) {
      return { url: next, responses: requireMultistatus(request, answer).responses };
    }
    next = trustedUrl(location, next, configured);
  }
  throw new WrongAddressError(
    `the server redirects more than ${MOST_REDIRECTS} times; check CARDDAV_URL`,
    notSent(ROUTE),
  );
};

const hrefIn = (response: DavResponse | undefined, name: string): string | null =>
  (response && childOf(propertyOf(response, name), 'D:href')?.text.trim()) || null;

const isBook = (response: DavResponse): boolean =>
  childOf(propertyOf(response, 'D:resourcetype'), 'C:addressbook') !== undefined;

const bookOf = (response: DavResponse, url: string): AddressBook => {
  const privileges = propertyOf(response, 'D:current-user-privilege-set');
  const reports = propertyOf(response, 'D:supported-report-set');
  // Some servers use another element name than the standard.
  const types = propertyOf(response, 'C:supported-address-data')?.children ?? [];
  const versions = types
    .filter(({ attributes }) => (attributes['content-type'] ?? 'text/vcard').toLowerCase().startsWith('text/'))
    .map(({ attributes }) => attributes['version'] ?? '3.0');
  return {
    url: withSlash(url),
    name: propertyText(response, 'D:displayname').trim(),
    hasSync: reports !== undefined && contains(reports, 'D:sync-collection'),
    isWritable:
      privileges === undefined ||
      ['D:write', 'D:write-content', 'D:bind', 'D:all'].some((name) => contains(privileges, name)),
    version: versions.includes('4.0') && !versions.includes('3.0') ? '4.0' : '3.0',
    versions: [...new Set(versions)].toSorted(),
  };
};

/** Returns the home of the address books in a response, or that of its principal. */
const homeOf = async (
  options: DiscoveryOptions,
  response: DavResponse | undefined,
  url: string,
): Promise<string | null> => {
  const home = hrefIn(response, 'C:addressbook-home-set');
  if (home !== null) return trustedUrl(home, url, options.url);
  const principal = hrefIn(response, 'D:current-user-principal') ?? hrefIn(response, 'D:principal-URL');
  if (principal === null || isSameHref(principal, url, url)) return null;
  const asked = await ask(options, trustedUrl(principal, url, options.url), '0');
  const found = hrefIn(asked?.responses[0], 'C:addressbook-home-set');
  return asked === null || found === null ? null : trustedUrl(found, asked.url, options.url);
};

/** Returns the display name of an address book. */
export const addressBookName = ({ name, url }: AddressBook): string => name || new URL(url).pathname;

/** Returns the address books of the account, or the one at the configured URL. */
const listAddressBooks = async (options: DiscoveryOptions): Promise<readonly AddressBook[]> => {
  const { addressbook, url } = options;
  const own =
    addressbook !== null && /^(?:https?:\/)?\//iu.test(addressbook) ? [trustedUrl(addressbook, url, url)] : [];
  const wellKnown = new URL('/.well-known/carddav', url).href;
  for (const start of new Set([...own, url, wellKnown])) {
    const asked = await ask(options, start, '0');
    const [response] = asked?.responses ?? [];
    if (asked === null || response === undefined) continue;
    if (isBook(response)) return [bookOf(response, asked.url)];
    const home = await homeOf(options, response, asked.url);
    const listed = home === null ? null : await ask(options, home, '1');
    if (listed === null) continue;
    return listed.responses.filter(isBook).map((each) => bookOf(each, trustedUrl(each.href, listed.url, options.url)));
  }
  const text = 'the server names no address books for this account; set CARDDAV_URL to the address book';
  throw new NotFoundError(text, { status: 404, route: ROUTE, applied: 'no' });
};

/** Returns why an account's address books are not exactly one, and which value of the setting selects one. */
const choiceFault = (books: readonly AddressBook[], found: number, wanted: string | null): string => {
  if (books.length === 0) return 'the account has no address book';
  const names = books.map((each) => `"${addressBookName(each)}"`).join(', ');
  if (wanted === null)
    return `the account has ${books.length} address books, and CARDDAV_ADDRESSBOOK selects none; set it to one of ${names}`;
  return `${found === 0 ? 'no' : 'more than one'} address book matches CARDDAV_ADDRESSBOOK; set it to one of ${names}`;
};

/** Returns the address book that a link syncs. */
export const findAddressBook = async (options: DiscoveryOptions): Promise<AddressBook> => {
  const { addressbook: wanted, url } = options;
  const books = await listAddressBooks(options);
  const isWanted = (book: AddressBook): boolean =>
    wanted === null || textKey(book.name) === textKey(wanted) || isSameHref(book.url, wanted, url);
  const found = books.filter(isWanted);
  const [book] = found;
  if (book !== undefined && found.length === 1) return book;
  throw new InvalidError(choiceFault(books, found.length, wanted), notSent(ROUTE));
};

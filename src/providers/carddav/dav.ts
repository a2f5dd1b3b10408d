import { SaxesParser } from 'saxes';

/** An element of an answer. */
export type XmlElement = {
  /** The local name after a known namespace prefix: `D:href`. For any other namespace: `{namespace}name`. */
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** The attributes by their local names. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The element's own text. */
  readonly text: string;
};

/** A document. The responses of a multistatus are not among its children: a large listing would take several times the memory. */
export type XmlDocument = XmlElement & { readonly responses: readonly DavResponse[] };

const PREFIXES: Readonly<Record<string, string>> = {
  'DAV:': 'D:',
  'urn:ietf:params:xml:ns:carddav': 'C:',
  'http://calendarserver.org/ns/': 'CS:',
};

/** The namespaces of a request's root element. */
const NAMESPACES = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav" xmlns:CS="http://calendarserver.org/ns/"';

const DEEPEST = 64;

const NO_ATTRIBUTES: XmlElement['attributes'] = {};

type OpenElement = Omit<XmlElement, 'children' | 'text'> & { readonly children: XmlElement[]; text: string };

/**
 * Parses a document. Entities that the document defines are not expanded.
 *
 * @throws Error for a document that is not well-formed or too deep.
 */
export const parseXml = (text: string): XmlDocument => {
  const parser = new SaxesParser({ xmlns: true });
  const responses: DavResponse[] = [];
  const open: OpenElement[] = [{ name: '', attributes: {}, children: [], text: '' }];
  const append = (part: string): void => {
    const last = open.at(-1);
    if (last !== undefined) last.text += part;
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ local, uri, attributes: parsed }) => {
    if (open.length > DEEPEST) throw new Error(`the document has more than ${DEEPEST} levels`);
    const all = Object.values(parsed);
    const attributes =
      all.length === 0 ? NO_ATTRIBUTES : Object.fromEntries(all.map((each) => [each.local, each.value]));
    open.push({ name: `${PREFIXES[uri] ?? `{${uri}}`}${local}`, attributes, children: [], text: '' });
  });
  parser.on('text', append);
  parser.on('cdata', append);
  parser.on('closetag', () => {
    const element = open.pop();
    if (element === undefined) return;
    // The first two open elements are the document and its root.
    if (open.length === 2 && element.name === 'D:response') responses.push(responseOf(element));
    else open.at(-1)?.children.push(element);
  });
  parser.write(text).close();
  const root = open[0]?.children[0];
  if (root === undefined) throw new Error('the document is empty');
  return { ...root, responses };
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text as content or attribute of a request. */
const xmlText = (text: string): string => text.replaceAll(/[&<>"]/gu, (sign) => ESCAPES[sign] ?? sign);

/** Returns the first child of that name. */
export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child) => child.name === name);

/** Returns all children of that name. */
const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? [];

/** Returns whether the element or one of its descendants has the name. */
export const contains = (element: XmlElement, name: string): boolean =>
  element.name === name || element.children.some((child) => contains(child, name));

/** The properties of a card in a listing. */
export const CARD_STATE = ['D:getetag', 'D:resourcetype'] as const;

/** Creates a request with a document; `what` is its subject, for messages. */
const request = <Method extends 'PROPFIND' | 'REPORT'>(
  method: Method,
  url: string,
  depth: '0' | '1',
  what: string,
  root: string,
  content: string,
) => {
  const body = `<?xml version="1.0" encoding="utf-8"?><${root} ${NAMESPACES}>${content}</${root}>`;
  return { method, url, what, headers: { 'content-type': 'application/xml; charset=utf-8', depth }, body };
};

const elements = (names: readonly string[]): string => names.map((name) => `<${name}/>`).join('');

/** Creates a request for properties (RFC 4918, 9.1). */
export const propfind = (url: string, depth: '0' | '1', names: readonly string[], what: string) =>
  request('PROPFIND', url, depth, what, 'D:propfind', `<D:prop>${elements(names)}</D:prop>`);

/** Creates a request for the changes since a token; without a token, for all cards (RFC 6578, 3.2). */
export const syncCollection = (url: string, token: string | null) => {
  const position = `<D:sync-token>${xmlText(token ?? '')}</D:sync-token><D:sync-level>1</D:sync-level>`;
  const content = `${position}<D:prop>${elements(CARD_STATE)}</D:prop>`;
  return request('REPORT', url, '0', 'the changes', 'D:sync-collection', content);
};

const CARD = ['D:getetag', 'D:getlastmodified', 'D:getcontentlength'];

/**
 * The version in which cards are requested. `default` states none, which means version 3.0 (RFC 6352, 10.4). Servers may convert
 * cards of another version.
 */
export type RequestedVersion = 'default' | '4.0';

const addressData = (version: RequestedVersion): string =>
  version === 'default' ? '<C:address-data/>' : `<C:address-data content-type="text/vcard" version="${version}"/>`;

/** Creates a request for cards by their hrefs (RFC 6352, 8.7, which requires `Depth: 0`; its examples have 1). */
export const multiget = (url: string, hrefs: readonly string[], version: RequestedVersion) => {
  const cards = hrefs.map((href) => `<D:href>${xmlText(href)}</D:href>`).join('');
  const content = `<D:prop>${elements(CARD)}${addressData(version)}</D:prop>${cards}`;
  return request('REPORT', url, '0', 'cards', 'C:addressbook-multiget', content);
};

/** A property of a card, and a text that it contains. */
export type CardFilter = { readonly property: string; readonly text: string | null };

const filterOf = ({ property, text }: CardFilter): string => {
  const match =
    text === null
      ? ''
      : `<C:text-match collation="i;unicode-casemap" match-type="contains">${xmlText(text)}</C:text-match>`;
  return `<C:prop-filter name="${xmlText(property)}">${match}</C:prop-filter>`;
};

/** Creates a request for the cards that match any of the filters (RFC 6352, 8.6). Without a version, only their ETags are requested. */
export const addressbookQuery = (url: string, filters: readonly CardFilter[], version: RequestedVersion | null) => {
  const properties = elements(CARD) + (version === null ? '' : addressData(version));
  const filter = `<C:filter test="anyof">${filters.map(filterOf).join('')}</C:filter>`;
  return request('REPORT', url, '1', 'a search', 'C:addressbook-query', `<D:prop>${properties}</D:prop>${filter}`);
};

/** One response of a multistatus (RFC 4918, 14.24). */
export type DavResponse = {
  /** The path, not normalised. */
  readonly href: string;
  /** The status of the whole response; null if only its properties have one. */
  readonly status: number | null;
  /** The status of the properties if none was found; else null. */
  readonly missingStatus: number | null;
  /** The properties that were found. */
  readonly properties: readonly XmlElement[];
};

type Multistatus = { readonly responses: readonly DavResponse[]; readonly syncToken: string | null };

/** Returns whether a status refuses one kind of request, so that the server may answer another kind. */
export const isRefusedStatus = (status: number): boolean =>
  status >= 400 && ![401, 407, 408, 425, 429, 502, 503, 504].includes(status);

/** Returns whether a status means that the resource does not exist any more. */
export const isGoneStatus = (status: number | null): boolean => status === 404 || status === 410;

const statusOf = (element: XmlElement | undefined): number | null => {
  const status = /\s(\d{3})(?:\s|$)/u.exec(element?.text.trim() ?? '')?.[1];
  return status === undefined ? null : Number(status);
};

/**
 * Returns whether a response reports that its resource does not exist, by its own status or by that of its properties. Some
 * servers use 418.
 */
export const reportsAbsence = ({ missingStatus, status }: DavResponse): boolean =>
  [404, 410, 418].includes(status ?? missingStatus ?? 0);

const responseOf = (element: XmlElement): DavResponse => {
  const propstats = childrenOf(element, 'D:propstat').map((propstat) => ({
    status: statusOf(childOf(propstat, 'D:status')) ?? 200,
    properties: childOf(propstat, 'D:prop')?.children ?? [],
  }));
  const found = propstats.filter(({ status }) => status === 200);
  return {
    href: childOf(element, 'D:href')?.text.trim() ?? '',
    status: statusOf(childOf(element, 'D:status')),
    missingStatus: found.length === 0 ? (propstats[0]?.status ?? null) : null,
    properties: found.flatMap(({ properties }) => properties),
  };
};

/** Returns the multistatus of an answer; null if the answer has another root. */
export const multistatusOf = (root: XmlDocument | null): Multistatus | null => {
  if (root?.name !== 'D:multistatus') return null;
  return { responses: root.responses, syncToken: childOf(root, 'D:sync-token')?.text.trim() || null };
};

/** Returns a found property of a response. */
export const propertyOf = ({ properties }: DavResponse, name: string): XmlElement | undefined =>
  properties.find((property) => property.name === name);

/** Returns the text of a found property; empty without one. */
export const propertyText = (response: DavResponse, name: string): string => propertyOf(response, name)?.text ?? '';

/** Returns the ETag of a response as the server sent it; null without one. */
export const etagOf = (response: DavResponse): string | null => propertyText(response, 'D:getetag').trim() || null;

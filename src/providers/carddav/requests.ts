import { NAMESPACES, xmlText } from './xml.ts';

/** The properties of a card in a listing. */
export const CARD_STATE = ['D:getetag', 'D:resourcetype'] as const;

const XML = { 'content-type': 'application/xml; charset=utf-8' };

const document = (root: string, content: string): string =>
  `<?xml version="1.0" encoding="utf-8"?><${root} ${NAMESPACES}>${content}</${root}>`;

const elements = (names: readonly string[]): string => names.map((name) => `<${name}/>`).join('');

/** A request for properties (RFC 4918, 9.1). */
export const propfind = (url: string, depth: '0' | '1', names: readonly string[], what: string) => ({
  method: 'PROPFIND' as const,
  url,
  what,
  headers: { ...XML, depth },
  body: document('D:propfind', `<D:prop>${elements(names)}</D:prop>`),
});

/** A request for what changed since a token; without a token, for everything (RFC 6578, 3.2). */
export const syncCollection = (url: string, token: string | null) => ({
  method: 'REPORT' as const,
  url,
  what: 'the changes',
  headers: { ...XML, depth: '1' },
  body: document(
    'D:sync-collection',
    `<D:sync-token>${xmlText(token ?? '')}</D:sync-token><D:sync-level>1</D:sync-level><D:prop>${elements(CARD_STATE)}</D:prop>`,
  ),
});

const CARD = ['D:getetag', 'D:getlastmodified'];

/** A request for cards by their hrefs (RFC 6352, 8.7). */
export const multiget = (url: string, hrefs: readonly string[], withData = true) => ({
  method: 'REPORT' as const,
  url,
  what: 'cards',
  headers: { ...XML, depth: '1' },
  body: document(
    'C:addressbook-multiget',
    `<D:prop>${elements(CARD)}${withData ? '<C:address-data/>' : ''}</D:prop>${hrefs
      .map((href) => `<D:href>${xmlText(href)}</D:href>`)
      .join('')}`,
  ),
});

/** A property of a card, and a text that it contains. */
export type CardFilter = { readonly property: string; readonly text: string | null };

const filterOf = ({ property, text }: CardFilter): string => {
  const match =
    text === null
      ? ''
      : `<C:text-match collation="i;unicode-casemap" match-type="contains">${xmlText(text)}</C:text-match>`;
  return `<C:prop-filter name="${xmlText(property)}">${match}</C:prop-filter>`;
};

/** A request for the cards that any of the filters matches (RFC 6352, 8.6). */
export const addressbookQuery = (url: string, filters: readonly CardFilter[], what: string) => ({
  method: 'REPORT' as const,
  url,
  what,
  headers: { ...XML, depth: '1' },
  body: document(
    'C:addressbook-query',
    `<D:prop>${elements(CARD)}<C:address-data/></D:prop><C:filter test="anyof">${filters.map(filterOf).join('')}</C:filter>`,
  ),
});

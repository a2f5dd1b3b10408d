import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeVCards } from '../../src/sandbox/address-book/vcard-write.ts';
import { samplePeople } from '../../src/sandbox/people/sample.ts';
import { serve } from './child.ts';

// A small CardDAV server in memory with two address books. It implements the part of the protocol that a sync needs.

type Card = { readonly etag: string; readonly text: string };

const books = new Map<string, Map<string, Card>>();
/** By book, the names of the changed cards in the order of change. A sync token is a position in it. */
const changes = new Map<string, string[]>();
let requests = 0;
const KEEP_ALIVE_MS = 600_000;
let lastEtag = 0;

const cardOf = (text: string): Card => {
  lastEtag += 1;
  return { etag: `"${lastEtag}"`, text };
};

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const multistatus = (parts: readonly string[]): string =>
  `<?xml version="1.0" encoding="utf-8"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav">${parts.join('')}</d:multistatus>`;

const response = (href: string, prop: string): string =>
  `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${prop}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;

const COLLECTION =
  '<d:resourcetype><d:collection/><c:addressbook/></d:resourcetype><d:supported-report-set><d:supported-report><d:report><d:sync-collection/></d:report></d:supported-report></d:supported-report-set>';

const listing = (book: string, cards: ReadonlyMap<string, Card>): string =>
  multistatus([
    response(`/${book}/`, COLLECTION),
    ...[...cards].map(([name, { etag }]) =>
      response(
        `/${book}/${name}`,
        `<d:resourcetype/><d:getcontenttype>text/vcard</d:getcontenttype><d:getetag>${etag}</d:getetag>`,
      ),
    ),
  ]);

/** Returns the cards changed since a token; all cards without one. */
const syncCollection = (book: string, cards: ReadonlyMap<string, Card>, body: string): string => {
  const log = changes.get(book) ?? [];
  const since = Number(/sync-token>(?:urn:)?(\d*)</u.exec(body)?.[1] ?? 0);
  const names = since === 0 ? [...cards.keys()] : [...new Set(log.slice(since - 1))];
  const parts = names.map((name) => {
    const card = cards.get(name);
    return card === undefined
      ? `<d:response><d:href>/${book}/${name}</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>`
      : response(`/${book}/${name}`, `<d:resourcetype/><d:getetag>${card.etag}</d:getetag>`);
  });
  return multistatus([...parts, `<d:sync-token>urn:${log.length + 1}</d:sync-token>`]);
};

const dataOf = (book: string, name: string, { etag, text }: Card): string =>
  response(
    `/${book}/${name}`,
    `<d:getcontenttype>text/vcard</d:getcontenttype><d:getetag>${etag}</d:getetag><c:address-data>${escape(text)}</c:address-data>`,
  );

/** Returns the cards that have any of the properties with its text. */
const query = (book: string, cards: ReadonlyMap<string, Card>, body: string): string => {
  const filters = [...body.matchAll(/prop-filter name="([^"]*)">(?:<[^>]*>([^<]*)<)?/gu)].map(
    ([, name = '', text = '']) => new RegExp(`^${name}[;:].*${RegExp.escape(text)}`, 'imu'),
  );
  const found = [...cards].filter(([, { text }]) => filters.some((filter) => filter.test(text)));
  return multistatus(found.map(([name, card]) => dataOf(book, name, card)));
};

const multiget = (book: string, cards: ReadonlyMap<string, Card>, body: string): string => {
  const asked = [...body.matchAll(/<(?:\w+:)?href>([^<]*)<\/(?:\w+:)?href>/gu)].map(([, href = '']) => href);
  return multistatus(
    asked.flatMap((href) => {
      const name = href.slice(`/${book}/`.length);
      const card = cards.get(name);
      return card === undefined ? [] : [dataOf(book, name, card)];
    }),
  );
};

type Answer = { readonly status: number; readonly body?: string; readonly etag?: string };

const report = (book: string, cards: ReadonlyMap<string, Card>, body: string): string => {
  if (body.includes('sync-collection')) return syncCollection(book, cards, body);
  return body.includes('addressbook-query') ? query(book, cards, body) : multiget(book, cards, body);
};

const put = (
  book: string,
  cards: Map<string, Card>,
  name: string,
  headers: IncomingMessage['headers'],
  body: string,
): Answer => {
  const known = cards.get(name);
  const isRefused =
    headers['if-none-match'] === '*' ? known !== undefined : (headers['if-match'] ?? known?.etag) !== known?.etag;
  if (isRefused) return { status: 412 };
  const card = cardOf(body);
  cards.set(name, card);
  changes.get(book)?.push(name);
  return { status: known === undefined ? 201 : 204, etag: card.etag };
};

const answer = ({ method, url = '/', headers }: IncomingMessage, body: string): Answer => {
  const [book = '', name = ''] = url.slice(1).split('/');
  const cards = books.get(book);
  if (cards === undefined) return { status: 404 };
  const card = cards.get(name);
  switch (method) {
    case 'PROPFIND':
      return { status: 207, body: headers['depth'] === '0' ? listing(book, new Map()) : listing(book, cards) };
    case 'REPORT':
      return { status: 207, body: report(book, cards, body) };
    case 'GET':
      return card === undefined ? { status: 404 } : { status: 200, body: card.text, etag: card.etag };
    case 'PUT':
      return put(book, cards, name, headers, body);
    case 'DELETE':
      changes.get(book)?.push(name);
      return { status: cards.delete(name) ? 204 : 404 };
    default:
      return { status: 405 };
  }
};

const handle = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
  requests += 1;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { status, body, etag } = answer(request, Buffer.concat(chunks).toString());
  reply.writeHead(status, {
    ...(etag !== undefined && { etag }),
    'content-type': request.method === 'GET' ? 'text/vcard' : 'application/xml; charset=utf-8',
  });
  reply.end(body);
};

/** Fills the first of two address books with the same people as the emulators. Returns the root URL of the server. */
const start = async (count: number): Promise<string> => {
  const texts = [...samplePeople(count)].map((person, index) =>
    [...writeVCards([person])].join('').replace('\r\n', `\r\nUID:person-${index}\r\n`),
  );
  books.set('one', new Map(texts.map((text, index) => [`person-${index}.vcf`, cardOf(text)])));
  books.set('other', new Map());
  for (const book of books.keys()) changes.set(book, []);
  const server = createServer((request, reply) => void handle(request, reply));
  // Otherwise a client that computes for a long time would use a closed connection.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Changes every `step`-th contact of the first address book. */
const edit = (step: number): void => {
  const cards = books.get('one');
  for (const [index, [name, { text }]] of [...(cards ?? [])].entries()) {
    if (index % step !== 0) continue;
    cards?.set(name, cardOf(text.replace(/^TITLE:.*\r\n/mu, '').replace('END:VCARD', 'TITLE:Edited\r\nEND:VCARD')));
    changes.get('one')?.push(name);
  }
};

/** Returns the number of contacts in each address book, and the number of requests since the last call. */
const look = () => {
  const asked = requests;
  requests = 0;
  return { one: books.get('one')?.size ?? 0, other: books.get('other')?.size ?? 0, asked };
};

const handlers = { start, edit, look };
export type DavProcess = typeof handlers;
serve(handlers);

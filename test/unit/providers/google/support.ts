import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Agent } from 'undici';
import { EMPTY_CONTACT, type Contact } from '../../../../src/core/contact/contact.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import type { Clock } from '../../../../src/util/clock.ts';
import { createGoogleRemote, type GoogleRemoteOptions } from '../../../../src/providers/google/google-remote.ts';
import { readPerson } from '../../../../src/providers/google/mapper.ts';
import type { Remote } from '../../../../src/providers/remote.ts';
import { startProxy } from '../../../support/network.ts';

/** A clock whose sleeps end at once and are recorded. */
type FakeClock = Clock & { readonly sleepsMs: number[]; advance(byMs: number): void };

export const createFakeClock = (): FakeClock => {
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  const sleepsMs: number[] = [];
  return {
    sleepsMs,
    now: () => nowMs,
    monotonic: () => nowMs,
    advance: (byMs) => {
      nowMs += byMs;
    },
    sleep: async (delayMs, signal) => {
      signal?.throwIfAborted();
      sleepsMs.push(delayMs);
      nowMs += delayMs;
    },
  };
};

export type Seen = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parsed JSON, or the text of a form. */
  readonly body: ReturnType<typeof JSON.parse>;
  readonly authorization: string | undefined;
};

export type Reply = {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** Closes the connection without an answer. */
  readonly drop?: boolean;
  /** Closes the connection in the middle of the body. */
  readonly cut?: boolean;
  /** The bytes of the body as they are sent. */
  readonly bytes?: Buffer;
};

export type Google = AsyncDisposable & {
  readonly url: string;
  readonly remote: Remote;
  readonly clock: FakeClock;
  /** API requests, without token requests. */
  readonly requests: Seen[];
  readonly tokenRequests: Seen[];
};

const TOKEN_PATH = '/token';

const send = (reply: Reply, response: ServerResponse): void => {
  if (reply.drop === true) {
    response.destroy();
    return;
  }
  const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {});
  response.writeHead(reply.status ?? 200, { 'content-type': 'application/json; charset=UTF-8', ...reply.headers });
  if (reply.bytes !== undefined) return void response.end(reply.bytes);
  if (reply.cut === true) response.write(body.slice(0, -1), () => response.destroy());
  else response.end(body);
};

const parseRequest = async (request: IncomingMessage): Promise<Seen> => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const body = await text(request);
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    body: body.startsWith('{') ? JSON.parse(body) : body,
    authorization: request.headers.authorization,
  };
};

/** Starts a server with scripted answers, and a remote that sends its requests to it over HTTP. */
export const startGoogle = async (
  answer: (request: Seen, count: number) => Reply | Promise<Reply>,
  answerToken: (count: number) => Reply | Promise<Reply> = (count) => ({
    body: { access_token: `token-${count}`, expires_in: 3599, token_type: 'Bearer' },
  }),
  more: Partial<Pick<GoogleRemoteOptions, 'listingLimits' | 'clock'>> = {},
): Promise<Google> => {
  const requests: Seen[] = [];
  const tokenRequests: Seen[] = [];
  const server = await startProxy(async (request, response) => {
    const seen = await parseRequest(request);
    const isToken = seen.path === TOKEN_PATH;
    const received = isToken ? tokenRequests : requests;
    received.push(seen);
    send(await (isToken ? answerToken(received.length) : answer(seen, received.length)), response);
  });
  const dispatcher = new Agent();
  const clock = createFakeClock();
  const remote = createGoogleRemote({
    rootUrl: `${server.url}/`,
    tokenUrl: `${server.url}${TOKEN_PATH}`,
    clientId: 'client',
    clientSecret: 'secret',
    refreshToken: 'refresh',
    dispatcher,
    clock,
    random: () => 0.5,
    requestCount: () => requests.length + tokenRequests.length,
    maxElapsedMs: 90_000,
    ...more,
  });
  return {
    url: `${server.url}/`,
    remote,
    clock,
    requests,
    tokenRequests,
    [Symbol.asyncDispose]: async () => {
      await dispatcher.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
};

export const NEVER = new AbortController().signal;

export const apiError = (status: number, code: string, message = 'refused', details: unknown[] = []): Reply => ({
  status,
  body: { error: { code: status, message, status: code, details } },
});

/** Returns a Person as Google returns it. Its ids contain `number`. */
export const person = (number: number, fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  resourceName: `people/c${number}`,
  etag: `%${number}`,
  metadata: {
    objectType: 'PERSON',
    sources: [
      { type: 'CONTACT', id: number.toString(16), etag: `#${number}`, updateTime: '2026-01-01T00:00:00.123456Z' },
    ],
  },
  ...fields,
});

export const recordOf = (answer: unknown): ContactRecord => {
  const reading = readPerson(answer);
  if (reading.kind !== 'contact') throw new Error(`expected a contact, got ${JSON.stringify(reading)}`);
  return reading.record;
};

export const contact = (fields: Partial<Contact>): Contact => ({ ...EMPTY_CONTACT, ...fields });

export const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
};

import { text } from 'node:stream/consumers';
import { startProxy } from '../../support/network.ts';
import { openTransport } from '../../support/network.ts';

/** A request as a server received it. */
export type Received = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The encoded query as it was received. */
  readonly rawQuery: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  /** Parsed JSON, or the text of a form. */
  readonly body: ReturnType<typeof JSON.parse>;
};

export type Reply = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, and any other value as JSON. */
  readonly body?: unknown;
  /** Breaks the connection after this much of the answer. */
  readonly breakAfter?: string;
};

const toBytes = (body: unknown): string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body ?? {});

/** Starts a server with scripted answers, and a transport to it. */
export const startScripted = async (answering: (request: Received) => Reply | Promise<Reply>) => {
  const server = await startProxy(async (request, response) => {
    const { pathname: path, searchParams: query, search } = new URL(request.url ?? '/', 'http://server.test');
    const sent = await text(request);
    const body: unknown = sent.startsWith('{') ? JSON.parse(sent) : sent || undefined;
    const { authorization, 'content-type': contentType } = request.headers;
    const received = { method: request.method ?? '', path, query, rawQuery: search.slice(1), authorization };
    const reply = await answering({ ...received, contentType, body });
    if (reply.breakAfter === '') return void response.destroy();
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json; charset=UTF-8', ...reply.headers });
    if (reply.breakAfter === undefined) return void response.end(toBytes(reply.body));
    return void response.write(reply.breakAfter, () => response.destroy());
  });
  const { transport, close } = openTransport();
  const dispose = async (): Promise<void> => {
    await close();
    await server[Symbol.asyncDispose]();
  };
  return { url: server.url, transport, [Symbol.asyncDispose]: dispose };
};

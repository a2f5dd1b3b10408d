import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createWaiting } from './waiting.ts';
import { createTransport, openAgent } from '../../src/net/transport.ts';

/** The port of a server that listens. */
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** A free port of 127.0.0.1. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
};

/** Headers of one connection, and headers that are wrong for a decoded body. */
const WITHHELD = new Set('connection content-encoding content-length host keep-alive transfer-encoding'.split(' '));

/** An answer with its body. */
export type PassedOn = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Forwards a request with its body to a server. */
export const passOn = async (target: string, request: IncomingMessage, body: Buffer): Promise<PassedOn> => {
  const { method = 'GET', url: path = '/' } = request;
  const headers = Object.entries(request.headers).flatMap(([name, value]) => {
    return WITHHELD.has(name) || value === undefined ? [] : [[name, String(value)] as [string, string]];
  });
  const sent = body.length > 0 ? { body: Uint8Array.from(body) } : {};
  const answer = await fetch(new URL(path, target), { method, headers, redirect: 'manual', ...sent });
  const kept = [...answer.headers].filter(([name]) => !WITHHELD.has(name));
  return { status: answer.status, headers: Object.fromEntries(kept), body: await answer.text() };
};

/** Starts a server on a free port. Where `serve` throws, the connection is closed. */
export const startProxy = async (
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<{ readonly url: string; [Symbol.asyncDispose](): Promise<void> }> => {
  const server = createHttpServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** A proxy before a local server that can stop answering without closing connections. */
export type SilentProxy = AsyncDisposable & {
  readonly port: number;
  /** Nothing comes through the connections that there are any more, and none of them is closed; later ones are served. */
  silence(): void;
};

/** Passes on what clients and the server at that port say. */
export const startSilentProxy = async (serverPort: number): Promise<SilentProxy> => {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    silence: () => {
      for (const socket of sockets) socket.unpipe().resume();
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };
type Answer = (response: ServerResponse, request: Received) => void;

/** A server that takes whatever it is posted. */
export type Receiver = {
  readonly url: string;
  readonly received: readonly Received[];
  /** The answer from now on; 204 by default. */
  answer(answer: Answer): void;
  /** Resolves when it has received so many in all. */
  until(count: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const take: Answer = (response) => response.writeHead(204).end();

/** Listens on 127.0.0.1, at any free port unless one is given. */
export const startReceiver = async (port = 0): Promise<Receiver> => {
  const received: Received[] = [];
  const { notify, until } = createWaiting();
  let answer = take;
  const server = createHttpServer((request, response) => {
    void text(request).then((body) => {
      const one = { path: request.url ?? '', headers: request.headers, body };
      received.push(one);
      answer(response, one);
      notify();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    received,
    answer: (next) => {
      answer = next;
    },
    until: async (count) => void (await until(() => (received.length < count ? undefined : true))),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** Opens a transport without gates. */
export const openTransport = () => {
  const agent = openAgent();
  return { transport: createTransport({ agent, timeoutMs: 300_000 }), close: () => agent.destroy() };
};

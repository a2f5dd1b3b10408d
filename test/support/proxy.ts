import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** Headers of one connection, and headers that are wrong for a decoded body. */
const NOT_PASSED_ON = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'host',
  'keep-alive',
  'transfer-encoding',
]);

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
    return NOT_PASSED_ON.has(name) || value === undefined ? [] : [[name, String(value)] as [string, string]];
  });
  const sent = body.length > 0 ? { body: Uint8Array.from(body) } : {};
  const answer = await fetch(new URL(path, target), { method, headers, redirect: 'manual', ...sent });
  const kept = [...answer.headers].filter(([name]) => !NOT_PASSED_ON.has(name));
  return { status: answer.status, headers: Object.fromEntries(kept), body: await answer.text() };
};

/** Starts a server on a free port. Where `serve` throws, the connection is closed. */
export const startProxy = async (
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<{ readonly url: string; [Symbol.asyncDispose](): Promise<void> }> => {
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

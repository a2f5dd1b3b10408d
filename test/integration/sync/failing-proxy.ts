import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

type Asked = { readonly method: string; readonly path: string; readonly body: string };
type Answer = { readonly status: number; readonly body: string };

/** A server that answers some requests itself, and passes all others on to an emulator. */
export type FailingProxy = {
  readonly url: string;
  /** Where requests go. */
  target: string;
  /** `METHOD path` of every request since the start. */
  readonly seen: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
};

/** Google's answer where it fails at something for no reason that it tells. */
export const GOOGLE_FAULT: Answer = {
  status: 500,
  body: JSON.stringify({ error: { code: 500, message: 'Internal error encountered.', status: 'INTERNAL' } }),
};

/** The service's. */
export const SERVICE_FAULT: Answer = { status: 500, body: '{"errors":["Internal Server Error"]}' };

const HOP_BY_HOP = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'host',
  'keep-alive',
  'transfer-encoding',
]);

/** Starts one; `judge` gives its own answers, null for a request that goes on. */
export const startFailingProxy = async (judge: (asked: Asked) => Answer | null): Promise<FailingProxy> => {
  const proxy = { target: 'http://127.0.0.1:1' };
  const seen: string[] = [];

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const { method = 'GET', url: path = '/' } = request;
    seen.push(`${method} ${path}`);
    const own = judge({ method, path, body: body.toString() });
    if (own !== null) {
      response.writeHead(own.status, { 'content-type': 'application/json' }).end(own.body);
      return;
    }
    const headers = Object.entries(request.headers).flatMap(([name, value]) => {
      return HOP_BY_HOP.has(name) || value === undefined ? [] : [[name, String(value)] as [string, string]];
    });
    const sent = body.length > 0 ? { body: Uint8Array.from(body) } : {};
    const upstream = await fetch(new URL(path, proxy.target), { method, headers, ...sent });
    const text = await upstream.text();
    response.writeHead(
      upstream.status,
      Object.fromEntries([...upstream.headers].filter(([name]) => !HOP_BY_HOP.has(name))),
    );
    response.end(text);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
};

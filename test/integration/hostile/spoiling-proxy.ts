import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { breakAnswer, type Breakage } from './breakage.ts';

/** A server that passes requests on to an emulator and spoils its answers on the way back. */
export type SpoilingProxy = {
  readonly url: string;
  /** Where requests go. */
  target: string;
  /** What befalls the answers: the `nth` from now on (0 is the next) and, where `all`, every later one too. */
  spoil(plan: { readonly nth: number; readonly all: boolean; readonly breakage: Breakage } | null): void;
  /** What becomes of the text of every answer; null: nothing. */
  rewrite: ((text: string) => string) | null;
  /** `METHOD path` of every request that would change something, since the start. */
  readonly writes: string[];
  [Symbol.asyncDispose](): Promise<void>;
};

const HOP_BY_HOP = new Set([
  'connection',
  'transfer-encoding',
  'content-length',
  'keep-alive',
  'host',
  'content-encoding',
]);

const forward = async (target: string, request: IncomingMessage): Promise<Response> => {
  const body = await buffer(request);
  const headers = Object.entries(request.headers).flatMap(([name, value]) => {
    return HOP_BY_HOP.has(name) || value === undefined ? [] : [[name, String(value)] as [string, string]];
  });
  const method = request.method ?? 'GET';
  const url = new URL(request.url ?? '/', target);
  return fetch(url, { method, headers, ...(body.length > 0 ? { body: Uint8Array.from(body) } : {}) });
};

export const startSpoilingProxy = async (): Promise<SpoilingProxy> => {
  let left = Number.POSITIVE_INFINITY;
  let plan: Parameters<SpoilingProxy['spoil']>[0] = null;
  const writes: string[] = [];
  const proxy: Pick<SpoilingProxy, 'target' | 'rewrite'> = { target: 'http://127.0.0.1:1', rewrite: null };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const method = request.method ?? 'GET';
    if (method !== 'GET') writes.push(`${method} ${request.url ?? ''}`);
    const upstream = await forward(proxy.target, request);
    const answered = await upstream.text();
    const text = proxy.rewrite === null ? answered : proxy.rewrite(answered);
    const isDue = plan !== null && (left === 0 || (plan.all && left < 0));
    left -= 1;
    const body = plan !== null && isDue ? breakAnswer(text, plan.breakage) : text;
    const headers = [...upstream.headers].filter(([name]) => !HOP_BY_HOP.has(name));
    response.writeHead(upstream.status, Object.fromEntries(headers));
    response.end(body);
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
    writes,
    spoil: (next: typeof plan) => {
      plan = next;
      left = next?.nth ?? Number.POSITIVE_INFINITY;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
};

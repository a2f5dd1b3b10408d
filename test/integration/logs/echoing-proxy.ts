import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** What becomes of a request: it reaches the emulator, its answer is cut off, none ever comes, or it is refused with all that it held. */
type Fate = 'pass' | 'truncate' | 'hold' | number;

/** A server before an emulator that can answer as badly as a server can: with the whole request in the error. */
export type EchoingProxy = {
  readonly url: string;
  /** Decides on each request from now on. */
  decide(fate: (request: { readonly method: string; readonly path: string }) => Fate): void;
  [Symbol.asyncDispose](): Promise<void>;
};

const NOT_PASSED_ON = new Set(['connection', 'transfer-encoding', 'content-length', 'keep-alive', 'host']);

const refuse = (request: IncomingMessage, body: string, status: number, response: ServerResponse): void => {
  const echo = `${request.method} ${request.url} authorization: ${request.headers.authorization} ${body}`;
  const error = { message: echo, status: 'FAILED', code: status, errors: [{ reason: echo, message: echo }] };
  response.writeHead(status, {
    'content-type': 'application/json',
    'www-authenticate': echo.replaceAll(/[^ -~]/gu, '?'),
  });
  response.end(JSON.stringify({ errors: [echo], error, error_description: echo }));
};

const passOn = async (target: string, request: IncomingMessage, body: string) => {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    NOT_PASSED_ON.has(name) ? [] : [[name, String(value)] as [string, string]],
  );
  const method = request.method ?? 'GET';
  const answer = await fetch(new URL(request.url ?? '/', target), {
    method,
    headers,
    redirect: 'manual',
    ...(body !== '' && { body }),
  });
  const kept = [...answer.headers].filter(([name]) => !NOT_PASSED_ON.has(name) && name !== 'content-encoding');
  return { status: answer.status, headers: Object.fromEntries(kept), body: await answer.text() };
};

export const startEchoingProxy = async (target: string): Promise<EchoingProxy> => {
  let fateOf: Parameters<EchoingProxy['decide']>[0] = () => 'pass';
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const fate = fateOf({ method: request.method ?? '', path: request.url ?? '' });
    if (fate === 'hold') return;
    if (typeof fate === 'number') {
      refuse(request, body, fate, response);
      return;
    }
    const answer = await passOn(target, request, body);
    const isCut = fate === 'truncate';
    response.writeHead(answer.status, answer.headers);
    response.end(isCut ? answer.body.slice(0, Math.floor(answer.body.length / 2)) : answer.body);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    decide: (fate) => {
      fateOf = fate;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

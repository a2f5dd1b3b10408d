import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { passOn, startProxy } from '../../support/proxy.ts';

/** What becomes of a request: it reaches the emulator, its answer is cut off, none ever comes, or it is refused with all that it held. */
type Fate = 'pass' | 'truncate' | 'hold' | number;

/** A server before an emulator that can answer as badly as a server can: with the whole request in the error. */
export type EchoingProxy = {
  readonly url: string;
  /** Decides on each request from now on. */
  decide(fate: (request: { readonly method: string; readonly path: string }) => Fate): void;
  [Symbol.asyncDispose](): Promise<void>;
};

const refuse = (request: IncomingMessage, body: string, status: number, response: ServerResponse): void => {
  const echo = `${request.method} ${request.url} authorization: ${request.headers.authorization} ${body}`;
  const error = { message: echo, status: 'FAILED', code: status, errors: [{ reason: echo, message: echo }] };
  response.writeHead(status, {
    'content-type': 'application/json',
    'www-authenticate': echo.replaceAll(/[^ -~]/gu, '?'),
  });
  response.end(JSON.stringify({ errors: [echo], error, error_description: echo }));
};

export const startEchoingProxy = async (target: string): Promise<EchoingProxy> => {
  let fateOf: Parameters<EchoingProxy['decide']>[0] = () => 'pass';
  const server = await startProxy(async (request, response) => {
    const body = await buffer(request);
    const fate = fateOf({ method: request.method ?? '', path: request.url ?? '' });
    if (fate === 'hold') return;
    if (typeof fate === 'number') {
      refuse(request, body.toString(), fate, response);
      return;
    }
    const answer = await passOn(target, request, body);
    const isCut = fate === 'truncate';
    response.writeHead(answer.status, answer.headers);
    response.end(isCut ? answer.body.slice(0, Math.floor(answer.body.length / 2)) : answer.body);
  });
  return {
    ...server,
    decide: (fate) => {
      fateOf = fate;
    },
  };
};

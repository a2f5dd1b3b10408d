import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { passOn, startProxy } from '../../support/network.ts';

/**
 * Action of the proxy for a request: pass it to the emulator, truncate the response, never respond, or refuse it with
 * this status and an error that contains the whole request.
 */
type ProxyAction = 'pass' | 'truncate' | 'hold' | number;

/** A proxy in front of an emulator that can return errors with the whole request in them. */
export type EchoingProxy = {
  readonly url: string;
  /** Sets the action for each request from now on. */
  decide(action: (request: { readonly method: string; readonly path: string }) => ProxyAction): void;
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
  let actionFor: Parameters<EchoingProxy['decide']>[0] = () => 'pass';
  const server = await startProxy(async (request, response) => {
    const body = await buffer(request);
    const action = actionFor({ method: request.method ?? '', path: request.url ?? '' });
    if (action === 'hold') return;
    if (typeof action === 'number') {
      refuse(request, body.toString(), action, response);
      return;
    }
    const answer = await passOn(target, request, body);
    const isCut = action === 'truncate';
    response.writeHead(answer.status, answer.headers);
    response.end(isCut ? answer.body.slice(0, Math.floor(answer.body.length / 2)) : answer.body);
  });
  return {
    ...server,
    decide: (action) => {
      actionFor = action;
    },
  };
};

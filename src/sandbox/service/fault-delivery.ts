import type { Context, Next } from 'hono';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EmulatorContext, EmulatorEnv } from './context.ts';
import { errorResponse, htmlErrorPage, ServiceError } from './errors.ts';
import type { FaultAction } from './faults.ts';

/** Lets the request meet its fault, if it has one, before it is applied. */
export const meetFault = async (
  c: Context<EmulatorEnv>,
  next: Next,
  context: EmulatorContext,
): Promise<Response | undefined> => {
  const fault = context.faults.take(c.req.method, c.req.path);
  c.set('fault', fault);
  switch (fault?.kind) {
    case 'status': {
      const error = new ServiceError(fault.status, 'The service had a fault');
      const response = errorResponse(error, context.variants());
      if (fault.retryAfter !== undefined) response.headers.set('Retry-After', fault.retryAfter);
      return response;
    }
    case 'html':
      return new Response(htmlErrorPage(fault.status), {
        status: fault.status,
        headers: { 'content-type': 'text/html' },
      });
    case 'reset-before':
      return new Response(null);
    case 'delay':
      await sleep(fault.delayMs, undefined, { signal: context.closing }).catch(() => undefined);
      break;
    case 'reset-after':
    case 'truncate':
    case undefined:
      break;
  }
  await next();
  return undefined;
};

const cutConnection = (c: Context<EmulatorEnv>): Response => {
  c.env.incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
};

/** Sends the head and the first half of the body, under the length of the whole, then cuts the connection. */
const sendHalf = async (c: Context<EmulatorEnv>): Promise<Response> => {
  const { outgoing } = c.env;
  const body = Buffer.from(await c.res.arrayBuffer());
  outgoing.writeHead(c.res.status, { ...Object.fromEntries(c.res.headers), 'content-length': body.length });
  outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => outgoing.destroy());
  return RESPONSE_ALREADY_SENT;
};

/** What the request's fault makes of its answer; null where the answer goes out as it is. */
export const spoiledAnswer = async (c: Context<EmulatorEnv>, fault: FaultAction | null): Promise<Response | null> => {
  switch (fault?.kind) {
    case 'reset-before':
    case 'reset-after':
      return cutConnection(c);
    case 'truncate':
      return sendHalf(c);
    default:
      return null;
  }
};

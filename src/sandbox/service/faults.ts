import { setTimeout as sleep } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, Next } from 'hono';
import { z } from 'zod';
import { sendHalf } from '../http-server.ts';
import type { EmulatorContext, EmulatorEnv } from './context.ts';
import { errorResponse, htmlErrorPage, ServiceError } from './errors.ts';

const faultAction = z.discriminatedUnion('kind', [
  /** Returns a status and an error body at once, without applying the request. */
  z.object({ kind: z.literal('status'), status: z.int().min(200).max(599), retryAfter: z.string().optional() }),
  /** Returns a proxy's HTML page at once, without applying the request. */
  z.object({ kind: z.literal('html'), status: z.int().min(200).max(599).default(502) }),
  /** Waits in real time before the request is applied. */
  z.object({ kind: z.literal('delay'), delayMs: z.int().min(0) }),
  /** Cuts the connection without applying the request. */
  z.object({ kind: z.literal('reset-before') }),
  /** Applies the request, then cuts the connection without an answer. */
  z.object({ kind: z.literal('reset-after') }),
  /** Applies the request, then cuts the connection in the middle of the body. */
  z.object({ kind: z.literal('truncate') }),
]);

/** A fault: its action, and the requests that it affects. */
const faultSchema = z.object({
  method: z.string().optional(),
  /** Matched against the path, without the query: a regular expression or its source. */
  path: z.union([z.string(), z.instanceof(RegExp)]).optional(),
  /** The number of matching requests before the first fault. */
  skip: z.int().min(0).default(0),
  times: z.int().min(1).default(1),
  action: faultAction,
});

export type Fault = z.input<typeof faultSchema>;
export type FaultAction = z.infer<typeof faultAction>;

type PendingFault = { readonly method: string | undefined; readonly path: RegExp; skip: number; times: number } & {
  readonly action: FaultAction;
};

/** The pending faults, in the order in which they were added. */
export class Faults {
  readonly #pending: PendingFault[] = [];

  /** Adds a fault. Throws a ZodError if it has the wrong shape. */
  add(fault: unknown): void {
    const { path, method, ...rest } = faultSchema.parse(fault);
    this.#pending.push({ ...rest, method: method?.toUpperCase(), path: new RegExp(path ?? '') });
  }

  clear(): void {
    this.#pending.length = 0;
  }

  /** Returns the fault for this request and decrements its count; null without one. */
  take(method: string, path: string): FaultAction | null {
    const matching = this.#pending.filter((fault) => (fault.method ?? method) === method && fault.path.test(path));
    for (const fault of matching) {
      if (fault.skip > 0) {
        fault.skip -= 1;
        continue;
      }
      fault.times -= 1;
      if (fault.times === 0) this.#pending.splice(this.#pending.indexOf(fault), 1);
      return fault.action;
    }
    return null;
  }
}

/** Applies the request's fault, if any, before the request is applied. */
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

/** Returns the answer after the request's fault; null if the answer is unchanged. */
export const spoiledAnswer = async (c: Context<EmulatorEnv>, fault: FaultAction | null): Promise<Response | null> => {
  switch (fault?.kind) {
    case 'reset-before':
    case 'reset-after':
      return cutConnection(c);
    case 'truncate':
      await sendHalf(c);
      return RESPONSE_ALREADY_SENT;
    default:
      return null;
  }
};

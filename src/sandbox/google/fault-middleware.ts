import { setTimeout as wait } from 'node:timers/promises';
import type { Context, MiddlewareHandler } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { bodyOfStatus } from './api-error.ts';
import { findOperation } from './api-routes.ts';
import type { FaultEffect, FaultPlan } from './faults.ts';
import { contentOf, methodOf } from './http-request.ts';
import type { LoggedRequest, RequestLog } from './request-log.ts';

type Env = { Bindings: HttpBindings };

/** Logs every request and makes the planned faults happen to it. */
export function loggingAndFaults(log: RequestLog, plan: FaultPlan, clock: { now(): number }): MiddlewareHandler<Env> {
  return async (context, next) => {
    const entry = logEntry(context, clock.now());
    log.begin(entry);
    let outcome: Outcome = { status: 'reset' };
    try {
      const { search, body } = await contentOf(context.req);
      entry.query = search;
      entry.body = parseJson(body);
      const fault = plan.take(entry.method, entry.path + entry.query);
      if (fault?.delayMs !== undefined) await wait(fault.delayMs, undefined, { ref: false });
      outcome = await answer(context, next, fault?.effect);
    } finally {
      log.end(entry, outcome.status);
    }
    if (!outcome.response) return;
    // An answer that the routes made already is replaced, not merged with, only after it was taken away.
    context.res = undefined;
    context.res = outcome.response;
  };
}

interface Outcome {
  readonly status: number | 'reset';
  /** Replaces what the routes answered. */
  readonly response?: Response;
}

async function answer(
  context: Context<Env>,
  next: () => Promise<void>,
  effect: FaultEffect | undefined,
): Promise<Outcome> {
  if (!effect) {
    await next();
    return { status: context.res.status };
  }
  const applied = effect.kind === 'truncate' || (effect.kind !== 'html' && effect.when === 'after');
  if (applied) await next();
  switch (effect.kind) {
    case 'status': {
      const { status, headers, body = bodyOfStatus(status) } = effect;
      return replaced(Response.json(body, { status, ...(headers && { headers }) }));
    }
    case 'html':
      return replaced(new Response(htmlErrorPage, { status: effect.status ?? 502, headers: htmlHeaders }));
    case 'reset':
      context.env.incoming.socket.resetAndDestroy();
      return replaced(RESPONSE_ALREADY_SENT, 'reset');
    case 'truncate':
      await sendHalf(context);
      return replaced(RESPONSE_ALREADY_SENT, 'reset');
  }
}

function replaced(response: Response, status: Outcome['status'] = response.status): Outcome {
  return { status, response };
}

const htmlHeaders = { 'content-type': 'text/html; charset=UTF-8' };
const htmlErrorPage =
  '<!DOCTYPE html><html lang=en><title>Error 502 (Server Error)!!1</title>' +
  '<p>The server encountered a temporary error and could not complete your request.';

/** Sends the headers and the first half of the body that the routes made, then cuts the connection. */
async function sendHalf({ res, env }: Context<Env>): Promise<void> {
  const body = Buffer.from(await res.arrayBuffer());
  const { outgoing, incoming } = env;
  outgoing.writeHead(res.status, { ...Object.fromEntries(res.headers), 'content-length': body.length });
  const half = body.subarray(0, Math.floor(body.length / 2));
  await new Promise<void>((resolve) => outgoing.write(half, () => resolve()));
  incoming.socket.destroy();
}

function logEntry(context: Context<Env>, atMs: number): LoggedRequest {
  const { pathname } = new URL(context.req.url);
  const method = methodOf(context.req);
  const mutates = findOperation(method, pathname)?.mutates ?? false;
  return { method, path: pathname, query: '', atMs, body: undefined, mutates, status: undefined };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

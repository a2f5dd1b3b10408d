import { setTimeout as wait } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { sendHalf } from '../http-server.ts';
import { bodyOfStatus } from './api-error.ts';
import { findOperation } from './api-routes.ts';
import type { LoggedRequest, RequestLog } from './request-log.ts';

const when = z.exactOptional(z.enum(['before', 'after']));
/** Matched by a regular expression or its source; everything by default. */
const pattern = z.exactOptional(z.union([z.string(), z.instanceof(RegExp)]));

/** The effect of a fault on a request, apart from a delay. */
const effectSchema = z.discriminatedUnion('kind', [
  /** Answers with a status, either without executing the request (`before`, the default) or after it (`after`). */
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(200).max(599),
    body: z.exactOptional(z.unknown()),
    headers: z.exactOptional(z.record(z.string(), z.string())),
    when,
  }),
  /** Resets the connection before or after the request is executed. */
  z.strictObject({ kind: z.literal('reset'), when: z.enum(['before', 'after']) }),
  /** Executes the request and cuts the connection in the middle of the answer's body. */
  z.strictObject({ kind: z.literal('truncate') }),
  /** Answers with an HTML error page without executing the request; status 502 by default. */
  z.strictObject({ kind: z.literal('html'), status: z.exactOptional(z.int().min(400).max(599)) }),
]);

/** A planned fault of the next matching requests. */
export const faultSchema = z.strictObject({
  method: pattern,
  /** Matched against path and query. */
  path: pattern,
  /** The number of affected matching requests; 1 by default. */
  count: z.exactOptional(z.int().positive()),
  /** The number of matching requests before the first affected one; 0 by default. */
  skip: z.exactOptional(z.int().nonnegative()),
  /** The delay before anything else. */
  delayMs: z.exactOptional(z.number().nonnegative()),
  effect: z.exactOptional(effectSchema),
});

export type Fault = z.infer<typeof faultSchema>;
type FaultEffect = z.infer<typeof effectSchema>;

interface PlannedFault {
  readonly fault: Fault;
  readonly method: RegExp;
  readonly path: RegExp;
  skipsLeft: number;
  hitsLeft: number;
}

/** The planned faults of an emulator. The first matching fault applies to a request. */
export class FaultPlan {
  #planned: PlannedFault[] = [];

  add(fault: Fault): void {
    const method = new RegExp(fault.method ?? '');
    const path = new RegExp(fault.path ?? '');
    this.#planned.push({ fault, method, path, skipsLeft: fault.skip ?? 0, hitsLeft: fault.count ?? 1 });
  }

  clear(): void {
    this.#planned = [];
  }

  /** Returns the fault for this request, and decrements its count. */
  take(method: string, pathAndQuery: string): Fault | undefined {
    const planned = this.#planned.find((entry) => entry.method.test(method) && entry.path.test(pathAndQuery));
    if (!planned) return undefined;
    if (planned.skipsLeft > 0) {
      planned.skipsLeft -= 1;
      return undefined;
    }
    planned.hitsLeft -= 1;
    if (planned.hitsLeft <= 0) this.#planned = this.#planned.filter((entry) => entry !== planned);
    return planned.fault;
  }
}

type Env = { Bindings: HttpBindings };

/** Logs every request and applies the planned faults to it. */
export function loggingAndFaults(log: RequestLog, plan: FaultPlan, clock: { now(): number }): MiddlewareHandler<Env> {
  return async (context, next) => {
    const entry = logEntry(context, clock.now());
    log.begin(entry);
    let outcome: Outcome = { status: 'reset' };
    try {
      entry.body = parseJson(await context.req.text());
      const fault = plan.take(entry.method, entry.path + entry.query);
      if (fault?.delayMs !== undefined) await wait(fault.delayMs, undefined, { ref: false });
      outcome = await answer(context, next, fault?.effect);
    } finally {
      log.end(entry, outcome.status);
    }
    if (!outcome.response) return;
    // Hono merges the headers of a new response into an existing one, unless the existing one is removed first.
    context.res = undefined;
    context.res = outcome.response;
  };
}

interface Outcome {
  readonly status: number | 'reset';
  /** Replaces the answer of the routes. */
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

function logEntry(context: Context<Env>, atMs: number): LoggedRequest {
  const { pathname, search } = new URL(context.req.url);
  const { method } = context.req;
  const mutates = findOperation(method, pathname)?.mutates ?? false;
  return { method, path: pathname, query: search, atMs, body: undefined, mutates, status: undefined };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import { z } from 'zod';

const status = z.int().min(200).max(599);

const faultAction = z.discriminatedUnion('kind', [
  /** Returns a status without applying the request. `body` replaces the error body of the remote. */
  z.object({
    kind: z.literal('status'),
    status,
    body: z.unknown().optional(),
    retryAfter: z.string().optional(),
  }),
  /** Returns a proxy's HTML page without applying the request. */
  z.object({ kind: z.literal('html'), status: status.default(502) }),
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
  method: z.string().toUpperCase().optional(),
  /** Matched against the path, and against the path with its query: a regular expression or its source. */
  path: z.union([z.string(), z.instanceof(RegExp)]).default(''),
  /** The number of matching requests before the first fault. */
  skip: z.int().min(0).default(0),
  times: z.int().min(1).default(1),
  action: faultAction,
});

export type Fault = z.input<typeof faultSchema>;
type FaultAction = z.output<typeof faultAction>;
type PlannedFault = Omit<z.output<typeof faultSchema>, 'path'> & { readonly path: RegExp };

/** The planned faults of an emulator, in the order in which they were added. */
export class Faults {
  #planned: PlannedFault[] = [];

  /** Adds a fault. Throws a ZodError if it has the wrong shape. */
  add(fault: unknown): void {
    const parsed = faultSchema.parse(fault);
    this.#planned.push({ ...parsed, path: new RegExp(parsed.path) });
  }

  clear(): void {
    this.#planned = [];
  }

  /** Returns the action for this request and decrements its count; null without one. */
  take({ method, path, query }: Pick<LoggedRequest, 'method' | 'path' | 'query'>): FaultAction | null {
    for (const fault of this.#planned) {
      const isMethod = (fault.method ?? method) === method;
      if (!isMethod || !(fault.path.test(path) || fault.path.test(`${path}?${query}`))) continue;
      if (fault.skip > 0) {
        fault.skip -= 1;
        continue;
      }
      fault.times -= 1;
      if (fault.times === 0) this.#planned = this.#planned.filter((planned) => planned !== fault);
      return fault.action;
    }
    return null;
  }
}

/** One request to an emulator. */
export type LoggedRequest = {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** The time of arrival, in epoch milliseconds of the emulator's clock. */
  readonly atMs: number;
  /** Null while it is in progress, and if the connection was cut. */
  status: number | null;
  /** The fault that was applied to it. */
  fault: FaultAction['kind'] | null;
};

type Env = { Bindings: HttpBindings };

/** The parts of an emulator that its requests and faults need. */
type Monitor = {
  readonly faults: Faults;
  /** Every request, in the order of arrival. */
  readonly requests: LoggedRequest[];
  /** The clock of the emulator. */
  readonly now: () => number;
  /** The time of the remote, for the `Date` header. */
  readonly serverTime: () => number;
  /** The remote's own answer for a status. */
  readonly errorOf: (status: number) => Response;
};

/** Logs every request and applies the planned faults to it. */
export const loggingAndFaults =
  ({ faults, requests, now, serverTime, errorOf }: Monitor): MiddlewareHandler<Env> =>
  async (context, next) => {
    const { pathname, search } = new URL(context.req.url);
    const { method } = context.req;
    const entry: LoggedRequest = {
      method,
      path: pathname,
      query: search.slice(1),
      atMs: now(),
      status: null,
      fault: null,
    };
    requests.push(entry);
    const fault = faults.take(entry);
    entry.fault = fault?.kind ?? null;
    if (fault?.kind === 'delay') await sleep(fault.delayMs, undefined, { ref: false });
    const refusal = fault && refusalOf(fault, errorOf);
    if (refusal) context.res = refusal;
    else if (fault?.kind !== 'reset-before') await next();
    context.res.headers.set('Date', new Date(serverTime()).toUTCString());
    if (fault !== null && CUTS.has(fault.kind)) await cut(context, fault);
    else entry.status = context.res.status;
  };

const refusalOf = (fault: FaultAction, errorOf: Monitor['errorOf']): Response | null => {
  if (fault.kind === 'html') {
    const page = `<!doctype html><html><head><title>${fault.status}</title></head><body></body></html>`;
    return new Response(page, { status: fault.status, headers: { 'content-type': 'text/html' } });
  }
  if (fault.kind !== 'status') return null;
  const { body, retryAfter } = fault;
  const answer = body === undefined ? errorOf(fault.status) : Response.json(body, { status: fault.status });
  if (retryAfter !== undefined) answer.headers.set('Retry-After', retryAfter);
  return answer;
};

const CUTS: ReadonlySet<FaultAction['kind']> = new Set(['reset-before', 'reset-after', 'truncate']);

const cut = async (context: Context<Env>, fault: FaultAction): Promise<void> => {
  if (fault.kind === 'truncate') await sendHalf(context);
  else context.env.incoming.socket.resetAndDestroy();
  // Hono merges the headers of a new response into an existing one, unless the existing one is removed first.
  context.res = undefined;
  context.res = RESPONSE_ALREADY_SENT;
};

/** Sends the head, with the length of the whole body, and the first half of the body. Then cuts the connection. */
const sendHalf = async ({ res, env }: Context<Env>): Promise<void> => {
  const body = Buffer.from(await res.arrayBuffer());
  const { outgoing, incoming } = env;
  outgoing.writeHead(res.status, { ...Object.fromEntries(res.headers), 'content-length': body.length });
  const half = body.subarray(0, Math.floor(body.length / 2));
  await new Promise<void>((resolve) => outgoing.write(half, () => resolve()));
  incoming.socket.destroy();
};

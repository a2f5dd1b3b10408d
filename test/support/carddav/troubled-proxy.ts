import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../../src/util/clock.ts';
import type { RequestKind, Trouble } from '../contract/harness.ts';
import { passOn, startProxy } from '../network.ts';
import type { BookFolder } from './server.ts';

type Disturbance = { readonly kind: RequestKind; readonly trouble: Trouble | { readonly holdMs: number } };

/** A server in front of another one, which counts requests and makes some of them go wrong. */
export type TroubledProxy = AsyncDisposable & {
  readonly url: string;
  /** Number of requests so far: all, or those of one kind. */
  arrived(kind?: RequestKind): number;
  disturb(disturbance: Disturbance): void;
  /** Refuses the next create of a card that contains the text. */
  refuse(text: string): void;
  /** Passes one request in each second of the clock. */
  limitTightly(): void;
  /**
   * Answers no request from the one of that number on, counted from now; that one is passed on where it `arrives`. Calls `onDeath`
   * when it comes.
   */
  die(request: number, arrives: boolean, onDeath: () => void): void;
  /** Answers again. */
  revive(): void;
};

type Death = { readonly request: number; readonly arrives: boolean; readonly onDeath: () => void };

const kindOf = ({ method, headers }: IncomingMessage, body: string): RequestKind | null => {
  if (method === 'REPORT') return body.includes('sync-collection') ? 'list' : body.includes('multiget') ? 'read' : null;
  if (method === 'PUT') return headers['if-none-match'] === undefined ? 'update' : 'create';
  return method === 'DELETE' ? 'delete' : null;
};

const answerHtml = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Welcome</body></html>');
};

/** Starts a proxy in front of a server. */
export const startTroubledProxy = async (
  { url: target, accepts = () => true }: Pick<BookFolder, 'url' | 'accepts'>,
  clock: Clock,
): Promise<TroubledProxy> => {
  const disturbances: Disturbance[] = [];
  const refused: string[] = [];
  let arrived = 0;
  const kinds: (RequestKind | null)[] = [];
  let isTight = false;
  let passedAtMs = Number.NEGATIVE_INFINITY;
  let death: Death | null = null;
  let arrivedBefore = 0;

  const forward = async (request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> => {
    const answer = await passOn(target, request, body);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  };

  const suffer = async (
    trouble: Trouble,
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
  ): Promise<void> => {
    if (trouble === 'limited') return void response.writeHead(429, { 'retry-after': '1' }).end();
    if (trouble === 'unavailable') return void response.writeHead(503).end();
    if (trouble === 'html') return answerHtml(response);
    if (trouble === 'reset-before') return void response.destroy();
    const answer = await passOn(target, request, body);
    if (trouble === 'reset-after') return void response.destroy();
    response.writeHead(answer.status, { ...answer.headers, 'content-length': '100000' });
    response.write('<half');
    response.destroy();
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    arrived += 1;
    const body = await buffer(request);
    if (death !== null && arrived - arrivedBefore >= death.request) {
      const isFirst = arrived - arrivedBefore === death.request;
      if (isFirst && death.arrives) await passOn(target, request, body);
      response.destroy();
      death.onDeath();
      return;
    }
    const text = body.toString('utf8');
    const kind = kindOf(request, text);
    kinds.push(kind);
    if (isTight && clock.now() - passedAtMs < 1_000) {
      response.writeHead(429, { 'retry-after': '1' }).end();
      return;
    }
    passedAtMs = clock.now();
    if (!accepts(request.headers.authorization)) {
      response.writeHead(401).end();
      return;
    }
    if (kind === 'create' && refused.some((each) => text.includes(each))) {
      response.writeHead(403).end();
      return;
    }
    const place = disturbances.findIndex((each) => each.kind === kind);
    const [disturbance] = place < 0 ? [] : disturbances.splice(place, 1);
    if (disturbance === undefined) return forward(request, response, body);
    const { trouble } = disturbance;
    if (typeof trouble === 'string') return suffer(trouble, request, response, body);
    // Held until the client gives up.
    await once(response, 'close');
  };

  const proxy = await startProxy(serve);
  return {
    url: new URL(new URL(target).pathname, proxy.url).href,
    arrived: (kind) => (kind === undefined ? arrived : kinds.filter((each) => each === kind).length),
    disturb: (disturbance) => void disturbances.push(disturbance),
    refuse: (text) => void refused.push(text),
    die: (number, arrives, onDeath) => {
      arrivedBefore = arrived;
      death = { request: number, arrives, onDeath };
    },
    revive: () => {
      death = null;
    },
    limitTightly: () => {
      isTight = true;
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
};

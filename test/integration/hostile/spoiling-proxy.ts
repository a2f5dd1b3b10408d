import { buffer } from 'node:stream/consumers';
import { passOn, startProxy } from '../../support/network.ts';
import { breakAnswer, type Breakage } from './breakage.ts';

/** A server that passes requests on to an emulator and spoils its answers on the way back. */
export type SpoilingProxy = {
  readonly url: string;
  /** Where requests go. */
  target: string;
  /** Spoils the `nth` answer from now on (0 is the next), and with `all` every later one. */
  spoil(plan: { readonly nth: number; readonly all: boolean; readonly breakage: Breakage } | null): void;
  /** Changes the text of every answer; null for no change. */
  rewrite: ((text: string) => string) | null;
  /** `METHOD path` of every request that would change something, since the start. */
  readonly writes: string[];
  [Symbol.asyncDispose](): Promise<void>;
};

export const startSpoilingProxy = async (): Promise<SpoilingProxy> => {
  let left = Number.POSITIVE_INFINITY;
  let plan: Parameters<SpoilingProxy['spoil']>[0] = null;
  const writes: string[] = [];
  const proxy: Pick<SpoilingProxy, 'target' | 'rewrite'> = { target: 'http://127.0.0.1:1', rewrite: null };

  const server = await startProxy(async (request, response) => {
    const method = request.method ?? 'GET';
    if (method !== 'GET') writes.push(`${method} ${request.url ?? ''}`);
    const answered = await passOn(proxy.target, request, await buffer(request));
    const text = proxy.rewrite === null ? answered.body : proxy.rewrite(answered.body);
    const isDue = plan !== null && (left === 0 || (plan.all && left < 0));
    left -= 1;
    const body = plan !== null && isDue ? breakAnswer(text, plan.breakage) : text;
    response.writeHead(answered.status, answered.headers).end(body);
  });
  return Object.assign(proxy, server, {
    writes,
    spoil: (next: typeof plan) => {
      plan = next;
      left = next?.nth ?? Number.POSITIVE_INFINITY;
    },
  });
};

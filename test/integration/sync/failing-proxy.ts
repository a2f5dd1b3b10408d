import { buffer } from 'node:stream/consumers';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';
import { passOn, startProxy } from '../../support/proxy.ts';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';

type Asked = { readonly method: string; readonly path: string; readonly body: string };
type Answer = { readonly status: number; readonly body: string };

/** Google's answer where it fails at something for no reason that it tells. */
export const GOOGLE_FAULT: Answer = {
  status: 500,
  body: JSON.stringify({ error: { code: 500, message: 'Internal error encountered.', status: 'INTERNAL' } }),
};

/** The service's. */
export const SERVICE_FAULT: Answer = { status: 500, body: '{"errors":["Internal Server Error"]}' };

const ADDRESSES = { google: 'GOOGLE_ROOT_URL', service: 'SERVICE_BASE_URL' } as const;

/** What fails is waited for again and again. */
const HURRY = 10;

/** Between the program and one side of its link: answers some requests itself, and passes all others on. */
type Failing = LinkedSandbox & {
  /** `METHOD path` of every request to that side since the start. */
  readonly seen: readonly string[];
};

/** Starts a link of which one side fails at what `judge` gives an answer to; null for a request that goes on. */
export const startFailing = async (
  side: keyof typeof ADDRESSES,
  judge: (asked: Asked) => Answer | null,
  people: SandboxOptions,
  variables: Readonly<Record<string, string>> = {},
): Promise<Failing> => {
  await using stack = new AsyncDisposableStack();
  const seen: string[] = [];
  let target = '';
  const proxy = stack.use(
    await startProxy(async (request, response) => {
      const body = await buffer(request);
      const { method = 'GET', url: path = '/' } = request;
      seen.push(`${method} ${path}`);
      const own = judge({ method, path, body: body.toString() });
      const headers = { 'content-type': 'application/json' };
      const answer = own === null ? await passOn(target, request, body) : { ...own, headers };
      response.writeHead(answer.status, answer.headers).end(answer.body);
    }),
  );
  const address = { [ADDRESSES[side]]: `${proxy.url}/` };
  const linked = stack.use(await startLinkedSandbox(people, { ...variables, ...address }, { hurry: HURRY }));
  target = linked.sandbox[side].url;
  const owned = stack.move();
  return { ...linked, seen, [Symbol.asyncDispose]: () => owned.disposeAsync() };
};

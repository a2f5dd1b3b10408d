import { buffer } from 'node:stream/consumers';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';
import { passOn, startProxy } from '../../support/network.ts';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';

type Asked = { readonly method: string; readonly path: string; readonly body: string };
type Answer = { readonly status: number; readonly body: string };

export const GOOGLE_FAULT: Answer = {
  status: 500,
  body: JSON.stringify({ error: { code: 500, message: 'Internal error encountered.', status: 'INTERNAL' } }),
};

export const GOOGLE_REFUSAL: Answer = {
  status: 400,
  body: JSON.stringify({
    error: { code: 400, message: 'Request contains an invalid argument.', status: 'INVALID_ARGUMENT' },
  }),
};

export const SERVICE_FAULT: Answer = { status: 500, body: '{"errors":["Internal Server Error"]}' };

const ADDRESSES = { google: 'GOOGLE_ROOT_URL', service: 'SERVICE_BASE_URL' } as const;

/** Speeds up the waits between retries. */
const HURRY = 100;

/** A link with a proxy before one side: the proxy answers some requests itself and forwards the others. */
type Failing = LinkedSandbox & {
  /** `METHOD path` of every request to that side since the start. */
  readonly seen: readonly string[];
};

/** Starts a link with a failing side. `judge` returns the answer to a request, or null to forward it. */
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

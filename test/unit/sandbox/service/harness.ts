import { type ServiceEmulator, startServiceEmulator } from '../../../../src/sandbox/service/server.ts';

/** The response to a request; `body` is the JSON, or the text if it is not JSON. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: unknown };

/** An emulator on a clock that only a test advances, and a client of it. */
export type Service = AsyncDisposable & {
  readonly emulator: ServiceEmulator;
  readonly time: { nowMs: number };
  /** Sends a request, with `{ data }` as body, and with a token that has every scope, or with another one. */
  readonly send: (method: string, path: string, data?: unknown, token?: string | null) => Promise<Answer>;
};

const parseBody = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

export const openService = async (options: Parameters<typeof startServiceEmulator>[0] = {}): Promise<Service> => {
  const time = { nowMs: Date.UTC(2026, 0, 1, 12) };
  const emulator = await startServiceEmulator({ clock: { now: () => time.nowMs }, ...options });
  const fullToken = emulator.issueToken();
  const send: Service['send'] = async (method, path, data, token = fullToken) => {
    const headers = {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
    const body = typeof data === 'string' ? data : JSON.stringify({ data });
    const init = { method, redirect: 'manual', headers, ...(data === undefined ? {} : { body }) } as const;
    const response = await fetch(`${emulator.url}${path}`, init);
    return { status: response.status, headers: response.headers, body: parseBody(await response.text()) };
  };
  return { emulator, time, send, [Symbol.asyncDispose]: () => emulator.close() };
};

import { Agent } from 'undici';
import { exchange, type TimedLimits, type WholeAnswer } from './exchange.ts';
import type { Gate, Permit } from './gate.ts';
import type { AnswerHead } from './headers.ts';

/** A request; the path has no query. */
export type TransportRequest = { readonly method: string; readonly path: string };

/** One request as it is sent. */
export type HttpRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

/**
 * Sends a request once and returns its whole answer.
 *
 * @throws {CutOffError} if only the headers arrived; otherwise the error of a gate or the connection, or the signal's reason.
 */
export type Transport = (request: HttpRequest, limits: TimedLimits, signal: AbortSignal) => Promise<WholeAnswer>;

export type TransportOptions = {
  /** The gates that the request passes, in the same order for all requests; none by default. */
  readonly gatesFor?: (request: TransportRequest) => readonly Gate[];
  /** Called immediately before a request is sent. If it throws or the request is aborted by then, the request is not sent. */
  readonly beforeAttempt?: () => void;
  /** Called when a request is sent, for each attempt. */
  readonly onAttempt?: (request: TransportRequest) => void;
  /** The longest time from the sending of a request to the headers of its answer, and the longest pause in its body. */
  readonly timeoutMs: number;
  /** The connections; the caller closes them. */
  readonly agent: Agent;
};

/** About the largest number of concurrent requests of all runs of a process to one origin. */
const CONNECTIONS = 128;

/** Opens a pool of connections. The caller closes it. */
export const openAgent = (): Agent =>
  new Agent({
    connections: CONNECTIONS,
    // Over HTTP/2, undici repeats a request when the server closes the session: without a count and without the rate limit.
    allowH2: false,
  });

/**
 * Creates a transport. Each request waits for the permits of its gates, then is sent exactly once. Retries and redirects are
 * above the transport, so that each attempt is counted and rate limited.
 */
export const createTransport =
  ({ agent, beforeAttempt, gatesFor, onAttempt, timeoutMs }: TransportOptions): Transport =>
  async ({ url, ...request }, limits, signal) => {
    const { origin, pathname, search } = new URL(url);
    const attempt = { method: request.method, path: pathname };
    const permits: Permit[] = [];
    /** Ends the permits once: when the headers arrive, the server has counted the request, and later events do not matter. */
    const finish = (answer: AnswerHead | null): void => {
      for (const permit of permits.splice(0)) permit.done(answer);
    };
    try {
      for (const gate of gatesFor?.(attempt) ?? []) permits.push(await gate.acquire(signal));
      beforeAttempt?.();
      signal.throwIfAborted();
      onAttempt?.(attempt);
      const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
      const dispatched = { ...request, ...timeouts, origin, path: `${pathname}${search}` };
      return await exchange(agent, dispatched, limits, signal, finish);
    } finally {
      finish(null);
    }
  };

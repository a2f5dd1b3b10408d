import { Agent, type Dispatcher } from 'undici';
import type { Gate, Permit } from './gate.ts';
import type { AnswerHead } from './headers.ts';

/** A request; the path has no query. */
export type TransportRequest = { readonly method: string; readonly path: string };

export type TransportOptions = {
  /** The gates that the request passes, in the same order for all requests; none by default. */
  readonly gatesFor?: (request: TransportRequest) => readonly Gate[];
  /** Called immediately before a request is sent. If it throws or the request is aborted by then, the request is not sent. */
  readonly beforeAttempt?: () => void;
  /** Called when a request is sent, for each attempt. */
  readonly onAttempt?: (request: TransportRequest) => void;
  /** The longest time from the sending of a request to the headers of its answer, and the longest pause in its body. */
  readonly timeoutMs: number;
  /** The agent whose connections are used; if missing, the transport opens its own. */
  readonly agent?: Agent;
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
 * Creates the dispatcher for `undici.request` and `undici.fetch`. Each request waits for the permits of its gates, then is sent
 * exactly once. Retries and redirects are above the dispatcher, so that each attempt is counted and rate limited. Abort the
 * waiting requests before you close it.
 */
export const createTransport = (options: TransportOptions): Dispatcher =>
  (options.agent ?? openAgent()).compose((dispatch) => (request, handler) => {
    const governed = new GovernedRequest(options, request, handler);
    void governed.send(dispatch);
    return true;
  });

/** Sends a request when its gates have given permits, and passes the events of its answer to the handler. */
class GovernedRequest implements Dispatcher.DispatchHandler {
  readonly #options: TransportOptions;
  readonly #request: Dispatcher.DispatchOptions;
  readonly #handler: Dispatcher.DispatchHandler;
  /** The request without its query and its body. */
  readonly #attempt: TransportRequest;
  readonly #controller = new DeferredController();
  #permits: Permit[] = [];
  #hasFailed = false;

  constructor(options: TransportOptions, request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    this.#options = options;
    this.#request = request;
    this.#handler = handler;
    this.#attempt = { method: request.method, path: request.path.replace(/[?#].*$/u, '') };
  }

  /** Never rejects: errors are reported to the handler, like those of other dispatchers. */
  async send(dispatch: Dispatcher.Dispatch): Promise<void> {
    const { signal } = this.#controller;
    signal.addEventListener('abort', () => this.#fail(signal.reason as Error), { once: true });
    try {
      // The handler can abort immediately, and not only when the connection is ready, which may take long.
      this.#handler.onRequestStart?.(this.#controller, null);
      for (const gate of this.#options.gatesFor?.(this.#attempt) ?? []) {
        this.#permits.push(await gate.acquire(signal));
      }
      this.#options.beforeAttempt?.();
      signal.throwIfAborted();
      this.#options.onAttempt?.(this.#attempt);
      const { timeoutMs } = this.#options;
      dispatch({ ...this.#request, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }, this);
    } catch (error) {
      this.#finish(null);
      this.#fail(error as Error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller.attach(controller);
  }

  onResponseStart(...event: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    const [, status, headers] = event;
    if (status >= 200) this.#finish({ status, headers });
    this.#handler.onResponseStart?.(...event);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...event: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.#handler.onResponseEnd?.(...event);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(null);
    this.#fail(error);
  }

  /** When the headers arrive, the server has counted the request. Later events do not change the rate limit. */
  #finish(answer: AnswerHead | null): void {
    const permits = this.#permits;
    this.#permits = [];
    for (const permit of permits) permit.done(answer);
  }

  #fail(error: Error): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#handler.onResponseError?.(this.#controller, error);
  }
}

/** Aborts a request: by its signal before it has a connection, then by the controller of undici. */
class DeferredController implements Dispatcher.DispatchController {
  readonly #waiting = new AbortController();
  #attached: Dispatcher.DispatchController | null = null;

  /** Aborted when the request is aborted before it has a connection. */
  get signal(): AbortSignal {
    return this.#waiting.signal;
  }

  get aborted(): boolean {
    return this.signal.aborted || (this.#attached?.aborted ?? false);
  }

  get paused(): boolean {
    return this.#attached?.paused ?? false;
  }

  get reason(): Error | null {
    return this.signal.aborted ? (this.signal.reason as Error) : (this.#attached?.reason ?? null);
  }

  attach(controller: Dispatcher.DispatchController): void {
    this.#attached = controller;
    if (this.signal.aborted) controller.abort(this.signal.reason as Error);
  }

  abort(reason: Error): void {
    if (this.#attached === null) this.#waiting.abort(reason);
    else this.#attached.abort(reason);
  }

  pause(): void {
    this.#attached?.pause();
  }

  resume(): void {
    this.#attached?.resume();
  }
}

import { Agent, type Dispatcher } from 'undici';
import type { Gate, Permit, Priority } from './gate.ts';
import type { AnswerHeaders } from './rate-headers.ts';

/** One request as the gates are chosen for it. */
export type TransportRequest = { readonly method: string; readonly path: string; readonly origin: string };
/** One request as it goes out; the path is without its query. */
type Attempt = { readonly method: string; readonly path: string };

export type TransportOptions = {
  /** The gates that the request must pass, in an order that is the same for all requests; none: it is not governed. */
  readonly gatesFor: (request: TransportRequest) => readonly Gate[];
  /** Called at the last moment, each time before a request would be sent: one that is aborted meanwhile is not. */
  readonly beforeAttempt?: () => void;
  /** Called when a request is sent, for each attempt. */
  readonly onAttempt: (attempt: Attempt) => void;
  /** Called when the headers of an attempt's answer came, or with null when no answer will come. */
  readonly onAnswer?: (status: number | null, headers: AnswerHeaders) => void;
  /** How long the headers of an answer may take, counted from when the request was sent. */
  readonly headersTimeoutMs: number;
  /** How long an answer's body may stall. */
  readonly bodyTimeoutMs: number;
  /** Whose connections carry the requests; one of its own where left out. */
  readonly agent?: Agent;
};

/** As many as the runs of a process have under way at one origin at most, or nearly. */
const CONNECTIONS = 128;

/** Keeps connections, so many per origin, for all who are given it; whoever opens it closes it. */
export const openAgent = (): Agent =>
  new Agent({
    connections: CONNECTIONS,
    // Over HTTP/2 undici itself sends a request again when the server closes the session: not counted, not governed.
    allowH2: false,
  });

/**
 * The one way out to the network, for `undici.request` and `undici.fetch`: each request waits until its gates let it
 * pass, then goes out exactly once. What retries or follows redirects sits above it, so that each attempt is governed
 * and counted. End the requests that wait (by their signals) before closing it.
 */
export const createTransport = (options: TransportOptions): Dispatcher =>
  (options.agent ?? openAgent()).compose((dispatch) => (request, handler) => {
    const governed = new GovernedRequest(options, request, handler);
    void governed.send(dispatch);
    return true;
  });

/** Passes a request on when its gates have opened, and the events of its answer back. */
class GovernedRequest implements Dispatcher.DispatchHandler {
  readonly #options: TransportOptions;
  readonly #request: Dispatcher.DispatchOptions;
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #attempt: Attempt;
  readonly #controller = new DeferredController();
  #permits: Permit[] = [];
  #awaitsAnswer = false;
  #hasFailed = false;

  constructor(options: TransportOptions, request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    this.#options = options;
    this.#request = request;
    this.#handler = handler;
    this.#attempt = { method: request.method, path: request.path.replace(/[?#].*$/u, '') };
  }

  /** Never rejects: what goes wrong is reported to the handler, as undici's dispatchers do. */
  async send(dispatch: Dispatcher.Dispatch): Promise<void> {
    const { signal } = this.#controller;
    signal.addEventListener('abort', () => this.#fail(signal.reason as Error), { once: true });
    try {
      // The handler learns how to abort at once, not when the connection is ready: it may have to wait for long.
      this.#handler.onRequestStart?.(this.#controller, null);
      const request = { ...this.#attempt, origin: String(this.#request.origin ?? '') };
      for (const gate of this.#options.gatesFor(request)) {
        this.#permits.push(await gate.acquire(priorityOf(request.method), signal));
      }
      this.#options.beforeAttempt?.();
      signal.throwIfAborted();
      this.#awaitsAnswer = true;
      this.#options.onAttempt(this.#attempt);
      const { headersTimeoutMs: headersTimeout, bodyTimeoutMs: bodyTimeout } = this.#options;
      dispatch({ ...this.#request, headersTimeout, bodyTimeout }, this);
    } catch (error) {
      this.#finish(null);
      this.#fail(error as Error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller.attach(controller);
  }

  onRequestUpgrade(...event: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestUpgrade']>>): void {
    this.#finish({ status: event[1], headers: event[2] });
    this.#handler.onRequestUpgrade?.(...event);
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

  onResponseStarted(): void {
    this.#handler.onResponseStarted?.();
  }

  onBodySent(chunk: Buffer): void {
    this.#handler.onBodySent?.(chunk);
  }

  onRequestSent(): void {
    this.#handler.onRequestSent?.();
  }

  /** From its headers on an answer was counted by the server: nothing later concerns the limit. */
  #finish(answer: { readonly status: number; readonly headers: AnswerHeaders } | null): void {
    const permits = this.#permits;
    this.#permits = [];
    for (const permit of permits) permit.done(answer);
    if (!this.#awaitsAnswer) return;
    this.#awaitsAnswer = false;
    this.#options.onAnswer?.(answer?.status ?? null, answer?.headers ?? {});
  }

  #fail(error: Error): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#handler.onResponseError?.(this.#controller, error);
  }
}

const priorityOf = (method: string): Priority => (method === 'GET' || method === 'HEAD' ? 'read' : 'write');

/** Aborts a request before and after it has a connection: first by its signal, then by undici's own controller. */
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

import type { Dispatcher } from 'undici';
import type { Clock } from '../util/clock.ts';
import type { AnswerHead, AnswerHeaders } from './headers.ts';

/** The longest time from the headers of an answer to the end of its body, and the largest body. */
type BodyLimits = { readonly clock: Clock; readonly timeoutMs: number; readonly maxBytes: number };

export type WholeAnswer = AnswerHead & { readonly text: string };

/** An answer whose body is incomplete or exceeds its limits. */
export class CutOffError extends Error {
  readonly status: number;
  readonly headers: AnswerHeaders;

  constructor(status: number, headers: AnswerHeaders, cause: Error) {
    super(cause.message, { cause });
    this.name = 'CutOffError';
    this.status = status;
    this.headers = headers;
  }
}

/**
 * Sends one request and reads the whole answer. Answers are small, so their chunks are collected here: a stream for each
 * answer would double the cost of the request.
 *
 * @throws {CutOffError} if only the headers arrived; otherwise the error of the dispatcher, or the signal's reason.
 */
export const exchange = (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: BodyLimits,
  signal: AbortSignal,
): Promise<WholeAnswer> =>
  new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new AnswerReader(limits, signal, { resolve, reject }));
  });

type Settle = { readonly resolve: (answer: WholeAnswer) => void; readonly reject: (error: unknown) => void };

class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #limits: BodyLimits;
  readonly #signal: AbortSignal;
  readonly #settle: Settle;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #head: AnswerHead | null = null;
  #deadlineMs = 0;
  #onAbort: (() => void) | null = null;

  constructor(limits: BodyLimits, signal: AbortSignal, settle: Settle) {
    this.#limits = limits;
    this.#signal = signal;
    this.#settle = settle;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A request that is repeated on another connection starts more than once.
    this.#forgetSignal();
    const abort = (): void => controller.abort(this.#signal.reason as Error);
    if (this.#signal.aborted) return abort();
    this.#onAbort = abort;
    this.#signal.addEventListener('abort', abort, { once: true });
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (status < 200) return;
    this.#head = { status, headers };
    this.#deadlineMs = this.#limits.clock.monotonic() + this.#limits.timeoutMs;
  }

  /** The deadline ends a body that arrives too slowly; the timeout of undici ends one that stalls. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { clock, timeoutMs, maxBytes } = this.#limits;
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    if (this.#bytes > maxBytes) controller.abort(new Error(`it is longer than ${maxBytes} bytes`));
    else if (clock.monotonic() > this.#deadlineMs) controller.abort(new Error(`it took longer than ${timeoutMs} ms`));
  }

  onResponseEnd(): void {
    this.#forgetSignal();
    const text = Buffer.concat(this.#chunks).toString('utf8');
    if (this.#head !== null) this.#settle.resolve({ ...this.#head, text });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#forgetSignal();
    const head = this.#head;
    this.#settle.reject(head === null ? error : new CutOffError(head.status, head.headers, error));
  }

  #forgetSignal(): void {
    if (this.#onAbort !== null) this.#signal.removeEventListener('abort', this.#onAbort);
  }
}

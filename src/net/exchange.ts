import type { Dispatcher } from 'undici';
import type { Clock } from '../util/clock.ts';
import type { AnswerHeaders } from './rate-headers.ts';

/** How long a whole body may take from the answer's headers on, and how long it may be. */
export type AnswerLimits = { readonly clock: Clock; readonly timeoutMs: number; readonly maxBytes: number };

export type WholeAnswer = { readonly status: number; readonly headers: AnswerHeaders; readonly text: string };

/** An answer whose body did not come whole, or not within its limits. */
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
 * Sends one request and reads its answer whole. Answers are small and always read to their end, so they are gathered here:
 * a stream for each would cost as much again as the request.
 *
 * @throws {CutOffError} where only the headers came; else the dispatcher's own error, or the signal's reason.
 */
export const exchange = (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: AnswerLimits,
  signal: AbortSignal,
): Promise<WholeAnswer> =>
  new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new AnswerReader(limits, signal, { resolve, reject }));
  });

type Settle = { readonly resolve: (answer: WholeAnswer) => void; readonly reject: (error: unknown) => void };

class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #limits: AnswerLimits;
  readonly #signal: AbortSignal;
  readonly #settle: Settle;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #head: Pick<WholeAnswer, 'status' | 'headers'> | null = null;
  #deadlineMs = 0;
  #onAbort: (() => void) | null = null;

  constructor(limits: AnswerLimits, signal: AbortSignal, settle: Settle) {
    this.#limits = limits;
    this.#signal = signal;
    this.#settle = settle;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A request that is begun again on another connection starts more than once.
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

  /** The deadline catches a body that drips, undici's own timeout one that stalls. */
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

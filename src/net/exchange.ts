import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { Clock } from '../util/clock.ts';
import { headerNamed, type AnswerHead, type AnswerHeaders } from './headers.ts';

/** The limits of one answer: bytes after decompression, and the time from its headers to its end. */
export type AnswerLimits = { readonly bytes: number; readonly timeMs: number };

/** The limits of an answer, with the clock that measures its time. */
export type TimedLimits = AnswerLimits & { readonly clock: Clock };

export type WholeAnswer = AnswerHead & { readonly text: string };

/** An answer whose body is incomplete, exceeds its limits or is not UTF-8. */
export class CutOffError extends Error {
  readonly status: number;
  readonly headers: AnswerHeaders;

  constructor({ status, headers }: AnswerHead, cause: Error) {
    super(cause.message, { cause });
    this.name = 'CutOffError';
    this.status = status;
    this.headers = headers;
  }
}

/**
 * Sends one request and reads the whole answer. Answers are small, so their chunks are collected here: a stream for each
 * answer would double the cost of the request. `onHead` is called when the headers have arrived.
 *
 * @throws {CutOffError} if only the headers arrived; otherwise the error of the dispatcher, or the signal's reason.
 */
export const exchange = async (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: TimedLimits,
  signal: AbortSignal,
  onHead: (head: AnswerHead) => void,
): Promise<WholeAnswer> => {
  const reader = new AnswerReader(limits, onHead);
  const abort = (): void => reader.abort(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    dispatcher.dispatch(request, reader);
    return await reader.answer;
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

/** Throws for another encoding: letters that are replaced by a sign would be written to the other side. */
const textOf = (body: Buffer): string => {
  if (!isUtf8(body)) throw new Error('it is not UTF-8');
  return body.toString('utf8');
};

class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #limits: TimedLimits;
  readonly #onHead: (head: AnswerHead) => void;
  readonly #settle = Promise.withResolvers<WholeAnswer>();
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #head: AnswerHead | null = null;
  #deadlineMs = 0;
  #controller: Dispatcher.DispatchController | null = null;
  #abortedFor: Error | null = null;

  constructor(limits: TimedLimits, onHead: (head: AnswerHead) => void) {
    this.#limits = limits;
    this.#onHead = onHead;
  }

  get answer(): Promise<WholeAnswer> {
    return this.#settle.promise;
  }

  /** Ends the request. While it waits for a connection, which may take long, the answer is rejected at once. */
  abort(reason: Error): void {
    this.#abortedFor = reason;
    if (this.#controller === null) this.#settle.reject(reason);
    else this.#controller.abort(reason);
  }

  /** A request that is repeated on another connection starts more than once. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abortedFor !== null) controller.abort(this.#abortedFor);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (status < 200) return;
    this.#head = { status, headers };
    this.#deadlineMs = this.#limits.clock.monotonic() + this.#limits.timeMs;
    this.#onHead(this.#head);
  }

  /** The deadline ends a body that arrives too slowly; the timeout of undici ends one that stalls. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { bytes, clock, timeMs } = this.#limits;
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    if (this.#bytes > bytes) controller.abort(new Error(`it is longer than ${bytes} bytes`));
    else if (clock.monotonic() > this.#deadlineMs) controller.abort(new Error(`it took longer than ${timeMs} ms`));
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.#head === null) return;
    try {
      this.#settle.resolve({ ...this.#head, text: textOf(this.#bodyOf(this.#head)) });
    } catch (error) {
      this.onResponseError(controller, error as Error);
    }
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settle.reject(this.#head === null ? error : new CutOffError(this.#head, error));
  }

  /** Throws if the body cannot be decompressed, or is longer than the limit then. */
  #bodyOf({ headers }: AnswerHead): Buffer {
    const body = Buffer.concat(this.#chunks);
    if (headerNamed(headers, 'content-encoding') !== 'gzip' || body.length === 0) return body;
    return gunzipSync(body, { maxOutputLength: this.#limits.bytes });
  }
}

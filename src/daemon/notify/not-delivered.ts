type Options = { readonly retry: 'soon' | 'never'; readonly retryAfterMs?: number | null; readonly cause?: unknown };

/** A notice that the receiver did not take. The message names the receiver by its host. */
export class NotDeliveredError extends Error {
  /** Whether it may take the same notice later. */
  readonly retry: 'soon' | 'never';
  /** The floor that the receiver set for the next attempt, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(message: string, { retry, retryAfterMs = null, cause }: Options) {
    super(message, { cause });
    this.name = 'NotDeliveredError';
    this.retry = retry;
    this.retryAfterMs = retryAfterMs;
  }
}

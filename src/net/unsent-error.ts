/**
 * A request that never left, because what keeps the rate limit could not be asked or lets nothing pass for long: surely
 * it was not applied.
 */
export class UnsentError extends Error {
  /** For how long nothing passes; null where that is not known. */
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { readonly cause?: unknown; readonly retryAfterMs?: number }) {
    super(message, options);
    this.name = 'UnsentError';
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The {@link UnsentError} that an error is, or that brought it about through those in between; null where there is none. */
export const findUnsent = (error: unknown): UnsentError | null => {
  if (error instanceof UnsentError) return error;
  return error instanceof Error && error.cause !== undefined ? findUnsent(error.cause) : null;
};

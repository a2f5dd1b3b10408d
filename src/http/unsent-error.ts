/** A request that never left, because what keeps the rate limit could not be asked: surely it was not applied. */
export class UnsentError extends Error {
  constructor(message: string, options: { readonly cause: unknown }) {
    super(message, options);
    this.name = 'UnsentError';
  }
}

/** The {@link UnsentError} that an error is, or that brought it about through those in between; null where there is none. */
export const findUnsent = (error: unknown): UnsentError | null => {
  if (error instanceof UnsentError) return error;
  return error instanceof Error && error.cause !== undefined ? findUnsent(error.cause) : null;
};

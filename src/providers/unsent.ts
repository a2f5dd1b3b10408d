/** Codes of a connection that was never made: the request did not reach the remote. */
export const UNSENT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The codes of an error of a connection, one for each address that was tried; empty if it has none. */
export const connectionCodesOf = (error: unknown): readonly string[] => {
  if (error instanceof AggregateError) return error.errors.flatMap(connectionCodesOf);
  if (!(error instanceof Error)) return [];
  return 'code' in error && typeof error.code === 'string' ? [error.code] : connectionCodesOf(error.cause);
};

/** Whether a request with these codes surely was not sent, so that it was not applied. */
export const wasNeverSent = (codes: readonly string[]): boolean =>
  codes.length > 0 && codes.every((code) => UNSENT_CODES.has(code));

import { FenceError, StoreError } from '../errors.ts';

type Trouble = { readonly what: string; readonly remedy: string };

const NOTHING_LOST = 'Data stored before is intact, and the next run continues.';

const LOGIN: Trouble = { what: 'it refuses the user or the password', remedy: 'Correct them in DATABASE_URL.' };
const NO_DATABASE: Trouble = {
  what: 'the database does not exist',
  remedy: 'Create it, or correct the name in DATABASE_URL.',
};
const NOT_ALLOWED: Trouble = {
  what: 'its user may not do what is needed',
  remedy: 'Make that user the owner of the database, or of the schema that it works in.',
};
const FULL: Trouble = { what: 'its disk is full', remedy: `Free some space there. ${NOTHING_LOST}` };
const READ_ONLY: Trouble = {
  what: 'it is read-only',
  remedy: 'Name the primary server in DATABASE_URL, no replica.',
};
const TOO_SLOW: Trouble = {
  what: 'a statement took longer than statement_timeout',
  remedy: `Look for what keeps it busy. ${NOTHING_LOST}`,
};
const CERTIFICATE: Trouble = {
  what: 'its certificate is not trusted',
  remedy: 'Name the authority in DATABASE_URL: sslmode=verify-full&sslrootcert=/path/to/ca.pem.',
};
const NO_TLS: Trouble = {
  what: 'it does not speak TLS',
  remedy: 'Switch TLS on there, or leave sslmode out of DATABASE_URL where the network is your own.',
};

/** By the beginning of an error's code (https://www.postgresql.org/docs/current/errcodes-appendix.html), or of Node's. */
const TROUBLES: readonly (readonly [beginning: string, trouble: Trouble])[] = [
  ['28', LOGIN],
  ['3D000', NO_DATABASE],
  ['3F000', NOT_ALLOWED],
  ['42501', NOT_ALLOWED],
  ['53100', FULL],
  ['25006', READ_ONLY],
  ['57014', TOO_SLOW],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', CERTIFICATE],
  ['SELF_SIGNED_CERT_IN_CHAIN', CERTIFICATE],
  ['UNABLE_TO_', CERTIFICATE],
  ['CERT_', CERTIFICATE],
  ['ERR_TLS_', CERTIFICATE],
];

/** What passes by itself: the server is away, starts, stops, has no connection left, or gave way to another transaction. */
const PASSING = [
  '08',
  '57P',
  '53300',
  '40001',
  '40P01',
  '55P03',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
];

/** What the driver says of a connection that broke, or was not made in time; these errors have no code. */
const BROKEN = /connection terminated|timeout exceeded when trying to connect|timeout expired|not queryable/iu;

/** The driver's own error, without the statement and its values that drizzle wraps it in. */
export const driverError = (error: unknown): unknown => {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (inner instanceof AggregateError && inner.errors.length > 0) return inner.errors[0];
  return inner;
};

const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

/** Whether the same may be asked again in a moment. */
export const isPassing = (error: unknown): boolean => {
  const code = codeOf(error);
  if (code !== null) return PASSING.some((beginning) => code.startsWith(beginning));
  return error instanceof Error && BROKEN.test(error.message);
};

/** Why the database does not answer, in a few words. */
export const reasonOf = (error: unknown): string =>
  codeOf(error) ?? (error instanceof Error ? error.message : 'unknown');

/** An error of the driver as one that says which database, what is wrong and what to do; any other error as it is. */
export const explainTrouble = (thrown: unknown, place: string): unknown => {
  if (thrown instanceof StoreError || thrown instanceof FenceError) return thrown;
  const error = driverError(thrown);
  if (isPassing(error)) {
    return new StoreError(`The database ${place} does not answer (${reasonOf(error)}).`, {
      remedy: `Start PostgreSQL, or correct DATABASE_URL. ${NOTHING_LOST}`,
    });
  }
  if (error instanceof Error && error.message.includes('does not support SSL')) return said(NO_TLS, 'no TLS', place);
  const code = codeOf(error);
  if (code === null) return error;
  const [, trouble] = TROUBLES.find(([beginning]) => code.startsWith(beginning)) ?? [];
  if (trouble !== undefined) return said(trouble, code, place);
  // What the server says may quote a row: its code alone goes further.
  return new StoreError(`The database ${place} cannot be used (${code}).`, {
    remedy: 'Look into its log; restore a backup where it is damaged.',
  });
};

const said = ({ what, remedy }: Trouble, code: string, place: string): StoreError =>
  new StoreError(`The database ${place} cannot be used: ${what} (${code}).`, { remedy });

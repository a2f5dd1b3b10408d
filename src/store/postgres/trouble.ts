import { FenceError, StoreError } from '../errors.ts';
import { errorCode } from '../../util/errors.ts';

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
const POOLER: Trouble = {
  what: 'a connection pooler refuses the timeouts of contact-sync',
  remedy: 'Set in PgBouncer: ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout.',
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

/** Temporary errors: the server is unavailable, starts or stops, has no free connection, or aborted a transaction for another. */
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

/** The driver's messages about a connection that broke or was not made in time. These errors have no code. */
const BROKEN = /connection terminated|timeout exceeded when trying to connect|timeout expired|not queryable/iu;

/** Whether the same statement may succeed later. */
export const isPassing = (error: unknown): boolean => {
  const code = errorCode(error);
  if (code !== null) return PASSING.some((beginning) => code.startsWith(beginning));
  return error instanceof Error && BROKEN.test(error.message);
};

/** The reason why the database does not answer: a code or a message. */
export const reasonOf = (error: unknown): string =>
  errorCode(error) ?? (error instanceof Error ? error.message : 'unknown');

/** Returns an error of the driver as one with the database, the problem and its remedy; any other error unchanged. */
export const explainTrouble = (error: unknown, place: string): unknown => {
  if (error instanceof StoreError || error instanceof FenceError) return error;
  // PgBouncer has one code for this and for passing errors.
  if (error instanceof Error && error.message.includes('unsupported startup parameter')) {
    return said(POOLER, reasonOf(error), place);
  }
  if (isPassing(error)) {
    return new StoreError(`The database ${place} does not answer (${reasonOf(error)}).`, {
      remedy: `Start PostgreSQL, or correct DATABASE_URL. ${NOTHING_LOST}`,
    });
  }
  if (error instanceof Error && error.message.includes('does not support SSL')) return said(NO_TLS, 'no TLS', place);
  const code = errorCode(error);
  if (code === null) return error;
  const [, trouble] = TROUBLES.find(([beginning]) => code.startsWith(beginning)) ?? [];
  if (trouble !== undefined) return said(trouble, code, place);
  // The server's message may quote a row: only its code is reported.
  return new StoreError(`The database ${place} cannot be used (${code}).`, {
    remedy: 'Look into its log; restore a backup where it is damaged.',
  });
};

const said = ({ what, remedy }: Trouble, code: string, place: string): StoreError =>
  new StoreError(`The database ${place} cannot be used: ${what} (${code}).`, { remedy });

import { FenceError, StoreError } from '../errors.ts';
import { CERTIFICATE_CODES, errorCode } from '../../util/errors.ts';

const NOTHING_LOST = 'Data stored before is intact, and the next run continues.';

/** By the beginnings of an error's code (https://www.postgresql.org/docs/current/errcodes-appendix.html), or of Node's. */
const TROUBLES: readonly (readonly [beginnings: readonly string[], what: string, remedy: string])[] = [
  [['28'], 'it refuses the user or the password', 'Correct them in DATABASE_URL.'],
  [['3D000'], 'the database does not exist', 'Create it, or correct the name in DATABASE_URL.'],
  [
    ['3F000', '42501'],
    'its user may not do what is needed',
    'Make that user the owner of the database, or of the schema that it works in.',
  ],
  [['53100'], 'its disk is full', `Free some space there. ${NOTHING_LOST}`],
  [['25006'], 'it is read-only', 'Name the primary server in DATABASE_URL, no replica.'],
  [['57014'], 'a statement took longer than statement_timeout', `Look for what keeps it busy. ${NOTHING_LOST}`],
  [
    CERTIFICATE_CODES,
    'its certificate is not trusted',
    'Name the authority in DATABASE_URL: sslmode=verify-full&sslrootcert=/path/to/ca.pem.',
  ],
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
  const said = (what: string, code: string, remedy: string): StoreError =>
    new StoreError(`The database ${place} cannot be used: ${what} (${code}).`, { remedy });
  const message = error instanceof Error ? error.message : '';
  // PgBouncer has one code for this and for passing errors.
  if (message.includes('unsupported startup parameter')) {
    return said(
      'a connection pooler refuses the timeouts of contact-sync',
      reasonOf(error),
      'Set in PgBouncer: ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout.',
    );
  }
  if (isPassing(error)) {
    return new StoreError(`The database ${place} does not answer (${reasonOf(error)}).`, {
      remedy: `Start PostgreSQL, or correct DATABASE_URL. ${NOTHING_LOST}`,
    });
  }
  if (message.includes('does not support SSL')) {
    const remedy = 'Switch TLS on there, or leave sslmode out of DATABASE_URL where the network is your own.';
    return said('it does not speak TLS', 'no TLS', remedy);
  }
  const code = errorCode(error);
  if (code === null) return error;
  for (const [beginnings, what, remedy] of TROUBLES) {
    if (beginnings.some((beginning) => code.startsWith(beginning))) return said(what, code, remedy);
  }
  // The server's message may quote a row: only its code is reported.
  return new StoreError(`The database ${place} cannot be used (${code}).`, {
    remedy: 'Look into its log; restore a backup where it is damaged.',
  });
};

import { CERTIFICATE_CODES, errorCode } from './errors.ts';

/** The reason why Redis cannot be used, and the remedy. Neither contains a password. */
export type RedisTrouble = { readonly what: string; readonly remedy: string };

/** Matches an error that Redis answered: it begins with a code, and contains the cause. */
const REFUSAL = /^(?<code>[A-Z]+) /u;

/** Explains an error of a connection to Redis, or an error that Redis answered. */
export const redisTrouble = (error: unknown): RedisTrouble => {
  const message = error instanceof Error ? error.message : '';
  const refusal = REFUSAL.exec(message)?.groups?.['code'];
  if (refusal === 'NOAUTH' || refusal === 'WRONGPASS') {
    const remedy = 'Correct the password in REDIS_URL. It is ahead of the host: a colon, the password, an @.';
    return { what: `refuses the user or password in REDIS_URL (${refusal})`, remedy };
  }
  if (refusal !== undefined) {
    return { what: `answers: ${message}`, remedy: 'Correct REDIS_URL, or the configuration of Redis.' };
  }
  const known = errorCode(error);
  const code = known === null ? '' : ` (${known})`;
  if (CERTIFICATE_CODES.some((beginning) => known?.startsWith(beginning))) {
    return {
      what: `shows a certificate that is not trusted${code}`,
      remedy: 'Name the file of its authority in NODE_EXTRA_CA_CERTS, and the host of the certificate in REDIS_URL.',
    };
  }
  return { what: `does not answer${code}`, remedy: 'Start Redis, or correct REDIS_URL.' };
};

/** The events of a connection that are used here. */
type Watched = {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
};

/**
 * Listens to a connection. The result explains an error of a command by the last error of the connection, which has more
 * details, or else by the error itself.
 */
export const watchTrouble = (redis: Watched): ((thrown: unknown) => RedisTrouble) => {
  let latest: Error | null = null;
  redis.on('error', (error) => {
    latest = error;
  });
  redis.on('ready', () => {
    latest = null;
  });
  return (thrown) => redisTrouble(latest ?? thrown);
};

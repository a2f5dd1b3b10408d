import { errorCode } from './errors.ts';

/** The reason why Redis cannot be used, and the remedy. Neither contains a password. */
export type RedisTrouble = { readonly what: string; readonly remedy: string };

/** The causes by the beginning of the error of Redis (https://redis.io/docs/latest/develop/reference/protocol-spec/, errors). */
const REFUSALS: readonly (readonly [beginning: string, trouble: RedisTrouble])[] = [
  [
    'NOAUTH',
    {
      what: 'asks for a password, and REDIS_URL has none (NOAUTH)',
      remedy: 'Put it in REDIS_URL, ahead of the host: a colon, the password, an @.',
    },
  ],
  ['WRONGPASS', { what: 'refuses the user or password in REDIS_URL (WRONGPASS)', remedy: 'Correct it in REDIS_URL.' }],
  ['ERR invalid password', { what: 'refuses the password in REDIS_URL', remedy: 'Correct it in REDIS_URL.' }],
  [
    'READONLY',
    {
      what: 'is a read-only replica and refuses writes (READONLY)',
      remedy: 'Name the primary in REDIS_URL, or make this one a primary.',
    },
  ],
  [
    'OOM',
    {
      what: 'has reached its maxmemory and refuses writes (OOM)',
      remedy: 'Raise maxmemory, or remove data of other programs.',
    },
  ],
  [
    'MISCONF',
    {
      what: 'cannot save to its disk and refuses writes (MISCONF)',
      remedy: 'Free space on the disk of Redis, and check its log.',
    },
  ],
  [
    'NOREPLICAS',
    {
      what: 'has fewer replicas than min-replicas-to-write and refuses writes (NOREPLICAS)',
      remedy: 'Start the replicas of Redis.',
    },
  ],
  [
    'NOPERM',
    {
      what: 'does not let the user in REDIS_URL do what is needed (NOPERM)',
      remedy: 'Allow that user all commands, on the keys contact-sync:*.',
    },
  ],
];

/** The beginnings of Node's error codes for the certificate of a Redis that is reached over TLS (rediss://). */
const CERTIFICATE = ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_', 'CERT_', 'ERR_TLS_'];

/** Explains an error of a connection to Redis, or an error that Redis answered. */
export const redisTrouble = (error: unknown): RedisTrouble => {
  const message = error instanceof Error ? error.message : '';
  const [, refusal] = REFUSALS.find(([beginning]) => message.startsWith(beginning)) ?? [];
  if (refusal !== undefined) return refusal;
  const known = errorCode(error);
  const code = known === null ? '' : ` (${known})`;
  if (CERTIFICATE.some((beginning) => code.startsWith(` (${beginning}`))) {
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

import { createHash } from 'node:crypto';

/** The credentials of requests: a user name and a password, or a bearer token. */
export type Credentials = {
  readonly username: string | null;
  readonly password: string;
  /** Returns a new client nonce for each Digest answer (RFC 7616, 3.4). */
  readonly newCnonce: () => string;
};

type Challenge = Readonly<Record<string, string>>;

/** Returns the Digest challenges in the `WWW-Authenticate` headers of an answer (RFC 7616, 3.3). */
const digestChallenges = (headers: readonly string[]): readonly Challenge[] =>
  headers
    .flatMap((header) => header.split(/,\s*(?=[A-Za-z]+\s+[a-z]+=)/u))
    .flatMap((challenge) => {
      const [, parameters] = /^\s*Digest\s+(.*)$/isu.exec(challenge) ?? [];
      if (parameters === undefined) return [];
      const pairs = [...parameters.matchAll(/(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/gu)];
      return [
        Object.fromEntries(pairs.map(([, name = '', quoted, bare]) => [name.toLowerCase(), quoted ?? bare ?? ''])),
      ];
    });

const HASHES: Readonly<Record<string, string>> = { MD5: 'md5', 'SHA-256': 'sha256' };

const digestHeader = (
  challenge: Challenge,
  { newCnonce, username, password }: Credentials,
  method: string,
  path: string,
  count: number,
): string => {
  const { realm = '', nonce = '', opaque, algorithm = 'MD5', qop = '' } = challenge;
  const hashed = (text: string): string =>
    createHash(HASHES[algorithm.toUpperCase()] ?? 'md5')
      .update(text)
      .digest('hex');
  const user = username ?? '';
  const secret = hashed(`${user}:${realm}:${password}`);
  const target = hashed(`${method}:${path}`);
  const hasQuality = qop.split(',').some((each) => each.trim() === 'auth');
  const nc = count.toString(16).padStart(8, '0');
  const cnonce = newCnonce();
  const response = hashed(
    hasQuality ? `${secret}:${nonce}:${nc}:${cnonce}:auth:${target}` : `${secret}:${nonce}:${target}`,
  );
  return [
    `Digest username="${user.replaceAll(/["\\]/gu, String.raw`\$&`)}"`,
    `realm="${realm}"`,
    `nonce="${nonce}"`,
    `uri="${path}"`,
    `response="${response}"`,
    `algorithm=${algorithm}`,
    ...(opaque === undefined ? [] : [`opaque="${opaque}"`]),
    ...(hasQuality ? ['qop=auth', `nc=${nc}`, `cnonce="${cnonce}"`] : []),
  ].join(', ');
};

/** Uses a bearer token if there is no user name. Otherwise uses Basic, or Digest if the server requires it. */
export const createAuthorization = (credentials: Credentials) => {
  const { username, password } = credentials;
  let challenge: Challenge | null = null;
  let count = 0;
  return {
    /** Returns the `Authorization` header of a request. */
    header: (method: string, path: string): string => {
      if (username === null) return `Bearer ${password}`;
      if (challenge === null) return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
      count += 1;
      return digestHeader(challenge, credentials, method, path, count);
    },
    /** Accepts the challenge of a 401; returns whether the same request may now succeed. */
    accept: (headers: readonly string[]): boolean => {
      const usable = digestChallenges(headers).filter(
        ({ algorithm = 'MD5' }) => HASHES[algorithm.toUpperCase()] !== undefined,
      );
      const next = usable.find(({ algorithm }) => algorithm?.toUpperCase() === 'SHA-256') ?? usable[0];
      if (username === null || next === undefined) return false;
      // The first challenge, or a nonce that is no longer valid; else the password is wrong.
      const isNew =
        challenge === null || (next['stale']?.toLowerCase() === 'true' && next['nonce'] !== challenge['nonce']);
      challenge = next;
      count = 0;
      return isNew;
    },
  };
};

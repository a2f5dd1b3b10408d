import { createHash } from 'node:crypto';
import type { Clock } from '../util/clock.ts';
import { createKeyring, type KeyOptions } from './credential-entry.ts';
import { seal, unseal, type Sealed } from './credential-key.ts';
import type { AccessClaim, AccessRow, HostedRows } from './hosted.ts';

/** An access token, and how long it lasts from now on. */
type AccessToken = { readonly token: string; readonly lastsMs: number };

type AccessTokensOptions = KeyOptions & {
  readonly rows: HostedRows;
  readonly clock: Clock;
  readonly newId: () => string;
};

/** Access tokens that all hosts share. */
export type AccessTokens = {
  /**
   * The access token of that name. Where there is none that will do, one host gets it with `refresh`, and the others wait for
   * it. `refused` is one that the remote did not take. Throws what `refresh` threw.
   */
  get(name: string, refused: string | null, refresh: () => Promise<AccessToken>): Promise<AccessToken>;
};

/** Longer than the request for a token may take. */
const LEASE_MS = 40_000;
/** One that is over so soon may not last for a run. */
const LEAST_MS = 5 * 60_000;
const LOOK_AGAIN_MS = 250;

const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** The owner of a sealed access token. No link or side has such a name. */
const ownerOf = (name: string): string => `access token ${name}`;

export const createAccessTokens = (options: AccessTokensOptions): AccessTokens => {
  const { clock, newId } = options;
  const keysFor = createKeyring(options);
  const open = async (name: string, sealed: Sealed, salt: string): Promise<string | null> => {
    const key = (await keysFor(salt)).known.find(({ id }) => id === sealed.keyId);
    try {
      return key === undefined ? null : unseal(sealed, ownerOf(name), key);
    } catch {
      return null;
    }
  };
  const close = async (name: string, { token, lastsMs }: AccessToken, salt: string): Promise<AccessRow | null> => {
    const { current } = await keysFor(salt);
    if (current === null) return null;
    return { sealed: seal(token, ownerOf(name), current), digest: digestOf(token), lastsMs };
  };
  const renew = async (rows: HostedRows, claim: AccessClaim, refresh: () => Promise<AccessToken>) => {
    try {
      const issued = await refresh();
      const row = await close(claim.name, issued, await rows.salt());
      if (row !== null) await rows.putAccess(claim, row);
      return issued;
    } catch (error) {
      await rows.dropClaim(claim);
      throw error;
    }
  };
  return {
    get: async (name, refused, refresh) => {
      const { rows } = options;
      const asked = { name, owner: newId(), leaseMs: LEASE_MS, leastMs: LEAST_MS };
      let claim: AccessClaim = { ...asked, refused: refused === null ? null : digestOf(refused) };
      for (;;) {
        const found = await rows.claimAccess(claim);
        if (found === 'mine') return renew(rows, claim, refresh);
        if (found === null) {
          await clock.sleep(LOOK_AGAIN_MS);
          continue;
        }
        const token = await open(name, found.sealed, await rows.salt());
        if (token !== null) return { token, lastsMs: found.lastsMs };
        // It was sealed with a key that this host does not have: it lasts an hour, and a new one does no harm.
        claim = { ...asked, refused: found.digest };
      }
    },
  };
};

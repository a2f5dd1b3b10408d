import { createHash, randomBytes } from 'node:crypto';

const accessTokenLifeMs = 3_600_000;
const codeLifeMs = 600_000;

export const contactsScope = 'https://www.googleapis.com/auth/contacts';

export const contactsReadOnlyScope = 'https://www.googleapis.com/auth/contacts.readonly';

interface AccessGrant {
  readonly scope: string;
  readonly expiresAtMs: number;
  readonly refreshToken: string | undefined;
}

/** The user's consent for a code. */
interface CodeGrant {
  readonly scope: string;
  readonly redirectUri: string;
  readonly codeChallenge: string | undefined;
  readonly offline: boolean;
}

interface TokenAnswer {
  readonly access_token: string;
  readonly expires_in: number;
  readonly refresh_token?: string;
  readonly scope: string;
  readonly token_type: 'Bearer';
}

/** Codes, access tokens and refresh tokens of one client and one account. */
export class TokenStore {
  readonly #clock: { now(): number };
  readonly #codes = new Map<string, CodeGrant & { readonly expiresAtMs: number }>();
  readonly #accessTokens = new Map<string, AccessGrant>();
  readonly #refreshTokens = new Map<string, string>();
  #consented = false;

  constructor(clock: { now(): number }) {
    this.#clock = clock;
  }

  /**
   * Issues a code for a consent. After the first consent, a code gives a refresh token only if the consent page was forced.
   * @param forced `prompt=consent`
   */
  issueCode(grant: CodeGrant, forced: boolean): string {
    const offline = grant.offline && (forced || !this.#consented);
    this.#consented = true;
    const code = `4/${secret()}`;
    this.#codes.set(code, { ...grant, offline, expiresAtMs: this.#clock.now() + codeLifeMs });
    return code;
  }

  /** Exchanges a code for tokens, once. Returns undefined if the code, the redirect URI or the PKCE verifier is wrong. */
  redeemCode(code: string, redirectUri: string, verifier: string): TokenAnswer | undefined {
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    if (!grant || grant.expiresAtMs <= this.#clock.now() || grant.redirectUri !== redirectUri) return undefined;
    if (grant.codeChallenge !== undefined && grant.codeChallenge !== challengeOf(verifier)) return undefined;
    const refreshToken = grant.offline ? this.issueRefreshToken(grant.scope) : undefined;
    const answer = this.#accessAnswer(grant.scope, refreshToken);
    return { ...answer, ...(refreshToken !== undefined && { refresh_token: refreshToken }) };
  }

  issueRefreshToken(scope: string): string {
    const token = `1//${secret()}`;
    this.#refreshTokens.set(token, scope);
    return token;
  }

  /** Returns a new access token; undefined if the refresh token is not valid. */
  refresh(refreshToken: string): TokenAnswer | undefined {
    const scope = this.#refreshTokens.get(refreshToken);
    return scope === undefined ? undefined : this.#accessAnswer(scope, refreshToken);
  }

  scopeOf(accessToken: string): string | undefined {
    const grant = this.#accessTokens.get(accessToken);
    return grant && grant.expiresAtMs > this.#clock.now() ? grant.scope : undefined;
  }

  /** Revokes a refresh token with its access tokens, or an access token with its refresh token. */
  revoke(token: string): void {
    const refreshToken = this.#accessTokens.get(token)?.refreshToken ?? token;
    this.#accessTokens.delete(token);
    this.#refreshTokens.delete(refreshToken);
    for (const [access, grant] of this.#accessTokens) {
      if (grant.refreshToken === refreshToken) this.#accessTokens.delete(access);
    }
  }

  revokeAll(): void {
    this.#refreshTokens.clear();
    this.#accessTokens.clear();
    this.#consented = false;
  }

  #accessAnswer(scope: string, refreshToken: string | undefined): TokenAnswer {
    const token = `ya29.${secret()}`;
    const expiresAtMs = this.#clock.now() + accessTokenLifeMs;
    this.#accessTokens.set(token, { scope, expiresAtMs, refreshToken });
    return { access_token: token, expires_in: accessTokenLifeMs / 1000 - 1, scope, token_type: 'Bearer' };
  }
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

function secret(): string {
  return randomBytes(24).toString('base64url');
}

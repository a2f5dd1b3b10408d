import { randomBytes } from 'node:crypto';
import { ServiceError } from './errors.ts';
import type { ServiceVariants } from './variants.ts';

/** Every scope that an application may request (providers/service/API.md, Authentication). */
export const SCOPES: ReadonlySet<string> = new Set([
  'all:view',
  'all:manage',
  'user:login',
  'user:basic',
  'user:manage',
  ...['buckets', 'contacts', 'interactions', 'message-templates', 'notes', 'tasks', 'connected-accounts'].flatMap(
    (resource) => [`${resource}:view`, `${resource}:manage`],
  ),
]);

/** Returns the scopes in a text in which they are joined by `+` (a space after decoding). */
export const parseScopes = (text: string): readonly string[] => text.split(/[+\s]+/).filter(Boolean);

/** Returns whether one of the alternatives is granted. Scopes joined by `+` are required together. */
export const isPermitted = (alternatives: readonly string[], granted: ReadonlySet<string>): boolean =>
  alternatives.some((alternative) => alternative.split('+').every((scope) => granted.has(scope)));

const CODE_LIFE_MS = 10 * 60 * 1000;
const TOKEN_LIFE_MS = 60 * 60 * 1000;

/** The only registered application. */
export const APPLICATION = {
  clientId: 'sandbox-client',
  clientSecret: 'sandbox-secret',
} as const;

type Token = { readonly scopes: ReadonlySet<string>; readonly issuedAtMs: number; isRevoked: boolean };
type Code = { readonly scopes: readonly string[]; readonly redirectUri: string; readonly issuedAtMs: number };

/** The authorization codes and access tokens of the account. */
export class Grants {
  readonly #tokens = new Map<string, Token>();
  readonly #codes = new Map<string, Code>();
  readonly #now: () => number;
  readonly #variants: () => ServiceVariants;

  constructor(now: () => number, variants: () => ServiceVariants) {
    this.#now = now;
    this.#variants = variants;
  }

  /** Issues a token with these scopes and user:login, which every grant includes. */
  issueToken(scopes: readonly string[]): string {
    const token = `token_${randomBytes(16).toString('hex')}`;
    this.#tokens.set(token, { scopes: new Set([...scopes, 'user:login']), issuedAtMs: this.#now(), isRevoked: false });
    return token;
  }

  /** Issues a token for a user's grant. Variants may restrict it and revoke earlier ones. */
  grantToken(scopes: readonly string[]): string {
    const variants = this.#variants();
    if (variants.newGrant === 'revoked') for (const token of this.#tokens.values()) token.isRevoked = true;
    if (variants.grantedScopes === 'as-asked') return this.issueToken(scopes);
    return this.issueToken(scopes.map((scope) => scope.replace(/:manage$/, ':view')));
  }

  revokeToken(token: string): void {
    const found = this.#tokens.get(token);
    if (found !== undefined) found.isRevoked = true;
  }

  /** Returns the scopes of a valid token. Throws the ServiceError for one that is missing, unknown, expired or revoked. */
  scopesOf(token: string | null): ReadonlySet<string> {
    const found = token === null ? undefined : this.#tokens.get(token);
    const variants = this.#variants();
    const isExpired = variants.tokenLife === 'one-hour' && this.#now() - (found?.issuedAtMs ?? 0) >= TOKEN_LIFE_MS;
    if (found === undefined || isExpired) throw new ServiceError(401, 'Must supply a valid Bearer token.');
    if (found.isRevoked) {
      throw new ServiceError(Number(variants.revokedStatus), 'User not allowed to perform this action.');
    }
    return found.scopes;
  }

  issueCode(scopes: readonly string[], redirectUri: string): string {
    const code = `code_${randomBytes(16).toString('hex')}`;
    this.#codes.set(code, { scopes, redirectUri, issuedAtMs: this.#now() });
    return code;
  }

  /** Returns the scopes of a code, which is valid once; null if it is not valid. */
  redeemCode(code: string, redirectUri: string): readonly string[] | null {
    const found = this.#codes.get(code);
    this.#codes.delete(code);
    if (found === undefined || found.redirectUri !== redirectUri) return null;
    return this.#now() - found.issuedAtMs > CODE_LIFE_MS ? null : found.scopes;
  }
}

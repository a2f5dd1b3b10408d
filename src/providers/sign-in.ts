import type { Clock } from '../util/clock.ts';

/** The result of a sign-in. */
export type Grant = {
  /** The token that opens the remote of the side. */
  readonly token: string;
  /** The granted scopes; null if the remote does not report them. */
  readonly scopes: readonly string[] | null;
};

/** A failed sign-in. The message contains the cause and the remedy. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
  /** The cause: a different account, or another one. */
  readonly fault: 'account' | 'other';

  constructor(message: string, fault: SignInError['fault'] = 'other', options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** The dependencies of a provider's sign-in operations. */
export type SignInContext = { readonly clock: Clock; readonly signal: AbortSignal };

/** Returns the code in the answer of a consent page, whose state was compared before. Throws {@link SignInError} if it has none. */
export const codeIn = (answer: URLSearchParams): string => {
  const error = answer.get('error');
  const code = answer.get('code') ?? '';
  if (error === null && code !== '') return code;
  const word = (error ?? 'no code').replaceAll(/[^\w. -]/gu, '').slice(0, 40);
  throw new SignInError(`The sign-in was refused (${word}). Nothing was stored.`);
};

export type Consent = { readonly code: string; readonly redirectUri: string };

/**
 * Sends the user to a consent page, whose address `addressFor` returns, and waits for the code.
 *
 * @throws {SignInError} if there was no consent in time, or the consent was refused.
 */
export type AskForConsent = (
  addressFor: (request: { readonly redirectUri: string; readonly state: string }) => string,
) => Promise<Consent>;

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
  /** The cause: insufficient rights, a different account, or another one. */
  readonly fault: 'rights' | 'account' | 'other';

  constructor(message: string, fault: SignInError['fault'] = 'other', options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** The dependencies of a provider's sign-in operations. */
export type SignInContext = { readonly clock: Clock; readonly signal: AbortSignal };

export type Consent = { readonly code: string; readonly redirectUri: string };

/**
 * Sends the user to a consent page, whose address `addressFor` returns, and waits for the code.
 *
 * @throws {SignInError} if there was no consent in time, the state differs, or the consent was refused.
 */
export type AskForConsent = (
  addressFor: (request: { readonly redirectUri: string; readonly state: string }) => string,
) => Promise<Consent>;

import type { Clock } from '../util/clock.ts';
import { ClientRefusedError, NotFoundError, UnavailableError, UnreadableError, RemoteError } from './errors.ts';

/** What came of a sign-in. */
export type Grant = {
  /** What the side's remote is opened with from now on. */
  readonly token: string;
  /** What was granted; null where the remote does not say. */
  readonly scopes: readonly string[] | null;
  /** What was asked for, beside the right to sign in. */
  readonly asked: readonly string[];
};

/** Why a sign-in came to nothing: the rights are not enough, the account is another one, or anything else. */
export type SignInFault = 'rights' | 'account' | 'other';

/** A sign-in came to nothing; the message says why and what to do. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
  readonly fault: SignInFault;

  constructor(message: string, fault: SignInFault = 'other', options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** What a provider's part of a sign-in works with. */
export type SignInContext = { readonly clock: Clock; readonly signal: AbortSignal };

export type Consent = { readonly code: string; readonly redirectUri: string };

/**
 * Sends a person to a consent page, whose address `addressFor` makes, and waits for the code that comes back.
 *
 * @throws {SignInError} where there was no consent in time, the state differs, or the consent was refused.
 */
export type AskForConsent = (
  addressFor: (request: { readonly redirectUri: string; readonly state: string }) => string,
) => Promise<Consent>;

/** How long a token endpoint may take to answer. */
export const SIGN_IN_TIMEOUT_MS = 30_000;

const CLIENT_FAULTS = [ClientRefusedError, NotFoundError, UnavailableError, UnreadableError];

/** Whether an error means that an address or the client is wrong. */
const isClientFault = (error: unknown): error is RemoteError => CLIENT_FAULTS.some((kind) => error instanceof kind);

/** The message of a failed request if the address or the client is at fault; null for another error of the remote. Throws any other error. */
export const clientFaultIn = (error: unknown): string | null => {
  if (isClientFault(error)) return `${error.message}.`;
  if (error instanceof RemoteError) return null;
  throw error;
};

/** How a person signs in at a provider, and what can be said of the token that this gives. */
export type SignIn<Settings> = {
  /**
   * Checks the addresses and the client without a browser. Returns what is wrong and what to do; null if no fault was found.
   */
  checkClient(settings: Settings, context: SignInContext): Promise<string | null>;
  /** Asks for consent and exchanges the code. Throws a SignInError, RemoteError or ConfigError. */
  withConsent(settings: Settings, ask: AskForConsent, context: SignInContext): Promise<Grant>;
  /** Exchanges the key of an older kind of application; null where there is none. Throws as `withConsent` does. */
  readonly withKey: ((settings: Settings, key: string, context: SignInContext) => Promise<Grant>) | null;
  /**
   * Takes back what was granted: no token of it works afterwards. Null where the remote offers no way. Throws a
   * RemoteError.
   */
  readonly revoke: ((settings: Settings, token: string, context: SignInContext) => Promise<void>) | null;
  /** Where a person takes it back by hand. */
  readonly revokedAt: string;
  /** Which rights the token surely lacks, as a sentence with its remedy; null where none is known to be missing. */
  missingRights(settings: Settings, token: string, context: SignInContext): Promise<string | null>;
};

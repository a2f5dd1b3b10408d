import type { Clock } from '../util/clock.ts';
import { ClientRefusedError, NotFoundError, UnavailableError, UnreadableError, RemoteError } from './errors.ts';

/** The result of a sign-in. */
export type Grant = {
  /** The token with which the side's remote is opened. */
  readonly token: string;
  /** The granted scopes; null if the remote does not report them. */
  readonly scopes: readonly string[] | null;
  /** The requested scopes, apart from the right to sign in. */
  readonly asked: readonly string[];
};

/** The cause of a failed sign-in: insufficient rights, a different account, or another cause. */
export type SignInFault = 'rights' | 'account' | 'other';

/** A failed sign-in. The message contains the cause and the remedy. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
  readonly fault: SignInFault;

  constructor(message: string, fault: SignInFault = 'other', options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** The dependencies of a provider's part of a sign-in. */
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

/** Whether the error means a wrong address or client. */
const isClientFault = (error: unknown): error is RemoteError => CLIENT_FAULTS.some((kind) => error instanceof kind);

/**
 * The message of a failed request if the address or the client is at fault; null for another error of the remote. Throws any
 * other error.
 */
export const clientFaultIn = (error: unknown): string | null => {
  if (isClientFault(error)) return `${error.message}.`;
  if (error instanceof RemoteError) return null;
  throw error;
};

/** The sign-in operations of a provider. */
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
   * Revokes the grant: none of its tokens works afterwards. Null if the remote has no such operation. Throws a
   * RemoteError.
   */
  readonly revoke: ((settings: Settings, token: string, context: SignInContext) => Promise<void>) | null;
  /** The page or menu where a person revokes the grant. */
  readonly revokedAt: string;
  /** Returns the rights that the token lacks, as a sentence with the remedy; null if none is known to be missing. */
  missingRights(settings: Settings, token: string, context: SignInContext): Promise<string | null>;
};

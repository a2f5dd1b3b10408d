import type { z } from 'zod';
import type { Clock } from '../util/clock.ts';
import type { ChosenFields } from '../core/contact/chosen.ts';
import type { ContactField } from '../core/contact/contact.ts';
import type { ExtraField } from '../core/contact/fields.ts';
import type { SideWords } from '../core/contact/side.ts';
import type { Gate } from '../net/gate.ts';
import type { RetryPolicy } from '../net/retry.ts';
import type { RateLimit } from '../util/values.ts';
import type { Transport, TransportRequest } from '../net/transport.ts';
import type { Account } from './account.ts';
import type { ListingLimits } from './listing.ts';
import type { Remote } from './remote.ts';
import type { AskForConsent, Grant, SignInContext } from './sign-in.ts';

/** A transport, with a count of the requests that it sent. */
export type CountedTransport = { readonly transport: Transport; readonly requestCount: () => number };

export type OnRetry = NonNullable<RetryPolicy['onRetry']>;

/** The network access of a remote; `maxElapsedMs` is for one request with its retries. */
export type RemoteOptions = RetryPolicy & {
  /** Sends every request, including token requests. It counts requests and keeps the rate limits (src/net/transport.ts). */
  readonly transport: Transport;
  readonly requestCount: () => number;
  /** {@link Remote.timeToSendMs}. */
  readonly timeToSendMs: (requests: number) => number;
  /** The fields that the link syncs; {@link USUAL_FIELDS} by default. */
  readonly fields?: ChosenFields;
  /** The limits of a listing of contacts; {@link LISTING_LIMITS} by default. */
  readonly listingLimits?: ListingLimits;
};

/** The network access of a provider for one side of a link, with its rate limits. */
export type Network = {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Called before each wait for a retry, with the error and the wait. */
  readonly onRetry: OnRetry;
  /** Opens the gate with that name. Links with the same credential share it; the limit is that of the latest call. */
  openGate(name: string, limit: RateLimit): Promise<Gate>;
  /** Stays open until the program ends. */
  openTransport(options: {
    readonly timeoutMs: number;
    /** The gates that a request must pass, in an order that is the same for all requests. */
    readonly gatesFor: (request: TransportRequest) => readonly Gate[];
  }): Promise<CountedTransport>;
};

/** The maximum time of one request of a run with its retries. With the remotes' timeouts a command fails within 90 s. */
export const RETRY_BUDGET_MS = 25_000;

/** A fact about an account, which may limit what a sync can do. */
type AccountCheck = {
  /** A short name, such as `rights`. */
  readonly name: string;
  readonly detail: string;
  /** The remedy; null for a fact that limits nothing. */
  readonly remedy: string | null;
};

/** The result of inspecting the account behind a token. */
export type Inspection = {
  readonly account: Account;
  readonly checks?: readonly AccountCheck[];
};

/** Requests consent and exchanges the code. Throws a SignInError, RemoteError or ConfigError. */
type SignIn<Settings> = (settings: Settings, ask: AskForConsent, context: SignInContext) => Promise<Grant>;

/** Opens the account behind the token, for a link that syncs these fields. Sends nothing. */
export type OpenRemote<Settings> = (
  settings: Settings,
  token: string,
  network: Network,
  fields: ChosenFields,
) => Promise<Remote>;

/** Reads the account behind a token with one request and no retries. Throws a RemoteError. */
export type Inspect<Settings> = (
  settings: Settings,
  token: string,
  network: Network,
  signal: AbortSignal,
) => Promise<Inspection>;

/** The definition of a provider; `Settings` is the output type of its schema. */
type Definition<Schema extends z.ZodObject, Settings> = SideWords & {
  /** A text about the provider for the reference of the configuration (Markdown). */
  readonly about?: string;
  /** The settings of one side, without the token; each is a text (or a list of texts) in the configuration. */
  readonly schema: Schema;
  /** The prefixes of the marks that its records may have (`ContactRecord.marks`): `starred`, `tag:`. */
  readonly marks: readonly string[];
  /** Settings that must not appear in messages and may be in separate files, including the token. */
  readonly secretKeys: readonly string[];
  /** Settings that belong to one account, so that several sides cannot share them, including the token. */
  readonly accountKeys: readonly string[];
  /** The setting with the token. */
  readonly tokenKey: string;
  /** The settings with the remote's address. Messages about an unreachable remote name them. */
  readonly addressKeys: readonly string[];
  /** Fields that this program never writes to the remote; they are synced from it only. */
  readonly readOnlyFields: readonly ContactField[];
  /** True if its change feed reports deleted contacts (`RemoteCapabilities.namesDeletions`). */
  readonly namesDeletions: boolean;
  /** The computed values of its contacts that a side of another provider can display. */
  readonly extras: readonly ExtraField[];
  readonly openRemote: OpenRemote<Settings>;
  readonly inspect: Inspect<Settings>;
  /** Hints on how to get the values that `init` asks for, as sentences. */
  readonly setUpHint?: string;
  /** Null if the token is a password, which may contain spaces. */
  readonly signIn: SignIn<Settings> | null;
};

/** Settings as parsed by a provider's schema; only that provider reads them. */
export type OpaqueSettings = Readonly<Record<string, unknown>>;

/** A kind of remote: its configuration, sign-in, client and limits. */
export type Provider = Definition<z.ZodObject, OpaqueSettings>;

/** Returns the provider with opaque settings, which callers pass back to it unchanged. */
export const defineProvider = <Schema extends z.ZodObject>(
  definition: Definition<Schema, z.output<Schema>>,
): Provider =>
  // The only place without a settings type: a side's settings always come from the schema of its provider.
  definition as unknown as Provider;

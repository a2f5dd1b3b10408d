import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import type { Clock } from '../util/clock.ts';
import type { ChosenFields } from '../core/contact/chosen.ts';
import type { ContactField } from '../core/contact/contact.ts';
import type { Extra } from '../core/contact/fields.ts';
import type { SideWords } from '../core/contact/side.ts';
import type { Gate } from '../net/gate.ts';
import type { Budget } from '../net/governor.ts';
import type { AnswerHeaders, RateHeaders } from '../net/rate-headers.ts';
import type { RateLimit } from '../util/values.ts';
import type { TransportRequest } from '../net/transport.ts';
import type { Account } from './account.ts';
import type { Remote } from './remote.ts';
import type { SignIn } from './sign-in.ts';

/** An HTTP dispatcher, with a count of the requests that it sent. */
export type Outlet = { readonly dispatcher: Dispatcher; readonly requestCount: () => number };

export type OnRetry = (error: unknown, waitMs: number) => void;

/** An access token and its remaining lifetime. */
export type AccessToken = { readonly token: string; readonly lastsMs: number };

/**
 * Answers an access token that other processes with the same credential may have got; where there is none, gets one with
 * `refresh`, and throws what that threw. `refused` is one that the remote did not take: it counts as none.
 */
export type ShareAccessToken = (refused: string | null, refresh: () => Promise<AccessToken>) => Promise<AccessToken>;

/** The network access of a provider for one side of a link, with its rate limits. */
export type Network = {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Called before each wait for a retry, with the error and the wait. */
  readonly onRetry: OnRetry;
  /** The gate of that name, which every link with the same credential shares; the limit is that of the latest call. */
  openGate(name: string, limit: RateLimit): Promise<Gate>;
  /** Shares the access tokens of the credential that goes by that name, which tells nothing of it. */
  shareAccessToken(name: string): ShareAccessToken;
  /** Stays open until the program ends. */
  openOutlet(options: {
    readonly timeoutMs: number;
    /** The gates that a request must pass, in an order that is the same for all requests. */
    readonly gatesFor: (request: TransportRequest) => readonly Gate[];
    readonly onAnswer?: (headers: AnswerHeaders) => void;
  }): Promise<Outlet>;
};

/** The retry time of one request of a run. With the remotes' timeouts a command fails within 90 s. */
export const RETRY_BUDGET_MS = 25_000;

/** A fact about an account that limits what a sync can do, or not. */
export type AccountCheck = {
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
  /** The remote's own time when it answered, epoch milliseconds. */
  readonly serverTimeMs: number | null;
  readonly rate: RateHeaders;
};

/** The one limit that every request to a remote counts against, if the remote reports the rest of it. */
type Meter<Settings> = {
  /** The setting that holds the limit. */
  readonly key: string;
  limit(settings: Settings): RateLimit;
  /** The free budget now, as the last process stored it. */
  budget(settings: Settings, token: string, network: Network): Promise<Budget>;
};

/** A well-known server that `init` offers. */
export type Preset = {
  readonly title: string;
  /** The setting that it gives. */
  readonly key: string;
  /** An address; a relative one is a path at the server whose address is asked for. */
  readonly value: string;
  /** Hints that are shown before the questions, as sentences. */
  readonly hint: string;
};

/** The part of an account that a side syncs, such as one of several address books. */
type Collection<Settings> = {
  /** The setting that names it. */
  readonly key: string;
  /** Within a sentence: `address book`. */
  readonly word: string;
  /** Lists those of the account behind a token. Throws a RemoteError. */
  list(
    settings: Settings,
    token: string,
    network: Network,
    signal: AbortSignal,
  ): Promise<readonly { readonly value: string; readonly name: string }[]>;
};

/** The definition of a provider; `Settings` is the output type of its schema. */
type Definition<Schema extends z.ZodObject, Settings> = SideWords & {
  /** The settings of one side, without the token; each is a text (or a list of texts) in the configuration. */
  readonly schema: Schema;
  /** The marks that its records may have (`ContactRecord.marks`), by how their patterns begin: `starred`, `tag:`. */
  readonly marks: readonly string[];
  /** Settings that no message may repeat, and that may stand in a file of their own. The token is one of them. */
  readonly secretKeys: readonly string[];
  /** Settings that belong to one account, so that several sides cannot share them. The token is one of them. */
  readonly accountKeys: readonly string[];
  /** The setting that holds the token. */
  readonly tokenKey: string;
  /** Whether the token is a password, which may contain spaces. */
  readonly hasPassword?: boolean;
  /** The settings that hold the remote's address; messages about an unreachable remote name them. */
  readonly addressKeys: readonly string[];
  /** All settings that are addresses, and the one that receives the secret of the client. */
  readonly addresses: { readonly all: readonly string[]; readonly receivingSecret: string };
  /** The settings of the client that is registered at the remote. */
  readonly clientKeys: readonly string[];
  /** Fields that this program never writes to the remote; they are synced from it only. */
  readonly readOnlyFields: readonly ContactField[];
  /** Whether its change feed names deleted contacts (`RemoteCapabilities.namesDeletions`). */
  readonly namesDeletions: boolean;
  /** The computed values of its contacts that a side of another provider can show. */
  readonly extras: readonly Extra[];
  /** Opens the account behind the token, for a link that syncs these fields; sends nothing yet. */
  openRemote(settings: Settings, token: string, network: Network, fields: ChosenFields): Promise<Remote>;
  /** Reads the account behind a token with one request and no retries. Throws a RemoteError. */
  inspect(settings: Settings, token: string, network: Network, signal: AbortSignal): Promise<Inspection>;
  /** Null if the remote does not report the rest of its limit. */
  readonly meter: Meter<Settings> | null;
  readonly presets?: readonly Preset[];
  readonly collection?: Collection<Settings>;
  readonly signIn: SignIn<Settings>;
};

/** Settings as parsed by a provider's schema; only that provider reads them. */
export type OpaqueSettings = Readonly<Record<string, unknown>>;

/** A kind of remote: its configuration, sign-in, client and limits. */
export type Provider = Definition<z.ZodObject, OpaqueSettings>;

/** Returns the provider with opaque settings, which callers pass back to it unchanged. */
export const defineProvider = <Schema extends z.ZodObject>(
  definition: Definition<Schema, z.output<Schema>>,
): Provider =>
  // The one place where the settings lose their type: a side's settings always come from the schema of its provider.
  definition as unknown as Provider;

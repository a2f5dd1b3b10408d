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

/** A way out to the network, with a count of the requests that went through it. */
export type Outlet = { readonly dispatcher: Dispatcher; readonly requestCount: () => number };

export type OnRetry = (error: unknown, waitMs: number) => void;

/** An access token, and how long it lasts from now on. */
export type AccessToken = { readonly token: string; readonly lastsMs: number };

/**
 * Answers an access token that other processes with the same credential may have got; where there is none, gets one with
 * `refresh`, and throws what that threw. `refused` is one that the remote did not take: it counts as none.
 */
export type ShareAccessToken = (refused: string | null, refresh: () => Promise<AccessToken>) => Promise<AccessToken>;

/** What a provider reaches its remote through: the way out to the network, with its limits, for one side of a link. */
export type Network = {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Called before each wait for another attempt at a request, with why and how long. */
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

/** How long one request of a run may be tried again; with the remotes' timeouts a command gives up within 90 s. */
export const RETRY_BUDGET_MS = 25_000;

/** A fact about an account that limits what a sync can do, or not. */
export type AccountCheck = {
  /** A short name, such as `rights`. */
  readonly name: string;
  readonly detail: string;
  /** The remedy; null for a fact that limits nothing. */
  readonly remedy: string | null;
};

/** What a remote answered when it was asked who is behind a token. */
export type Inspection = {
  readonly account: Account;
  readonly checks?: readonly AccountCheck[];
  /** The remote's own time when it answered, epoch milliseconds. */
  readonly serverTimeMs: number | null;
  readonly rate: RateHeaders;
};

/** The one limit that every request to a remote counts against, where the remote tells how much of it is left. */
type Meter<Settings> = {
  /** The setting that holds the limit. */
  readonly key: string;
  limit(settings: Settings): RateLimit;
  /** What is free now, as the last process left it. */
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

/** The part of an account that a side syncs, where an account may have several, such as an address book. */
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

/** What a provider knows and does; `Settings` are what its schema makes of one side's configuration. */
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
  /** The settings that say where the remote is, for whoever cannot reach it. */
  readonly addressKeys: readonly string[];
  /** All settings that are addresses, and the one that receives the secret of the client. */
  readonly addresses: { readonly all: readonly string[]; readonly receivingSecret: string };
  /** The settings of the client that is registered at the remote. */
  readonly clientKeys: readonly string[];
  /** Fields that this program never writes there: they go from there to the other side only. */
  readonly readOnlyFields: readonly ContactField[];
  /** Whether its change feed names deleted contacts (`RemoteCapabilities.namesDeletions`). */
  readonly namesDeletions: boolean;
  /** What it computes of its contacts, for a side of another provider to show. */
  readonly extras: readonly Extra[];
  /** Opens the account behind the token, for a link that syncs these fields; sends nothing yet. */
  openRemote(settings: Settings, token: string, network: Network, fields: ChosenFields): Promise<Remote>;
  /** Asks, with one request of the remote's API and no retries, who is behind a token. Throws a RemoteError. */
  inspect(settings: Settings, token: string, network: Network, signal: AbortSignal): Promise<Inspection>;
  /** Null where the remote does not tell how much of its limits is left. */
  readonly meter: Meter<Settings> | null;
  readonly presets?: readonly Preset[];
  readonly collection?: Collection<Settings>;
  readonly signIn: SignIn<Settings>;
};

/** Settings as a provider's schema gave them; only that provider looks into them. */
export type OpaqueSettings = Readonly<Record<string, unknown>>;

/** A kind of remote: how it is configured, signed in to, opened and limited. */
export type Provider = Definition<z.ZodObject, OpaqueSettings>;

/** A provider as everybody else sees it: its settings are opaque, and come back to it as its schema gave them. */
export const defineProvider = <Schema extends z.ZodObject>(
  definition: Definition<Schema, z.output<Schema>>,
): Provider =>
  // The one place where the settings lose their type: a side's settings always come from the schema of its provider.
  definition as unknown as Provider;

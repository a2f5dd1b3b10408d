import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { type Fault, Faults, type LoggedRequest, loggingAndFaults } from '../faults.ts';
import { openPort } from '../http-server.ts';
import { createRateWindow, type RateWindow } from '../rate-window.ts';
import { GoogleAccount } from './account.ts';
import { answerOfStatus } from './api-error.ts';
import { answerApi } from './api-routes.ts';
import { oauthRoutes } from './oauth-routes.ts';
import { contactsScope, TokenStore } from './oauth-tokens.ts';
import type { GoogleQuotas } from './quotas.ts';
import { type GoogleVariants, withGoogleVariants } from './variants.ts';
import type { World } from './world.ts';

export interface GoogleEmulatorOptions {
  /** The system clock by default. */
  readonly clock?: { now(): number } | undefined;
  /** 90 reads and 90 writes a minute by default. */
  readonly quotas?: GoogleQuotas | undefined;
  readonly variants?: Partial<GoogleVariants> | undefined;
  readonly accountEmail?: string | undefined;
  /** The time in which a write is invisible to requests with a sync token; 0 by default. */
  readonly propagationDelayMs?: number | undefined;
}

/** A running emulator of the People API and of Google's OAuth endpoints, with one account and one OAuth client. */
export interface GoogleEmulator extends AsyncDisposable {
  /** Root of the API, with a trailing slash. */
  readonly url: string;
  readonly authUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly account: GoogleAccount;
  /** Every request, including OAuth ones, oldest first. */
  readonly requests: readonly LoggedRequest[];
  /** The number of account changes that began while another one was in progress, which is not allowed. */
  readonly overlappingMutations: number;
  /** Issues a refresh token as after consent to these scopes; by default, for all contacts. */
  issueRefreshToken(scopes?: readonly string[]): string;
  /** Revokes a refresh token and its access tokens. */
  revokeRefreshToken(token: string): void;
  /** Revokes every token, and deletes the record of the user's consent. */
  revokeAllTokens(): void;
  /** Changes some variants. The others stay. */
  setVariants(variants: Partial<GoogleVariants>): void;
  /** Sets the quotas and resets their use. */
  setQuotas(quotas: GoogleQuotas): void;
  addFault(fault: Fault): void;
  clearFaults(): void;
  /** Closes all connections and frees the port. */
  close(): Promise<void>;
}

const oauthClient = { clientId: 'sandbox.apps.googleusercontent.com', clientSecret: 'sandbox-client-secret' };
const defaultQuotas = { readsPerMinute: 90, writesPerMinute: 90 };

const minuteQuotas = ({ readsPerMinute, writesPerMinute }: GoogleQuotas): Pick<World, 'reads' | 'writes'> => {
  const lastMinute = (requests: number): RateWindow => createRateWindow('sliding-log', { requests, windowMs: 60_000 });
  return { reads: lastMinute(readsPerMinute), writes: lastMinute(writesPerMinute) };
};

/** Starts an emulator on 127.0.0.1. */
export async function startGoogleEmulator(options: GoogleEmulatorOptions = {}): Promise<GoogleEmulator> {
  const { clock = { now: () => Date.now() }, accountEmail: email = 'owner@example.com' } = options;
  const { origin, serve, close } = await openPort();
  const world: World = {
    account: new GoogleAccount({ email, origin, clock, variants: () => world.variants }),
    tokens: new TokenStore(clock),
    variants: withGoogleVariants({}, options.variants ?? {}),
    propagationDelayMs: options.propagationDelayMs ?? 0,
    ...minuteQuotas(options.quotas ?? defaultQuotas),
    staleReads: new Map(),
    answered: 0,
    mutationsInProgress: 0,
    overlappingMutations: 0,
  };
  const { account, tokens } = world;
  const faults = new Faults();
  const requests: LoggedRequest[] = [];
  const now = (): number => clock.now();

  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(loggingAndFaults({ faults, requests, now, serverTime: now, errorOf: answerOfStatus }));
  app.route('/', oauthRoutes(tokens, oauthClient, email));
  app.all('/v1/*', (context) => answerApi(context, world));
  serve(app.fetch);

  return {
    url: `${origin}/`,
    authUrl: `${origin}/o/oauth2/v2/auth`,
    tokenUrl: `${origin}/token`,
    ...oauthClient,
    account,
    requests,
    get overlappingMutations() {
      return world.overlappingMutations;
    },
    issueRefreshToken: (scopes = [contactsScope]) => tokens.issueRefreshToken(scopes.join(' ')),
    revokeRefreshToken: (token) => tokens.revoke(token),
    revokeAllTokens: () => tokens.revokeAll(),
    setVariants: (variants) => {
      world.variants = withGoogleVariants(world.variants, variants);
    },
    setQuotas: (quotas) => void Object.assign(world, minuteQuotas(quotas)),
    addFault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

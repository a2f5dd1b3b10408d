import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { CountryCode } from 'libphonenumber-js';
import { openPort } from '../http-server.ts';
import { GoogleAccount } from './account.ts';
import { answerApi, type ApiGate } from './api-routes.ts';
import { controlRoutes } from './control-routes.ts';
import { type Fault, FaultPlan, loggingAndFaults } from './faults.ts';
import { oauthRoutes } from './oauth-routes.ts';
import { contactsScope, TokenStore } from './oauth-tokens.ts';
import { type GoogleQuotas, MinuteQuota } from './quotas.ts';
import { type LoggedRequest, RequestLog } from './request-log.ts';
import { type GoogleVariants, googleVariantsSchema } from './variants.ts';
import type { World } from './world.ts';

/** The start options of an emulator. */
interface GoogleEmulatorOptions {
  /** A free port by default. */
  readonly port?: number;
  /** The system clock by default. */
  readonly clock?: { now(): number };
  /** 90 reads and 90 writes a minute by default. */
  readonly quotas?: GoogleQuotas;
  readonly variants?: Partial<GoogleVariants>;
  readonly accountEmail?: string;
  /** The time in which a write is invisible to requests with a sync token; 0 by default. */
  readonly propagationDelayMs?: number;
  /** The maximum number of contacts in the account; 25,000 by default. */
  readonly contactLimit?: number;
  /** The country for parsing national phone numbers; US by default. */
  readonly country?: CountryCode;
}

/** A running emulator of the People API and of Google's OAuth endpoints, with one account and one OAuth client. */
export interface GoogleEmulator extends AsyncDisposable {
  /** Root of the API, with a trailing slash. */
  readonly url: string;
  readonly authUrl: string;
  readonly tokenUrl: string;
  readonly revokeUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly account: GoogleAccount;
  /** The newest requests, including OAuth ones, oldest first. */
  readonly requests: readonly LoggedRequest[];
  /** The number of account changes that began while another one was in progress. */
  readonly overlappingMutations: number;
  /** Issues a refresh token as after consent to these scopes; by default, for all contacts. */
  issueRefreshToken(scopes?: readonly string[]): string;
  /** Revokes a refresh token and its access tokens. */
  revokeRefreshToken(token: string): void;
  /** Revokes every token, and deletes the record of the user's consent. */
  revokeAllTokens(): void;
  /** Expires the access tokens. Refresh tokens stay valid. */
  expireAccessTokens(): void;
  /** Changes some variants. The others stay. */
  setVariants(variants: Partial<GoogleVariants>): void;
  /** Sets the quotas and resets their use. */
  setQuotas(quotas: GoogleQuotas): void;
  /** Adds a fault. Planned faults are applied in order. */
  addFault(fault: Fault): void;
  clearFaults(): void;
  /** Expires every sync token issued until now. */
  expireSyncTokens(): void;
  /** Closes all connections and frees the port. */
  close(): Promise<void>;
}

const oauthClient = { clientId: 'sandbox.apps.googleusercontent.com', clientSecret: 'sandbox-client-secret' };
const defaultQuotas = { readsPerMinute: 90, writesPerMinute: 90 };
/** The maximum number of contacts in an account (providers/google/API.md, Quotas and limits). */
export const defaultContactLimit = 25_000;

/** Starts an emulator on 127.0.0.1. */
export async function startGoogleEmulator(options: GoogleEmulatorOptions = {}): Promise<GoogleEmulator> {
  const clock = options.clock ?? { now: () => Date.now() };
  const quotas = options.quotas ?? defaultQuotas;
  const port = await openPort(options.port ?? 0);
  const world = createWorld(options, port.origin, clock, quotas);
  const log = new RequestLog();
  const plan = new FaultPlan();
  const gate: ApiGate = { tokens: new TokenStore(clock), ...criticalQuotas(quotas) };

  const app = new Hono<{ Bindings: HttpBindings }>();
  app.route('/', controlRoutes(world, plan, log));
  app.use(loggingAndFaults(log, plan, clock));
  app.route('/', oauthRoutes(gate.tokens, oauthClient, world.account.email));
  app.all('/v1/*', (context) => answerApi(context, world, gate));

  port.serve(app.fetch);
  return handleOf(port.close, world, gate, plan, log);
}

function createWorld(
  options: GoogleEmulatorOptions,
  origin: string,
  clock: { now(): number },
  quotas: GoogleQuotas,
): World {
  const account = new GoogleAccount({
    email: options.accountEmail ?? 'owner@example.com',
    origin,
    clock,
    country: options.country ?? 'US',
    variants: () => world.variants,
  });
  const world: World = {
    account,
    variants: googleVariantsSchema.parse(options.variants ?? {}),
    propagationDelayMs: options.propagationDelayMs ?? 0,
    contactLimit: options.contactLimit ?? defaultContactLimit,
    fullSyncQuota: fullSyncQuota(quotas),
    syncTokenGeneration: 0,
    staleReads: new Map(),
    answered: 0,
  };
  return world;
}

function criticalQuotas(quotas: GoogleQuotas): Pick<ApiGate, 'reads' | 'writes'> {
  return { reads: new MinuteQuota(quotas.readsPerMinute), writes: new MinuteQuota(quotas.writesPerMinute) };
}

function fullSyncQuota({ fullSyncsPerMinute = Infinity }: GoogleQuotas): MinuteQuota {
  return new MinuteQuota(fullSyncsPerMinute);
}

function handleOf(
  close: GoogleEmulator['close'],
  world: World,
  gate: ApiGate,
  plan: FaultPlan,
  log: RequestLog,
): GoogleEmulator {
  const url = `${world.account.origin}/`;
  return {
    url,
    authUrl: `${url}o/oauth2/v2/auth`,
    tokenUrl: `${url}token`,
    revokeUrl: `${url}revoke`,
    ...oauthClient,
    account: world.account,
    requests: log.requests,
    get overlappingMutations() {
      return log.overlappingMutations;
    },
    issueRefreshToken: (scopes = [contactsScope]) => gate.tokens.issueRefreshToken(scopes.join(' ')),
    revokeRefreshToken: (token) => void gate.tokens.revoke(token),
    revokeAllTokens: () => gate.tokens.revokeAll(),
    expireAccessTokens: () => gate.tokens.expireAccessTokens(),
    setVariants: (variants) => {
      world.variants = googleVariantsSchema.parse({ ...world.variants, ...variants });
    },
    setQuotas: (quotas) => {
      Object.assign(gate, criticalQuotas(quotas));
      world.fullSyncQuota = fullSyncQuota(quotas);
    },
    addFault: (fault) => plan.add(fault),
    clearFaults: () => plan.clear(),
    expireSyncTokens: () => {
      world.syncTokenGeneration += 1;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

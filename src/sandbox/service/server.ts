import { openPort } from '../http-server.ts';
import { ServiceAccount } from './account.ts';
import { createApp } from './app.ts';
import { type EmulatorContext, type LoggedRequest, RequestLog } from './context.ts';
import { type Fault, Faults } from './faults.ts';
import { APPLICATION, Grants } from './grants.ts';
import { RateLimiter } from './rate-limiter.ts';
import type { RateLimit } from './rate-window.ts';
import { defaultVariants, type ServiceVariants, withVariants } from './variants.ts';

const DOCUMENTED_LIMIT: RateLimit = { requests: 500, windowMs: 60_000 };

type ServiceEmulatorOptions = {
  /** 0, the default, selects a free port. */
  readonly port?: number;
  readonly clock?: { now(): number };
  /** 500 in 60 000 ms by default. */
  readonly rateLimit?: RateLimit;
  readonly variants?: Partial<ServiceVariants>;
  readonly accountEmail?: string;
};

/** A running emulator of the service with one user's account. */
export type ServiceEmulator = {
  /** The base URL; clients append `/v2/...`. No trailing slash. */
  readonly url: string;
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A v1 application's key, for the exchange operation. */
  readonly apiKey: string;
  readonly account: ServiceAccount;
  /** Every request to the API and the authorization endpoints, without control routes. */
  readonly requests: readonly LoggedRequest[];
  /** The number of requests above the rate limit. */
  readonly overLimit: number;
  /** Issues a token with these scopes; `all:manage` by default. */
  issueToken(scopes?: readonly string[]): string;
  revokeToken(token: string): void;
  /** Throws a ZodError on an unknown name or value. */
  setVariants(patch: Partial<ServiceVariants>): void;
  /** Changes the limit and resets the counters. */
  setRateLimit(limit: RateLimit): void;
  addFault(fault: Fault): void;
  clearFaults(): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const createContext = (options: ServiceEmulatorOptions, closing: AbortSignal): EmulatorContext => {
  const clock = options.clock ?? { now: () => Date.now() };
  const now = (): number => clock.now();
  let current = withVariants(defaultVariants(), options.variants ?? {});
  const variants = (): ServiceVariants => current;
  return {
    account: new ServiceAccount(clock, variants, options.accountEmail ?? 'sandy@example.com'),
    grants: new Grants(now, variants),
    limiter: new RateLimiter(options.rateLimit ?? DOCUMENTED_LIMIT),
    faults: new Faults(),
    log: new RequestLog(),
    closing,
    now,
    variants,
    setVariants: (patch) => {
      current = withVariants(current, patch);
    },
  };
};

/** Starts the emulator on 127.0.0.1. Rejects if the port is in use. */
export const startServiceEmulator = async (options: ServiceEmulatorOptions = {}): Promise<ServiceEmulator> => {
  const closing = new AbortController();
  const context = createContext(options, closing.signal);
  const port = await openPort(options.port ?? 0);
  port.serve(createApp(context).fetch);
  const url = port.origin;
  const { account, faults, grants, limiter, log } = context;
  const close = async (): Promise<void> => {
    closing.abort();
    await port.close();
  };
  return {
    url,
    authUrl: url,
    clientId: APPLICATION.clientId,
    clientSecret: APPLICATION.clientSecret,
    apiKey: APPLICATION.apiKey,
    account,
    close,
    get requests() {
      return log.all();
    },
    get overLimit() {
      return limiter.overLimit;
    },
    issueToken: (scopes = ['all:manage']) => grants.issueToken(scopes),
    revokeToken: (token) => grants.revokeToken(token),
    setVariants: (patch) => context.setVariants(patch),
    setRateLimit: (limit) => limiter.setLimit(limit),
    addFault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    [Symbol.asyncDispose]: close,
  };
};

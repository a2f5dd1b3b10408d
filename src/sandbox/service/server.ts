import { type Fault, Faults, type LoggedRequest } from '../faults.ts';
import { openPort } from '../http-server.ts';
import type { RateLimit } from '../rate-window.ts';
import { ServiceAccount } from './account.ts';
import { createApp } from './app.ts';
import type { EmulatorContext } from './context.ts';
import { APPLICATION, Grants } from './grants.ts';
import { RateLimiter } from './rate-limiter.ts';
import { type ServiceVariants, withServiceVariants } from './variants.ts';

const DOCUMENTED_LIMIT: RateLimit = { requests: 500, windowMs: 60_000 };

type ServiceEmulatorOptions = {
  readonly clock?: { now(): number } | undefined;
  /** 500 in 60 000 ms by default. */
  readonly rateLimit?: RateLimit | undefined;
  readonly variants?: Partial<ServiceVariants> | undefined;
};

/** A running emulator of the service with one user's account. */
export type ServiceEmulator = {
  /** The base URL; clients append `/v2/...`. No trailing slash. */
  readonly url: string;
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly account: ServiceAccount;
  /** Every request to the API and the authorization endpoints. */
  readonly requests: readonly LoggedRequest[];
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

const createContext = (options: ServiceEmulatorOptions): EmulatorContext => {
  const { clock = { now: () => Date.now() }, rateLimit = DOCUMENTED_LIMIT } = options;
  const now = (): number => clock.now();
  let current = withServiceVariants({}, options.variants ?? {});
  const variants = (): ServiceVariants => current;
  return {
    account: new ServiceAccount(clock, variants, 'sandy@example.com'),
    grants: new Grants(now, variants),
    limiter: new RateLimiter(rateLimit),
    faults: new Faults(),
    requests: [],
    now,
    variants,
    setVariants: (patch) => {
      current = withServiceVariants(current, patch);
    },
  };
};

/** Starts the emulator on 127.0.0.1. */
export const startServiceEmulator = async (options: ServiceEmulatorOptions = {}): Promise<ServiceEmulator> => {
  const context = createContext(options);
  const { origin: url, serve, close } = await openPort();
  serve(createApp(context).fetch);
  const { account, faults, grants, limiter, requests } = context;
  const { clientId, clientSecret } = APPLICATION;
  return {
    url,
    authUrl: url,
    clientId,
    clientSecret,
    account,
    requests,
    close,
    get overLimit() {
      return limiter.overLimit;
    },
    issueToken: (scopes = ['all:manage']) => grants.issueToken(scopes),
    revokeToken: (token) => grants.revokeToken(token),
    setVariants: context.setVariants,
    setRateLimit: (limit) => limiter.setLimit(limit),
    addFault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    [Symbol.asyncDispose]: close,
  };
};

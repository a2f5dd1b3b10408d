import type { HttpBindings } from '@hono/node-server';
import type { ServiceAccount } from './account.ts';
import type { FaultAction, Faults } from './faults.ts';
import type { Grants } from './grants.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { RequestLog } from './request-log.ts';
import type { ServiceVariants } from './variants.ts';

/** The parts of one running emulator, as its routes see them. */
export type EmulatorContext = {
  readonly account: ServiceAccount;
  readonly grants: Grants;
  readonly limiter: RateLimiter;
  readonly faults: Faults;
  readonly log: RequestLog;
  /** Ends delays when the emulator closes. */
  readonly closing: AbortSignal;
  /** The emulator's clock, in epoch milliseconds. */
  now(): number;
  variants(): ServiceVariants;
  setVariants(patch: unknown): void;
};

/** What Hono keeps for one request. */
export type EmulatorEnv = {
  Bindings: HttpBindings;
  Variables: { fault: FaultAction | null; scopes: ReadonlySet<string> };
};

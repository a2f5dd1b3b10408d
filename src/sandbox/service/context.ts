import type { HttpBindings } from '@hono/node-server';
import type { Faults, LoggedRequest } from '../faults.ts';
import type { ServiceAccount } from './account.ts';
import type { Grants } from './grants.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { ServiceVariants } from './variants.ts';

/** The parts of one running emulator, for its routes. */
export type EmulatorContext = {
  readonly account: ServiceAccount;
  readonly grants: Grants;
  readonly limiter: RateLimiter;
  readonly faults: Faults;
  readonly requests: LoggedRequest[];
  /** The emulator's clock, in epoch milliseconds. */
  readonly now: () => number;
  readonly variants: () => ServiceVariants;
  readonly setVariants: (patch: Partial<ServiceVariants>) => void;
};

export type EmulatorEnv = { Bindings: HttpBindings; Variables: { scopes: ReadonlySet<string> } };

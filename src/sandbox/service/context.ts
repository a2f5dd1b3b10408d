import type { HttpBindings } from '@hono/node-server';
import type { ServiceAccount } from './account.ts';
import type { FaultAction, Faults } from './faults.ts';
import type { Grants } from './grants.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { ServiceVariants } from './variants.ts';

/** One request to the emulator. */
export type LoggedRequest = {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** Null while it is in progress, and if the connection was cut before an answer. */
  readonly status: number | null;
  /** The time of arrival, in epoch milliseconds of the emulator's clock. */
  readonly atMs: number;
  /** The fault that was applied to it. */
  readonly fault: FaultAction['kind'] | null;
};

/** The requests in the order of arrival. */
export class RequestLog {
  readonly #requests: LoggedRequest[] = [];

  all(): readonly LoggedRequest[] {
    return this.#requests;
  }

  /** Records a request. The returned function records its end. */
  begin(request: Pick<LoggedRequest, 'method' | 'path' | 'query' | 'atMs'>) {
    const index = this.#requests.push({ ...request, status: null, fault: null }) - 1;
    return (end: Pick<LoggedRequest, 'status' | 'fault'>): void => {
      this.#requests[index] = { ...request, ...end };
    };
  }
}

/** The parts of one running emulator, for its routes. */
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

/** The Hono environment of one request. */
export type EmulatorEnv = {
  Bindings: HttpBindings;
  Variables: { fault: FaultAction | null; scopes: ReadonlySet<string> };
};

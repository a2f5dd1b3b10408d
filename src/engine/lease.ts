import type { Clock } from '../util/clock.ts';
import type { Store } from '../store/store.ts';
import { LeaseError } from './errors.ts';

/** The time until the lease of a process that died expires (SPEC.md, Steps: 15 s). */
const LEASE_MS = 15_000;
const RENEW_EVERY_MS = 4_000;
/** A run stops writing this long before its lease expires, so that no request is in flight when another process starts. */
const SAFETY_MS = 3_000;

/**
 * Checks the clock directly before a request is sent. A suspended process sends its pending requests as soon as it resumes,
 * before a timer or an answer can show that its lease has expired.
 */
export class LeaseChecks {
  readonly #checks = new Map<string, Set<() => void>>();

  /** Ends each lease of the link that has expired by this process's clock. */
  check(link: string): void {
    for (const check of this.#checks.get(link) ?? []) check();
  }

  /** Registers a check. Returns a function that removes it. */
  add(link: string, check: () => void): () => void {
    const checks = this.#checks.get(link) ?? new Set();
    this.#checks.set(link, checks.add(check));
    return () => {
      checks.delete(check);
      if (checks.size === 0) this.#checks.delete(link);
    };
  }
}

/** The services that a lease requires. */
export type LeaseParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Called before each request to a remote. If absent, only a timer ends a lease. */
  readonly leaseChecks?: LeaseChecks;
};

export type Lease = {
  /** The fencing token of all commits. A later lease of another process invalidates it. */
  readonly token: number;
  /** Aborted when the lease is lost or the caller's signal is aborted. */
  readonly signal: AbortSignal;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Acquires the lease of a link and renews it until it is disposed.
 *
 * @throws {LeaseError} if another process has it.
 */
export const takeLease = async (parts: LeaseParts & { readonly link: string }, outer: AbortSignal): Promise<Lease> => {
  const { link, store, clock } = parts;
  const owner = parts.newId();
  const acquire = () => store.acquireLease(link, owner, clock.now(), clock.now() + LEASE_MS);
  const readTimes = () => ({ wallMs: clock.now(), tickMs: clock.monotonic() });
  let requestedAt = readTimes();
  const token = await acquire();
  if (token === null) throw new LeaseError(link, 'busy');
  const lost = new AbortController();
  const ended = new AbortController();

  // Measured from the request: the store may answer late. The monotonic clock stands still while the machine is suspended.
  const isExpired = ({ wallMs, tickMs }: typeof requestedAt): boolean =>
    Math.max(wallMs - requestedAt.wallMs, tickMs - requestedAt.tickMs) > LEASE_MS - SAFETY_MS;
  const lose = (): void => lost.abort(new LeaseError(link, 'lost'));
  const removeCheck = parts.leaseChecks?.add(link, () => isExpired(readTimes()) && lose());

  const renew = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await clock.sleep(RENEW_EVERY_MS, ended.signal);
      const renewedAt = readTimes();
      if ((await acquire()) !== token || isExpired(renewedAt)) return lose();
      requestedAt = renewedAt;
    }
  };
  const renewing = renew().catch((error: unknown) => {
    if (!ended.signal.aborted) lost.abort(error);
  });

  return {
    token,
    signal: AbortSignal.any([outer, lost.signal]),
    [Symbol.asyncDispose]: async () => {
      ended.abort(new Error('The run has ended.'));
      await renewing;
      removeCheck?.();
      // A lease that cannot be released expires. The error must not replace the reason why the run ended.
      await store.releaseLease(link, owner).catch(() => undefined);
    },
  };
};

import type { Clock } from '../util/clock.ts';
import type { Store } from '../store/store.ts';
import { LeaseError } from './errors.ts';

/** The time until the lease of a process that died expires (SPEC.md, Steps: 15 s). */
const LEASE_MS = 15_000;
const RENEW_EVERY_MS = 4_000;
/** A run stops writing this long before its lease expires, so that no request is in flight when another process starts. */
const SAFETY_MS = 3_000;

/** Identifies processes that have leases. */
export type LeaseHolders = {
  /** The name of this process: host, process id, start time. Null if these do not identify a process. */
  readonly self: string | null;
  /** Whether the process of that name has ended. False if unknown, as for another host. */
  hasEnded(name: string): boolean;
};

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
  /** If absent, a run waits for each lease of another process to expire. */
  readonly holders?: LeaseHolders;
  /** Called before each request to a remote. If absent, only a timer ends a lease. */
  readonly leaseChecks?: LeaseChecks;
};

/** Separates the id of a lease from the name of its process. */
const OWNER_MARK = '@';

/** Returns a name for one lease, which includes the name of this process. */
export const newOwner = ({ newId, holders }: LeaseParts): string => {
  return holders?.self ? `${newId()}${OWNER_MARK}${holders.self}` : newId();
};

/** Acquires or renews the lease. Takes it over from a process that has ended. Returns null if another process has it. */
export const acquireLease = async (
  { store, clock, holders }: LeaseParts,
  link: string,
  owner: string,
  durationMs: number,
): Promise<number | null> => {
  const acquire = () => store.acquireLease(link, owner, clock.now(), clock.now() + durationMs);
  const token = await acquire();
  if (token !== null || holders === undefined) return token;
  const other = await store.leaseOwner(link);
  const name = other?.slice(other.indexOf(OWNER_MARK) + 1) ?? '';
  if (other === null || !other.includes(OWNER_MARK) || !holders.hasEnded(name)) return null;
  await store.releaseLease(link, other);
  return acquire();
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
  const owner = newOwner(parts);
  const acquire = () => acquireLease(parts, link, owner, LEASE_MS);
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

import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';
import { LeaseError } from './context.ts';

/** How long a link stays taken after its process died (SPEC.md, The steps: 15 s). */
const LEASE_MS = 15_000;
const RENEW_EVERY_MS = 4_000;
/** Stops writing this long before the lease runs out, so that no request is still under way when another takes over. */
const SAFETY_MS = 3_000;

/** What is known of the processes that take leases. */
export type LeaseHolders = {
  /** The name of this process: its host, its id there, when it started. Null where it could not be recognised by it. */
  readonly self: string | null;
  /** Whether the process of that name has ended; false wherever that is not sure, as on another host. */
  hasEnded(name: string): boolean;
};

/**
 * Looks at the clock right before something is sent: a process that was suspended sends what waited in it as soon as it
 * wakes up, before any timer or answer can tell it that its lease is over.
 */
export class LeaseChecks {
  readonly #checks = new Map<string, Set<() => void>>();

  /** Ends every lease of the link that has run out by this process's clock. */
  check(link: string): void {
    for (const check of this.#checks.get(link) ?? []) check();
  }

  /** Has `check` asked until the answer is called. */
  add(link: string, check: () => void): () => void {
    const checks = this.#checks.get(link) ?? new Set();
    this.#checks.set(link, checks.add(check));
    return () => {
      checks.delete(check);
      if (checks.size === 0) this.#checks.delete(link);
    };
  }
}

/** What a lease is taken with. */
export type LeaseParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Without them every lease of another process is waited for. */
  readonly holders?: LeaseHolders;
  /** Asked before each request to a remote; without them a lease ends by its timer alone. */
  readonly leaseChecks?: LeaseChecks;
};

/** Behind it stands the name of the process. */
const OWNER_MARK = '@';

/** A name for one lease, by which the process that holds it is known. */
export const newOwner = ({ newId, holders }: LeaseParts): string => {
  return holders?.self ? `${newId()}${OWNER_MARK}${holders.self}` : newId();
};

/** Takes the lease or renews it; one that a process left when it was killed is taken from it. Null where it is busy. */
export const acquireLease = async (
  { store, clock, holders }: LeaseParts,
  link: string,
  owner: string,
  heldForMs: number,
): Promise<number | null> => {
  const acquire = () => store.acquireLease(link, owner, clock.now(), clock.now() + heldForMs);
  const token = await acquire();
  if (token !== null || holders === undefined) return token;
  const other = await store.leaseOwner(link);
  const name = other?.slice(other.indexOf(OWNER_MARK) + 1) ?? '';
  if (other === null || !other.includes(OWNER_MARK) || !holders.hasEnded(name)) return null;
  await store.releaseLease(link, other);
  return acquire();
};

export type Lease = {
  /** What the run shows with everything that it stores: another process's lease makes it void. */
  readonly token: number;
  /** Aborted when the lease is lost, or when the caller's own signal is. */
  readonly signal: AbortSignal;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Takes the link for this process and keeps renewing it until disposed.
 *
 * @throws {LeaseError} where another process holds it.
 */
export const takeLease = async (parts: LeaseParts & { readonly link: string }, outer: AbortSignal): Promise<Lease> => {
  const { link, store, clock } = parts;
  const owner = newOwner(parts);
  const acquire = () => acquireLease(parts, link, owner, LEASE_MS);
  let askedAtMs = clock.monotonic();
  const token = await acquire();
  if (token === null) throw new LeaseError(link, 'busy');
  const lost = new AbortController();
  const ended = new AbortController();

  // Counted from when it was asked for: the store may take its time to answer.
  const isOver = (atMs: number): boolean => atMs > askedAtMs + LEASE_MS - SAFETY_MS;
  const lose = (): void => lost.abort(new LeaseError(link, 'lost'));
  const forget = parts.leaseChecks?.add(link, () => isOver(clock.monotonic()) && lose());

  const renew = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await clock.sleep(RENEW_EVERY_MS, ended.signal);
      const renewedAtMs = clock.monotonic();
      if ((await acquire()) !== token || isOver(renewedAtMs)) return lose();
      askedAtMs = renewedAtMs;
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
      forget?.();
      // One that cannot be given back runs out; why the run ended is not to be hidden by it.
      await store.releaseLease(link, owner).catch(() => undefined);
    },
  };
};

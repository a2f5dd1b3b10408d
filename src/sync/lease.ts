import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';
import { LeaseError } from './context.ts';

/** How long a link stays taken after its process died (SPEC.md, The steps: 15 s). */
const LEASE_MS = 15_000;
const RENEW_EVERY_MS = 4_000;
/** Stops writing this long before the lease runs out, so that no request is still under way when another takes over. */
const SAFETY_MS = 3_000;

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
export const takeLease = async (
  { link, store, clock, newId }: { link: string; store: Store; clock: Clock; newId: () => string },
  outer: AbortSignal,
): Promise<Lease> => {
  const owner = newId();
  const acquire = () => store.acquireLease(link, owner, clock.now(), clock.now() + LEASE_MS);
  const token = await acquire();
  if (token === null) throw new LeaseError(link, 'busy');
  let heldUntilMs = clock.monotonic() + LEASE_MS;
  const lost = new AbortController();
  const ended = new AbortController();

  const renew = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await clock.sleep(RENEW_EVERY_MS, ended.signal);
      const askedAtMs = clock.monotonic();
      if ((await acquire()) !== token) {
        lost.abort(new LeaseError(link, 'lost'));
        return;
      }
      if (askedAtMs > heldUntilMs - SAFETY_MS) {
        lost.abort(new LeaseError(link, 'lost'));
        return;
      }
      heldUntilMs = askedAtMs + LEASE_MS;
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
      await store.releaseLease(link, owner);
    },
  };
};

import type { Side } from '../core/contact/side.ts';
import type { RemoteError } from '../providers/errors.ts';

/** After this many consecutive calls of unknown outcome the side has an outage, even if it answers reads: the run ends. */
const MAX_UNANSWERED_CALLS = 10;

/**
 * Counts a call by the errors of its writes, null for a write that was answered. Returns the error that ends the run if too many calls
 * in a row had an unknown outcome, otherwise null.
 */
export type CallCount = (side: Side, errors: readonly (RemoteError | null)[]) => RemoteError | null;

/** Returns a count of consecutive calls of unknown outcome on each side. */
export const newCallCount = (): CallCount => {
  const unanswered: Record<Side, number> = { left: 0, right: 0 };
  return (side, errors) => {
    const unknown = errors.filter((error) => error?.applied === 'unknown');
    const isUnanswered = unknown.length > 0 && unknown.length === errors.length;
    unanswered[side] = isUnanswered ? unanswered[side] + 1 : 0;
    return unanswered[side] < MAX_UNANSWERED_CALLS ? null : (unknown[0] ?? null);
  };
};

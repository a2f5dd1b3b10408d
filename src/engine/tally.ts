import type { RemoteError } from '../providers/errors.ts';
import type { Side, Sides } from '../core/contact/side.ts';
import type { OperationKind } from '../core/reconcile/operation.ts';

/** Counts of one run. Its steps add to them. */
export type Tally = Sides<SideTally> & {
  paired: number;
  conflicts: number;
  asked: number;
  skipped: number;
};

/** `created`, `updated` and `deleted` count contacts; `groupsChanged` counts groups that were created or renamed. */
type SideTally = {
  pulled: number;
  created: number;
  updated: number;
  deleted: number;
  groupsChanged: number;
  groupsDeleted: number;
};

export const emptyTally = (): Tally => {
  const side = (): SideTally => ({ pulled: 0, created: 0, updated: 0, deleted: 0, groupsChanged: 0, groupsDeleted: 0 });
  return { left: side(), right: side(), paired: 0, conflicts: 0, asked: 0, skipped: 0 };
};

/** The count of a summary to which each kind of write adds. */
export const COUNTED_AS = {
  create: 'created',
  update: 'updated',
  membership: 'updated',
  delete: 'deleted',
  'group-delete': 'groupsDeleted',
} as const satisfies Record<OperationKind, keyof SideTally>;

/** Returns the number of contacts that a run has written on a side. Each counts once. */
export const writtenContacts = ({ created, updated, deleted }: SideTally): number => created + updated + deleted;

/** After this many consecutive requests of unknown outcome the side has an outage, even if it answers reads: the run ends. */
const MAX_UNANSWERED_REQUESTS = 10;

/**
 * Counts the requests of a call by the errors of its writes, null for a write that was answered. Returns the error that ends the
 * run if too many requests in a row had an unknown outcome, otherwise null.
 */
export type CallCount = (side: Side, errors: readonly (RemoteError | null)[]) => RemoteError | null;

/** Returns a count of consecutive requests of unknown outcome on each side. A call of a side has one request, or one for each write. */
export const newCallCount = (isOneByOne: Sides<boolean>): CallCount => {
  const unanswered: Record<Side, number> = { left: 0, right: 0 };
  return (side, errors) => {
    const unknown = errors.filter((error) => error?.applied === 'unknown');
    const isUnanswered = unknown.length > 0 && unknown.length === errors.length;
    const requests = isOneByOne[side] ? errors.length : 1;
    unanswered[side] = isUnanswered ? unanswered[side] + requests : 0;
    return unanswered[side] < MAX_UNANSWERED_REQUESTS ? null : (unknown[0] ?? null);
  };
};

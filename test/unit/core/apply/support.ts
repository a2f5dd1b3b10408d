import type { GroupPair } from '../../../../src/core/reconcile/groups.ts';
import type { OperationKind } from '../../../../src/core/reconcile/operation.ts';
import type { Known } from '../../../../src/core/apply/outcome.ts';
import { operationOf, type OperationOf } from '../../../support/store/rows.ts';

export const NOW = 100;
/** One group on both sides, and one that the left side does not have. */
const GROUPS: readonly GroupPair[] = [
  {
    key: 'choir',
    left: { id: 'g', name: 'Choir' },
    right: { id: 's', name: 'Choir' },
    status: 'linked',
    settled: true,
  },
  { key: 'team', left: null, right: { id: 't', name: 'Team' }, status: 'kept', settled: true },
];
export const KNOWN: Known = { groupPairs: GROUPS, atMs: NOW };
export const NOTHING = { applied: false, after: null, error: null };

const PAIR_1 = { side: 'right', pairId: 1, leftId: 'l', rightId: 'r' } as const;

/** An operation on the right side, of pair 1. */
export const openOperation = <Kind extends OperationKind>(
  kind: Kind,
  change: Partial<OperationOf<Kind>>,
): OperationOf<Kind> => ({ ...operationOf(kind), ...PAIR_1, ...change });

import type { Applying } from '../../../../src/core/apply/answers.ts';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import type { Creation, Merge, SideWrite } from '../../../../src/core/reconcile/decision.ts';
import type { WorkingSet } from '../../../../src/core/state/working-set.ts';
import type { Pass } from '../../../../src/engine/execute/writes.ts';
import { bothSides } from '../../core/reconcile/support.ts';

const SCOPES = { left: 'left account', right: 'right account' };

/** The time at which answers are applied. */
export const NOW = 100;

const GROUPS = new Map<string, { left: string | null; right: string | null }>([
  ['choir', { left: 'g-choir', right: 's-choir' }],
  ['team', { left: 'g-team', right: null }],
]);

/** A pass of a sync without fields that only start to sync. */
export const PASS: Pass = { groupIds: GROUPS, scopes: SCOPES, cause: 'sync', joining: new Set() };

export const applyingIn = (set: WorkingSet, createsWithGroups = false): Applying => {
  return { set, groupIds: GROUPS, createsWithGroups, lags: false, atMs: NOW };
};

export const sideWrite = (
  fields: SideWrite['fields'],
  desired: Partial<Contact>,
  moves: Partial<Pick<SideWrite, 'joins' | 'leaves'>> = {},
): SideWrite => ({ fields, desired: contactOf(desired), joins: [], leaves: [], ...moves });

/** A merge of two halves that writes nothing unless it is said otherwise. */
export const mergeOf = (left: Half, right: Half, given: Partial<Merge> = {}): Merge => ({
  kind: 'merge',
  pair: { id: left.pair, status: 'linked', ...bothSides(left, right) },
  writes: { left: null, right: null },
  conflicts: [],
  held: { left: [], right: [] },
  deferred: false,
  ...given,
});

/** The creation of a left contact's counterpart on the right. */
export const creationOf = (source: Half, given: Partial<Creation> = {}): Creation => {
  return { kind: 'create', side: 'right', source: source.record, pair: null, joins: [], ...given };
};

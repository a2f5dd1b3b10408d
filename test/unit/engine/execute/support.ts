import type { Applying } from '../../../../src/core/apply/answers.ts';
import { contactFieldsOf } from '../../../../src/core/contact/chosen.ts';
import type { Contact, SyncedField } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { bySide, type Side } from '../../../../src/core/contact/side.ts';
import { creating, type Creation, type Merge, type PlannedWrite } from '../../../../src/core/reconcile/decision.ts';
import type { WorkingSet } from '../../../../src/core/state/working-set.ts';
import { NOTHING_DONE, type Writing } from '../../../../src/engine/execute/writes.ts';
import { bothSides } from '../../core/reconcile/support.ts';

const SCOPES = { left: 'left account', right: 'right account' };

/** The time at which responses are applied. */
export const NOW = 100;

const GROUPS = new Map<string, { left: string | null; right: string | null }>([
  ['choir', { left: 'g-choir', right: 's-choir' }],
  ['team', { left: 'g-team', right: null }],
]);

/** The values of a sync that has written nothing, without fields that only start to sync. */
export const WRITING: Writing = {
  groupIds: GROUPS,
  scopes: SCOPES,
  cause: 'sync',
  joining: new Set(),
  done: { left: NOTHING_DONE, right: NOTHING_DONE },
};

export const applyingIn = (set: WorkingSet, createsWithGroups = false): Applying => {
  const groupPairs = [...GROUPS.values()].map((ids) =>
    bySide((side) => (ids[side] === null ? null : { id: ids[side] })),
  );
  return { set, groupPairs, createsWithGroups, lags: false, atMs: NOW };
};

/** The operations that write these fields of a contact: an update, a change of membership, or both. */
export const plannedOn = (
  side: Side,
  fields: readonly SyncedField[],
  desired: Partial<Contact>,
  moves: { readonly joins?: readonly string[]; readonly leaves?: readonly string[] } = {},
): readonly PlannedWrite[] => {
  const updated = contactFieldsOf(fields);
  return [
    ...(updated.length > 0 ? [{ kind: 'update', side, fields: updated, desired: contactOf(desired) } as const] : []),
    ...(fields.includes('buckets') ? [{ kind: 'membership', side, joins: [], leaves: [], ...moves } as const] : []),
  ];
};

/** A merge of two halves, without writes by default. */
export const mergeOf = (left: Half, right: Half, given: Partial<Merge> = {}): Merge => ({
  kind: 'merge',
  pair: { id: left.pair, status: 'linked', ...bothSides(left, right) },
  writes: [],
  conflicts: [],
  localFields: { left: [], right: [] },
  deferred: false,
  ...given,
});

/** The creation of a left contact's counterpart on the right. */
export const creationOf = (source: Half, given: Partial<Creation> = {}): Creation => {
  return { kind: 'create', side: 'right', source: source.record, pair: null, writes: creating('right', []), ...given };
};

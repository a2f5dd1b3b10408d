import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import type { WorkingSet } from '../../../../src/core/state/working-set.ts';
import { record } from '../reconcile/support.ts';
import { ADA, MODIFIED_AT_MS } from '../../engine/support.ts';

/** Ada as changed by the user of her side. */
export const edited = (id: string): ContactRecord => {
  return record(id, { ...ADA, title: 'Countess' }, { modifiedAtMs: MODIFIED_AT_MS + 1 });
};

/** The state of a half of the left side; null if it does not exist. */
export const stateOf = (set: WorkingSet, id: string) => set.half('left', id)?.state ?? null;

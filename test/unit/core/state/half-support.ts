import type { Half } from '../../../../src/core/contact/half.ts';
import type { HALF_TRANSITIONS } from '../../../../src/core/state/half.ts';
import { record, snapshot } from '../reconcile/support.ts';
import { ADA, looseHalf, MODIFIED_AT_MS, pairedHalf } from '../../engine/support.ts';

export const NOW = 10;
export const EDITED = record('x', { ...ADA, title: 'Countess' }, { modifiedAtMs: MODIFIED_AT_MS + 1 });

/** A half in each state of the table; an existing contact has the content of its base, except in the changed one. */
export const HALVES = {
  unpaired: looseHalf('left', 'x'),
  unselected: looseHalf('left', 'x', { state: 'settled' }),
  settled: pairedHalf('left', 'x', 1),
  changed: pairedHalf('left', 'x', 1, { state: 'changed', base: snapshot({ firstName: 'Augusta' }) }),
  missing: pairedHalf('left', 'x', 1, { state: 'missing', absences: 1, lastListedAtMs: 2 }),
  settling: pairedHalf('left', 'x', 1, { state: 'settling', writtenAtMs: 4 }),
  gone: pairedHalf('left', 'x', 1, { state: 'gone', mergedInto: 'survivor' }),
  doubted: pairedHalf('left', 'x', 1, { state: 'doubted', mergedInto: 'survivor' }),
} as const satisfies Record<keyof typeof HALF_TRANSITIONS, Half>;

/** A deleted contact without a pair, and one that was returned after its deletion. */
export const UNPAIRED_GONE = looseHalf('left', 'x', { state: 'gone' });
export const UNPAIRED_DOUBTED = looseHalf('left', 'x', { state: 'doubted' });

import type { Half } from '../../../../src/core/contact/half.ts';
import type { HALF_TRANSITIONS } from '../../../../src/core/state/half.ts';
import { record, snapshot } from '../reconcile/support.ts';
import { ADA, looseHalf, MODIFIED_AT_MS, pairedHalf } from '../../engine/support.ts';

export const NOW = 10;
export const EDITED = record('x', { ...ADA, title: 'Countess' }, { modifiedAtMs: MODIFIED_AT_MS + 1 });

/** A half in each state of the table; an existing contact has the content of its base, except in the changed one. */
export const HALVES = {
  new: null,
  unpaired: looseHalf('left', 'x'),
  unselected: looseHalf('left', 'x', { state: 'settled' }),
  settled: pairedHalf('left', 'x', 1),
  changed: pairedHalf('left', 'x', 1, { state: 'changed', base: snapshot({ firstName: 'Augusta' }) }),
  missing: pairedHalf('left', 'x', 1, { state: 'missing', absences: 1, lastListedAtMs: 2 }),
  settling: pairedHalf('left', 'x', 1, { state: 'settling', writtenAtMs: 4 }),
  gone: pairedHalf('left', 'x', 1, { state: 'gone', mergedInto: 'survivor' }),
  doubted: pairedHalf('left', 'x', 1, { state: 'doubted', mergedInto: 'survivor' }),
  unpairedGone: looseHalf('left', 'x', { state: 'gone' }),
  unpairedDoubted: looseHalf('left', 'x', { state: 'doubted' }),
} as const satisfies Record<keyof typeof HALF_TRANSITIONS, Half | null>;

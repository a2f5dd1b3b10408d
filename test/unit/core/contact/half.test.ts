import { expect, test } from 'vitest';
import { changedAtMs, CLOCK_MARGIN_MS, HALF_STATES, stands } from '../../../../src/core/contact/half.ts';
import { halfOf, record } from '../reconcile/support.ts';

const HEARD_AT_MS = 1_000_000;

test.each<[string, number | null, number | null]>([
  ['is its stamp', 10, 10],
  ['is unknown where its side names none', null, null],
  ['is its stamp up to the margin of the clocks', HEARD_AT_MS + CLOCK_MARGIN_MS, HEARD_AT_MS + CLOCK_MARGIN_MS],
  ['is never later than that', HEARD_AT_MS + CLOCK_MARGIN_MS + 1, HEARD_AT_MS + CLOCK_MARGIN_MS],
])('[R4] when a contact was changed %s', (_, modifiedAtMs, expected) => {
  expect(changedAtMs(halfOf(record('x', {}, { modifiedAtMs }), { heardAtMs: HEARD_AT_MS }))).toBe(expected);
});

test('[R7] a contact stands unless it is known to be deleted, whatever shows it since', () => {
  const standing = HALF_STATES.filter((state) => stands(halfOf(record('x', {}), { state })));
  expect(standing).toEqual(['settled', 'changed', 'missing', 'settling']);
  expect(stands(null)).toBe(false);
});

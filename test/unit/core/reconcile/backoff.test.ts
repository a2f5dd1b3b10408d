import { isRetryDue, retryDelayMs } from '../../../../src/core/reconcile/defer.ts';
import { expect, test } from 'vitest';

const NOW_MS = 1_000_000_000;
const DAY_MS = 86_400_000;

test.each([
  ['before its time', NOW_MS + 1, false],
  ['in its time', NOW_MS, true],
  ['after it', NOW_MS - DAY_MS, true],
  ['before it, by the longest delay', NOW_MS + retryDelayMs(100), false],
  ['before a time that no delay reaches, as from a clock that was ahead', NOW_MS + retryDelayMs(100) + 1, true],
])(
  '[R15] a refused write is due at its retry time, not before, except after a clock error: %s',
  (_, retryAtMs, isDue) => {
    expect(isRetryDue(retryAtMs, NOW_MS)).toBe(isDue);
  },
);

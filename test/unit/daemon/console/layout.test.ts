import { expect, test } from 'vitest';
import { agoTag } from '../../../../src/daemon/console/layout.ts';

const NOW_MS = Date.UTC(2026, 10, 26, 9, 44);

test.each([
  [0, 'just now'],
  [-59_999, 'just now'],
  [-60_000, '1 minute ago'],
  [-3_599_999, '59 minutes ago'],
  [-7_200_000, '2 hours ago'],
  [-86_400_000 * 40, '40 days ago'],
  [1, 'in less than a minute'],
  [180_000, 'in 3 minutes'],
  [179_000, 'in 3 minutes'],
  [140_000, 'in 2 minutes'],
  [86_400_000, 'in 1 day'],
])('a time %i ms from now is shown as "%s", with the exact time as its title', async (awayMs, text) => {
  const tag = (await agoTag({ nowMs: NOW_MS }, NOW_MS + awayMs)).toString();
  expect(tag).toContain(`>${text}</time>`);
  const iso = new Date(NOW_MS + awayMs).toISOString();
  expect(tag).toContain(`datetime="${iso}" title="${iso.slice(0, 19).replace('T', ' ')} UTC"`);
});

test('a time that does not exist is shown as "never"', async () => {
  expect((await agoTag({ nowMs: NOW_MS }, null)).toString()).toBe('never');
});

import { type LinkStateName, NO_NOTIFICATION, type NotificationState } from '../../../../src/core/state/rows.ts';
import { describe, expect, test } from 'vitest';
import { newsOf } from '../../../../src/daemon/notify/news.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = 10 * HOUR_MS;

const told = (trouble: NotificationState['trouble'], failingSinceMs: number | null = null): NotificationState => ({
  ...NO_NOTIFICATION,
  trouble,
  failingSinceMs,
});

test.each<[before: NotificationState['trouble'], state: LinkStateName, news: string | null]>([
  [null, 'active', null],
  [null, 'resuming', null],
  [null, 'halted', 'halted'],
  [null, 'paused', 'paused'],
  [null, 'failing', null],
  ['halted', 'halted', null],
  ['halted', 'paused', 'paused'],
  ['halted', 'failing', null],
  ['halted', 'active', 'recovered'],
  ['paused', 'paused', null],
  ['paused', 'resuming', null],
  ['paused', 'halted', 'halted'],
  ['paused', 'active', 'recovered'],
  ['failing', 'failing', null],
  ['failing', 'halted', 'halted'],
  ['failing', 'active', 'recovered'],
])('told of %s, a link that is %s: %s', (before, state, news) => {
  const found = newsOf(told(before), state, NOW_MS);
  expect(found.news).toBe(news);
  expect(found.after.trouble).toBe(news === null ? before : news === 'recovered' ? null : news);
});

describe('a link that fails', () => {
  test('is told of when it has failed for an hour, and no sooner', () => {
    const { after } = newsOf(NO_NOTIFICATION, 'failing', NOW_MS);
    expect(after).toEqual(told(null, NOW_MS));
    expect(newsOf(after, 'failing', NOW_MS + HOUR_MS - 1)).toEqual({ news: null, after });
    const later = newsOf(after, 'failing', NOW_MS + HOUR_MS);
    expect(later).toEqual({ news: 'failing', after: told('failing', NOW_MS) });
    expect(newsOf(later.after, 'failing', NOW_MS + 9 * HOUR_MS).news).toBeNull();
  });

  test('fails again after a completed run', () => {
    const { after } = newsOf(told(null, NOW_MS), 'active', NOW_MS + 1);
    expect(after).toEqual(NO_NOTIFICATION);
    expect(newsOf(after, 'failing', NOW_MS + 2 * HOUR_MS).news).toBeNull();
  });

  test('does not end what was told before: the same halt is not told again behind an outage', () => {
    const { after } = newsOf(told('halted'), 'failing', NOW_MS);
    expect(newsOf(after, 'halted', NOW_MS + 1).news).toBeNull();
    expect(newsOf(after, 'failing', NOW_MS + HOUR_MS).news).toBe('failing');
  });

  test('is judged from now on where the time of its beginning is yet to come', () => {
    expect(newsOf(told(null, NOW_MS + 9 * HOUR_MS), 'failing', NOW_MS)).toEqual({
      news: null,
      after: told(null, NOW_MS),
    });
  });
});

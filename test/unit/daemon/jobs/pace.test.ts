import { expect, test } from 'vitest';
import { createPolling } from '../../../../src/daemon/jobs/polling.ts';
import type { LinkConfig } from '../../../../src/app/config/link-config.ts';
import { newState } from '../../../support/store/new-link.ts';

const MINUTE_MS = 60_000;
const INTERVAL_MS = 5 * MINUTE_MS;

const linkNamed = (name: string, hasAutoInterval = true): LinkConfig =>
  ({ name, syncIntervalMs: INTERVAL_MS, hasAutoInterval }) as Partial<LinkConfig> as LinkConfig;

/** Returns a pace where all links except `alone` share a limit of `requests` a minute. */
const paceWith = (requests: number) =>
  createPolling({
    limits: (link) => [
      {
        name: link === 'alone' ? 'its own' : 'shared',
        budget: { limit: { requests, windowMs: MINUTE_MS }, remaining: requests, resetMs: 0 },
      },
    ],
  });

/** Returns the delay between two polls of a link without changes. */
const delayOf = (pace: ReturnType<typeof paceWith>, link: LinkConfig) => pace.delayMs(link, newState(link.name), 0);

test('a link with a fixed interval has no poll delay and keeps its interval', () => {
  const pace = paceWith(4);
  expect(delayOf(pace, linkNamed('fixed', false))).toBeNull();
  expect(pace.intervalMs(linkNamed('fixed', false))).toBe(INTERVAL_MS);
});

test('links that share a limit slow each other down, and other links keep their delay', () => {
  const pace = paceWith(4);
  const links = Array.from({ length: 10 }, (_, index) => linkNamed(`link${index}`));
  for (const link of links) delayOf(pace, link);
  // Ten polls in five minutes are four requests a minute. Two requests a minute are reserved for polls.
  expect(links.map((link) => delayOf(pace, link))).toEqual(links.map(() => 2 * INTERVAL_MS));
  expect(delayOf(pace, linkNamed('alone'))).toBe(INTERVAL_MS);
  expect(pace.intervalMs(linkNamed('link3'))).toBe(2 * INTERVAL_MS);
});

test('the share of a removed link is available to the other links', () => {
  const pace = paceWith(4);
  for (let index = 0; index < 10; index += 1) delayOf(pace, linkNamed(`link${index}`));
  pace.keep(new Set(['link0', 'link1']));
  expect(delayOf(pace, linkNamed('link0'))).toBe(INTERVAL_MS);
  expect(pace.intervalMs(linkNamed('link9'))).toBe(INTERVAL_MS);
});

test('polls in a window use at most their share of a limit, and polls outside the window do not count', () => {
  const pace = paceWith(12);
  const waitAt = (link: string, nowMs: number): number => pace.waitMs(linkNamed(link), nowMs);
  // Half of twelve requests is enough for three polls.
  expect([0, 1_000, 2_000].map((nowMs) => waitAt('a', nowMs))).toEqual([0, 0, 0]);
  expect(waitAt('b', 3_000)).toBe(57_000);
  expect(waitAt('alone', 3_000)).toBe(0);
  expect(waitAt('b', 59_000)).toBe(10_000);
  expect(waitAt('b', 60_000)).toBe(0);
  expect(waitAt('c', 60_500)).toBe(10_000);
});

test('a link with a fixed interval never waits for its share', () => {
  const pace = paceWith(4);
  for (let times = 0; times < 5; times += 1) expect(pace.waitMs(linkNamed('a', false), 0)).toBe(0);
});

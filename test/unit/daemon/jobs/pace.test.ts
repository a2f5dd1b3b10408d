import { expect, test } from 'vitest';
import { createPolling } from '../../../../src/daemon/jobs/polling.ts';
import type { LinkConfig } from '../../../../src/app/config/config.ts';
import { newState } from '../../../support/store/new-link.ts';

const MINUTE_MS = 60_000;
const INTERVAL_MS = 5 * MINUTE_MS;

const linkNamed = (name: string, hasAutoInterval = true): LinkConfig =>
  ({ name, syncIntervalMs: INTERVAL_MS, hasAutoInterval }) as Partial<LinkConfig> as LinkConfig;

/** A pace where all links but `alone` share a limit of so many requests a minute. */
const paceWith = (requests: number) =>
  createPolling({
    limits: (link) => [
      {
        name: link === 'alone' ? 'its own' : 'shared',
        budget: { limit: { requests, windowMs: MINUTE_MS }, remaining: requests, resetMs: 0 },
      },
    ],
  });

/** How long after a look at it a quiet link is looked at again. */
const delayOf = (pace: ReturnType<typeof paceWith>, link: LinkConfig) => pace.delayMs(link, newState(link.name), 0);

test('a link with a fixed interval has no pace', () => {
  const pace = paceWith(4);
  expect(delayOf(pace, linkNamed('fixed', false))).toBeNull();
  expect(pace.intervalMs(linkNamed('fixed', false))).toBe(INTERVAL_MS);
});

test('links that share a limit slow each other down; others do not notice', () => {
  const pace = paceWith(4);
  const links = Array.from({ length: 10 }, (_, index) => linkNamed(`link${index}`));
  for (const link of links) delayOf(pace, link);
  // Ten looks in five minutes are four requests a minute; two may be for looking.
  expect(links.map((link) => delayOf(pace, link))).toEqual(links.map(() => 2 * INTERVAL_MS));
  expect(delayOf(pace, linkNamed('alone'))).toBe(INTERVAL_MS);
  expect(pace.intervalMs(linkNamed('link3'))).toBe(2 * INTERVAL_MS);
});

test('a link that is gone leaves its share to the others', () => {
  const pace = paceWith(4);
  for (let index = 0; index < 10; index += 1) delayOf(pace, linkNamed(`link${index}`));
  pace.keep(new Set(['link0', 'link1']));
  expect(delayOf(pace, linkNamed('link0'))).toBe(INTERVAL_MS);
  expect(pace.intervalMs(linkNamed('link9'))).toBe(INTERVAL_MS);
});

test('looks of a window take no more than their part of a limit, whatever the links want; what has left the window counts no more', () => {
  const pace = paceWith(12);
  const turnAt = (link: string, nowMs: number): number => pace.waitMs(linkNamed(link), nowMs);
  // Half of twelve requests are three looks.
  expect([0, 1_000, 2_000].map((nowMs) => turnAt('a', nowMs))).toEqual([0, 0, 0]);
  expect(turnAt('b', 3_000)).toBe(57_000);
  expect(turnAt('alone', 3_000)).toBe(0);
  expect(turnAt('b', 59_000)).toBe(10_000);
  expect(turnAt('b', 60_000)).toBe(0);
  expect(turnAt('c', 60_500)).toBe(10_000);
});

test('a link with a fixed interval takes no turns', () => {
  const pace = paceWith(4);
  for (let times = 0; times < 5; times += 1) expect(pace.waitMs(linkNamed('a', false), 0)).toBe(0);
});

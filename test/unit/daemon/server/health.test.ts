import { expect, test } from 'vitest';
import type { Heartbeat } from '../../../../src/app/heartbeat.ts';
import { createServingTimes } from '../../../../src/daemon/links/link-changes.ts';
import { judgeHealth, type LinkHealth } from '../../../../src/daemon/server/health.ts';
import { createVirtualClock } from '../../../support/clocks.ts';
import { beatOf } from '../../../support/heartbeat.ts';
import { compared, MINUTE_MS, NOW_MS } from './support.ts';

const served = (name: string, change: Partial<Heartbeat['links'][number]> = {}) => {
  return { name, syncIntervalMs: MINUTE_MS, sinceMs: 0, ...change };
};
const FRESH = beatOf({ beatAtMs: NOW_MS - 9_000, links: ['a', 'b', 'c', 'fine', 'slow'].map((name) => served(name)) });
const RUNNING = { progress: [{ link: 'a', listed: 0, planned: null, written: 0, remainingMs: null }] };
const queueSince = (wellAtMs: number | null) => ({ waiting: { reason: 'Redis does not answer.', wellAtMs } });
const linkHealth = (change: Partial<LinkHealth> = {}): LinkHealth => {
  const lastMs = NOW_MS - 2 * MINUTE_MS;
  return compared('a', { lastSuccessAtMs: lastMs, lastEndedAtMs: lastMs, ...change });
};
const judged = (heartbeat: Partial<Heartbeat> | null, links: readonly LinkHealth[]) =>
  judgeHealth(heartbeat && { ...FRESH, ...heartbeat }, links, NOW_MS);

const THREE_MS = 3 * MINUTE_MS;
const OLD = { lastSuccessAtMs: NOW_MS - THREE_MS - 1 };
const NEVER = { lastSuccessAtMs: null };
const LONGER = { syncIntervalMs: 2 * MINUTE_MS };
const loaded = (agoMs: number) => ({ links: [served('a', { sinceMs: NOW_MS - agoMs })] });

test.each<[string, Partial<Heartbeat> | null, Partial<LinkHealth>, boolean]>([
  ['a live scheduler and a recent success', {}, {}, true],
  ['a success exactly three intervals old', {}, { lastSuccessAtMs: NOW_MS - THREE_MS }, true],
  ['a success older than three intervals', {}, OLD, false],
  ['such a success, if the daemon has a longer interval', { links: [served('a', LONGER)] }, OLD, true],
  ['such a success, if another link has a longer interval', { links: [served('a'), served('b', LONGER)] }, OLD, false],
  ['a success ahead of the clock, which was set back', {}, { lastSuccessAtMs: NOW_MS + MINUTE_MS + 1 }, false],
  ['an old success, just started', loaded(MINUTE_MS), OLD, true],
  ['no daemon', null, {}, false],
  ['a scheduler that stopped a minute ago', { beatAtMs: NOW_MS - MINUTE_MS - 1 }, {}, false],
  ['a queue that was never reachable', queueSince(null), {}, false],
  ['a queue that has been unreachable for more than a minute', queueSince(NOW_MS - MINUTE_MS - 1), {}, false],
  ['a queue that has been unreachable for a minute at most', queueSince(NOW_MS - MINUTE_MS), {}, true],
  ['a failing link without recent success', {}, { ...OLD, state: 'failing' }, false],
  ['no success ever, more than three intervals after the start', {}, NEVER, false],
  ['no success yet, just started', loaded(MINUTE_MS), NEVER, true],
  ['no success yet of a link that was loaded three intervals ago', loaded(THREE_MS), NEVER, true],
  ['no success yet of a link that was loaded before that', loaded(THREE_MS + 1), NEVER, false],
  ['a long run that is still running', RUNNING, OLD, true],
  ['a running run without progress', { ...RUNNING, stalled: ['a'] }, {}, false],
  ['a paused link, which waits for its owner', {}, { ...OLD, state: 'paused' }, true],
  ['a halted link, which waits for a decision', {}, { ...OLD, state: 'halted' }, true],
])('%s', (_name, heartbeat, link, ok) => {
  const verdict = judged(heartbeat, [linkHealth(link)]);
  expect(verdict.ok).toBe(ok);
  expect(verdict.line).not.toContain('\n');
});

test('a clock that is set back after the start does not hide that no run completes', () => {
  const clock = createVirtualClock();
  const { sinceMs } = createServingTimes(clock);
  clock.setBack(180 * MINUTE_MS);
  clock.advance(THREE_MS + 1);
  const nowMs = clock.now();
  const beat = { ...FRESH, beatAtMs: nowMs, links: [served('a', { sinceMs: sinceMs('a') })] };
  expect(judgeHealth(beat, [linkHealth({ ...NEVER, lastEndedAtMs: null })], nowMs).ok).toBe(false);
});

const WAITING = { ...OLD, state: 'halted' } as const;
const HALTED_SINCE = { state: 'halted', lastEndedAtMs: NOW_MS - 1_000 } as const;

test.each<[string, Partial<Heartbeat>, readonly Partial<LinkHealth>[]]>([
  ['healthy: 1 link', {}, [{}]],
  ['unhealthy: the daemon waits for its job queue: Redis does not answer.', queueSince(null), [{}]],
  ['unhealthy: no completed run within 3 intervals: slow', {}, [{ ...OLD, link: 'slow' }, { link: 'fine' }]],
  ['the daemon works, but 1 of 2 links waits for you: b is paused', {}, [{}, { ...OLD, link: 'b', state: 'paused' }]],
  [
    'the daemon works, but 2 of 2 links wait for you: a is halted, c is halted',
    {},
    [WAITING, { ...WAITING, link: 'c' }],
  ],
  ['healthy: 1 link; not loaded by the daemon yet: new', {}, [{}, { ...NEVER, link: 'new' }]],
  // An accepted run is in progress. The heartbeat is 9 seconds old, so the run of the second link has ended since.
  ['healthy: 1 link', RUNNING, [{ state: 'halted' }]],
  ['the daemon works, but 1 of 1 link waits for you: a is halted', RUNNING, [HALTED_SINCE]],
])('the line is %j', (line, heartbeat, links) => {
  expect(judged(heartbeat, links.map(linkHealth)).line.replace('; see contact-sync status', '')).toBe(line);
});

import { expect, test } from 'vitest';
import { judgeHealth, type LinkHealth } from '../../../../src/daemon/jobs/health.ts';
import type { Heartbeat } from '../../../../src/app/heartbeat.ts';

const NOW_MS = 10_000_000;
const MINUTE_MS = 60_000;
const served = (name: string, change: Partial<Heartbeat['links'][number]> = {}) => {
  return { name, syncIntervalMs: MINUTE_MS, sinceMs: 0, ...change };
};
const ALL_SERVED = ['a', 'b', 'c', 'fine', 'slow'].map((name) => served(name));
const ALONE = { progress: [], stalled: [], waiting: null, links: ALL_SERVED, pid: 1, process: null };
const queueSince = (wellAtMs: number | null) => ({ waiting: { reason: 'Redis does not answer.', wellAtMs } });
const beat = (change: Partial<Heartbeat> = {}): Heartbeat => {
  return { queue: 'embedded', startedAtMs: 0, beatAtMs: NOW_MS - 9_000, running: [], ...ALONE, ...change };
};
const linkHealth = (change: Partial<LinkHealth> = {}): LinkHealth => {
  const lastSuccessAtMs = NOW_MS - 2 * MINUTE_MS;
  const syncIntervalMs = MINUTE_MS;
  return { link: 'a', state: 'active', isPausedByHand: false, syncIntervalMs, lastSuccessAtMs, refused: 0, ...change };
};
const OLD = { lastSuccessAtMs: NOW_MS - 3 * MINUTE_MS - 1 };

test.each([
  ['a live scheduler and a recent success', beat(), linkHealth(), true],
  ['a success exactly three intervals old', beat(), linkHealth({ lastSuccessAtMs: NOW_MS - 3 * MINUTE_MS }), true],
  ['no daemon', null, linkHealth(), false],
  ['a scheduler that stopped a minute ago', beat({ beatAtMs: NOW_MS - MINUTE_MS - 1 }), linkHealth(), false],
  ['a queue that was never there', beat(queueSince(null)), linkHealth(), false],
  ['a queue that went away a minute ago', beat(queueSince(NOW_MS - MINUTE_MS - 1)), linkHealth(), false],
  ['a queue that went away a moment ago', beat(queueSince(NOW_MS - MINUTE_MS)), linkHealth(), true],
  ['a success older than three intervals', beat(), linkHealth(OLD), false],
  [
    'such a success of a link that the daemon runs more seldom',
    beat({ links: [served('a', { syncIntervalMs: 2 * MINUTE_MS })] }),
    linkHealth(OLD),
    true,
  ],
  [
    'such a success where the daemon runs another link more seldom',
    beat({ links: [served('a'), served('b', { syncIntervalMs: 2 * MINUTE_MS })] }),
    linkHealth(OLD),
    false,
  ],
  ['a failing link without recent success', beat(), linkHealth({ ...OLD, state: 'failing' }), false],
  ['no success ever, a while after the start', beat(), linkHealth({ lastSuccessAtMs: null }), false],
  [
    'no success yet, just started',
    beat({ startedAtMs: NOW_MS - MINUTE_MS }),
    linkHealth({ lastSuccessAtMs: null }),
    true,
  ],
  [
    'no success yet, just taken up',
    beat({ links: [served('a', { sinceMs: NOW_MS - 3 * MINUTE_MS })] }),
    linkHealth({ lastSuccessAtMs: null }),
    true,
  ],
  [
    'no success since it was taken up a while ago',
    beat({ links: [served('a', { sinceMs: NOW_MS - 3 * MINUTE_MS - 1 })] }),
    linkHealth({ lastSuccessAtMs: null }),
    false,
  ],
  ['an old success, just started', beat({ startedAtMs: NOW_MS - MINUTE_MS }), linkHealth(OLD), true],
  ['a long run under way', beat({ running: ['a'] }), linkHealth(OLD), true],
  ['a run under way that gets nowhere', beat({ running: ['a'], stalled: ['a'] }), linkHealth(), false],
  ['a paused link, which waits for its owner', beat(), linkHealth({ ...OLD, state: 'paused' }), true],
  ['a halted link, which waits for a decision', beat(), linkHealth({ ...OLD, state: 'halted' }), true],
])('%s', (_name, heartbeat, link, ok) => {
  const verdict = judgeHealth(heartbeat, [link], NOW_MS);
  expect(verdict.ok).toBe(ok);
  expect(verdict.line).not.toContain('\n');
});

test('the line says why a daemon waits for its queue', () => {
  expect(judgeHealth(beat(queueSince(null)), [linkHealth()], NOW_MS).line).toBe(
    'unhealthy: the daemon waits for its job queue: Redis does not answer.',
  );
});

test('the line names the links that are late, and those that wait', () => {
  const links = [linkHealth({ ...OLD, link: 'slow' }), linkHealth({ link: 'fine' })];
  expect(judgeHealth(beat(), links, NOW_MS).line).toContain('slow');
  expect(judgeHealth(beat(), links, NOW_MS).line).not.toContain('fine');
  const waiting = [
    linkHealth(),
    linkHealth({ ...OLD, link: 'b', state: 'paused' }),
    linkHealth({ ...OLD, link: 'c', state: 'halted' }),
  ];
  expect(judgeHealth(beat(), waiting, NOW_MS).line).toBe(
    'healthy: 1 of 3 links in sync; b is paused, c is halted: see contact-sync status',
  );
  expect(judgeHealth(beat(), [linkHealth()], NOW_MS).line).toBe('healthy: 1 link');
});

test('a link that the daemon has not taken up yet is named, and not late', () => {
  const links = [linkHealth(), linkHealth({ link: 'new', lastSuccessAtMs: null })];
  expect(judgeHealth(beat(), links, NOW_MS)).toEqual({
    ok: true,
    line: 'healthy: 1 link; not loaded by the daemon yet: new',
  });
});

import { expect, test } from 'vitest';
import { judgeHealth, type LinkHealth } from '../../../../src/daemon/server/health.ts';
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
  const last = { lastSuccessAtMs, lastEndedAtMs: lastSuccessAtMs };
  return { link: 'a', state: 'active', isPausedByHand: false, syncIntervalMs, ...last, refused: 0, ...change };
};
const OLD = { lastSuccessAtMs: NOW_MS - 3 * MINUTE_MS - 1 };

test.each([
  ['a live scheduler and a recent success', beat(), linkHealth(), true],
  ['a success exactly three intervals old', beat(), linkHealth({ lastSuccessAtMs: NOW_MS - 3 * MINUTE_MS }), true],
  ['no daemon', null, linkHealth(), false],
  ['a scheduler that stopped a minute ago', beat({ beatAtMs: NOW_MS - MINUTE_MS - 1 }), linkHealth(), false],
  ['a queue that was never reachable', beat(queueSince(null)), linkHealth(), false],
  [
    'a queue that has been unreachable for more than a minute',
    beat(queueSince(NOW_MS - MINUTE_MS - 1)),
    linkHealth(),
    false,
  ],
  ['a queue that has been unreachable for a minute at most', beat(queueSince(NOW_MS - MINUTE_MS)), linkHealth(), true],
  ['a success older than three intervals', beat(), linkHealth(OLD), false],
  [
    'a success older than three configured intervals, of a link with a longer interval in the daemon',
    beat({ links: [served('a', { syncIntervalMs: 2 * MINUTE_MS })] }),
    linkHealth(OLD),
    true,
  ],
  [
    'a success older than three intervals, where the daemon has a longer interval for another link only',
    beat({ links: [served('a'), served('b', { syncIntervalMs: 2 * MINUTE_MS })] }),
    linkHealth(OLD),
    false,
  ],
  [
    'a success ahead of the clock, which was set back',
    beat(),
    linkHealth({ lastSuccessAtMs: NOW_MS + MINUTE_MS + 1 }),
    false,
  ],
  ['a failing link without recent success', beat(), linkHealth({ ...OLD, state: 'failing' }), false],
  ['no success ever, more than three intervals after the start', beat(), linkHealth({ lastSuccessAtMs: null }), false],
  [
    'no success yet, just started',
    beat({ startedAtMs: NOW_MS - MINUTE_MS }),
    linkHealth({ lastSuccessAtMs: null }),
    true,
  ],
  [
    'no success yet, of a link that was loaded three intervals ago',
    beat({ links: [served('a', { sinceMs: NOW_MS - 3 * MINUTE_MS })] }),
    linkHealth({ lastSuccessAtMs: null }),
    true,
  ],
  [
    'no success yet, of a link that was loaded more than three intervals ago',
    beat({ links: [served('a', { sinceMs: NOW_MS - 3 * MINUTE_MS - 1 })] }),
    linkHealth({ lastSuccessAtMs: null }),
    false,
  ],
  ['an old success, just started', beat({ startedAtMs: NOW_MS - MINUTE_MS }), linkHealth(OLD), true],
  ['a long run that is still running', beat({ running: ['a'] }), linkHealth(OLD), true],
  ['a running run without progress', beat({ running: ['a'], stalled: ['a'] }), linkHealth(), false],
  ['a paused link, which waits for its owner', beat(), linkHealth({ ...OLD, state: 'paused' }), true],
  ['a halted link, which waits for a decision', beat(), linkHealth({ ...OLD, state: 'halted' }), true],
])('%s', (_name, heartbeat, link, ok) => {
  const verdict = judgeHealth(heartbeat, [link], NOW_MS);
  expect(verdict.ok).toBe(ok);
  expect(verdict.line).not.toContain('\n');
});

test('the line contains the reason why the daemon waits for its queue', () => {
  expect(judgeHealth(beat(queueSince(null)), [linkHealth()], NOW_MS).line).toBe(
    'unhealthy: the daemon waits for its job queue: Redis does not answer.',
  );
});

test('the line names the links that are late, and the links that wait for a person', () => {
  const links = [linkHealth({ ...OLD, link: 'slow' }), linkHealth({ link: 'fine' })];
  expect(judgeHealth(beat(), links, NOW_MS).line).toContain('slow');
  expect(judgeHealth(beat(), links, NOW_MS).line).not.toContain('fine');
  const waiting = [
    linkHealth(),
    linkHealth({ ...OLD, link: 'b', state: 'paused' }),
    linkHealth({ ...OLD, link: 'c', state: 'halted' }),
  ];
  expect(judgeHealth(beat(), waiting, NOW_MS).line).toBe(
    'the daemon works, but 2 of 3 links wait for you: b is paused, c is halted; see contact-sync status',
  );
  expect(judgeHealth(beat(), [linkHealth()], NOW_MS).line).toBe('healthy: 1 link');
});

test('a halted link does not wait for a person during an accepted run, and does right after it', () => {
  const halted = (lastEndedAtMs: number) => {
    return judgeHealth(beat({ running: ['a'] }), [linkHealth({ state: 'halted', lastEndedAtMs })], NOW_MS).line;
  };
  expect(halted(NOW_MS - MINUTE_MS)).toBe('healthy: 1 link');
  // The heartbeat is 9 seconds old.
  expect(halted(NOW_MS - 1_000)).toContain('1 of 1 link waits for you: a is halted');
});

test('a link that the daemon has not loaded yet is named and is not late', () => {
  const links = [linkHealth(), linkHealth({ link: 'new', lastSuccessAtMs: null })];
  expect(judgeHealth(beat(), links, NOW_MS)).toEqual({
    ok: true,
    line: 'healthy: 1 link; not loaded by the daemon yet: new',
  });
});

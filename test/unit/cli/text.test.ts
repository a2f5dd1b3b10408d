import { expect, test } from 'vitest';
import { formatBar } from '../../../src/cli/terminal/progress-bars.ts';
import { formatStatus, formatStatuses } from '../../../src/cli/links/status.ts';
import type { LinkStatus } from '../../../src/daemon/links/link-status.ts';
import { formatSummary, formatTrouble } from '../../../src/cli/sync/summary.ts';
import { formatTable } from '../../../src/cli/terminal/layout.ts';
import { count, formatAge, formatDuration, formatEstimate } from '../../../src/core/view/words.ts';
import { ClientRefusedError, RevokedError, UnavailableError, type RemoteError } from '../../../src/providers/errors.ts';
import { statusOf, summaryOf } from '../../support/run-words.ts';
import { SIDE_WORDS, TWIN_WORDS } from '../../support/side-words.ts';

const plain = { style: (_style: string, text: string): string => text };
const NOW_MS = Date.UTC(2026, 0, 2, 12);

const LEFT = { pulled: 12, created: 3, updated: 2, deleted: 1, groupsChanged: 0, groupsDeleted: 0, requests: 9 };
const RIGHT = { pulled: 4, created: 0, updated: 0, deleted: 0, groupsChanged: 0, groupsDeleted: 0, requests: 1234 };
const COUNTS = { left: LEFT, right: RIGHT, paired: 1, conflicts: 2 };
const summary = summaryOf({ link: 'default', ...COUNTS, durationMs: 4230 });

test('ages, durations, estimates and counts are short', () => {
  const ages = [0, 59_999, 60_000, 3_600_000, 49 * 3_600_000, -5000].map((ageMs) => formatAge(NOW_MS - ageMs, NOW_MS));
  expect(ages).toEqual(['just now', 'just now', '1 min ago', '1 hour ago', '2 days ago', 'just now']);
  expect(formatAge(null, NOW_MS)).toBe('never');
  expect([340, 4230, 185_000].map(formatDuration)).toEqual(['340 ms', '4.2 s', '3 min 5 s']);
  const times = [0, 1, 59_000, 60_000, 456_000, 3_599_000, 7_500_000].map(formatEstimate);
  expect(times).toEqual(['0 s', '1 s', '59 s', '1 min', '8 min', '1 h 0 min', '2 h 5 min']);
  expect([count(1, 'contact'), count(2500, 'contact')]).toEqual(['1 contact', '2,500 contacts']);
});

test('a table aligns its columns by displayed width, without trailing blanks', () => {
  const table = formatTable(
    [
      ['佐藤', 5],
      ['Ann', 1234],
    ],
    { head: ['who', 'n'], numbers: [1], indent: '  ' },
  );
  expect(table).toBe('  who      n\n  佐藤     5\n  Ann   1234');
});

test('a bar shows progress and remaining time', () => {
  const bar = formatBar('Google: writing', { done: 50, total: 200, remainingMs: 30_000 });
  expect(bar).toBe(`Google: writing  ${'█'.repeat(6)}${'░'.repeat(18)}  25% 50/200  about 30 s left`);
  expect(formatBar('x', { done: 0, total: 5, remainingMs: null })).toMatch(/ 0\/5$/u);
  expect(formatBar('x', { done: 0, total: 0, remainingMs: null })).not.toContain('░');
});

test('a summary has the counts of both sides, and lines for conflicts and other results to check', () => {
  expect(formatSummary(summary, SIDE_WORDS, plain)).toBe(
    [
      'default: completed (incremental) in 4.2 s',
      '           changed  created  updated  deleted  requests',
      '  Google        12        3        2        1         9',
      '  Service        4        0        0        0      1234',
      '  1 contact paired',
      '  2 conflicts decided by policy. See: contact-sync conflicts default',
    ].join('\n'),
  );
});

test('a summary counts the contacts that were not synced in its run, and names the command that lists all of them', () => {
  // The log may be elsewhere: the run may be one of the daemon (`resync --wait`), or LOG_LEVEL may exclude warnings.
  const text = (hasHints: boolean): string =>
    formatSummary({ ...summary, skipped: 1 }, SIDE_WORDS, plain, { hasHints });
  expect(text(true)).toMatch(/\n {2}1 contact not synced in this run\. See: contact-sync status default$/u);
  expect(text(false)).toMatch(/\n {2}1 contact not synced in this run$/u);
});

test('a stopped run is not shown as a failure, and a summary without hints contains no command', () => {
  const stopped = { ...summary, outcome: 'failed', stopped: true, asked: 1 } as const;
  const text = formatSummary(stopped, TWIN_WORDS, plain, { hasHints: false });
  expect(text).toMatch(/^default: stopped \(incremental\) in 4.2 s\n/u);
  expect(text).toMatch(/\n {2}Google \(private\) {7}12 .*\n {2}Google \(work\) {11}4 /u);
  expect(text).toMatch(/\n {2}2 conflicts decided by policy\n {2}1 conflict to decide$/u);
});

test('a problem is shown with its remedy', () => {
  const options = { status: 401, route: 'GET /', applied: 'no' } as const;
  const atGoogle = <E extends RemoteError>(error: E): E => Object.assign(error, { side: 'left' as const });
  const trouble = (error: unknown) => formatTrouble({ summary, error }, SIDE_WORDS);
  expect(trouble(null)).toBeNull();
  expect(trouble(atGoogle(new RevokedError('Google refused.', options)))).toMatch(
    /^Google refused\.\n.*contact-sync connect google default$/u,
  );
  expect(trouble(new UnavailableError('Google is away.', options))).toMatch(/Run the same command again/u);
  const refused = trouble(atGoogle(new ClientRefusedError('GOOGLE_CLIENT_ID is wrong', options)));
  expect(refused).toMatch(/^GOOGLE_CLIENT_ID is wrong\n.*Correct it in the configuration/u);
  expect(refused).not.toContain('connect');
});

const status = statusOf();
const RUNNING = { link: 'default', listed: 7, planned: 5_000, written: 0, remainingMs: null };
const IN_TWO_HOURS = { left: null, right: NOW_MS + 2 * 3_600_000 };
const NEXT = { nextRunAtMs: NOW_MS + 240_000 };

test.each<[what: string, given: Partial<LinkStatus>, line: string]>([
  ['reading', { underWay: { ...RUNNING, planned: null } }, 'running     reading, 7 contacts so far\n'],
  [
    'writing',
    { underWay: { ...RUNNING, written: 1_200, remainingMs: 456_000 } },
    'running     1,200 of 5,000 contacts written, about 8 min left\n',
  ],
  ['writing, with unknown remaining time', { underWay: RUNNING }, 'running     0 of 5,000 contacts written\n'],
  ['a listing', { ...NEXT, sweepAtMs: IN_TWO_HOURS }, 'at the service: found by a full listing, in about 2 h 0 min\n'],
  ['a due listing', { ...NEXT, sweepAtMs: { left: null, right: NOW_MS } }, 'full listing, with the next run\n'],
  ['a listing without a daemon', { sweepAtMs: IN_TWO_HOURS }, 'found by a full listing, with a run after '],
])('a status shows the current work, and when deletions are found without a feed of them: %s', (_, given, line) => {
  expect(formatStatus({ ...status, ...given }, NOW_MS, plain)).toContain(line);
  expect(formatStatus(status, NOW_MS, plain)).not.toMatch(/running|deletions/u);
});

test('a status has no reason of an earlier halt while a run is in progress', () => {
  const halted: LinkStatus = { ...status, state: 'halted', reason: 'The first sync waits.' };
  expect(formatStatus(halted, NOW_MS, plain)).toContain('The first sync waits.');
  expect(formatStatus({ ...halted, underWay: RUNNING }, NOW_MS, plain)).not.toContain('waits');
});

const REFUSAL = {
  side: 'right',
  key: 'people/c1',
  leftId: 'people/c1',
  rightId: null,
  sourceFingerprint: '',
  attempts: 1,
  retryAtMs: 0,
  reason: 'too long',
  name: 'Ada',
} as const;
const OF_GOOGLE = { side: 'left', rightId: null, name: null } as const;
const ENDED = { id: 'r', link: 'default', undoes: null, reason: null, wrote: null, startedAtMs: 0 } as const;
const COMPLETED = { ...ENDED, kind: 'full', outcome: 'completed', endedAtMs: NOW_MS } as const;

test('a status has the reason, ages, every refused contact, and how to link contacts that are on one side only', () => {
  const failing: LinkStatus = {
    ...status,
    state: 'failing',
    reason: 'The service is away.',
    pairs: 1210,
    openConflicts: 1,
    refused: [REFUSAL],
    lastRun: { ...COMPLETED, outcome: 'failed', endedAtMs: NOW_MS - 120_000 },
    failures: 3,
    lastSuccessAtMs: NOW_MS - 3_600_000,
    skipped: [{ ...OF_GOOGLE, leftId: 'people/c2', reason: 'empty' }],
    readAtMs: { left: NOW_MS - 3_600_000, right: null },
    alone: [
      { ...OF_GOOGLE, leftId: 'people/c3', name: 'Ben', undoRun: 'run-9' },
      { ...OF_GOOGLE, leftId: 'people/c4', undoRun: null },
    ],
  };
  const lines = formatStatus(failing, NOW_MS, plain).split('\n');
  expect(lines.map((line) => line.trim().replaceAll(/ {2,}/gu, ' '))).toEqual([
    'default: sync is failing',
    'The service is away.',
    'last run full, failed, 2 min ago',
    'failures 3 in a row, last success 1 hour ago',
    'last read Google 1 hour ago, Service never',
    'pairs 1,210',
    'conflicts 1 open (contact-sync conflicts default)',
    'not synced 2 contacts',
    'one side only 2 contacts',
    'not synced:',
    'Service Ada (people/c1) too long next attempt with the next run',
    'Google people/c2 empty',
    'one side only:',
    'Google Ben since undo run-9',
    'Google people/c4',
    'To link a contact again, create one with the same name and address on the other side.',
    'To revert the undo run-9: contact-sync undo run-9',
  ]);
});

test('a status counts a contact once in the headline and below it, also if two of its values are not synced', () => {
  const refused = (['left', 'right'] as const).map((side) => ({ ...REFUSAL, side }));
  const text = formatStatus({ ...status, pairs: 1, lastRun: COMPLETED, lastSync: COMPLETED, refused }, NOW_MS, plain);
  expect(text).toMatch(/^default: 1 contact not synced\n[^]*\n {2}not synced +1 contact\n/u);
});

test('of more than ten links, a status shows a summary and those with a problem, the most severe first', () => {
  const of = (link: string, given: Partial<LinkStatus> = {}): LinkStatus => {
    return { ...status, link, pairs: 1, lastRun: COMPLETED, lastSync: COMPLETED, ...given };
  };
  const links = [
    ...Array.from({ length: 9 }, (_, index) => of(`l${index}`)),
    of('slow', { openConflicts: 2 }),
    of('broken', { state: 'paused', reason: 'The sign-in was revoked.' }),
  ];
  const titlesOf = (all: boolean, shown = links) =>
    formatStatuses(shown, { nowMs: NOW_MS, all }, plain).map((part) => part.split('\n')[0]);
  const problems = ['broken: sign-in needed', 'slow: 2 conflicts to decide'];
  expect(titlesOf(false)).toEqual([
    '11 links: 1 sign-in needed; 1 with conflicts to decide; 9 in sync',
    ...problems,
    '9 links without a problem: contact-sync status --all shows them.',
  ]);
  expect(titlesOf(true).slice(1)).toEqual([...problems, ...links.slice(0, 9).map(({ link }) => `${link}: in sync`)]);
  expect(titlesOf(false, links.slice(1))).toHaveLength(10);
});

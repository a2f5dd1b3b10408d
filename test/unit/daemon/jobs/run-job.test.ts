import { expect, test } from 'vitest';
import type { LinkRunOptions } from '../../../../src/app/runs.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import { storedReport } from '../../../../src/daemon/jobs/job.ts';
import { NO_PROGRESS_YET, totalOf, track } from '../../../../src/daemon/jobs/progress.ts';
import { outcomeOf } from '../../../../src/daemon/jobs/outcome.ts';
import { HaltError, LeaseError, StoppedError } from '../../../../src/engine/errors.ts';
import type { RunEvent } from '../../../../src/engine/run-event.ts';
import {
  CursorExpiredError,
  DisabledError,
  FullError,
  InvalidError,
  LimitedError,
  NotFoundError,
  type RemoteErrorOptions,
  RevokedError,
  UnauthenticatedError,
  UnavailableError,
  UnreadableError,
} from '../../../../src/providers/errors.ts';
import { ConfigError } from '../../../../src/util/config-error.ts';
import { DOWN, REVOKED, startRunner } from '../../../support/jobs/runner.ts';
import { patchLink, storeRun } from '../../../support/store/rows.ts';

test('an error does not change the schedule, and a link that completes its next run is reported as recovered, once', async () => {
  await using runner = await startRunner();
  const recoveries = () => runner.logged.filter((line) => line.startsWith('linkRecovered'));
  runner.breaks(new TypeError('x is not a function'));
  expect(await runner.run()).toMatchObject({ ending: 'failed', nextInMs: null, summary: null });
  expect(runner.logged).toEqual([expect.stringMatching(/^jobFailed/u)]);
  runner.ends(new TypeError('x'));
  await runner.run();
  runner.ends(null);
  expect(recoveries()).toEqual([]);
  await runner.run();
  await runner.run();
  expect(recoveries()).toEqual(['linkRecovered {"link":"a","from":"failing"}']);
});

test('a job passes the guard only with the nonce of the plan that was halted last, and passes that halt only [R8]', async () => {
  await using runner = await startRunner();
  const halt = (id: string, override: string): Promise<void> =>
    storeRun(runner.store, 'a', { id, outcome: 'halted', reason: `Halt ${id}.`, summary: { override } });
  await runner.run({ kind: 'full', override: 'guessed' });
  await halt('r1', 'the first');
  await halt('r2', 'the second');
  await runner.run({ kind: 'full', override: 'the first' });
  await runner.run({ kind: 'full', override: 'the second' });
  const accepted = { kind: 'halt', message: 'Halt r2.', loses: true };
  expect(runner.runs.map(({ accepts }) => accepts)).toEqual([undefined, undefined, accepted]);
});

test('a run that has reported no progress for a quarter of an hour is stalled until it reports progress or ends', async () => {
  await using runner = await startRunner();
  const ended = Promise.withResolvers<null>();
  const started = Promise.withResolvers<LinkRunOptions>();
  runner.until((options) => {
    started.resolve(options);
    return ended.promise;
  });
  const run = runner.run({ kind: 'full' });
  const { onEvent } = await started.promise;
  runner.clock.advance(15 * 60_000);
  expect(runner.runner.stalled()).toEqual([]);
  runner.clock.advance(1);
  expect(runner.runner.stalled()).toEqual(['a']);
  onEvent?.({ kind: 'listed', side: 'left', whole: true, contacts: 1, total: null });
  expect(runner.runner.stalled()).toEqual([]);
  runner.clock.advance(16 * 60_000);
  expect(runner.runner.stalled()).toEqual(['a']);
  ended.resolve(null);
  await run;
  expect(runner.runner.stalled()).toEqual([]);
});

test('[R16] a link that another process has resumed is not logged as resumed again', async () => {
  await using runner = await startRunner();
  runner.ends(REVOKED);
  await runner.run();
  expect((await runner.run()).ending).toBe('skipped');
  await patchLink(runner.store, 'a', { state: 'active', reason: null });
  runner.ends(null);
  expect((await runner.run()).ending).toBe('completed');
  expect(runner.logged.filter((line) => line.startsWith('linkRecovered'))).toEqual([]);
});

test('[R16] a credential that is stored while the old one is being refused is tried', async () => {
  await using runner = await startRunner();
  runner.until(() => {
    runner.credentials.left = 'g2';
    return Promise.resolve(REVOKED);
  });
  expect((await runner.run()).ending).toBe('paused');
  runner.ends(null);
  expect((await runner.run()).ending).toBe('completed');
});

test('[R16] a job that waits for the lease of a run that pauses the link starts no run', async () => {
  await using runner = await startRunner();
  runner.waitsForLease(() => {
    return patchLink(runner.store, 'a', { state: 'paused', credentials: { left: 'g1', right: 's1' } });
  });
  expect((await runner.run()).ending).toBe('skipped');
  expect(runner.runs).toEqual([]);
});

test('a link that an earlier process paused is skipped until one of its credentials changes', async () => {
  await using runner = await startRunner();
  await patchLink(runner.store, 'a', { state: 'paused', credentials: { left: 'g1', right: 's1' } });
  expect((await runner.run()).ending).toBe('skipped');
  await patchLink(runner.store, 'a', { credentials: { left: 'g1', right: 's0' } });
  expect((await runner.run()).ending).toBe('completed');
});

test('a link without credentials names the command of each side, and a link with an invalid configuration names doctor', async () => {
  await using runner = await startRunner();
  runner.credentials.left = null;
  runner.credentials.right = null;
  runner.breaks(new ConfigError([{ where: 'GOOGLE_REFRESH_TOKEN', what: 'is not set.' }]));
  await runner.run();
  runner.credentials.left = 'g1';
  runner.credentials.right = 's1';
  runner.breaks(new ConfigError([{ where: 'DATA_DIR', what: 'cannot be read.' }]));
  await runner.run();
  const [both, neither] = runner.logged.filter((line) => line.startsWith('linkPaused'));
  expect(both).toContain('"side":null');
  expect(both).toContain('contact-sync connect google a, and with: contact-sync connect service a');
  expect(neither).toContain('"side":null');
  expect(neither).toContain('contact-sync doctor a');
  expect(neither).not.toContain('contact-sync connect');
});

test('a link without credentials that another process holds is tried again soon, and then paused', async () => {
  await using runner = await startRunner();
  runner.breaks(new ConfigError([{ where: 'GOOGLE_REFRESH_TOKEN', what: 'is not set.' }]));
  await runner.store.acquireLease('a', 'another process', runner.clock.now(), runner.clock.now() + 60_000);
  expect(await runner.run()).toMatchObject({ ending: 'busy', nextInMs: 2_000 });
  await runner.store.releaseLease('a', 'another process');
  expect(await runner.run()).toMatchObject({ ending: 'paused', nextInMs: null });
  expect(runner.logged.map((line) => line.split(' ')[0])).toEqual(['leaseBusy', 'linkPaused']);
});

test('an unavailable remote is retried with growing delays; scheduled runs wait for the retry, and success resets the delay', async () => {
  await using runner = await startRunner();
  runner.ends(DOWN);
  expect(await runner.run()).toMatchObject({ ending: 'unavailable', nextInMs: 11_250 });
  expect((await runner.run()).ending).toBe('skipped');
  runner.clock.advance(11_250);
  expect(await runner.run()).toMatchObject({ ending: 'unavailable', nextInMs: 22_500 });
  runner.clock.advance(22_500);
  runner.ends(null);
  expect((await runner.run()).ending).toBe('completed');
  runner.ends(DOWN);
  expect(await runner.run()).toMatchObject({ nextInMs: 11_250 });
});

test('a long outage is logged as an error, once, with the command to run', async () => {
  await using runner = await startRunner();
  const failing = () => runner.logged.filter((line) => line.startsWith('linkFailing'));
  const fail = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      runner.ends(DOWN);
      expect((await runner.run()).ending).toBe('unavailable');
      runner.clock.advance(600_000);
    }
  };
  await fail(7);
  expect(failing()).toEqual([]);
  await fail(3);
  expect(failing()).toHaveLength(1);
  expect(failing()[0]).toContain('contact-sync doctor a');
  expect(failing()[0]).toContain(DOWN.message);
  runner.ends(null);
  await runner.run();
  await fail(8);
  expect(failing()).toHaveLength(2);
});

test('a busy link is retried soon: a run of this process is not hidden or logged, and one of another process is logged once', async () => {
  await using runner = await startRunner();
  const first = Promise.withResolvers<null>();
  runner.until(() => first.promise);
  const runningJob = runner.run({ kind: 'full' });
  await expect.poll(() => runner.runs.length).toBe(1);
  runner.breaks(new LeaseError('a', 'busy'));
  expect((await runner.run()).ending).toBe('busy');
  expect(runner.runner.progress()).toMatchObject([{ link: 'a' }]);
  expect(runner.logged).toEqual([]);
  first.resolve(null);
  await runningJob;
  expect(runner.runner.progress()).toEqual([]);
  // A run of another process is logged once, and is not a failure.
  for (const _ of [1, 2]) expect(await runner.run()).toMatchObject({ ending: 'busy', nextInMs: 2_000 });
  expect(runner.logged).toEqual(['leaseBusy {"link":"a"}']);
});

test('a job of a link that is not configured is skipped', async () => {
  await using runner = await startRunner();
  expect(await runner.run({ link: 'gone' })).toMatchObject({ ending: 'skipped' });
  runner.runner.setLinks([]);
  expect(await runner.run()).toMatchObject({ ending: 'skipped' });
  expect(runner.runs).toEqual([]);
});

test('stopping ends the current runs and starts no other run', async () => {
  await using runner = await startRunner();
  runner.until(({ stop }) => new Promise((resolve) => stop?.addEventListener('abort', () => resolve(stop.reason))));
  const runningJob = runner.run();
  await expect.poll(() => runner.runs.length).toBe(1);
  expect(runner.runner.progress()).toMatchObject([{ link: 'a' }]);
  runner.runner.stop();
  expect(await runningJob).toMatchObject({ ending: 'stopped' });
  expect(runner.runner.progress()).toEqual([]);
  expect(await runner.run()).toMatchObject({ ending: 'stopped' });
  expect(runner.runs).toHaveLength(1);
  expect(runner.runs[0]?.signal.aborted).toBe(false);
  runner.runner.abort();
  expect(runner.runs[0]?.signal.reason).toBeInstanceOf(StoppedError);
});

test('a report whose counts have another format still contains the outcome of the job', () => {
  const report = { ending: 'halted', message: 'Too many.' };
  expect(storedReport.parse({ ...report, summary: { link: 'a', google: {} } })).toEqual({ ...report, summary: null });
});

const at = (options: Partial<RemoteErrorOptions> = {}): RemoteErrorOptions => {
  return { status: null, route: 'GET /v2/contacts', applied: 'no', ...options };
};

test.each([
  ['no error', null, 'completed'],
  ['a halt', new HaltError({ reason: 'mass-deletion', message: 'Too much.' } as never), 'halted'],
  ['a revoked permission', new RevokedError('x', at()), 'paused'],
  ['a refused token', new UnauthenticatedError('x', at()), 'paused'],
  ['a disabled account', new DisabledError('x', at()), 'paused'],
  ['no credential at all', new ConfigError([]), 'paused'],
  ['a remote that is down', new UnavailableError('x', at()), 'unavailable'],
  ['a limit exceeded', new LimitedError('x', at()), 'unavailable'],
  ['a truncated response', new UnreadableError('x', at()), 'unavailable'],
  ['a lease held by another process', new LeaseError('a', 'busy'), 'busy'],
  ['a lease lost to another process', new LeaseError('a', 'lost'), 'busy'],
  ['the program stopped', new StoppedError(), 'stopped'],
  ['something not found', new NotFoundError('x', at()), 'failed'],
  ['something refused', new InvalidError('x', at()), 'failed'],
  ['a full account', new FullError('x', at()), 'failed'],
  ['a cursor expired twice', new CursorExpiredError('x', at()), 'failed'],
  ['anything else', new TypeError('x'), 'failed'],
  ['a thrown value that is not an error', 'x', 'failed'],
])('a run that ends with %s has one outcome', (_name, error, ending) => {
  const outcome = outcomeOf(error, 1, 0.5);
  expect(outcome.ending).toBe(ending);
  expect(outcome.nextInMs !== null).toBe(ending === 'unavailable' || ending === 'busy');
});

test.each([
  ['doubles from 15 s, and half of it is random', [1, 2, 3], 0, null, [7_500, 15_000, 30_000]],
  ['doubles from 15 s', [1, 2, 3], 0.999_999, null, [15_000, 30_000, 60_000]],
  ['never exceeds ten minutes without a Retry-After', [500], 0.999_999, null, [600_000]],
  ['is never less than the Retry-After of the remote', [1], 0, 3_600_000, [3_600_000]],
  ['is as long as without a shorter Retry-After', [3], 0, 1_000, [30_000]],
  ['is at most an hour, whatever the Retry-After of the remote', [1], 0, 1_795_456_800_000, [3_600_000]],
])('the time before another attempt %s', (_, failures, random, retryAfterMs, delaysMs) => {
  const error = new UnavailableError('x', at({ retryAfterMs }));
  expect(failures.map((count) => outcomeOf(error, count, random).nextInMs)).toEqual(delaysMs);
});

const listed = (side: Side, contacts: number, total: number | null): RunEvent => {
  return { kind: 'listed', side, whole: true, contacts, total };
};

const EVENTS: readonly RunEvent[] = [
  listed('left', 1_000, 1_500),
  listed('right', 200, 400),
  listed('left', 1_500, 1_500),
  { kind: 'recovered', writes: 3 },
  { kind: 'planned', contacts: { left: 30, right: 10 } },
  { kind: 'written', side: 'left', done: 5, total: 30, remainingMs: 60_000 },
  { kind: 'written', side: 'right', done: 5, total: 10, remainingMs: 1_000 },
];

test('the events of a run add up to its counts, and the remaining time is that of the slower side, null before a write', () => {
  const totalAfter = (events: readonly RunEvent[]) => totalOf(events.reduce(track, NO_PROGRESS_YET));
  const planned = { listed: 1_700, planned: 40 };
  expect(totalAfter(EVENTS)).toEqual({ ...planned, written: 10, remainingMs: 60_000 });
  expect(totalAfter(EVENTS.slice(0, 5))).toEqual({ ...planned, written: 0, remainingMs: null });
});

test('[R16] a link that was paused because a credential was missing runs again when the same credential is back', async () => {
  await using runner = await startRunner();
  await patchLink(runner.store, 'a', { credentials: { left: 'g1', right: 's1' } });
  runner.credentials.left = null;
  runner.breaks(new ConfigError([{ where: 'GOOGLE_REFRESH_TOKEN', what: 'is not set.' }]));
  expect((await runner.run()).ending).toBe('paused');
  expect((await runner.run()).ending).toBe('skipped');
  runner.credentials.left = 'g1';
  runner.ends(null);
  expect((await runner.run()).ending).toBe('completed');
});

test('[R16] a link that a host without the credential paused is run by a host whose credential was not refused', async () => {
  await using runner = await startRunner();
  expect((await runner.run()).ending).toBe('completed');
  await patchLink(runner.store, 'a', { state: 'paused', credentials: { left: null, right: 's1' } });
  expect((await runner.run()).ending).toBe('completed');
});

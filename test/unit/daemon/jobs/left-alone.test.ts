import { expect, test } from 'vitest';
import type { LinkRunOptions } from '../../../../src/app/runs.ts';
import { FIRST_SYNC_WAITS } from '../../../../src/engine/errors.ts';
import { DOWN, LINK, REVOKED, startRunner } from '../../../support/jobs/runner.ts';
import { storeRun } from '../../../support/store/rows.ts';

const LISTED = { kind: 'listed', side: 'left', whole: true, contacts: 1, total: null } as const;

test('only jobs by hand run while a link is paused by hand, until it is resumed, and the resume is logged once', async () => {
  await using runner = await startRunner();
  await runner.store.setPausedByHand('a', 5);
  expect(await runner.run()).toMatchObject({ ending: 'skipped', summary: null, nextInMs: null });
  expect(runner.runs).toEqual([]);
  for (const kind of ['incremental', 'full'] as const) {
    expect((await runner.run({ kind, byHand: true })).ending).toBe('completed');
  }
  expect((await runner.store.link('a')).pausedByHandAtMs).toBe(5);
  await runner.store.setPausedByHand('a', null);
  expect((await runner.run()).ending).toBe('completed');
  await runner.run();
  expect(runner.logged.filter((line) => /^link(?:PausedByHand|Resumed) /u.test(line))).toEqual([
    'linkPausedByHand {"link":"a","remedy":"Resume it with: contact-sync resume a"}',
    'linkResumed {"link":"a"}',
  ]);
});

test('a job by hand runs while the link waits for its next attempt or for a credential', async () => {
  await using runner = await startRunner();
  runner.ends(DOWN);
  expect((await runner.run()).ending).toBe('unavailable');
  expect((await runner.run()).ending).toBe('skipped');
  expect((await runner.run({ byHand: true })).ending).toBe('unavailable');
  runner.ends(REVOKED);
  expect((await runner.run({ byHand: true })).ending).toBe('paused');
  expect((await runner.run()).ending).toBe('skipped');
  runner.ends(null);
  expect((await runner.run({ byHand: true })).ending).toBe('completed');
  expect(runner.runs).toHaveLength(4);
});

test('a link that is removed and added again under its name does not wait for the earlier next attempt', async () => {
  await using runner = await startRunner();
  runner.ends(DOWN);
  expect((await runner.run()).ending).toBe('unavailable');
  runner.runner.setLinks([]);
  runner.runner.setLinks([LINK]);
  runner.ends(null);
  expect((await runner.run()).ending).toBe('completed');
});

test('a link that is paused while its job waits for the lease is not run', async () => {
  await using runner = await startRunner();
  runner.waitsForLease(async () => void (await runner.store.setPausedByHand('a', 5)));
  expect((await runner.run()).ending).toBe('skipped');
  expect(runner.runs).toEqual([]);
});

test.each([
  ['a scheduled run', {}, null],
  ['a run by hand', { byHand: true }, null],
  ['a run by hand of a link that was paused before, resumed and paused again', { kind: 'full', byHand: true }, 3],
] as const)('%s stops when its link is paused during the run, and is not started again', async (_, job, before) => {
  await using runner = await startRunner();
  if (before !== null) await runner.store.setPausedByHand('a', before);
  const stopped = Promise.withResolvers<unknown>();
  const started = Promise.withResolvers<LinkRunOptions>();
  runner.until((options) => {
    options.stop?.addEventListener('abort', () => stopped.resolve(options.stop?.reason));
    started.resolve(options);
    return stopped.promise;
  });
  const run = runner.run(job);
  const { onEvent, stop } = await started.promise;
  runner.clock.advance(1_000);
  onEvent?.(LISTED);
  await runner.store.link('a');
  expect(stop?.aborted).toBe(false);
  await runner.store.setPausedByHand('a', null);
  await runner.store.setPausedByHand('a', 7);
  runner.clock.advance(999);
  onEvent?.(LISTED);
  await runner.store.link('a');
  expect(stop?.aborted).toBe(false);
  runner.clock.advance(1);
  onEvent?.(LISTED);
  expect(await run).toMatchObject({ ending: 'stopped', isOver: true, nextInMs: null });
  expect(await stopped.promise).toMatchObject({ message: expect.stringContaining('paused by hand') as string });
});

test('a run that stops because the program ends is continued by the next process', async () => {
  await using runner = await startRunner();
  runner.until(({ stop }) => {
    runner.runner.stop();
    return Promise.resolve(stop?.reason);
  });
  expect(await runner.run()).not.toHaveProperty('isOver');
});

test('the schedule does not retry a first sync that waits for review, until it is run by hand or interrupted', async () => {
  await using runner = await startRunner();
  const store = async (outcome: 'halted' | 'failed', reason = FIRST_SYNC_WAITS): Promise<void> => {
    const startedAtMs = runner.clock.now();
    await storeRun(runner.store, 'a', { startedAtMs, outcome, reason }, { state: 'halted', reason: FIRST_SYNC_WAITS });
    runner.clock.advance(1_000);
  };
  const run = async (firstSync: 'run' | 'review', job: Parameters<typeof runner.run>[0] = {}) => {
    runner.runner.setLinks([{ ...LINK, firstSync }]);
    return (await runner.run(job)).ending;
  };
  await store('halted');
  expect(await run('review')).toBe('skipped');
  expect(await run('run')).toBe('completed');
  await store('halted');
  expect(await run('review', { byHand: true })).toBe('completed');
  await store('halted');
  await store('failed', 'It was interrupted.');
  expect(await run('review')).toBe('completed');
});

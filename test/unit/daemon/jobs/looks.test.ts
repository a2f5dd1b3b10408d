import type { RunRow } from '../../../../src/core/state/rows.ts';
import { expect, test } from 'vitest';
import { LINK, startRunner } from '../../../support/jobs/runner.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

type Runner = Awaited<ReturnType<typeof startRunner>>;

/** Starts a runner of a link whose interval is `auto`. */
const startAuto = async (): Promise<Runner> => {
  const runner = await startRunner();
  runner.runner.setLinks([{ ...LINK, hasAutoInterval: true }]);
  return runner;
};

/** Stores a run of another process that ends now. A run that wrote also stores the time of its change. */
const storeRun = async (
  { store, clock }: Runner,
  {
    outcome = 'completed',
    kind = 'incremental',
    wrote = false,
  }: Partial<Pick<RunRow, 'kind'>> & {
    readonly outcome?: 'completed' | 'failed';
    readonly wrote?: boolean;
  } = {},
): Promise<void> => {
  const nowMs = clock.now();
  const token = (await store.acquireLease('a', 'another', 0, 1)) ?? 0;
  const run = { id: `${nowMs}`, kind, undoes: null, startedAtMs: nowMs };
  const activity = { lastChangeAtMs: nowMs, hours: [] };
  await store.commit('a', token, [
    { kind: 'run-started', run },
    { kind: 'patch-run', id: run.id, set: { outcome, reason: null, summary: {}, endedAtMs: nowMs } },
    ...(wrote ? [{ kind: 'link' as const, patch: { activity } }] : []),
  ]);
  await store.releaseLease('a', 'another');
};

test('the report of a job contains the delay to the next poll, except for a link with a fixed interval', async () => {
  await using runner = await startAuto();
  expect(await runner.run()).toMatchObject({ ending: 'completed', nextPollInMs: 5 * MINUTE_MS });
  await storeRun(runner, { wrote: true });
  expect(await runner.run({ kind: 'sweep' })).toMatchObject({ ending: 'completed', nextPollInMs: 10 * SECOND_MS });
  runner.runner.setLinks([LINK]);
  expect(await runner.run()).not.toHaveProperty('nextPollInMs');
});

test('a link that another process polled is not due before its next poll, and the report contains the remaining delay', async () => {
  await using runner = await startAuto();
  await storeRun(runner, { wrote: true });
  runner.clock.advance(4 * SECOND_MS);
  expect(await runner.run()).toMatchObject({ ending: 'skipped', nextPollInMs: 6 * SECOND_MS });
  expect(runner.logged).toContain('jobSkipped {"link":"a","kind":"incremental","why":"not due"}');
  runner.clock.advance(6 * SECOND_MS);
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
  expect(runner.runs).toHaveLength(1);
});

test('the delay between two polls is computed when the last one ended, however late the next job starts', async () => {
  await using runner = await startAuto();
  await storeRun(runner, { wrote: true });
  runner.clock.advance(4 * MINUTE_MS);
  await storeRun(runner);
  runner.clock.advance(20 * SECOND_MS);
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
});

test('neither a clock that was set back nor polls from before that prevent the next poll', async () => {
  await using runner = await startAuto();
  const limit = { requests: 4, windowMs: MINUTE_MS };
  runner.limits.push({ name: 'the service', budget: { limit, remaining: 4, resetMs: 0 } });
  await storeRun(runner, { wrote: true });
  runner.clock.advance(2 * MINUTE_MS);
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
  await storeRun(runner, { wrote: true });
  runner.clock.setBack(24 * 60 * MINUTE_MS);
  runner.clock.advance(MINUTE_MS);
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
});

test.each([
  ['a job by hand', { wrote: true }, { byHand: true }],
  ['a sweep', { wrote: true }, { kind: 'sweep' }],
  ['a job after a run that failed', { wrote: true, outcome: 'failed' }, {}],
  ['a job after an undo', { wrote: true, kind: 'undo' }, {}],
] as const)('%s does not wait for the next poll', async (_, last, job) => {
  await using runner = await startAuto();
  await storeRun(runner, last);
  expect(await runner.run(job)).toMatchObject({ ending: 'completed' });
});

test('a link with a fixed interval runs for each job', async () => {
  await using runner = await startRunner();
  await storeRun(runner, { wrote: true });
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
});

test('a poll waits when polls have used their share of a limit, and a job by hand does not', async () => {
  await using runner = await startAuto();
  const limit = { requests: 4, windowMs: MINUTE_MS };
  runner.limits.push({ name: 'the service', budget: { limit, remaining: 4, resetMs: 0 } });
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
  runner.clock.advance(20 * SECOND_MS);
  expect(await runner.run()).toMatchObject({ ending: 'skipped', nextPollInMs: 40 * SECOND_MS });
  expect(await runner.run({ byHand: true })).toMatchObject({ ending: 'completed' });
  runner.clock.advance(40 * SECOND_MS);
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
});

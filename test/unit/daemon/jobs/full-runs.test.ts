import type { RunRow } from '../../../../src/core/state/rows.ts';
import { expect, test } from 'vitest';
import type { JobData } from '../../../../src/daemon/jobs/job.ts';
import { fullRunRetryMs, createFullRunSlots, fullRunSlots } from '../../../../src/daemon/jobs/admission.ts';
import { startRunner } from '../../../support/jobs/runner.ts';

const COMPLETED = {} as RunRow;

/** FullRunSlots where runs of these links have completed. */
const turnsOf = (concurrency: number, synced: readonly string[]) =>
  createFullRunSlots({
    concurrency,
    store: { runs: (link) => Promise.resolve(synced.includes(link) ? [COMPLETED] : []) },
  });

const job = (link: string, kind: JobData['kind'] = 'incremental'): JobData => ({ link, kind, override: null });

test('full runs leave a quarter of the places to others, one at least where there is more than one', () => {
  expect([1, 2, 3, 4, 10, 100].map(fullRunSlots)).toEqual([1, 1, 2, 3, 8, 75]);
});

test('however many full runs wait, they ask ten times a second together', () => {
  expect([1, 20, 100, 10_000].map(fullRunRetryMs)).toEqual([2_000, 2_000, 10_000, 1_000_000]);
});

test('first syncs and resyncs take no place of the incremental runs, and each gets its turn when one has ended', async () => {
  const turns = turnsOf(4, ['d', 'e']);
  const held = [await turns.acquire(job('a')), await turns.acquire(job('b')), await turns.acquire(job('d', 'full'))];
  for (const turn of held) expect(turn).not.toHaveProperty('retryInMs');
  expect(await turns.acquire(job('c'))).toEqual({ retryInMs: 2_000 });
  expect(await turns.acquire(job('e', 'full'))).toEqual({ retryInMs: 2_000 });
  expect(await turns.acquire(job('e'))).not.toHaveProperty('retryInMs');
  expect(await turns.acquire(job('e', 'sweep'))).not.toHaveProperty('retryInMs');
  const [first] = held;
  if (first !== undefined && Symbol.dispose in first) first[Symbol.dispose]();
  expect(await turns.acquire(job('c'))).not.toHaveProperty('retryInMs');
});

test('a link whose first sync another process has done waits no more', async () => {
  const synced: string[] = [];
  const turns = turnsOf(1, synced);
  await turns.acquire(job('a'));
  const others = Array.from({ length: 99 }, (_, index) => `b${index}`);
  for (const link of others) await turns.acquire(job(link));
  expect(await turns.acquire(job('c'))).toEqual({ retryInMs: 10_000 });
  synced.push(...others);
  for (const link of others) await turns.acquire(job(link));
  expect(await turns.acquire(job('c'))).toEqual({ retryInMs: 2_000 });
});

test('a full run that was turned away begins no run, and is tried again', async () => {
  await using runner = await startRunner({ concurrency: 2 });
  const ended = Promise.withResolvers<null>();
  const begun = Promise.withResolvers<void>();
  runner.until(() => {
    begun.resolve();
    return ended.promise;
  });
  const long = runner.run({ kind: 'full' });
  await begun.promise;
  expect(await runner.run({ link: 'b' })).toMatchObject({ ending: 'busy', retryInMs: 2_000 });
  expect(runner.runs).toHaveLength(1);
  ended.resolve(null);
  await long;
  expect(await runner.run({ link: 'b' })).toMatchObject({ ending: 'completed' });
});

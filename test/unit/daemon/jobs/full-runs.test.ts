import type { RunRow } from '../../../../src/core/state/rows.ts';
import { expect, test } from 'vitest';
import type { JobData } from '../../../../src/daemon/jobs/job.ts';
import { fullRunRetryMs, createFullRunSlots, fullRunSlots } from '../../../../src/daemon/jobs/admission.ts';
import { startRunner } from '../../../support/jobs/runner.ts';

const COMPLETED = {} as RunRow;

/** Returns slots for full runs where runs of the given links have completed. */
const slotsOf = (concurrency: number, synced: readonly string[]) =>
  createFullRunSlots({
    concurrency,
    store: { runs: (link) => Promise.resolve(synced.includes(link) ? [COMPLETED] : []) },
  });

const job = (link: string, kind: JobData['kind'] = 'incremental'): JobData => ({ link, kind, override: null });

test('full runs leave a quarter of the slots to other runs, and at least one slot if there are two or more', () => {
  expect([1, 2, 3, 4, 10, 100].map(fullRunSlots)).toEqual([1, 1, 2, 3, 8, 75]);
});

test('waiting full runs retry at most ten times a second in total, however many there are', () => {
  expect([1, 20, 100, 10_000].map(fullRunRetryMs)).toEqual([2_000, 2_000, 10_000, 1_000_000]);
});

test('first syncs and resyncs use no slot of incremental runs, and the next one starts when one has ended', async () => {
  const slots = slotsOf(4, ['d', 'e']);
  const held = [await slots.acquire(job('a')), await slots.acquire(job('b')), await slots.acquire(job('d', 'full'))];
  for (const slot of held) expect(slot).not.toHaveProperty('retryInMs');
  expect(await slots.acquire(job('c'))).toEqual({ retryInMs: 2_000 });
  expect(await slots.acquire(job('e', 'full'))).toEqual({ retryInMs: 2_000 });
  expect(await slots.acquire(job('e'))).not.toHaveProperty('retryInMs');
  expect(await slots.acquire(job('e', 'sweep'))).not.toHaveProperty('retryInMs');
  const [first] = held;
  if (first !== undefined && Symbol.dispose in first) first[Symbol.dispose]();
  expect(await slots.acquire(job('c'))).not.toHaveProperty('retryInMs');
});

test('a link whose first sync another process has completed is no longer counted as waiting', async () => {
  const synced: string[] = [];
  const slots = slotsOf(1, synced);
  await slots.acquire(job('a'));
  const others = Array.from({ length: 99 }, (_, index) => `b${index}`);
  for (const link of others) await slots.acquire(job(link));
  expect(await slots.acquire(job('c'))).toEqual({ retryInMs: 10_000 });
  synced.push(...others);
  for (const link of others) await slots.acquire(job(link));
  expect(await slots.acquire(job('c'))).toEqual({ retryInMs: 2_000 });
});

test('a full run without a free slot starts no run and is retried', async () => {
  await using runner = await startRunner({ concurrency: 2 });
  const ended = Promise.withResolvers<null>();
  const started = Promise.withResolvers<void>();
  runner.until(() => {
    started.resolve();
    return ended.promise;
  });
  const long = runner.run({ kind: 'full' });
  await started.promise;
  expect(await runner.run({ link: 'b' })).toMatchObject({ ending: 'busy', retryInMs: 2_000 });
  expect(runner.runs).toHaveLength(1);
  ended.resolve(null);
  await long;
  expect(await runner.run({ link: 'b' })).toMatchObject({ ending: 'completed' });
});

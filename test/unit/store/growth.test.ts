import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { extentOf } from '../../support/extent.ts';
import { RUNS_A_DAY, sizeOf, soak } from '../../support/store/soak.ts';

const DAYS = extentOf({ all: 5, sample: 2 });
/** The number of runs within RETENTION. */
const WINDOW = DAYS * RUNS_A_DAY;
const PLAN = { changesPerRun: 100, retentionMs: DAYS * 86_400_000 };

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'contact-sync-growth-'));
  path = join(directory, 'contact-sync.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

test('constant changes do not grow the file beyond the size for RETENTION, and it shrinks when they end', async () => {
  const store = openStore(path);
  const sizes = await soak(store, path, { ...PLAN, firstRun: 0, runs: 10 * WINDOW });
  expect(await store.journal('default', { fromId: 0, limit: 1e9 })).toHaveLength((WINDOW + 1) * PLAN.changesPerRun);
  // The log reaches its maximum size in the first half.
  const filled = Math.max(...sizes.slice(0, 5 * WINDOW));
  expect(Math.max(...sizes.slice(5 * WINDOW))).toBeLessThan(filled * 1.05);
  await soak(store, path, { ...PLAN, firstRun: 10 * WINDOW, runs: 2 * WINDOW, changesPerRun: 0 });
  await store.close();
  expect(sizeOf(path)).toBeLessThan(3_000_000);
});

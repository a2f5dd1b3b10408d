import { join } from 'node:path';
import { openStore } from '../../src/store/sqlite/sqlite-store.ts';
import { RUNS_A_DAY, soak } from '../support/store/soak.ts';
import { openFolder } from './folder.ts';
import { megabytes, type Table } from './table.ts';

const DAYS = 30;
const CHANGES_PER_RUN = 100;

/** Measures the size of the database after `changes` changes: a hundred a run, four runs a day, kept for 30 days. */
export const benchGrowth = async (changes: number): Promise<Table> => {
  await using folder = await openFolder();
  const path = join(folder.path, 'contact-sync.db');
  const store = openStore(path);
  const runs = changes / CHANGES_PER_RUN;
  const plan = { firstRun: 0, runs, changesPerRun: CHANGES_PER_RUN, retentionMs: DAYS * 86_400_000 };
  const sizes = await soak(store, path, plan);
  await store.close();
  const window = DAYS * RUNS_A_DAY;
  const rows = sizes.flatMap((size, index) => {
    const number = index + 1;
    if (number % window !== 0 && number !== runs) return [];
    return [[`${number * CHANGES_PER_RUN}`, `${number / RUNS_A_DAY}`, megabytes(size)]];
  });
  return {
    title: `7. Growth: ${changes} changes, RETENTION=${DAYS}d`,
    head: ['changes', 'days', 'database and log'],
    rows,
  };
};

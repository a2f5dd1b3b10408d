import Database from 'better-sqlite3';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HistoryDocument, RunsDocument } from '../../support/documents.ts';
import { named } from '../../support/linked-people.ts';
import { useGround } from './run-cli.ts';

// Each test continues where the previous test ended.
const ground = useGround({ google: [named('Ada'), named('Ben')], service: [] });

/** Performs the work while the database refuses the end of each run, as on a full disk. */
const withoutEnds = async <T>(work: () => Promise<T>): Promise<T> => {
  const database = new Database(join(ground.env['DATA_DIR'] ?? '', 'contact-sync.db'));
  database.exec(
    "create trigger refusal before update of ended_at_ms on runs begin select raise(abort, 'no space'); end",
  );
  try {
    return await work();
  } finally {
    database.exec('drop trigger refusal');
    database.close();
  }
};

test('a run whose end cannot be stored is reported with its id and with what it wrote', async () => {
  expect((await ground.run('status')).code).toBe(0);
  const { code, runs } = await withoutEnds(() => ground.read(RunsDocument, 'sync'));
  expect(code).toBe(1);
  expect(ground.sandbox.service.account.contacts()).toHaveLength(2);
  const service = expect.objectContaining({ created: 2 });
  expect(runs).toMatchObject([{ run: expect.stringMatching(/./u), outcome: 'failed', service }]);
  expect(runs[0]?.reason).toContain('no space');
});

test('the duration of a run whose end was not stored is unknown, and what it wrote is not called nothing', async () => {
  expect((await ground.run('sync')).code).toBe(0);
  const { runs } = await ground.read(HistoryDocument, 'runs');
  expect(runs.map(({ outcome, durationMs }) => [outcome, durationMs])).toEqual([
    ['completed', expect.any(Number)],
    ['failed', null],
  ]);
  const { stdout } = await ground.run('runs');
  expect(stdout).toMatch(/failed +unknown +not counted\n/u);
  expect((await ground.run('runs', String(runs[1]?.run))).stdout).toContain('ended at an unknown time');
});

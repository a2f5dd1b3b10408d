import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { cliHost } from '../../support/cli-host.ts';
import { createFolder } from '../../support/folder.ts';

const DAY_MS = 86_400_000;

const folder = await createFolder();
const directory = folder.path;
afterAll(() => folder.remove());

const env = {
  SERVICE_BASE_URL: 'http://127.0.0.1:9',
  GOOGLE_CLIENT_ID: 'client',
  GOOGLE_CLIENT_SECRET: 'client-secret',
  DATA_DIR: directory,
  RETENTION: '30d',
};

beforeAll(async () => {
  const store = openStore(join(directory, 'contact-sync.db'));
  const token = (await store.acquireLease('default', 'test', 0, 1)) ?? 0;
  const endedAtMs = Date.now() - 31 * DAY_MS;
  const run = { id: 'old-run', kind: 'incremental', undoes: null, startedAtMs: endedAtMs } as const;
  const end = { outcome: 'completed', reason: null, summary: {}, endedAtMs } as const;
  await store.commit('default', token, [
    { kind: 'run-started', run },
    { kind: 'patch-run', id: run.id, set: end },
  ]);
  await store.releaseLease('default', 'test');
  await store.close();
});

const undo = (run: string) => cliHost.run(['undo', run, '--dry-run'], env, directory);

test('undo refuses a run that is too old, and prints the time for which writes are kept', async () => {
  const stderr = expect.stringMatching(/old-run is too old .* it ended 31 days ago.* kept for 30 days \(RETENTION\)/su);
  expect(await undo('old-run')).toMatchObject({ code: 2, stderr });
});

test.each(['undo', 'runs'])('%s refuses an empty RUN, which an unset variable of a script leaves', async (command) => {
  const stderr = expect.stringContaining('RUN is empty');
  expect(await cliHost.run([command, ''], env, directory)).toEqual({ code: 2, stdout: '', stderr });
});

test.each(['last', 'pruned-run'])('undo of a missing run reports that the run may be too old: %s', async (run) => {
  const stderr = expect.stringContaining('or it is too old: the writes of a run are kept for 30 days (RETENTION)');
  expect(await undo(run)).toMatchObject({ code: 2, stderr });
});

import { expect, test } from 'vitest';
import { RunsDocument } from '../../../src/cli/sync/run-links.ts';
import { readSides } from '../../support/compare-sides.ts';
import { useGround } from './run-cli.ts';

const ground = useGround({ count: 60 });

test('R6, R8: sync --restore-deletes creates 22 contacts again that were deleted by mistake, with all fields and groups', async () => {
  expect((await ground.run('sync')).code).toBe(0);
  const before = readSides(ground.sandbox);
  const { account } = ground.sandbox.google;
  for (const { resourceName } of account.people().slice(0, 22)) account.deletePerson(resourceName ?? '');
  const halted = await ground.run('sync');
  expect([halted.code, halted.stderr]).toEqual([3, expect.stringContaining('contact-sync sync --restore-deletes')]);

  const { code, stdout } = await ground.run('sync', '--restore-deletes', '--json');
  expect(code).toBe(0);
  const [run] = RunsDocument.parse(JSON.parse(stdout)).runs;
  expect(run).toMatchObject({ google: { created: 22 }, service: { created: 0, updated: 0, deleted: 0 } });
  expect(readSides(ground.sandbox)).toEqual(before);

  const quiet = RunsDocument.parse(JSON.parse((await ground.run('resync', '--json')).stdout)).runs[0];
  const nothing = { created: 0, updated: 0, deleted: 0 };
  expect(quiet).toMatchObject({ google: nothing, service: nothing });
});

test('R8: sync --restore-deletes restores nothing if the last run was not halted because of deletions', async () => {
  const { code, stderr } = await ground.run('sync', '--restore-deletes');
  expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was restored')]);
});

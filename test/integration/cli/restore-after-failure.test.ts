import { beforeAll, expect, test } from 'vitest';
import { readSides } from '../../support/compare-sides.ts';
import { runCli, useGround } from './run-cli.ts';
import { RunsDocument } from '../../support/documents.ts';

const ground = useGround();

beforeAll(async () => {
  expect((await ground.run('sync')).code).toBe(0);
});

test('[R6] [R8] deletions that halted a run are restored although a later run failed', async () => {
  const { google, service } = ground.sandbox;
  const whole = readSides(ground.sandbox);
  for (const { resourceName } of google.account.people().slice(0, 15)) google.account.deletePerson(resourceName ?? '');
  expect((await ground.run('sync')).code).toBe(3);
  service.addFault({ times: 1000, action: { kind: 'status', status: 429, retryAfter: '86400' } });
  const env = { ...ground.env, SERVICE_ACCESS_TOKEN: service.issueToken() };
  expect((await runCli(['sync'], env, ground.directory)).code).toBe(5);
  service.clearFaults();
  const restored = await ground.read(RunsDocument, 'sync', '--restore-deletes');
  expect(restored).toMatchObject({ code: 0, runs: [{ google: { created: 15 }, service: { deleted: 0 } }] });
  expect(readSides(ground.sandbox)).toEqual(whole);
});

test('[R6] [R8] an undo leaves the link halted, and its deletions are restored', async () => {
  const { google } = ground.sandbox;
  google.account.createPerson({ names: [{ givenName: 'Gus', familyName: 'New' }] });
  expect((await ground.run('sync')).code).toBe(0);
  for (const { resourceName } of google.account.people().slice(0, 15)) google.account.deletePerson(resourceName ?? '');
  expect((await ground.run('sync')).code).toBe(3);
  expect((await ground.run('undo', 'last', '--yes')).code).toBe(0);
  const restored = await ground.read(RunsDocument, 'sync', '--restore-deletes');
  expect(restored).toMatchObject({ code: 0, runs: [{ google: { created: 15 }, service: { deleted: 0 } }] });
});

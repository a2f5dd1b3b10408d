import { beforeAll, expect, test } from 'vitest';
import { HistoryDocument } from '../../../src/cli/runs/runs.ts';
import { UndoDocument } from '../../../src/cli/runs/undo.ts';
import { named } from '../../support/linked-people.ts';
import { useGround, type Ended } from './run-cli.ts';

// Each command is a separate process.
const ground = useGround({ google: [named('Ada', { groups: ['Choir'] }), named('Ben'), named('Cid')], service: [] });

const run = (...args: readonly string[]): Promise<Ended> => ground.run(...args);

beforeAll(async () => {
  expect((await run('sync')).code).toBe(0);
});

const labels = (): readonly string[] => ground.sandbox.google.account.groups().map(({ name }) => name);

test('[R15] an undo reports a group that its side refuses, and does not count it', async () => {
  const { google, service } = ground.sandbox;
  for (const { id } of service.account.buckets()) service.account.deleteBucket(id);
  expect((await run('sync')).code).toBe(0);
  expect(labels()).toEqual([]);
  const action = { kind: 'status', status: 400 } as const;
  google.addFault({ method: 'POST', path: /contactGroups$/u, action });
  const { stdout } = await run('undo', 'last', '--json');
  expect(labels()).toEqual([]);
  const { undo } = UndoDocument.parse(JSON.parse(stdout));
  expect(undo).toMatchObject({ outcome: 'completed', undone: 0 });
  expect(undo?.refused).toEqual([
    expect.objectContaining({ side: 'google', field: 'buckets', reason: expect.stringContaining('Choir') }),
  ]);
});

test('[R15] an undo that fails before its first write counts nothing', async () => {
  const { google } = ground.sandbox;
  const { runs } = HistoryDocument.parse(JSON.parse((await run('runs', '--json')).stdout));
  const deletion = runs.find(({ kind }) => kind !== 'undo')?.run ?? '';
  google.addFault({ method: 'POST', path: /contactGroups$/u, times: 9, action: { kind: 'status', status: 501 } });
  const broken = UndoDocument.parse(JSON.parse((await run('undo', deletion, '--json')).stdout)).undo;
  expect(broken).toMatchObject({ outcome: 'failed', undone: 0 });
  google.clearFaults();
  const { stdout } = await run('undo', deletion);
  expect(stdout).toContain(': completed, 2 changes');
  expect(labels()).toEqual(['Choir']);
});

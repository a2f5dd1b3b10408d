import { beforeAll, expect, test } from 'vitest';
import { googleId, named } from '../../support/linked-people.ts';
import { useGround, type Ended } from './run-cli.ts';
import { HistoryDocument, UndoDocument } from '../../support/documents.ts';

// Writes and groups that are refused, retried, and undone separately. Each test continues where the previous test ended.
const ground = useGround({ google: [named('Ada', { groups: ['Choir'] }), named('Ben')], service: [] });

const run = (...args: readonly string[]): Promise<Ended> => ground.run(...args);

beforeAll(async () => {
  expect((await run('sync')).code).toBe(0);
});

const LONG = 'long '.repeat(60).trim();

const titleOf = (name: string): string | null | undefined =>
  ground.sandbox.service.account.contacts().find((contact) => contact.first_name === name)?.title;
const entitle = (name: string, title: string): void =>
  ground.sandbox.google.account.updatePerson(googleId(ground, name), { organizations: [{ title }] });
const lastWrites = async () => (await ground.read(HistoryDocument, 'runs', 'last')).runs[0]?.writes ?? [];
const takesLongTexts = (longText: '422' | 'kept'): unknown => ground.sandbox.service.setVariants({ longText });

test('[R15] a refused write is retried after `retry`', async () => {
  takesLongTexts('422');
  entitle('Ada', LONG);
  entitle('Ben', 'Baker');
  await run('sync');
  takesLongTexts('kept');
  await run('sync');
  expect([titleOf('Ada') === LONG, titleOf('Ben')]).toEqual([false, 'Baker']);
  const id = googleId(ground, 'Ada');
  expect(await run('retry', id)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1 refused write to retry\./u),
  });
  expect((await run('sync')).code).toBe(0);
  expect(titleOf('Ada')).toBe(LONG);
});

test('`retry` of a contact without a refused write is an error, and `retry all` does nothing', async () => {
  const stderr = expect.stringContaining('status');
  expect(await run('retry', 'people/none')).toMatchObject({ code: 2, stdout: '', stderr });
  expect(await run('retry', 'all')).toMatchObject({ code: 0, stdout: '0 refused writes to retry.\n' });
});

test('one write of a run is planned and undone by its number, and the other writes remain', async () => {
  entitle('Ada', 'Admiral');
  entitle('Ben', 'Butcher');
  await run('sync');
  const writes = await lastWrites();
  expect(new Set(writes.map(({ name }) => name))).toEqual(new Set(['Ada Tester', 'Ben Tester']));
  const number = String(writes.find(({ name }) => name === 'Ben Tester')?.write);
  const planned = await ground.read(UndoDocument, 'undo', 'last', '--write', number, '--dry-run');
  expect(planned.undo).toMatchObject({ outcome: 'planned', write: Number(number), undone: 1 });
  expect([titleOf('Ada'), titleOf('Ben')]).toEqual(['Admiral', 'Butcher']);
  const undone = await run('undo', 'last', '--write', number);
  expect(undone.stdout).toMatch(new RegExp(`undo of write ${number} of run \\S+: completed, 1 change`, 'u'));
  expect([titleOf('Ada'), titleOf('Ben')]).toEqual(['Admiral', 'Baker']);
  // The undo is a separate run and writes nothing to the other side.
  await run('sync');
  expect([titleOf('Ada'), titleOf('Ben')]).toEqual(['Admiral', 'Baker']);
  expect((await run('undo', 'last')).code).toBe(0);
  expect(titleOf('Ben')).toBe('Butcher');
});

test('an unknown write number and a write of another run are refused', async () => {
  const { runs } = await ground.read(HistoryDocument, 'runs');
  const first = runs.at(-1)?.run ?? '';
  const [write] = await lastWrites();
  for (const number of ['999999', String(write?.write)]) {
    const refused = await run('undo', first, '--write', number);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`has no write ${number}`)]);
  }
  expect((await run('undo', first, '--write', '0')).code).toBe(2);
});

const labels = (): readonly string[] => ground.sandbox.google.account.groups().map(({ name }) => name);

test('[R15] an undo reports a group that its side refuses, and does not count it', async () => {
  const { google, service } = ground.sandbox;
  for (const { id } of service.account.buckets()) service.account.deleteBucket(id);
  expect((await run('sync')).code).toBe(0);
  expect(labels()).toEqual([]);
  const action = { kind: 'status', status: 400 } as const;
  google.addFault({ method: 'POST', path: /contactGroups$/u, action });
  const { undo } = await ground.read(UndoDocument, 'undo', 'last');
  const refused = [{ side: 'google', field: 'buckets', reason: expect.stringContaining('Choir') }];
  expect(undo).toMatchObject({ outcome: 'completed', undone: 0, refused });
  expect(labels()).toEqual([]);
});

test('[R15] an undo that fails before its first write counts nothing', async () => {
  const { google } = ground.sandbox;
  const { runs } = await ground.read(HistoryDocument, 'runs');
  const deletion = runs.find(({ kind }) => kind !== 'undo')?.run ?? '';
  google.addFault({ method: 'POST', path: /contactGroups$/u, times: 9, action: { kind: 'status', status: 501 } });
  const broken = await ground.read(UndoDocument, 'undo', deletion);
  expect(broken.undo).toMatchObject({ outcome: 'failed', undone: 0 });
  google.clearFaults();
  const { stdout } = await run('undo', deletion);
  expect(stdout).toContain(': completed, 2 changes');
  expect(labels()).toEqual(['Choir']);
});

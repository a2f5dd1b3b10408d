import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { copyDatabase } from '../../../src/store/sqlite/copy.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { putHalf } from '../../support/store/rows.ts';
import { useDirectory } from '../util/use-directory.ts';

const WRITER = fileURLToPath(new URL('../../support/store/write-for-ever.ts', import.meta.url));

const at = useDirectory();
let path: string;
beforeEach(() => {
  path = at('contact-sync.db');
});

const numbersIn = async (file: string): Promise<readonly number[]> => {
  const store = openStore(file);
  const halves = await store.halves('default', { by: 'all' });
  await store.close();
  return halves.map(({ absences }) => absences);
};

test('each copy that is made while another process writes is a consistent snapshot', async () => {
  const writer = spawn(process.execPath, [WRITER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(writer, 'exit');
  const committed = createInterface({ input: writer.stdout })[Symbol.asyncIterator]();
  let last = 0;
  for (const name of ['first.db', 'second.db', 'third.db']) {
    const copy = at(name);
    let number = 0;
    while (number <= last) number = Number((await committed.next()).value);
    copyDatabase(path, copy);
    expect((statSync(copy).mode & 0o777).toString(8)).toBe('600');
    expect([existsSync(`${copy}-wal`), existsSync(`${copy}-shm`)]).toEqual([false, false]);
    const [one = 0, other = 0] = await numbersIn(copy);
    expect(one).toBe(other);
    expect(one).toBeGreaterThanOrEqual(number);
    last = one;
  }
  expect(writer.exitCode).toBeNull();
  writer.kill('SIGKILL');
  await exited;
});

test('a copy contains the changes in the write-ahead log, which the database file alone does not', async () => {
  const store = openStore(path);
  const token = (await store.acquireLease('default', 'one', 0, 100)) ?? 0;
  await store.commit('default', token, [putHalf('l1', { absences: 7 })]);
  copyFileSync(path, at('file-alone.db'));
  copyDatabase(path, at('copy.db'));
  await store.close();
  expect(await numbersIn(at('file-alone.db'))).toEqual([]);
  expect(await numbersIn(at('copy.db'))).toEqual([7]);
});

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPageKey, removePageKey, writePageKey } from '../../../../src/daemon/console/sign-in-link.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'contact-sync-page-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

test.each(['', '{"address":', 'null'])('a truncated key file of the page (%j) is read as no key', async (text) => {
  await writeFile(join(dataDir, `console-${hostname()}.json`), text);
  expect(await readPageKey(dataDir)).toBeNull();
  await removePageKey(dataDir, 1);
});

test('a process removes its own key, and keeps the key of another process', async () => {
  const key = { address: '127.0.0.1:8377', key: 'key', pid: 7 };
  await writePageKey(dataDir, key);
  await removePageKey(dataDir, 8);
  expect(await readPageKey(dataDir)).toEqual(key);
  await removePageKey(dataDir, 7);
  expect(await readdir(dataDir)).toEqual([]);
});

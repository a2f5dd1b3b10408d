import { readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { readPageKey, removePageKey, writePageKey } from '../../../../src/daemon/console/sign-in-link.ts';
import { useDirectory } from '../../util/use-directory.ts';

const dataDir = useDirectory();

test.each(['', '{"address":', 'null'])('a truncated key file of the page (%j) is read as no key', async (text) => {
  await writeFile(dataDir(`console-${hostname()}.json`), text);
  expect(await readPageKey(dataDir())).toBeNull();
  await removePageKey(dataDir(), 1);
});

test('a process removes its own key, and keeps the key of another process', async () => {
  const key = { address: '127.0.0.1:8377', key: 'key', pid: 7 };
  await writePageKey(dataDir(), key);
  await removePageKey(dataDir(), 8);
  expect(await readPageKey(dataDir())).toEqual(key);
  await removePageKey(dataDir(), 7);
  expect(await readdir(dataDir())).toEqual([]);
});

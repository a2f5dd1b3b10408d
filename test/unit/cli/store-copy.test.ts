import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { storeCopy } from '../../../src/cli/data/store-copy.ts';
import { createTestTerminal } from './terminal.ts';

const directory = await mkdtemp(join(tmpdir(), 'contact-sync-address-'));
afterAll(() => rm(directory, { recursive: true }));

test.each(['mysql://user:hunter2@host/db', 'mysql://user@host/db?password=hunter2'])(
  'a password in an address on the command line is reported, without the password itself: %s',
  async (from) => {
    const terminal = createTestTerminal();
    await expect(storeCopy(terminal, { from, to: 'sqlite:copy.db' })).rejects.toThrow('--from is not a store');
    expect(terminal.warned).toEqual([expect.stringContaining('use --from-file FILE')]);
    expect(terminal.warned.join()).not.toContain('hunter2');
  },
);

test('an address is read from a file without a warning', async () => {
  const fromFile = join(directory, 'address');
  await writeFile(fromFile, 'mysql://user:hunter2@host/db\n');
  const terminal = createTestTerminal();
  await expect(storeCopy(terminal, { fromFile, to: 'sqlite:copy.db' })).rejects.toThrow('--from is not a store');
  expect(terminal.warned).toEqual([]);
});

test('an address that is missing, duplicated or unreadable is refused with the options to use', async () => {
  const terminal = createTestTerminal();
  const refused = 'Give either --from URL or --from-file FILE';
  await expect(storeCopy(terminal, { to: 'sqlite:copy.db' })).rejects.toThrow(refused);
  await expect(storeCopy(terminal, { from: 'sqlite:a', fromFile: 'b', to: 'sqlite:c' })).rejects.toThrow(refused);
  const fromFile = join(directory, 'missing');
  await expect(storeCopy(terminal, { fromFile, to: 'sqlite:c' })).rejects.toThrow(
    `--from-file: ${fromFile} cannot be read (ENOENT)`,
  );
});

import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadFile } from '../../../src/cli/sandbox/files.ts';
import { createTestTerminal } from './terminal.ts';
import { useDirectory } from '../util/use-directory.ts';

const at = useDirectory();

test('of more people than an account at Google accepts, the first ones are loaded, and the rest is reported', async () => {
  const path = at('many.csv');
  await writeFile(path, `First Name,Labels\n${'Anna,\n'.repeat(25_002)}`);
  const terminal = createTestTerminal();
  expect(await loadFile(terminal, path)).toHaveLength(25_000);
  expect(terminal.warned).toEqual([
    `${path}: 25,000 people loaded, 0 lines skipped, 0 entries refused.`,
    `${path}: 2 people left out: the account takes 25,000 contacts.`,
  ]);
});

test('many problems are counted, and the first ones are listed', async () => {
  const path = at('odd.vcf');
  await writeFile(path, `BEGIN:VCARD\nFN:Anna\n${'x\ny\nTITLE:z\n'.repeat(30)}END:VCARD\n`);
  const terminal = createTestTerminal();
  await loadFile(terminal, path);
  expect(terminal.warned).toHaveLength(22);
  expect(terminal.warned[0]).toBe(`${path}: 1 person loaded, 60 lines skipped, 0 entries refused.`);
  expect(terminal.warned[1]).toBe(`${path}:3 to 4: skipped: it is not a vCard property`);
  expect(terminal.warned[21]).toBe(`${path}: skipped: 20 more`);
});

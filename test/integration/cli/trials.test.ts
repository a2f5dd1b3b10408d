import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ended, runCli, startCli } from './run-cli.ts';
import { RunsDocument } from '../../support/documents.ts';
import { createFolder } from '../../support/folder.ts';

const folder = await createFolder();
const directory = folder.path;
afterAll(() => folder.remove());

test('sandbox prints an environment for a sync, on loopback only, and ends with exit code 0 on SIGTERM', async () => {
  const child = startCli(['sandbox', '--json'], {});
  const end = ended(child);
  if (child.stdout === null) throw new Error('The sandbox has no stdout.');
  const [line] = (await once(createInterface(child.stdout), 'line')) as string[];
  const env = z.record(z.string(), z.string()).parse(JSON.parse(line ?? ''));
  const loopback = expect.stringMatching(/^http:\/\/127\.0\.0\.1:/u);
  expect(env).toMatchObject({ SERVICE_BASE_URL: loopback, GOOGLE_ROOT_URL: loopback });
  expect(env['DATA_DIR']?.startsWith(tmpdir())).toBe(true);
  const sync = await runCli(['sync', '--json'], { ...env, DATA_DIR: join(directory, 'data') }, directory);
  expect(sync.code).toBe(0);
  expect(RunsDocument.parse(JSON.parse(sync.stdout)).runs[0]).toMatchObject({ outcome: 'completed' });
  child.kill('SIGTERM');
  expect(await end).toMatchObject({ code: 0, stderr: '' });
});

test('sandbox loads an address book from a file, reports each skipped line, and prints lines to paste', async () => {
  const book = join(import.meta.dirname, '../../support/address-books/one-bad-card.vcf');
  const child = startCli(['sandbox', '--google', book], {});
  const end = ended(child);
  if (child.stdout === null) throw new Error('The sandbox has no stdout.');
  const lines = createInterface(child.stdout);
  for await (const line of lines) if (line.startsWith('# Then')) break;
  child.kill('SIGINT');
  const { code, stderr, stdout } = await end;
  expect(code).toBe(0);
  expect(stdout).toMatch(/^# Sandbox: 6 contacts at Google, 0 contacts at the service/u);
  expect(stdout).toMatch(/^export SERVICE_ACCESS_TOKEN='[^']+'$/mu);
  expect(stdout).toMatch(/^export DATA_DIR='/mu);
  expect(stderr.split('\n')).toEqual([
    `${book}: 6 people loaded, 1 line skipped, 0 entries refused.`,
    `${book}:9: skipped: it is not a vCard property`,
    '',
  ]);
});

test('the demo reaches equal sides, prints the same text each time, and leaves no files behind', async () => {
  const env = { TMPDIR: directory };
  const before = await readdir(directory);
  const { code, stdout } = await runCli(['demo'], env, directory);
  expect(code).toBe(0);
  expect(await readdir(directory)).toEqual(before);
  expect(stdout).not.toContain('\u001B');
  expect(stdout).toContain('No difference.');
  expect(stdout).toContain('60 contacts compared on both sides.');
  expect(stdout.trimEnd().endsWith('\n0 writes')).toBe(true);
  for (const change of ['"Leads" -> "Prospects"', 'changed on both sides', 'Deletions: 1', 'Creations: 1']) {
    expect(stdout).toContain(change);
  }
  // The number of requests and re-read changes of a run depends on the second in which it starts.
  const steady = (text: string): string => text.replaceAll(/ in [\d.]+ (?:ms|s)$/gmu, '').replaceAll(/ *\d+/gu, ' #');
  expect(steady((await runCli(['demo'], env, directory)).stdout)).toBe(steady(stdout));
});

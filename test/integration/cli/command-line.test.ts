import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useGround } from './run-cli.ts';
import { cliHost } from '../../support/cli-host.ts';
import { StatusDocument } from '../../support/documents.ts';

const ground = useGround();

test('--config is accepted before and after the command', async () => {
  const file = join(ground.directory, 'named.yaml');
  await writeFile(file, 'links: { named: {} }\n');
  const linksOf = async (...args: readonly string[]) => {
    const { stdout } = await cliHost.run([...args, '--json'], ground.env, ground.directory);
    return StatusDocument.parse(JSON.parse(stdout)).links.map(({ link }) => link);
  };
  expect(await linksOf('--config', file, 'status')).toEqual(['named']);
  expect(await linksOf('status', '--config', file)).toEqual(['named']);
  const { stdout } = await cliHost.run(['--config', file, 'doctor', '--json'], ground.env, ground.directory);
  expect(stdout).toContain(`1 link: named, from ${file}`);
});

test('a printed next step repeats --config, so that it works as printed', async () => {
  const file = join(ground.directory, 'next.yaml');
  await writeFile(file, 'links: { next: {} }\n');
  const { stdout } = await cliHost.run(['runs', '--config', file], ground.env, ground.directory);
  expect(stdout).toContain(`contact-sync --config ${file} sync next`);
});

test('new state in the current folder is reported once, and not if DATA_DIR names the directory', async () => {
  const { DATA_DIR: _, ...env } = ground.env;
  const cwd = join(ground.directory, 'fresh');
  await mkdir(cwd);
  const warned = async (changes = {}) => (await cliHost.run(['status'], { ...env, ...changes }, cwd)).stderr;
  expect(await warned({ DATA_DIR: 'mine' })).toBe('');
  expect(existsSync(join(cwd, 'mine/contact-sync.db'))).toBe(true);
  expect(await warned()).toContain(`New state is stored in ${join(cwd, 'data')}`);
  expect(await warned()).toBe('');
  // No server listens at that port.
  await rm(join(cwd, 'data'), { recursive: true });
  const shared = { ...env, DATABASE_URL: 'postgres://127.0.0.1:1/contact_sync', CREDENTIALS_KEY: 'k'.repeat(16) };
  const { stderr } = await cliHost.run(['status'], shared, cwd);
  expect([stderr.includes('does not answer'), stderr.includes('New state')]).toEqual([true, false]);
});

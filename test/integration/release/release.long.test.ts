import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';

const RELEASE = join(import.meta.dirname, '../../../config/release/release.ts');
const UNRELEASED = '# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- A fault.\n';
const CHECKS = '#!/bin/sh\necho checks run\n';

let repository: string;
const write = (path: string, content: string, mode = 0o644): void =>
  writeFileSync(join(repository, path), content, { mode });
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const git = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)('git', args, { cwd: repository })).stdout.trim();
const release = (version: string): Promise<string> =>
  promisify(execFile)(process.execPath, [RELEASE, version], { cwd: repository }).then(
    ({ stdout }) => stdout,
    (error: Error & { stdout: string }) => error.stdout,
  );

/** A repository with no more than a release touches. */
beforeEach(async () => {
  repository = mkdtempSync(join(tmpdir(), 'contact-sync-release-'));
  for (const path of ['.ci', 'config/deploy', 'test/support/databases'])
    mkdirSync(join(repository, path), { recursive: true });
  write('.ci/run', CHECKS, 0o755);
  write('package.json', '{ "name": "contact-sync", "version": "0.1.0" }\n');
  write('config/deploy/kubernetes.yaml', 'image: contact-sync:0.1.0\n');
  write('CHANGELOG.md', UNRELEASED);
  await git('init', '--quiet');
  await git('config', 'user.name', 'Somebody');
  await git('config', 'user.email', 'somebody@example.com');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'Everything');
});
afterEach(() => rmSync(repository, { recursive: true }));

const commit = async (path: string, content: string): Promise<void> => {
  write(path, content);
  await git('commit', '--quiet', '--all', '--message', 'A change');
};
const tags = (): Promise<string> => git('tag');

test('a release is checked, stamped, kept as a database, committed and tagged', async () => {
  const output = await release('1.2.0');
  expect(output).toMatch(/^checks run\nTagged v1\.2\.0\. /u);
  expect(await tags()).toBe('v1.2.0');
  expect(await git('status', '--porcelain')).toBe('');
  expect(await git('log', '-1', '--format=%s')).toBe('Release 1.2.0');
  expect(read('CHANGELOG.md')).toMatch(/## \[Unreleased\]\n\n## \[1\.2\.0\] - \d{4}-\d\d-\d\d\n\n### Fixed/u);
  expect(JSON.parse(read('package.json'))).toMatchObject({ version: '1.2.0' });
  expect(read('config/deploy/kubernetes.yaml')).toBe('image: contact-sync:1.2.0\n');
  const database = join(repository, '.git/database');
  writeFileSync(database, gunzipSync(readFileSync(join(repository, 'test/support/databases/1.2.0.db.gz'))));
  const store = openStore(database);
  expect(await store.counts('default')).toMatchObject({ pairs: 12 });
  await store.close();
  expect(await release('1.3.0')).toContain('nothing under Unreleased');
});

test('a release that is not described, checked, committed or later is not tagged', async () => {
  expect(await release('1.2')).toContain('Say which version');
  await commit('CHANGELOG.md', `${UNRELEASED}\n## [1.2.0] - 2026-01-02\n`);
  expect(await release('1.1.9')).toContain('does not come after 1.2.0');
  await commit('.ci/run', '#!/bin/sh\nexit 1\n');
  expect(await release('1.3.0')).toContain('.ci/run');
  write('package.json', '{}');
  expect(await release('1.3.0')).toContain('Commit your changes first');
  expect(await tags()).toBe('');
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { releasedVersions } from '../../../config/release/changelog.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DATABASES = join(ROOT, 'test/support/databases');
const ENDING = '.db.gz';

const versions = releasedVersions(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
const directory = mkdtempSync(join(tmpdir(), 'contact-sync-released-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Opens a database as a command does, and returns its numbers of pairs and runs. */
const open = async (name: string, gzipped: Buffer) => {
  const path = join(directory, `${name}.db`);
  writeFileSync(path, gunzipSync(gzipped));
  const store = openStore(path);
  try {
    const runs = await store.runs('default', { latest: 'completed' });
    return { ...(await store.counts('default')), runs: runs.length };
  } finally {
    await store.close();
  }
};

test('each release has a database', () => {
  const kept = readdirSync(DATABASES).flatMap((name) => (name.endsWith(ENDING) ? [name.slice(0, -ENDING.length)] : []));
  expect(kept.toSorted()).toEqual(versions.toSorted());
});

test.each(versions)('the database of %s opens, with its pairs and runs', async (version) => {
  const found = await open(version, readFileSync(join(DATABASES, `${version}${ENDING}`)));
  expect(found.pairs).toBeGreaterThan(0);
  expect(found.runs).toBe(1);
});

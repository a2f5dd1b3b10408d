import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { startSandbox } from '../../src/sandbox/sandbox.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

/** A database as this version writes it, after a first sync with the sandbox and one that carries an edit; gzipped. */
export const writeDatabase = async (): Promise<Buffer> => {
  const directory = mkdtempSync(join(tmpdir(), 'contact-sync-database-'));
  try {
    await using sandbox = await startSandbox({ count: 12 });
    const env = { ...sandbox.environment(), DATA_DIR: directory };
    const sync = () => promisify(execFile)(process.execPath, [MAIN, 'sync'], { cwd: directory, env });
    await sync();
    const [contact] = sandbox.service.account.contacts();
    if (contact !== undefined) sandbox.service.account.updateContact(contact.id, { title: 'Head of Research' });
    await sync();
    const path = join(directory, 'contact-sync.db');
    const client = new Database(path);
    // One file holds everything.
    client.pragma('journal_mode = delete');
    client.close();
    return gzipSync(readFileSync(path), { level: 9 });
  } finally {
    rmSync(directory, { recursive: true });
  }
};

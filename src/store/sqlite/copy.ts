import Database from 'better-sqlite3';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { errorMessage } from '../../util/errors.ts';
import { StoreError } from '../errors.ts';
import { appliedUpTo, checkVersion } from './migrate.ts';
import { explainTrouble, START_AFRESH } from './trouble.ts';

/** @throws {StoreError} if the database has no state of this program, is of a newer version, or is damaged. */
const checkDatabase = (client: Database.Database, path: string): void => {
  checkVersion(client, path);
  if (appliedUpTo(client) === 0) throw new StoreError(`${path} is not a database of contact-sync.`);
  const found = client.pragma('integrity_check(1)', { simple: true });
  if (found !== 'ok') throw new StoreError(`The database ${path} is damaged: ${String(found)}.`);
};

/**
 * Reads the whole database.
 *
 * @throws {StoreError} if it is damaged, or cannot be read.
 */
export const verifyDatabase = (path: string): void => {
  let client: Database.Database | null = null;
  try {
    client = new Database(path, { fileMustExist: true });
    if (client.pragma('integrity_check(1)', { simple: true }) === 'ok') return;
    throw new StoreError(`The database ${path} is damaged.`, { remedy: START_AFRESH });
  } catch (error) {
    throw explainTrouble(error, path);
  } finally {
    client?.close();
  }
};

const flush = (path: string): void => {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

/** Copies the database into an empty file, and gives the file its name when it is complete. */
const vacuumInto = (client: Database.Database, to: string): void => {
  const draft = `${to}.part`;
  closeSync(openSync(draft, 'wx', 0o600));
  try {
    client.prepare('vacuum into ?').run(draft);
    flush(draft);
    renameSync(draft, to);
  } finally {
    rmSync(draft, { force: true });
  }
};

/**
 * Checks a database and copies its state at one moment, its log included, while other processes may write to it. The copy is not
 * migrated. It is one file (0600), without a log.
 *
 * @throws {StoreError} if one of the files cannot be used, or the copy exists already. Nothing was changed.
 */
export const copyDatabase = (path: string, to: string): void => {
  // SQLite would wait forever for a named pipe.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new StoreError(`${path} does not exist or is not a regular file.`);
  }
  if (existsSync(to)) throw new StoreError(`${to} exists already.`, { remedy: 'Name another file.' });
  let client: Database.Database | null = null;
  try {
    client = new Database(path, { fileMustExist: true });
    checkDatabase(client, path);
    vacuumInto(client, to);
  } catch (error) {
    const explained = explainTrouble(error, path);
    if (explained instanceof StoreError) throw explained;
    throw new StoreError(`The database ${path} cannot be copied to ${to}: ${errorMessage(error)}.`, { cause: error });
  } finally {
    client?.close();
  }
};

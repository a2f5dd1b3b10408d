import Database from 'better-sqlite3';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { errorMessage } from '../../util/errors.ts';
import { StoreError } from '../errors.ts';
import { appliedUpTo, checkVersion } from './migrate.ts';
import { explainTrouble, START_AFRESH } from './trouble.ts';

/** Opens the file of a database for the work. Throws a {@link StoreError} for an error that it explains. */
const withDatabase = (path: string, work: (client: Database.Database) => void): void => {
  let client: Database.Database | null = null;
  try {
    client = new Database(path, { fileMustExist: true });
    work(client);
  } catch (error) {
    throw explainTrouble(error, path);
  } finally {
    client?.close();
  }
};

const checkIntegrity = (client: Database.Database, path: string): void => {
  if (client.pragma('integrity_check(1)', { simple: true }) === 'ok') return;
  throw new StoreError(`The database ${path} is damaged.`, { remedy: START_AFRESH });
};

/**
 * Reads the whole database.
 *
 * @throws {StoreError} if it is damaged, or cannot be read.
 */
export const verifyDatabase = (path: string): void => withDatabase(path, (client) => checkIntegrity(client, path));

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
  try {
    withDatabase(path, (client) => {
      checkVersion(client, path);
      if (appliedUpTo(client) === 0) throw new StoreError(`${path} is not a database of contact-sync.`);
      checkIntegrity(client, path);
      vacuumInto(client, to);
    });
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError(`The database ${path} cannot be copied to ${to}: ${errorMessage(error)}.`, { cause: error });
  }
};

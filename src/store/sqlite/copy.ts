import Database from 'better-sqlite3';
import { closeSync, openSync } from 'node:fs';
import { StoreError } from '../errors.ts';
import { appliedUpTo, checkVersion } from './migrate.ts';
import { explainTrouble } from './trouble.ts';

/** More pages than any database has: all are copied in one step, as they stand together at one moment. */
const ALL_PAGES = 0x7f_ff_ff_ff;

/** @throws {StoreError} where SQLite finds the file damaged. */
const checkIntegrity = (client: Database.Database, path: string): void => {
  const found = client.pragma('integrity_check', { simple: true });
  if (found !== 'ok') throw new StoreError(`The database ${path} is damaged: ${String(found)}.`);
};

/** Does something with a database file that is there; what goes wrong is said with the file. */
const withFile = async <T>(path: string, use: (client: Database.Database) => T | Promise<T>): Promise<T> => {
  let client: Database.Database | null = null;
  try {
    client = new Database(path, { fileMustExist: true });
    return await use(client);
  } catch (error) {
    const explained = explainTrouble(error, path);
    if (explained instanceof StoreError) throw explained;
    throw new StoreError(`The database ${path} cannot be read.`, { cause: error });
  } finally {
    client?.close();
  }
};

/**
 * The schema of a database file: when its latest migration was made, epoch milliseconds. Changes nothing in it.
 *
 * @throws {StoreError} where it is damaged, of a newer version, or another program's.
 */
export const inspectDatabase = (path: string): Promise<number> =>
  withFile(path, (client) => {
    checkVersion(client, path);
    checkIntegrity(client, path);
    return appliedUpTo(client);
  });

/**
 * Copies a database as it stands at one moment, what its log holds included, whoever writes to it meanwhile; it is not
 * migrated. The copy is one file (0600), without a log. Answers its schema as {@link inspectDatabase} does.
 *
 * @throws {StoreError} where either file cannot be used.
 */
export const copyDatabase = async (path: string, to: string): Promise<number> => {
  await withFile(path, async (client) => {
    checkVersion(client, path);
    closeSync(openSync(to, 'wx', 0o600));
    await client.backup(to, { progress: () => ALL_PAGES });
  });
  await withFile(to, (client) => void client.pragma('journal_mode = delete'));
  return inspectDatabase(to);
};

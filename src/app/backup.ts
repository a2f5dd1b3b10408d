import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyDatabase, verifyDatabase } from '../store/sqlite/copy.ts';
import { explainTrouble } from '../store/sqlite/trouble.ts';
import { StoreError } from '../store/store.ts';
import { makeDirectory } from '../util/files.ts';
import type { Config } from './config/config.ts';
import { DATABASE_FILE } from './config/default-places.ts';

type Place = Pick<Config, 'dataDir' | 'databaseUrl'>;

/** A folder at the root of some file systems. */
const IGNORED = 'lost+found';

/** Refuses a database on a server, which has its own tools for backups. */
const refuseServer = ({ databaseUrl }: Place, tool: string): void => {
  if (databaseUrl !== null) throw new StoreError(`The state is on PostgreSQL (DATABASE_URL). Use ${tool}.`);
};

/** Creates a private directory if it is missing, and returns the names of its files. */
const ensureDirectory = (path: string): readonly string[] => {
  try {
    makeDirectory(path);
    return readdirSync(path);
  } catch (error) {
    throw explainTrouble(error, path);
  }
};

/** Returns the file of a backup: `path`, or a file in it if it is an existing directory. */
export const backupFileAt = (path: string): string =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? join(path, DATABASE_FILE) : path;

/**
 * Copies the state of this DATA_DIR into a new file. A daemon or a command may use the state in the meantime.
 *
 * @throws {StoreError | DirectoryError} if no copy could be made.
 */
export const backUp = (place: Place, file: string): void => {
  refuseServer(place, 'pg_dump');
  ensureDirectory(dirname(file));
  copyDatabase(join(place.dataDir, DATABASE_FILE), file);
};

/** Reads the whole state in this DATA_DIR. Throws a {@link StoreError} if it is damaged. */
export const verifyState = (dataDir: string): void => verifyDatabase(join(dataDir, DATABASE_FILE));

/**
 * Restores a backup into this DATA_DIR, which must be empty.
 *
 * @throws {StoreError | DirectoryError} if DATA_DIR is not empty, or the backup is damaged or of a newer version. DATA_DIR then
 * stays as it is.
 */
export const restore = (place: Place, file: string): void => {
  refuseServer(place, 'pg_restore');
  const { dataDir } = place;
  const found = ensureDirectory(dataDir).find((name) => name !== IGNORED);
  if (found !== undefined) {
    throw new StoreError(`${dataDir} is not empty: it contains ${found}.`, {
      remedy: 'Stop the daemon that uses it and move it away, or name an empty DATA_DIR.',
    });
  }
  copyDatabase(file, join(dataDir, DATABASE_FILE));
};

import { dirname } from 'node:path';
import { accessRemedy } from '../../util/files.ts';
import { FenceError, StoreError } from '../errors.ts';
import { errorCode } from '../../util/errors.ts';

const NOTHING_LOST = 'Data stored before is intact, and the next run continues.';

/** The remedy for a damaged database. */
export const START_AFRESH =
  'Restore a backup, or move it away to start with an empty database: the next run then pairs both address books again.';

type Trouble = readonly [beginnings: readonly string[], what: string, remedy: (path: string) => string];

/** By the beginnings of an error's code, SQLite's or the system's. */
const TROUBLES: readonly Trouble[] = [
  // The index of the journal cannot grow (SHMSIZE); nothing else makes that fail.
  [
    ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'],
    'the disk is full',
    () => `Free some space there. ${NOTHING_LOST}`,
  ],
  [
    ['SQLITE_READONLY', 'SQLITE_CANTOPEN', 'EROFS', 'EACCES', 'EPERM'],
    'it cannot be written',
    (path) => `If its file system is read-only, mount it writable. ${accessRemedy(dirname(path))}`,
  ],
  [
    ['SQLITE_BUSY', 'SQLITE_LOCKED'],
    'another program keeps it locked',
    () => `End that program, such as a backup or a database shell. ${NOTHING_LOST}`,
  ],
  [
    ['SQLITE_IOERR', 'EIO'],
    'the disk did not read or write it',
    () => 'Check the disk, its free space and its mount; copy the directory before anything else.',
  ],
  [['SQLITE_CORRUPT'], 'it is damaged', () => START_AFRESH],
];

/** Returns an error of the database as one with the file, the problem and its remedy; any other error unchanged. */
export const explainTrouble = (error: unknown, path: string): unknown => {
  const code = errorCode(error);
  if (code === null || error instanceof StoreError || error instanceof FenceError) return error;
  const trouble = TROUBLES.find(([beginnings]) => beginnings.some((beginning) => code.startsWith(beginning)));
  if (trouble === undefined) return error;
  const [, what, remedy] = trouble;
  return new StoreError(`The database ${path} cannot be used: ${what} (${code}).`, {
    cause: error,
    remedy: remedy(path),
  });
};

import { dirname } from 'node:path';
import { accessRemedy } from '../../util/files.ts';
import { FenceError, StoreError } from '../errors.ts';
import { errorCode } from '../../util/errors.ts';

type Trouble = { readonly what: string; readonly remedy: string | ((path: string) => string) };

const NOTHING_LOST = 'Data stored before is intact, and the next run continues.';

const FULL: Trouble = { what: 'the disk is full', remedy: `Free some space there. ${NOTHING_LOST}` };
const NOT_WRITABLE: Trouble = {
  what: 'it cannot be written',
  remedy: (path) => `If its file system is read-only, mount it writable. ${accessRemedy(dirname(path))}`,
};
const LOCKED: Trouble = {
  what: 'another program keeps it locked',
  remedy: `End that program, such as a backup or a database shell. ${NOTHING_LOST}`,
};
const UNREADABLE: Trouble = {
  what: 'the disk did not read or write it',
  remedy: 'Check the disk, its free space and its mount; copy the directory before anything else.',
};

/** The remedy for a damaged database. */
export const START_AFRESH =
  'Restore a backup, or move it away to start with an empty database: the next run then pairs both address books again.';
const DAMAGED: Trouble = { what: 'it is damaged', remedy: START_AFRESH };

/** By the beginning of an error's code, SQLite's or the system's. */
const TROUBLES: readonly (readonly [code: string, trouble: Trouble])[] = [
  ['SQLITE_FULL', FULL],
  // The index of the journal cannot grow; nothing else makes that fail.
  ['SQLITE_IOERR_SHMSIZE', FULL],
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
  ['SQLITE_READONLY', NOT_WRITABLE],
  ['SQLITE_CANTOPEN', NOT_WRITABLE],
  ['EROFS', NOT_WRITABLE],
  ['EACCES', NOT_WRITABLE],
  ['EPERM', NOT_WRITABLE],
  ['SQLITE_BUSY', LOCKED],
  ['SQLITE_LOCKED', LOCKED],
  ['SQLITE_IOERR', UNREADABLE],
  ['SQLITE_CORRUPT', DAMAGED],
  ['EIO', UNREADABLE],
];

/** Returns an error of the database as one with the file, the problem and its remedy; any other error unchanged. */
export const explainTrouble = (error: unknown, path: string): unknown => {
  const code = errorCode(error);
  if (code === null || error instanceof StoreError || error instanceof FenceError) return error;
  const [, trouble] = TROUBLES.find(([beginning]) => code.startsWith(beginning)) ?? [];
  if (trouble === undefined) return error;
  const { what, remedy } = trouble;
  return new StoreError(`The database ${path} cannot be used: ${what} (${code}).`, {
    cause: error,
    remedy: typeof remedy === 'string' ? remedy : remedy(path),
  });
};

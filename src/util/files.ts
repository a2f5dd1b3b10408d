import { mkdirSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { shellWord } from './printable.ts';
import { errorCode } from './errors.ts';

/** No directory can be created at a path of the configuration or the command line. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';

  constructor(path: string, code: string) {
    super(`No directory can be made at ${path} (${code}). Name another place, such as one in your home directory.`);
  }
}

/** Codes of a path where no directory is possible. With other codes this process lacks the permission. */
const IMPOSSIBLE = ['ENOENT', 'ENOTDIR', 'EEXIST', 'EINVAL', 'ELOOP', 'ENAMETOOLONG'];

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

const make = (path: string): void => {
  const there = statOf(path);
  if (there === undefined) {
    if (dirname(path) !== path) make(dirname(path));
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      // Another process may have created it in the meantime.
      if (statOf(path)?.isDirectory() !== true) throw error;
    }
  } else if (!there.isDirectory()) throw Object.assign(new Error('It is no directory.'), { code: 'ENOTDIR' });
};

/**
 * Creates a private directory and its parents, one at a time: the recursive mkdir of Node never ends in file systems such as
 * /proc.
 *
 * @throws {DirectoryError} if no directory is possible there, and the error of the system without the permission.
 */
export const makeDirectory = (path: string): void => {
  try {
    make(path);
  } catch (error) {
    const code = errorCode(error) ?? '';
    throw IMPOSSIBLE.includes(code) ? new DirectoryError(path, code) : error;
  }
};

/** Whether an error code means a missing permission. */
export const isForeign = (code: string): boolean => code === 'EACCES' || code === 'EPERM';

/** The user and the group that own a file, or that a process runs as. */
type Owner = { readonly user: number; readonly group: number };

/**
 * The remedy for a file, or a directory with its content, that this process must not read or write. `owner` is null if the path does
 * not exist. Another user that owns it may be the one that contact-sync runs as.
 */
export const accessRemedyFor = (path: string, owner: Owner | null, { user, group }: Owner): string => {
  const word = shellWord(path);
  if (owner === null) return `Create it as root: install -d -m 700 -o ${user} -g ${group} ${word}`;
  if (owner.user === user) return `Let its owner read and write it: chmod -R u+rwX ${word}`;
  return (
    `It belongs to the user ${owner.user}. If contact-sync runs as that user, run this command as that user too. ` +
    `Otherwise change the owner as root: chown -R ${user}:${group} ${word}`
  );
};

const ownerOf = (path: string): Owner | null => {
  try {
    const { uid: user, gid: group } = statSync(path);
    return { user, group };
  } catch {
    return null;
  }
};

/** As {@link accessRemedyFor}, for this process. */
export const accessRemedy = (path: string): string => {
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  if (user === undefined || group === undefined) return `Let the user that runs contact-sync read and write ${path}.`;
  return accessRemedyFor(path, ownerOf(path), { user, group });
};

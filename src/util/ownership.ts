import { existsSync } from 'node:fs';

/** A path as one word of a shell's command. */
const quoted = (path: string): string =>
  /^[\w./@:+-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;

/** Whether an error's code says that a file or a directory is not this process's to use. */
export const isForeign = (code: string): boolean => code === 'EACCES' || code === 'EPERM';

/**
 * The command by which root gives a file, or a directory with all that is in it, to the user of this process; it makes the
 * directory that is not there. In words where the system has no such users.
 */
export const giveToThisUser = (path: string): string => {
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  if (user === undefined || group === undefined) return `let the user that runs contact-sync read and write ${path}`;
  return existsSync(path)
    ? `as root: chown -R ${user}:${group} ${quoted(path)}`
    : `as root: install -d -m 700 -o ${user} -g ${group} ${quoted(path)}`;
};

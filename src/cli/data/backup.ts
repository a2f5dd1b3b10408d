import { resolve } from 'node:path';
import { backUp, backupFileAt, restore as restoreFile } from '../../app/backup.ts';
import { loadConfig } from '../../app/config/config.ts';
import { EXIT, UsageError, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, type Define } from '../command/options.ts';
import type { PlaceOptions } from '../command/configuration.ts';
import type { Terminal } from '../terminal/terminal.ts';

const BACKUP_TEXT = `It contains the stored sign-ins: keep it private.
Not included: configuration, CREDENTIALS_KEY, job queue.`;

/** The file of a backup. Throws {@link UsageError} for an empty path, which would be the working directory. */
const fileOf = (path: string): string => {
  if (path === '') throw new UsageError('PATH is empty. Give the file of a backup, or its directory.');
  return backupFileAt(resolve(path));
};

/**
 * `backup PATH`: copies the state, also while a daemon is running.
 *
 * @throws {StoreError | ConfigError | DirectoryError} if no copy could be made.
 */
const backup = (terminal: Terminal, path: string, options: PlaceOptions): ExitCode => {
  const file = fileOf(path);
  backUp(loadConfig(options), file);
  terminal.print(`Copied to ${file}.\n${BACKUP_TEXT}`);
  return EXIT.done;
};

/**
 * `restore PATH`: restores a backup into an empty DATA_DIR.
 *
 * @throws {StoreError | ConfigError | DirectoryError} if DATA_DIR is not empty, or the backup is damaged.
 */
const restore = (terminal: Terminal, path: string, options: PlaceOptions): ExitCode => {
  const config = loadConfig(options);
  const { dataDir } = config;
  restoreFile(config, fileOf(path));
  terminal.print(`Restored to ${dataDir}.\nShow the changes since the backup: contact-sync plan`);
  return EXIT.done;
};

const BACKUP_HELP = `
The backup contains the database with the stored sign-ins; without CREDENTIALS_KEY they are not encrypted. It does not
contain the configuration, CREDENTIALS_KEY, or the job queue.`;

/** Defines `backup`. */
export const define: Define = (command, call) => {
  command
    .argument('<PATH>', 'new file for the backup, or a directory for it')
    .addHelpText('after', BACKUP_HELP)
    .addHelpText('after', examples('backup /var/backups/contact-sync/monday.db'))
    .action(actionOf(call, null, backup));
};

/** Defines `restore`. */
export const defineRestore: Define = (command, call) => {
  command
    .argument('<PATH>', 'file that `backup` wrote, or its directory')
    .addHelpText('after', examples('restore /var/backups/contact-sync/monday.db'))
    .action(actionOf(call, null, restore));
};

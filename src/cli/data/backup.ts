import { resolve } from 'node:path';
import { backUp, restore as restoreFiles, type Manifest } from '../../app/backup.ts';
import { loadConfig } from '../../app/config/config.ts';
import { count } from '../../core/view/words.ts';
import { systemClock } from '../../util/clock.ts';
import { readVersion } from '../../util/package.ts';
import { loadOptionsOf } from '../command/configuration.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { examples, JSON_OPTION, setFailureDocument, type Define } from '../command/options.ts';
import type { CommonOptions } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';

type BackupOptions = CommonOptions & { readonly withPlainTokens?: boolean };

/** The files of a backup, for people. */
const describeFiles = ({ files }: Manifest): string =>
  files.map(({ name, bytes }) => `${name} (${count(bytes, 'byte')})`).join(', ');

const formatBackup = (manifest: Manifest, directory: string): readonly string[] => {
  const names = manifest.leftOut.map(({ link, side }) => `${link} ${side}`).join(', ');
  const leftOut = `Not included, because they are not encrypted (include them with --with-plain-tokens): tokens of ${names}`;
  return [
    `Copied to ${directory}: ${describeFiles(manifest)}`,
    ...(manifest.leftOut.length === 0 ? [] : [leftOut]),
    'Not included: configuration, CREDENTIALS_KEY, job queue.',
  ];
};

/**
 * `backup DIR`: copies the state, also while a daemon is running.
 *
 * @throws {BackupError | StoreError | CredentialsError | ConfigError} if no copy could be made.
 */
const backup = async (terminal: Terminal, path: string, options: BackupOptions): Promise<ExitCode> => {
  const config = loadConfig(loadOptionsOf(options));
  const directory = resolve(path);
  const plainTokens = options.withPlainTokens ?? false;
  const manifest = await backUp(config, directory, { program: readVersion(), plainTokens, clock: systemClock });
  if (options.json) terminal.print(JSON.stringify({ backup: { directory, ...manifest } }));
  else terminal.print(formatBackup(manifest, directory).join('\n'));
  return EXIT.done;
};

/**
 * `restore DIR`: restores a backup into an empty DATA_DIR.
 *
 * @throws {BackupError | StoreError | ConfigError} if DATA_DIR is in use or not empty, or the backup is damaged.
 */
const restore = async (terminal: Terminal, path: string, options: CommonOptions): Promise<ExitCode> => {
  const config = loadConfig(loadOptionsOf(options));
  const directory = resolve(path);
  const manifest = await restoreFiles(config, directory, { clock: systemClock });
  if (options.json) {
    terminal.print(JSON.stringify({ restore: { directory, dataDir: config.dataDir, ...manifest } }));
    return EXIT.done;
  }
  const signIns = manifest.leftOut.map(({ link, side }) => `contact-sync connect ${side} ${link}`);
  terminal.print(
    [
      `Restored to ${config.dataDir}: ${describeFiles(manifest)}, of ${manifest.createdAt}`,
      ...(signIns.length === 0 ? [] : [`The backup has no tokens. Sign in again: ${signIns.join(', ')}`]),
      'Show the changes since then: contact-sync plan',
    ].join('\n'),
  );
  return EXIT.done;
};

const BACKUP_HELP = `
The backup contains the database, the encrypted tokens, and manifest.json with checksums. It does not contain the
configuration, CREDENTIALS_KEY, or the job queue.`;

/** Defines `backup`. */
export const defineBackup: Define = (command, call) => {
  command
    .argument('<DIR>', 'directory of the backup; new or empty')
    .option('--with-plain-tokens', 'include tokens that are not encrypted')
    .option(...JSON_OPTION)
    .addHelpText('after', BACKUP_HELP)
    .addHelpText('after', examples('backup /var/backups/contact-sync/monday'))
    .action(async (directory: string, options: BackupOptions) => {
      setFailureDocument(call, options, { backup: null });
      call.code = await backup(call.terminal, directory, options);
    });
};

/** Defines `restore`. */
export const defineRestore: Define = (command, call) => {
  command
    .argument('<DIR>', 'directory that `backup` wrote')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('restore /var/backups/contact-sync/monday'))
    .action(async (directory: string, options: CommonOptions) => {
      setFailureDocument(call, options, { restore: null });
      call.code = await restore(call.terminal, directory, options);
    });
};

import { resolve } from 'node:path';
import { backUp, type Manifest } from '../app/backup.ts';
import { systemClock } from '../util/clock.ts';
import { loadConfig } from '../app/config/config.ts';
import { loadOptionsOf } from './configuration.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';
import { readVersion } from './version.ts';
import type { CommonOptions } from './with-app.ts';
import { count } from '../core/view/words.ts';

export type BackupOptions = CommonOptions & { readonly withPlainTokens?: boolean };

/** The files of a backup, for people. */
export const describeFiles = ({ files }: Manifest): string =>
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
 * `backup DIR`: copies the state, also while a daemon works on it.
 *
 * @throws {BackupError | StoreError | CredentialsError | ConfigError} where no copy could be made.
 */
export const backup = async (terminal: Terminal, path: string, options: BackupOptions): Promise<ExitCode> => {
  const config = loadConfig(loadOptionsOf(options));
  const directory = resolve(path);
  const plainTokens = options.withPlainTokens ?? false;
  const manifest = await backUp(config, directory, { program: readVersion(), plainTokens, clock: systemClock });
  if (options.json) terminal.print(JSON.stringify({ backup: { directory, ...manifest } }));
  else terminal.print(formatBackup(manifest, directory).join('\n'));
  return EXIT.done;
};

import { resolve } from 'node:path';
import { restore as takeBack } from '../app/backup.ts';
import { systemClock } from '../util/clock.ts';
import { loadConfig } from '../app/config/config.ts';
import { loadOptionsOf } from './configuration.ts';
import { describeFiles } from './backup.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';
import type { CommonOptions } from './with-app.ts';

/**
 * `restore DIR`: takes a backup back into an empty DATA_DIR.
 *
 * @throws {BackupError | StoreError | ConfigError} where DATA_DIR is in use or not empty, or the backup is damaged.
 */
export const restore = async (terminal: Terminal, path: string, options: CommonOptions): Promise<ExitCode> => {
  const config = loadConfig(loadOptionsOf(options));
  const directory = resolve(path);
  const manifest = await takeBack(config, directory, { clock: systemClock });
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

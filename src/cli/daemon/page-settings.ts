import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app/app.ts';
import type { Config } from '../../app/config/config.ts';
import { manageLinks, type LinkManager } from '../../daemon/links/hosted-links.ts';
import type { LinkSource } from '../../daemon/links/link-changes.ts';
import { BackupError } from '../../store/store.ts';
import { systemClock } from '../../util/clock.ts';
import { makeDirectory } from '../../util/files.ts';
import { readVersion } from '../../util/package.ts';

/** Changes the links of the database; null without such links. */
export const linkManagerOf = (app: App, source: () => LinkSource): LinkManager | null => {
  const { hostedLinks } = app;
  if (hostedLinks === null) return null;
  const { signal } = new AbortController();
  return manageLinks({
    read: () => source().current(),
    hostedLinks,
    clock: systemClock,
    forget: async (name, known) => {
      const { forgetLink } = await import('../../daemon/links/forget-link.ts');
      return forgetLink({ app, links: known, newId: randomUUID, signal }, name);
    },
  });
};

/** The largest number of backups that the page makes. The program never deletes one of them. */
const MOST_BACKUPS = 20;

/** Copies the state into a new folder in DATA_DIR; null if the state is on a server. */
export const backUpOf = (config: Config): (() => Promise<string>) | null => {
  if (config.databaseUrl !== null) return null;
  const folder = join(config.dataDir, 'backups');
  let isBusy = false;
  const copy = async (): Promise<string> => {
    makeDirectory(folder);
    if ((await readdir(folder)).length >= MOST_BACKUPS) {
      throw new BackupError(`${folder} has ${MOST_BACKUPS} backups. Move or delete old ones, then try again.`);
    }
    const { backUp } = await import('../../app/backup.ts');
    const directory = join(folder, new Date(systemClock.now()).toISOString().replaceAll(':', '-'));
    await backUp(config, directory, { program: readVersion(), plainTokens: false, clock: systemClock });
    return directory;
  };
  return async () => {
    if (isBusy) throw new BackupError('A backup is in progress. Wait until it has ended.');
    isBusy = true;
    return copy().finally(() => (isBusy = false));
  };
};

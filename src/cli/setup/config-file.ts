import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { loadConfig } from '../../app/config/config.ts';
import { linkFileBeside } from '../../app/config/link-files.ts';
import { configText, linkText, type SetUp } from '../../app/config/set-up.ts';
import { ConfigError } from '../../util/config-error.ts';
import { makeDirectory } from '../../util/files.ts';

/** Replaces a file atomically; only its owner can read it. `check` may refuse the draft of the file by throwing. */
const replaceFile = async (path: string, text: string, check?: (draft: string) => unknown): Promise<void> => {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    check?.(draft);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
};

/**
 * Writes a new configuration file.
 *
 * @throws {ConfigError} if the answers are not a valid configuration; nothing is written then. {@link DirectoryError} if the
 * directory of the file cannot be used.
 */
export const writeConfigFile = async (path: string, answers: SetUp): Promise<void> => {
  makeDirectory(dirname(path));
  await replaceFile(path, configText(answers, path), (draft) => loadConfig({ config: draft }));
};

/**
 * Writes the file of a new link next to the configuration file, without the settings of `common`; returns its path.
 *
 * @throws {ConfigError} if the configuration with this link is invalid; no file remains then. {@link DirectoryError} if the
 * folder cannot be used.
 */
export const writeLinkFile = async (
  configFile: string,
  name: string,
  answers: SetUp,
  common: SetUp['settings'],
): Promise<string> => {
  const path = linkFileBeside(configFile, name);
  const folder = dirname(path);
  const isNewFolder = !existsSync(folder);
  makeDirectory(folder);
  try {
    await replaceFile(path, linkText(answers, common));
    const faulty = loadConfig({ config: configFile }).faultyLinks.find((link) => link.name === name);
    if (faulty !== undefined) throw new ConfigError(faulty.problems);
  } catch (error) {
    await rm(path, { force: true });
    // With the folder, a configuration file without `links` describes no link.
    if (isNewFolder) await rmdir(folder).catch(() => undefined);
    throw error;
  }
  return path;
};

import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseEnv } from 'node:util';
import { loadConfig } from '../../app/config/config.ts';
import { envFileBeside } from '../../app/config/default-places.ts';
import { linkFileBeside } from '../../app/config/link-files.ts';
import {
  isSecretSetting,
  providersIn,
  settingsIn,
  linkText,
  settingsToAsk,
  changedConfigText,
  configText,
  envText,
  type SetUp,
} from '../../app/config/set-up.ts';
import { variableOf } from '../../app/config/sources.ts';
import { makeDirectory, readTextFile } from '../../util/files.ts';
import { ConfigError } from '../../util/config-error.ts';
import { UsageError } from '../command/exit-codes.ts';
import { divide, type SecretPlace, type Answers } from './questions.ts';
import { errorCode } from '../../util/errors.ts';

/** The values of an existing configuration file that `init` asks for. */
export type Existing = {
  readonly providers: readonly string[];
  readonly settings: ReadonlyMap<string, string>;
  /** Null: no secret is stored. */
  readonly secrets: SecretPlace | null;
};

/** The content of a file; an empty text if there is no such file. */
export const readTextOrEmpty = (path: string): Promise<string> =>
  readTextFile(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });

/** Reads an existing configuration and the `.env` file next to it. Returns null if it is not valid YAML. */
export const readExisting = async (path: string): Promise<Existing | null> => {
  const text = await readTextOrEmpty(path);
  const settings = settingsIn(text);
  if (settings === null) return null;
  const providers = providersIn(text);
  const variables = Object.keys(parseEnv(await readTextOrEmpty(envFileBeside(path))));
  const secretKeys = providers.flatMap((name) => settingsToAsk(name).map(({ key }) => key)).filter(isSecretSetting);
  const isInEnv = secretKeys.some((key) => variables.includes(variableOf(key)));
  const isInFile = secretKeys.some((key) => settings.has(key));
  return { providers, settings, secrets: isInEnv ? 'env' : isInFile ? 'file' : null };
};

/** Creates a file next to a path, readable only by its owner, and deletes it after `use` unless `use` moved it. */
const withDraft = async (path: string, text: string, use: (draft: string) => unknown): Promise<void> => {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await use(draft);
  } finally {
    await rm(draft, { force: true });
  }
};

/** Replaces a file atomically. */
export const replaceFile = (path: string, text: string): Promise<void> =>
  withDraft(path, text, (draft) => rename(draft, path));

const fileTextFor = (path: string, before: string, sides: Answers['sides'], settings: SetUp['settings']): string => {
  if (sides !== null) return configText({ sides, settings }, path);
  const current = settingsIn(before);
  const changed = [...settings].filter(([key, value]) => current?.get(key) !== value);
  return changed.length === 0 ? before : changedConfigText(before, new Map(changed));
};

/**
 * Writes the configuration file, and the `.env` file next to it if secrets are stored there. Returns the paths written.
 * `isComplete`: the answers must be a valid configuration.
 *
 * @throws {ConfigError} if complete answers are not a valid configuration, and {@link UsageError} if a secret cannot be
 * written; nothing is written then. {@link DirectoryError} if the directory of the file cannot be used.
 */
export const writeAnswers = async (
  path: string,
  answers: Answers,
  { isComplete }: { readonly isComplete: boolean },
): Promise<readonly string[]> => {
  const { sides } = answers;
  const { inFile, inEnv } = divide(answers);
  const envPath = envFileBeside(path);
  const env = inEnv.size === 0 ? null : envText(await readTextOrEmpty(envPath), inEnv);
  if (inEnv.size > 0 && env === null) {
    throw new UsageError(
      'A secret has quotes that a .env file cannot contain. Store secrets in the configuration file.',
    );
  }
  makeDirectory(dirname(path));
  const before = sides === null ? await readTextOrEmpty(path) : '';
  if (isComplete) {
    // The draft has all values, because the `.env` file is not written yet.
    const whole = fileTextFor(path, before, sides, new Map([...inFile, ...inEnv]));
    await withDraft(path, whole, (draft) => loadConfig({ configPath: draft }));
  }
  await replaceFile(path, fileTextFor(path, before, sides, inFile));
  if (env === null) return [path];
  await replaceFile(envPath, env);
  return [path, envPath];
};

/**
 * Writes the file of a new link next to the configuration file, and returns its path.
 *
 * @throws {ConfigError} if the configuration with this link is invalid; no file remains then. {@link DirectoryError} if the
 * folder cannot be used.
 */
export const writeLinkFile = async (
  configFile: string,
  name: string,
  answers: Answers,
  common: SetUp['settings'],
): Promise<string> => {
  const { sides } = answers;
  if (sides === null) throw new Error('A new link has two sides.');
  const path = linkFileBeside(configFile, name);
  makeDirectory(dirname(path));
  await replaceFile(path, linkText({ sides, settings: divide(answers).inFile }, common));
  try {
    const faulty = loadConfig({ configPath: configFile }).faultyLinks.find((link) => link.name === name);
    if (faulty !== undefined) throw new ConfigError(faulty.problems);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return path;
};

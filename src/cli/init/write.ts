import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { loadConfig } from '../../config/config.ts';
import { envFileBeside } from '../../config/home.ts';
import { configText, envText } from '../../config/set-up.ts';
import { makeDirectory } from '../../make-directory.ts';
import { UsageError } from '../usage-error.ts';
import { divide, type Answers } from './questions.ts';

const textOf = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });

/** Lets `use` have a new file beside a path, which only its owner reads, and removes it where it is still there. */
const withDraft = async (path: string, text: string, use: (draft: string) => unknown): Promise<void> => {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await use(draft);
  } finally {
    await rm(draft, { force: true });
  }
};

/** Whoever reads the file meanwhile has the one before or the new one. */
const replaceFile = (path: string, text: string): Promise<void> =>
  withDraft(path, text, (draft) => rename(draft, path));

/**
 * Writes the configuration file, and the `.env` beside it where secrets go there. Answers the paths of what was written.
 *
 * @throws {ConfigError} where the answers make no configuration, and {@link UsageError} where a secret cannot be written:
 * nothing is written then. {@link DirectoryError} where the directory of the file cannot be.
 */
export const writeAnswers = async (path: string, answers: Answers): Promise<readonly string[]> => {
  const { inFile, inEnv } = divide(answers);
  const envPath = envFileBeside(path);
  const env = inEnv.size === 0 ? null : envText(await textOf(envPath), inEnv);
  if (inEnv.size > 0 && env === null) {
    throw new UsageError('A secret has quotes that a .env file cannot hold. Let secrets go to the configuration file.');
  }
  makeDirectory(dirname(path));
  const whole = configText({ ...answers, settings: new Map([...inFile, ...inEnv]) }, path);
  await withDraft(path, whole, (draft) => loadConfig({ configPath: draft }));
  await replaceFile(path, configText({ ...answers, settings: inFile }, path));
  if (env === null) return [path];
  await replaceFile(envPath, env);
  return [path, envPath];
};

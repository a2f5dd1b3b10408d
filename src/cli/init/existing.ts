import { parseEnv } from 'node:util';
import { envFileBeside } from '../../app/config/home.ts';
import { isSecretSetting, providersIn, settingsIn, settingsToAsk } from '../../app/config/set-up.ts';
import { variableOf } from '../../app/config/sources.ts';
import type { SecretPlace } from './questions.ts';
import { readTextFile } from '../../util/regular-file.ts';

/** The content of an existing configuration file, as far as `init` asks for it. */
export type Existing = {
  readonly providers: readonly string[];
  readonly settings: ReadonlyMap<string, string>;
  /** Null: no secret is stored. */
  readonly secrets: SecretPlace | null;
};

/** The content of a file; an empty text if there is no such file. */
export const textOf = (path: string): Promise<string> =>
  readTextFile(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });

/** Reads an existing configuration and the `.env` file next to it. Returns null if it is not valid YAML. */
export const readExisting = async (path: string): Promise<Existing | null> => {
  const text = await textOf(path);
  const settings = settingsIn(text);
  if (settings === null) return null;
  const providers = providersIn(text);
  const variables = Object.keys(parseEnv(await textOf(envFileBeside(path))));
  const secretKeys = providers.flatMap((name) => settingsToAsk(name).map(({ key }) => key)).filter(isSecretSetting);
  const isInEnv = secretKeys.some((key) => variables.includes(variableOf(key)));
  const isInFile = secretKeys.some((key) => settings.has(key));
  return { providers, settings, secrets: isInEnv ? 'env' : isInFile ? 'file' : null };
};

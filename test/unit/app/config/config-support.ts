import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import { ConfigError, type ConfigProblem } from '../../../../src/util/config-error.ts';
import { loadConfig, type Config, type LoadOptions } from '../../../../src/app/config/config.ts';
import type { LinkConfig } from '../../../../src/app/config/link-config.ts';
import { useDirectory } from '../../util/use-directory.ts';

export const REQUIRED = {
  SERVICE_BASE_URL: 'https://service.test',
  GOOGLE_CLIENT_ID: 'client',
  GOOGLE_CLIENT_SECRET: 'client-secret',
};
export const REQUIRED_YAML = `
service: { baseUrl: 'https://service.test' }
google: { clientId: client, clientSecret: client-secret }
`;
type Env = NonNullable<LoadOptions['env']>;

/** A separate directory for each test of a file, and functions that read configurations there. */
export type ConfigDirectory = {
  readonly cwd: (...names: readonly string[]) => string;
  readonly write: (path: string, content: string) => string;
  readonly load: (env: Env, yaml?: string) => Config;
  readonly loadLink: (env: Env, yaml?: string) => LinkConfig;
};

/** Creates the directory before each test and removes it afterwards. */
export const useConfigDirectory = (): ConfigDirectory => {
  const at = useDirectory();
  const write = (path: string, content: string): string => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
    return at(path);
  };
  const load = (env: Env, yaml?: string): Config =>
    loadConfig({ env, cwd: at(), config: yaml === undefined ? null : write('given.yaml', yaml) });
  const loadLink = (env: Env, yaml?: string): LinkConfig => {
    const [link] = load(env, yaml).links;
    if (link === undefined) throw new Error('no link');
    return link;
  };
  return { cwd: at, write, load, loadLink };
};

export const problemsOf = (run: () => unknown): readonly ConfigProblem[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};
/** One problem of that place, with that part of its text. */
export const oneProblem = (where: string, what: string) => [{ where, what: expect.stringContaining(what) }];
export const placesOf = (run: () => unknown): string[] => problemsOf(run).map(({ where }) => where);

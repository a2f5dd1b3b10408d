import { parseEnv } from 'node:util';
import type { Environment } from './sources.ts';

/** The setting that a variable is about: a secret's `NAME` and `NAME_FILE` are one. */
const subjectOf = (variable: string): string => variable.replace(/_FILE$/u, '');

/** The variables of a `.env` file below those of the environment, which win; an empty one counts as not set. */
export const withEnvFile = (env: Environment, content: string): Environment => {
  const set = Object.entries(env).filter(([, value]) => value?.trim());
  const subjects = new Set(set.map(([variable]) => subjectOf(variable)));
  const added = Object.entries(parseEnv(content)).filter(([variable]) => !subjects.has(subjectOf(variable)));
  return Object.fromEntries([...added, ...set]);
};

import { parseEnv } from 'node:util';
import { nearestWord } from './nearest.ts';
import { FILE_VARIABLE, variablesOf, type Environment, type SourceKeys } from './sources.ts';

/** The setting of a variable: `NAME` and `NAME_FILE` of a secret are the same setting. */
const subjectOf = (variable: string): string => variable.replace(/_FILE$/u, '');

/** Adds the variables of a `.env` file. Those of the environment win; an empty one counts as missing. */
export const withEnvFile = (env: Environment, content: string): Environment => {
  const set = Object.entries(env).filter(([, value]) => value?.trim());
  const subjects = new Set(set.map(([variable]) => subjectOf(variable)));
  const added = Object.entries(parseEnv(content)).filter(([variable]) => !subjects.has(subjectOf(variable)));
  return Object.fromEntries([...added, ...set]);
};

/** Variables of other programs that differ from one of ours in two letters. */
const FOREIGN = new Set(['NOTIFY_SOCKET', 'NPM_TOKEN', 'CI_TOKEN']);

/** In a short name, two letters may make another word. */
const SHORT_NAME = 10;

/** A line about the variables that are set and differ in one or two letters from one that is read; null if there are none. */
export const misspeltText = (env: Environment, keys: SourceKeys): string | null => {
  const known = [...variablesOf(keys), FILE_VARIABLE];
  const taken = new Set(known);
  const pairs = Object.keys(env).flatMap((name) => {
    if (taken.has(name) || FOREIGN.has(name) || !env[name]?.trim()) return [];
    const meant = nearestWord(name, known, name.length < SHORT_NAME ? 1 : 2);
    return meant === null ? [] : [`${name} (did you mean ${meant}?)`];
  });
  if (pairs.length === 0) return null;
  return `contact-sync does not read ${pairs.join(', ')}. Correct the name, or unset the variable.`;
};

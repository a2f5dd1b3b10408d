import { statSync } from 'node:fs';
import type { Events } from '../engine/events.ts';

const WRITABLE_BY_OTHERS = 0o022;

/** 0 where there is nothing, or nothing to be seen: what opens the directory next says why. */
const modeOf = (path: string): number => {
  try {
    return statSync(path).mode;
  } catch {
    return 0;
  }
};

/** Warns of a directory in which others could put a database or a token of theirs. One that does not exist is made well. */
export const warnOfOpenDirectory = (path: string, events: Events): void => {
  const mode = modeOf(path);
  if ((mode & WRITABLE_BY_OTHERS) === 0) return;
  const octal = (mode & 0o777).toString(8).padStart(4, '0');
  events.dataDirWritable({ path, mode: octal, remedy: `chmod 700 ${path}` });
};

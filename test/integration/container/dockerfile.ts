import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

/** One instruction; `text` is what follows its name, on one line. */
export type Instruction = { readonly name: string; readonly text: string };

/** A stage, from its FROM to the next. */
export type Stage = { readonly name: string; readonly base: string; readonly instructions: readonly Instruction[] };

/** The repository's Dockerfile, stage by stage. */
export const readDockerfile = (): readonly Stage[] => {
  const content = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const lines = content
    .replaceAll(/^\s*#.*\n/gmu, '')
    .replaceAll(/\s*\\\n\s*/gu, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: (Stage & { readonly instructions: Instruction[] })[] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^(\w+)\s+(.*)$/u.exec(line) ?? [];
    if (name === 'FROM') {
      const [, base = '', alias] = /^(\S+)(?: AS (\S+))?$/u.exec(text) ?? [];
      stages.push({ base, name: alias ?? 'final', instructions: [] });
    } else stages.at(-1)?.instructions.push({ name, text });
  }
  return stages;
};

/** The paths that .dockerignore lets into the build. */
export const readBuildContext = (): readonly string[] =>
  readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

// Changes one line of the program at a time, in a copy of the checkout, and prints which test file fails.

const ROOT = join(import.meta.dirname, '..');
const MAX_RUN_MS = 400_000;

/** A replacement of text in one line. */
type Operator = { readonly name: string; readonly find: RegExp; readonly replace: string };

const swap = (one: string, other: string): Operator[] => [
  { name: `${one} to ${other}`, find: new RegExp(`(?<= )${RegExp.escape(one)}(?= )`, 'gu'), replace: other },
  { name: `${other} to ${one}`, find: new RegExp(`(?<= )${RegExp.escape(other)}(?= )`, 'gu'), replace: one },
];

const OPERATORS: readonly Operator[] = [
  {
    name: 'negate the condition',
    find: /\bif \((?<condition>.+?)\)(?= (?:return|throw|continue|break|\{))/gu,
    replace: 'if (!($1))',
  },
  { name: 'drop the early return', find: /^ +if \(.+\) (?:return|continue|break)\b.*;$/gu, replace: '' },
  { name: 'drop the statement', find: /^ +(?:await |void )?[a-z]\w*(?:\.\w+)*\(.*\);$/gu, replace: '' },
  { name: 'drop the default', find: / \?\? [^,;()]+(?=[,;)])/gu, replace: '!' },
  ...swap('<', '<='),
  ...swap('>', '>='),
  ...swap('===', '!=='),
  ...swap('&&', '||'),
  ...swap('+ 1', '- 1'),
  { name: 'true to false', find: /(?<=[:=(,] ?)true(?=[,;)\s])/gu, replace: 'false' },
  { name: 'false to true', find: /(?<=[:=(,] ?)false(?=[,;)\s])/gu, replace: 'true' },
];

type Mutant = {
  readonly file: string;
  readonly line: number;
  readonly operator: string;
  readonly text: string;
  /** Decides which mutants are drawn. It does not depend on other lines, so edits elsewhere keep the draw. */
  readonly rank: string;
};

const isCode = (line: string): boolean => !/^\s*(?:\/\/|\/?\*|import |export type |type |readonly |\|)/u.test(line);

const mutantsOfLine = (file: string, line: string, index: number, seed: string): readonly Mutant[] => {
  if (!isCode(line)) return [];
  return OPERATORS.flatMap(({ name, find, replace }) =>
    [...line.matchAll(find)].map(({ 0: found, 1: condition = '', index: at }) => {
      const text = line.slice(0, at) + replace.replace('$1', () => condition) + line.slice(at + found.length);
      const hashed = [seed, file, line, name, at, found].join('\n');
      return { file, line: index + 1, operator: name, text, rank: createHash('sha256').update(hashed).digest('hex') };
    }),
  );
};

/** The mutants of each folder, in number by the lines of the folder. */
const drawMutants = (folders: readonly string[], count: number, seed: string): readonly Mutant[] => {
  const inFolders = folders.map((folder) => {
    const files = globSync(`${folder}/**/*.ts`, { cwd: ROOT });
    const lines = files.map((file) => ({ file, lines: readFileSync(join(ROOT, file), 'utf8').split('\n') }));
    return {
      mutants: lines.flatMap((each) => each.lines.flatMap((line, at) => mutantsOfLine(each.file, line, at, seed))),
      size: lines.reduce((sum, each) => sum + each.lines.length, 0),
    };
  });
  const total = inFolders.reduce((sum, { size }) => sum + size, 0);
  return inFolders.flatMap(({ mutants, size }) =>
    mutants.toSorted((one, other) => (one.rank < other.rank ? -1 : 1)).slice(0, Math.round((count * size) / total)),
  );
};

/** A copy of the checkout in a temporary folder, with the same installed packages. */
const copyCheckout = (): string => {
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  const isCopied = (path: string): boolean =>
    !/^\/(?:node_modules|\.git|dist|data|coverage)(?:\/|$)/u.test(path.slice(ROOT.length));
  cpSync(ROOT, copy, { recursive: true, filter: isCopied });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  // The tests of the documents list the tracked files.
  for (const command of [
    ['init', '-q'],
    ['add', '-A'],
  ])
    spawnSync('git', command, { cwd: copy });
  return copy;
};

const hasTypeErrors = (copy: string): boolean => {
  const given = ['-p', '.', '--incremental', '--tsBuildInfoFile', join(copy, 'types.json')];
  return spawnSync(join(ROOT, 'node_modules/.bin/tsc'), given, { cwd: copy }).status !== 0;
};

const SUITES = ['test/unit', 'test/contract', 'test/simulation', 'test/integration/sync', 'test/integration/undo'];

/** The suites in the order in which they are tried: first the unit tests of the file's folder, which take seconds. */
const suitesFor = (file: string): readonly string[] => {
  const [, folder = ''] = file.split('/');
  const own = join('test/unit', folder);
  return existsSync(join(ROOT, own)) ? [own, ...SUITES] : SUITES;
};

/** The first test file that fails, or null. */
const failingFile = (copy: string, tests: readonly string[]): string | null => {
  const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--bail', '1', '--maxWorkers', '1'];
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
  for (const path of tests) {
    const options = { cwd: copy, env, timeout: MAX_RUN_MS, encoding: 'utf8' } as const;
    const run = spawnSync(process.execPath, [...vitest, path], options);
    if (run.status === 0) continue;
    const failed = /FAIL +(?<file>\S+\.test\.ts)/u.exec(run.stdout + run.stderr);
    return failed?.groups?.['file'] ?? `${path}, which does not end`;
  }
  return null;
};

const main = (): void => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      count: { type: 'string', default: '40' },
      seed: { type: 'string', default: '1' },
      source: { type: 'string', multiple: true, default: ['src/core', 'src/engine', 'src/store', 'src/providers'] },
    },
  });
  const asked = positionals.length === 0 ? null : positionals;
  const copy = copyCheckout();
  try {
    const trouble = hasTypeErrors(copy) ? 'type errors' : failingFile(copy, asked ?? SUITES);
    if (trouble !== null) throw new Error(`Without a mutant, ${trouble} fails.`);
    const outcomes = drawMutants(values.source, Number(values.count), values.seed).map((mutant) => {
      const { file, line, operator, text } = mutant;
      const path = join(copy, file);
      const source = readFileSync(path, 'utf8');
      writeFileSync(
        path,
        source
          .split('\n')
          .with(line - 1, text)
          .join('\n'),
      );
      const catcher = hasTypeErrors(copy) ? 'types' : failingFile(copy, asked ?? suitesFor(file));
      writeFileSync(path, source);
      process.stdout.write(`${file}:${line}: ${operator}: ${catcher ?? 'SURVIVED'}\n`);
      return catcher;
    });
    const survivors = outcomes.filter((catcher) => catcher === null).length;
    process.stdout.write(`${outcomes.length} mutants, ${survivors} survived\n`);
  } finally {
    rmSync(copy, { recursive: true });
  }
};

main();

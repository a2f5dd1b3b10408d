/**
 * Builds the image without Docker: does what the Dockerfile says, stage by stage, in directories that stand for the stages'
 * file systems, then starts the program from what would be in the image, and prints how large that is.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { readDockerfile, ROOT, type Instruction } from './dockerfile.ts';

/** What Docker Hub gives for node:24-bookworm-slim on amd64, unpacked; it is not measured here. */
const BASE_IMAGE_MB = 230;

const scratch = mkdtempSync(join(tmpdir(), 'contact-sync-image-'));
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** There is no user `node` here, so giving it files does nothing. */
const makeTools = (): string => {
  const tools = join(scratch, 'tools');
  mkdirSync(tools);
  writeFileSync(join(tools, 'chown'), '#!/bin/sh\nexit 0\n');
  chmodSync(join(tools, 'chown'), 0o755);
  return tools;
};

const tools = makeTools();
/** As it is here (npm's registry, proxy and cache), but for the tools. */
const environment = { ...process.env, PATH: `${tools}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` };

/** Absolute paths lie below the stage's directory. */
const inside = (root: string, text: string): string =>
  text.replaceAll(/(?<=^|\s)\/(?=(?:app|data|usr\/local)\b)/gu, `${root}/`);

const copy = (root: string, workdir: string, text: string): void => {
  const [, stage, paths = ''] = /^(?:--from=(\S+) )?(.*)$/u.exec(text) ?? [];
  const sources = paths.split(/\s+/u);
  const target = sources.pop() ?? '';
  for (const source of sources) {
    const from = stage === undefined ? join(ROOT, source) : join(scratch, stage, source);
    const into = join(root, workdir, target);
    cpSync(from, target.endsWith('/') ? join(into, basename(source)) : into, {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
};

const perform = (root: string, workdir: string, { name, text }: Instruction): string => {
  switch (name) {
    case 'WORKDIR':
      mkdirSync(join(root, text), { recursive: true });
      return text;
    case 'COPY':
      copy(root, workdir, text);
      return workdir;
    case 'RUN':
      execFileSync('/bin/sh', ['-ec', inside(root, text)], {
        cwd: join(root, workdir),
        env: environment,
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      return workdir;
    default:
      return workdir;
  }
};

const sizeMb = (path: string): number =>
  Number(execFileSync('du', ['-s', '--block-size=1K', path], { encoding: 'utf8' }).split('\t')[0]) / 1024;

const start = (root: string, ...args: readonly string[]): string =>
  execFileSync(join(root, 'usr/local/bin/contact-sync'), args, {
    cwd: join(root, 'app'),
    env: { ...environment, NODE_ENV: 'production' },
    encoding: 'utf8',
  });

const build = (): string => {
  for (const stage of readDockerfile()) {
    const root = join(scratch, stage.name);
    mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
    let workdir = '/';
    for (const instruction of stage.instructions) {
      say(`${stage.name}: ${instruction.name} ${instruction.text}`);
      workdir = perform(root, workdir, instruction);
    }
  }
  return join(scratch, 'final');
};

const check = (): void => {
  const root = build();
  if (!start(root, '--help').includes('Exit codes:')) throw new Error('--help does not print the help.');
  if (!start(root, 'demo').includes('No difference.')) throw new Error('The demo does not end with both sides alike.');
  for (const name of ['typescript', 'vitest', 'node', 'playwright-core']) {
    if (existsSync(join(root, 'app/node_modules', name))) throw new Error(`${name} is no production dependency.`);
  }
  if ((statSync(join(root, 'data')).mode & 0o777) !== 0o700) throw new Error('/data is open to others.');
  const parts = ['node_modules', 'dist', 'migrations'].map((name) => ({ name, mb: sizeMb(join(root, 'app', name)) }));
  const added = parts.reduce((sum, { mb }) => sum + mb, 0);
  say(parts.map(({ name, mb }) => `${name}: ${mb.toFixed(1)} MB`).join(', '));
  say(
    `The image: about ${Math.round(added + BASE_IMAGE_MB)} MB, of which ${BASE_IMAGE_MB} MB are the base image (given).`,
  );
};

try {
  check();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

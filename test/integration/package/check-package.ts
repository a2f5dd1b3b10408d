/**
 * Packs the package, installs it into an empty folder like a user of the registry, and uses it there:
 * the program by `npx` and by a global installation, and the examples of src/sandbox/README.md, with their types.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';

const ROOT = join(import.meta.dirname, '../../..');
const NEEDED = [
  'package.json',
  'README.md',
  'LICENSE',
  'dist/main.js',
  'dist/contact-sync.schema.json',
  'config/example.yaml',
  'migrations/sqlite/',
];
/** The examples import these. */
const ENTRY_POINTS = ['contact-sync/sandbox'];

const execute = promisify(execFile);
const resolve = createRequire(import.meta.url).resolve;
/** The Node that package.json pins, before any other; and nothing that an `npm run` around this put there. */
const path = [join(dirname(resolve('node/package.json')), 'bin'), ...(process.env['PATH'] ?? '').split(':')]
  .filter((each) => !each.endsWith('node_modules/.bin'))
  .join(':');
const settings = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
const env = { ...Object.fromEntries(settings), PATH: path };

const run = async (cwd: string, file: string, ...args: readonly string[]): Promise<string> =>
  (await execute(file, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 })).stdout;

const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const fromMs = performance.now();
  const result = await work();
  process.stdout.write(`ok, ${((performance.now() - fromMs) / 1000).toFixed(0)} s: ${name}\n`);
  return result;
};

const expectText = (what: string, text: string, part: string): void => {
  if (!text.includes(part)) throw new Error(`${what} does not say "${part}" but:\n${text}`);
};

const pack = async (into: string): Promise<string> => {
  await run(ROOT, 'npm', 'pack', '--silent', '--pack-destination', into);
  const [tarball = ''] = await readdir(into);
  const listing = (await run(into, 'tar', '-tzf', tarball)).replaceAll(/^package\//gmu, '');
  for (const file of NEEDED) expectText('the package', listing, file);
  const foreign = listing
    .split('\n')
    .filter((file) => /^(?:src|test|node_modules)\/|(?<!\.d)\.ts$|_snapshot\.json$/u.test(file));
  if (foreign.length > 0) throw new Error(`The package contains unneeded files: ${foreign.join(', ')}`);
  return join(into, tarball);
};

const checkExamples = async (folder: string): Promise<void> => {
  const docs = readFileSync(join(ROOT, 'src/sandbox/README.md'), 'utf8');
  const examples = [...docs.matchAll(/^```ts\n(.*?)^```$/gmsu)].map(([, code]) => code ?? '');
  for (const name of ENTRY_POINTS) expectText('src/sandbox/README.md', examples.join('\n'), `from '${name}'`);
  for (const [index, code] of examples.entries()) await writeFile(join(folder, `example-${index}.ts`), code);
  const files = examples.map((_, index) => `example-${index}.ts`);
  const compiler = join(dirname(resolve('typescript/package.json')), 'bin/tsc');
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
  await run(folder, 'node', compiler, ...options, '--lib', 'es2025,esnext.disposable', ...types, ...files);
  for (const file of files) await run(folder, 'node', file);
};

const checkDaemon = async (folder: string, program: string): Promise<void> => {
  await using sandbox = await startSandbox();
  const variables = { ...env, ...sandbox.environment(), DATA_DIR: join(folder, 'data') };
  const daemon = spawn(program, ['daemon'], { cwd: folder, env: variables, stdio: 'ignore' });
  const ended = once(daemon, 'exit');
  try {
    const ask = async (command: string) =>
      execute(program, [command], { cwd: folder, env: variables }).then(({ stdout }) => stdout, String);
    for (let tries = 0; !(await ask('status')).includes('completed'); tries += 1) {
      if (tries === 120 || daemon.exitCode !== null) throw new Error(`No run completes: ${await ask('status')}`);
      await sleep(500);
    }
    expectText('health', await ask('health'), 'healthy: 1 link');
  } finally {
    daemon.kill('SIGTERM');
  }
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`The daemon ended with ${code}.`);
};

const scratch = await mkdtemp(join(tmpdir(), 'contact-sync-package-'));
try {
  const folders = { packed: join(scratch, 'packed'), used: join(scratch, 'used'), prefix: join(scratch, 'prefix') };
  for (const folder of Object.values(folders)) await mkdir(folder);
  const tarball = await step('packed', () => pack(folders.packed));
  await writeFile(join(folders.used, 'package.json'), '{ "private": true, "type": "module" }\n');
  await step('installed into an empty folder', () => run(folders.used, 'npm', 'install', '--silent', tarball));
  await step('npx contact-sync demo', async () =>
    expectText('the demo', await run(folders.used, 'npx', '--no', 'contact-sync', 'demo'), 'No difference.'),
  );
  await step('the examples of src/sandbox/README.md compile and run', () => checkExamples(folders.used));
  await step('installed globally', () =>
    run(folders.used, 'npm', 'install', '--silent', '--global', '--prefix', folders.prefix, tarball),
  );
  const program = join(folders.prefix, 'bin/contact-sync');
  await step('its daemon runs, is healthy and ends', () => checkDaemon(folders.used, program));
  process.stdout.write('6 passed, 0 failed\n');
} finally {
  await rm(scratch, { recursive: true, force: true });
}

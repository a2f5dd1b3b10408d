import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { runProcess, useGround } from './run-cli.ts';
import { MAIN, processEnv } from '../../support/program.ts';
import { createFolder } from '../../support/folder.ts';

const REPORT_PACKAGES = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load: (url, context, next) => {
      const [, name] = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name) packages.add(name);
      return next(url, context);
    },
  });
  process.on('exit', () => writeSync(2, JSON.stringify([...packages])));
`)}`;

const folder = await createFolder();
const directory = folder.path;
afterAll(() => folder.remove());

const packagesOf = async (args: readonly string[], more: Record<string, string> = {}): Promise<unknown> => {
  const env = {
    DATA_DIR: join(directory, 'data'),
    SERVICE_BASE_URL: 'http://127.0.0.1:9',
    SERVICE_ACCESS_TOKEN: 'token',
    GOOGLE_CLIENT_ID: 'client',
    GOOGLE_CLIENT_SECRET: 'secret',
    ...more,
    NODE_OPTIONS: `--import=${REPORT_PACKAGES}`,
  };
  const { stderr } = await runProcess(args, env, directory);
  return JSON.parse(stderr.slice(stderr.lastIndexOf('[')));
};

const REMOTES = ['undici', '@googleapis/people', 'libphonenumber-js'];
const OPTIONAL = ['yaml', 'pino-pretty', 'bullmq', 'ioredis', 'hono'];

test('help loads only the package that parses the command line', async () => {
  expect(await packagesOf(['--help'])).toEqual(['commander']);
});

test.each(['status', 'health'])('%s loads the store, but no remote and no unconfigured package', async (name) => {
  const packages = await packagesOf([name]);
  expect(packages).toContain('better-sqlite3');
  for (const left of [...REMOTES, ...OPTIONAL]) expect(packages).not.toContain(left);
});

const ROOT = join(import.meta.dirname, '../../..');
const CHECK = join(ROOT, 'src/util/require-node.js');

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

const run = (node: string, args: readonly string[]): Promise<Ended> =>
  promisify(execFile)(node, args, { cwd: ROOT, env: {} }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr }),
  );

const versionOf = async (node: string): Promise<number> =>
  Number.parseInt((await run(node, ['--print', 'process.versions.node'])).stdout, 10);

const findOldNode = async (): Promise<string | null> => {
  for (const directoryOnPath of (process.env['PATH'] ?? '').split(delimiter)) {
    const node = join(directoryOnPath, 'node');
    if (existsSync(node) && (await versionOf(node)) < 24) return node;
  }
  return null;
};

const REFUSAL =
  /^contact-sync needs Node 24 or newer, and this is Node [\d.]+ \(\/\S+\)\. Install a newer one .* npm run -s contact-sync\n$/u;

const claiming = (version: string): string =>
  `--import=data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;

test.each(['22.21.1', '18.0.0'])('Node %s prints one line with the remedy, and exits 2', async (version) => {
  const refused = await run(process.execPath, [claiming(version), MAIN, 'status']);
  expect(refused).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(REFUSAL) });
  expect(refused.stderr).toContain(`Node ${version} `);
});

test('Node 24.0.0 is accepted', async () => {
  expect(await run(process.execPath, [claiming('24.0.0'), MAIN, '--version'])).toMatchObject({ code: 0, stderr: '' });
});

const oldNode = await findOldNode();

test.skipIf(oldNode === null)(
  `a real old Node is refused before it reads any TypeScript${oldNode === null ? ' (no old Node on the PATH)' : ''}`,
  async () => {
    const refused = await run(oldNode ?? '', ['--import', CHECK, MAIN, 'status']);
    expect(refused).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(REFUSAL) });
  },
);

const execute = promisify(execFile);

/** The `script` of util-linux runs a command in a terminal. On other systems it has other options. */
const hasScript = await execute('script', ['--version']).then(
  ({ stdout }) => stdout.includes('util-linux'),
  () => false,
);

const ground = useGround({ count: 6 });

const onTerminal = async (more: Readonly<Record<string, string>>): Promise<string> => {
  const command = `'${process.execPath}' '${MAIN}' plan`;
  const args = ['--quiet', '--return', '--command', command, '/dev/null'];
  const env = processEnv({ ...ground.env, TERM: 'xterm-256color', ...more });
  return (await execute('script', args, { cwd: ground.directory, env })).stdout;
};

const CURSOR = /\u001B\[[0-9;?]*[A-KSTfhlnsu]/u;
const BLOCKS = /[\u2580-\u259F]/u;

test.skipIf(!hasScript)('a terminal shows bars, and with NO_COLOR no control code and no bar', async () => {
  const text = await onTerminal({});
  expect([CURSOR.test(text), BLOCKS.test(text)]).toEqual([true, true]);
  const plain = await onTerminal({ NO_COLOR: '1' });
  expect(plain).toContain('default: full,');
  expect([plain.includes('\u001B'), BLOCKS.test(plain)]).toEqual([false, false]);
});

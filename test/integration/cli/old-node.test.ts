import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const CHECK = join(ROOT, 'src/util/require-node.js');
const MAIN = join(ROOT, 'src/main.ts');

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

const run = (node: string, args: readonly string[]): Promise<Ended> =>
  promisify(execFile)(node, args, { cwd: ROOT, env: {} }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr }),
  );

const versionOf = async (node: string): Promise<number> =>
  Number.parseInt((await run(node, ['--print', 'process.versions.node'])).stdout, 10);

/** Returns the first Node on the PATH that is too old. */
const findOldNode = async (): Promise<string | null> => {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    const node = join(directory, 'node');
    if (existsSync(node) && (await versionOf(node)) < 24) return node;
  }
  return null;
};

const REFUSAL =
  /^contact-sync needs Node 24 or newer, and this is Node [\d.]+ \(\/\S+\)\. Install a newer one .* npm run -s contact-sync\n$/u;

/** Returns the option that sets another Node version in the process before any other module is loaded. */
const claiming = (version: string): string =>
  `--import=data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;

test.each(['22.21.1', '20.20.2', '18.0.0'])('Node %s prints one line with the remedy, and exits 2', async (version) => {
  const { code, stdout, stderr } = await run(process.execPath, [claiming(version), MAIN, 'status']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(REFUSAL);
  expect(stderr).toContain(`Node ${version} `);
});

test.each(['24.0.0', '26.1.0'])('Node %s is accepted', async (version) => {
  expect(await run(process.execPath, [claiming(version), MAIN, '--version'])).toMatchObject({ code: 0, stderr: '' });
});

const oldNode = await findOldNode();

test.skipIf(oldNode === null)(
  `a real old Node is refused before it reads any TypeScript${oldNode === null ? ' (no old Node on the PATH)' : ''}`,
  async () => {
    const { code, stdout, stderr } = await run(oldNode ?? '', ['--import', CHECK, MAIN, 'status']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(REFUSAL);
  },
);

test('package scripts check the Node version before they start the sources', async () => {
  const { default: description } = await import('../../../package.json', { with: { type: 'json' } });
  expect(description.scripts['contact-sync']).toMatch(/^node --import \.\/src\/util\/require-node\.js src\/main\.ts$/u);
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProcess } from './run-cli.ts';

/** Prints the packages of all loaded modules on the last line of stderr. */
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

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'contact-sync-start-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

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

test.each(['status', 'health'])(
  '%s loads the store, but neither a remote nor an optional package that is not configured',
  async (name) => {
    const packages = await packagesOf([name]);
    expect(packages).toContain('better-sqlite3');
    for (const left of [...REMOTES, ...OPTIONAL]) expect(packages).not.toContain(left);
  },
);

test('the packages for configuration files and for pretty logs are loaded only when they are used', async () => {
  await writeFile(join(directory, 'given.yaml'), 'direction: both\n');
  const packages = await packagesOf(['status', '--config', 'given.yaml'], { LOG_FORMAT: 'pretty' });
  expect(packages).toEqual(expect.arrayContaining(['yaml', 'pino-pretty']));
});

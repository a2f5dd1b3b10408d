import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openBrowser } from '../../../src/cli/terminal/open-browser.ts';
import { cliHost } from '../../support/cli-host.ts';
import { useGround, type Environment } from '../cli/run-cli.ts';
import { consentTo } from './sign-in.ts';

const ground = useGround({ count: 1 });

const OPENERS = ['xdg-open', 'open', 'run-mailcap', 'browser'];

/** Variables of a machine whose browser only records its arguments, and the file that it records them in. */
const createBrowser = async (name: string): Promise<{ env: Environment; record: string }> => {
  const directory = join(ground.directory, name);
  await mkdir(directory);
  const record = join(directory, 'arguments');
  for (const opener of OPENERS) {
    const path = join(directory, opener);
    await writeFile(path, `#!/bin/sh\nprintf '%s\\n' "$@" > '${record}.part' && mv '${record}.part' '${record}'\n`);
    await chmod(path, 0o755);
  }
  const { PATH = '' } = process.env;
  const env = { PATH: `${directory}:${PATH}`, BROWSER: join(directory, 'browser'), XDG_CURRENT_DESKTOP: 'X-Generic' };
  return { env, record };
};

test('connect opens a redirect file that only the user can read, and no argument contains the address', async () => {
  const { env, record } = await createBrowser('recording');
  const { GOOGLE_REFRESH_TOKEN: _, ...rest } = ground.env;
  const command = cliHost.start(['connect', 'google'], { ...rest, ...env }, ground.directory);
  const address = await command.printed((stdout) => /^http:\/\/127\.0\.0\.1.*(?=\n)/mu.exec(stdout)?.[0] ?? null);
  await expect.poll(() => existsSync(record), { timeout: 60_000 }).toBe(true);
  const recorded = await readFile(record, 'utf8');
  const file = /\/\S+\/sign-in\.html/u.exec(recorded)?.[0] ?? '';
  const state = new URL(address).searchParams.get('state') ?? address;
  expect(recorded).not.toContain(state);
  expect(recorded).not.toContain('127.0.0.1');
  expect([(await stat(dirname(file))).mode & 0o777, (await stat(file)).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(await readFile(file, 'utf8')).toContain(`url=${address.replaceAll('&', '&amp;')}"`);

  command.paste((await consentTo(address)).href);
  expect(await command.end).toMatchObject({ code: 0 });
  expect(existsSync(dirname(file))).toBe(false);
});

test('opening an address on a machine without a browser is not an error', async () => {
  const { PATH } = process.env;
  process.env['PATH'] = '/nowhere';
  try {
    await using _ = await openBrowser('http://consent.test/');
  } finally {
    process.env['PATH'] = PATH;
  }
});

import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { startGround, type Environment, type Ground } from '../cli/run-cli.ts';
import { isBrowserMissing, launchBrowser, openContext } from '../oauth/browser.ts';
import { startSignIn } from './sign-in.ts';

let browser: Browser;
let ground: Ground;
let env: Environment;

beforeAll(async () => {
  if (isBrowserMissing) return;
  await using starting = new AsyncDisposableStack();
  ground = starting.use(await startGround());
  const { GOOGLE_REFRESH_TOKEN: _, SERVICE_ACCESS_TOKEN: __, ...rest } = ground.env;
  env = { ...rest, DATA_DIR: join(ground.directory, 'connected') };
  ({ browser } = starting.use(await launchBrowser()));
  const running = starting.move();
  return () => running.disposeAsync();
});

describe.skipIf(isBrowserMissing)('connect in a browser on the same machine', () => {
  test.each([
    { side: 'google', button: 'Allow' },
    { side: 'service', button: 'Accept' },
  ])('$side: a consent redirects the browser to the command and stores the token', async ({ side, button }) => {
    const { address, end } = await startSignIn([side], env, ground.directory);
    const page = await (await openContext(browser)).newPage();
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).hostname));
    await page.goto(address);
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('heading', { name: 'Back to the terminal' }).waitFor();
    await page.close();
    const { code, stdout, stderr } = await end;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Signed in at ');
    expect([...hosts]).toEqual(['127.0.0.1']);
  });
});

import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core';
import { beforeAll } from 'vitest';
import { LONGEST_TEST_MS } from '../../support/extent.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No name resolves, so that nothing leaves this machine, whatever else the browser would like to fetch.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The path of an installed Chromium; null where there is none. */
const findBrowser = (): string | null => {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin'];
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable) ?? null;
};

export type RunningBrowser = AsyncDisposable & { readonly browser: Browser };

export const launchBrowser = async (): Promise<RunningBrowser> => {
  const executablePath = findBrowser();
  if (executablePath === null) throw new Error('Chromium is not installed; on Debian: apt-get install chromium');
  await using starting = new AsyncDisposableStack();
  const home = await mkdtemp(join(tmpdir(), 'contact-sync-browser-'));
  starting.defer(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
  const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home };
  const browser = starting.adopt(await chromium.launch({ executablePath, args: FLAGS, env }), (one) => one.close());
  const running = starting.move();
  return { browser, [Symbol.asyncDispose]: () => running.disposeAsync() };
};

/** Whether tests of a browser are skipped: none is installed. With CI=true they fail instead. */
export const isBrowserMissing = findBrowser() === null && process.env['CI'] !== 'true';

export const useBrowser = (): (() => Browser) => {
  let browser: Browser | null = null;
  beforeAll(async () => {
    if (isBrowserMissing) return;
    const running = await launchBrowser();
    ({ browser } = running);
    return () => running[Symbol.asyncDispose]();
  });
  return () => {
    if (browser === null) throw new Error('The browser is not started before the first hook.');
    return browser;
  };
};

export const openContext = async (browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> => {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(LONGEST_TEST_MS);
  return context;
};

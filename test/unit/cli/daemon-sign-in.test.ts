import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { printSignIn } from '../../../src/cli/daemon/daemon.ts';
import { createPassChecker, writePageKey } from '../../../src/daemon/console/sign-in-link.ts';
import { createTestTerminal } from './terminal.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'contact-sync-page-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('a daemon on a terminal prints a link that signs in to its page once', async () => {
  await writePageKey(dataDir, { address: '0.0.0.0:8377', key: 'a key', pid: process.pid });
  const terminal = createTestTerminal();
  await printSignIn(terminal, { dataDir });
  const [, pass = ''] =
    /^Page: http:\/\/127\.0\.0\.1:8377\/sign-in\?pass=(\S+)$/u.exec(terminal.printed[0] ?? '') ?? [];
  expect(createPassChecker('a key').use(pass, Date.now())).toEqual({ link: null });
});

test('without a page of its own it prints no link', async () => {
  const terminal = createTestTerminal();
  await printSignIn(terminal, { dataDir });
  await writePageKey(dataDir, { address: '127.0.0.1:8377', key: 'a key', pid: process.pid + 1 });
  await printSignIn(terminal, { dataDir });
  expect(terminal.printed).toEqual([]);
});

import { expect, test } from 'vitest';
import { printSignIn } from '../../../src/cli/daemon/daemon.ts';
import { createPassChecker, writePageKey } from '../../../src/daemon/console/sign-in-link.ts';
import { createTestTerminal } from './terminal.ts';
import { useDirectory } from '../util/use-directory.ts';

const at = useDirectory();

test('a daemon on a terminal prints a link that signs in to its page once', async () => {
  await writePageKey(at(), { address: '0.0.0.0:8377', key: 'a key', pid: process.pid });
  const terminal = createTestTerminal();
  await printSignIn(terminal, { dataDir: at() });
  const [, pass = ''] =
    /^Page: http:\/\/127\.0\.0\.1:8377\/sign-in\?pass=(\S+)$/u.exec(terminal.printed[0] ?? '') ?? [];
  expect(createPassChecker('a key')(pass, Date.now())).toEqual({ link: null });
});

test('without a page of its own it prints no link', async () => {
  const terminal = createTestTerminal();
  await printSignIn(terminal, { dataDir: at() });
  await writePageKey(at(), { address: '127.0.0.1:8377', key: 'a key', pid: process.pid + 1 });
  await printSignIn(terminal, { dataDir: at() });
  expect(terminal.printed).toEqual([]);
});

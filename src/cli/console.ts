import { randomUUID } from 'node:crypto';
import { systemClock } from '../clock.ts';
import { makePass, readPageKey, signInLink } from '../console/sign-in-link.ts';
import { readLiveHeartbeat } from '../jobs/heartbeat.ts';
import { loadWhole, type PlaceOptions } from './configuration.ts';
import { confirm, waitForEnter } from './confirm.ts';
import { openBrowser } from './connect/open-browser.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { chooseLinks } from './links.ts';
import type { Terminal } from './terminal.ts';

export type ConsoleOptions = PlaceOptions & { readonly browser?: boolean; readonly link?: string };

const NO_PAGE =
  'No daemon with a page runs on this machine. Start one with: contact-sync daemon. If one runs without a page, ' +
  'LISTEN is off or its address is in use: see its log.';

/**
 * `console`: prints a link that signs in once at the page of this machine's daemon, and on a terminal offers to open it. With
 * `--link` the session is limited to the page of that link.
 *
 * @throws {UsageError} if the link does not exist.
 */
export const console = async (terminal: Terminal, options: ConsoleOptions): Promise<ExitCode> => {
  const config = await loadWhole(options);
  const { dataDir } = config;
  const { link: name = null } = options;
  if (name !== null) chooseLinks(config, name);
  const nowMs = systemClock.now();
  const key = await readPageKey(dataDir);
  const beat = await readLiveHeartbeat(dataDir, nowMs);
  if (key === null || beat?.pid !== key.pid) {
    terminal.warn(NO_PAGE);
    return EXIT.failed;
  }
  const link = signInLink(key, makePass(key, { nowMs, id: randomUUID(), link: name }));
  terminal.print(link);
  if (!process.stdin.isTTY || !terminal.stdout.isTTY) return EXIT.done;
  terminal.print('The link works once and expires after five minutes.');
  if (options.browser === false) return EXIT.done;
  if (!(await confirm(terminal, process.stdin, 'Open it in the browser?'))) return EXIT.done;
  await using _ = await openBrowser(link);
  await waitForEnter(terminal, process.stdin, 'Press Enter when the browser shows the page.');
  return EXIT.done;
};

import { randomUUID } from 'node:crypto';
import { systemClock } from '../../util/clock.ts';
import { makePass, readPageKey, signInLink } from '../../daemon/console/sign-in-link.ts';
import { readLiveHeartbeat } from '../../app/heartbeat.ts';
import { loadWhole, type PlaceOptions, chooseLinks } from '../command/configuration.ts';
import { confirm, waitForEnter } from '../terminal/prompts.ts';
import { openBrowser } from '../terminal/open-browser.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';

export type ConsoleOptions = PlaceOptions & { readonly browser?: boolean };

const NO_PAGE =
  'No daemon with a page runs on this machine. Start one with: contact-sync daemon. If a daemon runs without a page, ' +
  'LISTEN is off or the address is in use: see its log.';

/**
 * `console [LINK]`: prints a one-time sign-in link for the page of this machine's daemon, and offers to open it on a terminal.
 * With a link name, the page shows that link only.
 *
 * @throws {UsageError} if there is no link of that name.
 */
export const console = async (
  terminal: Terminal,
  name: string | undefined,
  options: ConsoleOptions,
): Promise<ExitCode> => {
  const config = await loadWhole(options);
  const { dataDir } = config;
  if (name !== undefined) chooseLinks(config, name);
  const nowMs = systemClock.now();
  const key = await readPageKey(dataDir);
  const beat = await readLiveHeartbeat(dataDir, nowMs);
  if (key === null || beat?.pid !== key.pid) {
    terminal.warn(NO_PAGE);
    return EXIT.failed;
  }
  const link = signInLink(key, makePass(key, { nowMs, id: randomUUID(), link: name ?? null }));
  terminal.print(link);
  if (!process.stdin.isTTY || !terminal.stdout.isTTY) return EXIT.done;
  terminal.print('The link works once and expires after five minutes.');
  if (options.browser === false) return EXIT.done;
  if (!(await confirm(terminal, process.stdin, 'Open it in the browser?'))) return EXIT.done;
  await using _ = await openBrowser(link);
  await waitForEnter(terminal, process.stdin, 'Press Enter when the browser shows the page.');
  return EXIT.done;
};

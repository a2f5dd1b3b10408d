import { loadConfig } from '../../app/config/config.ts';
import { randomUUID } from 'node:crypto';
import { readLiveHeartbeat } from '../../app/heartbeat.ts';
import { makePass, readPageKey, signInLink } from '../../daemon/console/sign-in-link.ts';
import { systemClock } from '../../util/clock.ts';
import { chooseLinks, type PlaceOptions } from '../command/configuration.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, type Define } from '../command/options.ts';
import type { Terminal } from '../terminal/terminal.ts';

const NO_PAGE =
  'No daemon with a page runs on this machine. Start one with: contact-sync daemon. If a daemon runs without a page, ' +
  'LISTEN is off or the address is in use: see its log.';

/**
 * `console [LINK]`: prints a one-time sign-in link for the page of this machine's daemon. With a link name, the page shows that
 * link only.
 *
 * @throws {UsageError} if there is no link of that name.
 */
const openConsole = async (terminal: Terminal, name: string | undefined, options: PlaceOptions): Promise<ExitCode> => {
  const config = loadConfig(options);
  const { dataDir } = config;
  if (name !== undefined) chooseLinks(config, name);
  const nowMs = systemClock.now();
  const key = await readPageKey(dataDir);
  const beat = await readLiveHeartbeat(dataDir, nowMs);
  if (key === null || beat?.pid !== key.pid) {
    terminal.warn(NO_PAGE);
    return EXIT.failed;
  }
  if (name !== undefined && !beat.links.some((link) => link.name === name)) {
    terminal.warn(`The daemon has not loaded the link ${name} yet. Send it SIGHUP, or restart it.`);
    return EXIT.failed;
  }
  const link = signInLink(key, makePass(key, { nowMs, id: randomUUID(), link: name ?? null }));
  terminal.print(link);
  if (!terminal.stdout.isTTY) return EXIT.done;
  terminal.print('The link works once and expires after five minutes.');
  return EXIT.done;
};

const PAGE_HELP = `
The page is served at 127.0.0.1:8377 unless LISTEN sets another address. With LINK, the sign-in opens that link only. Other
machines need CONSOLE_TOKEN.`;

/** Defines `console`. */
export const define: Define = (command, call) => {
  command
    .argument('[LINK]', 'link that the page is limited to (default: all links)')
    .addHelpText('after', PAGE_HELP)
    .addHelpText('after', examples('console', 'console work'))
    .action(actionOf(call, null, openConsole));
};

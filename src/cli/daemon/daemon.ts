import { randomUUID } from 'node:crypto';
import { createApp } from '../../app/app.ts';
import { loadConfig, type Config } from '../../app/config/config.ts';
import { makePass, readPageKey, signInLink } from '../../daemon/console/sign-in-link.ts';
import { startDaemon } from '../../daemon/daemon.ts';
import { createEvents, type Events } from '../../app/events.ts';
import { systemClock } from '../../util/clock.ts';
import { DirectoryError, makeDirectory } from '../../util/files.ts';
import { createLogger } from '../../util/logger.ts';
import { readVersion } from '../../util/package.ts';
import { openConfig, type PlaceOptions } from '../command/configuration.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, type Define } from '../command/options.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The daemon ends within ten seconds. Unfinished work is abandoned, and the next start recovers it from the journal. */
const LONGEST_STOP_MS = 9_000;

/** After the daemon has stopped, only timers of libraries keep the process alive, such as those of a client without Redis. */
const LINGER_MS = 200;

const endNow = (): never => process.exit(EXIT.done);

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. Each SIGHUP calls `onHangup`. */
const untilStopped = (onHangup: () => void): Promise<string> => {
  process.on('SIGHUP', onHangup);
  return new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) {
      process.once(name, () => {
        resolve(name);
        for (const again of ['SIGTERM', 'SIGINT'] as const) process.on(again, endNow);
      });
    }
  });
};

/** The page, metrics and health, which are loaded only if they are served. */
const openHttp = async (config: Config, events: Events) => {
  const { openConsole } = await import('../../daemon/console/console.ts');
  const { openHttpService } = await import('../../daemon/server/http-service.ts');
  return openHttpService({ config, events, clock: systemClock, version: readVersion(), openConsole });
};

/** Creates DATA_DIR. Errors other than a {@link DirectoryError} are reported when the first file is written there. */
const makeDataDirectory = (path: string): void => {
  try {
    makeDirectory(path);
  } catch (error) {
    if (error instanceof DirectoryError) throw error;
  }
};

/** Prints a sign-in link for the page of this process, if it has one. */
export const printSignIn = async (
  terminal: Pick<Terminal, 'print'>,
  { dataDir }: Pick<Config, 'dataDir'>,
): Promise<void> => {
  const key = await readPageKey(dataDir);
  if (key?.pid !== process.pid) return;
  const pass = makePass(key, { nowMs: systemClock.now(), id: randomUUID(), link: null });
  terminal.print(`Page: ${signInLink(key, pass)}`);
  terminal.print('The link works once and expires after five minutes. Another one: contact-sync console');
};

/** `daemon`: syncs every link on schedule until SIGTERM or SIGINT. Logs to stdout: readable lines on a terminal, JSON elsewhere. */
const daemon = async (terminal: Terminal, options: PlaceOptions): Promise<ExitCode> => {
  using last = new DisposableStack();
  const { config } = openConfig(terminal, options);
  const { logLevel: level, logPersonalData: personalData } = config;
  const format = terminal.stdout.isTTY ? 'pretty' : 'json';
  const log = createEvents(createLogger({ level, format, destination: terminal.stdout }), { personalData });
  makeDataDirectory(config.dataDir);
  // The address is bound first: if it is in use, nothing has started yet.
  await using http = config.listen === null ? null : await openHttp(config, log);
  const events = http?.events ?? log;
  await using app = createApp(config, events);
  // The handlers exist before the first log line reports the start.
  const stopped = untilStopped(() => running.reload());
  const running = startDaemon({
    app,
    events,
    clock: systemClock,
    random: Math.random,
    loadConfig: () => loadConfig(options),
    ...(http && { onReport: http.onReport }),
  });
  await using _ = await http?.serve(app, running);
  // A log must not contain the link.
  if (terminal.stdout.isTTY) await printSignIn(terminal, config);
  const signal = await stopped;
  events.daemonStopping({ signal });
  setTimeout(endNow, LONGEST_STOP_MS).unref();
  await running.stop();
  last.defer(() => void setTimeout(endNow, LINGER_MS).unref());
  return EXIT.done;
};

/** Defines `daemon`. */
export const define: Define = (command, call) => {
  command
    .addHelpText('after', examples('daemon', 'daemon --config /etc/contact-sync.yaml'))
    .action(actionOf(call, null, daemon));
};

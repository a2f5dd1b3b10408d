import { randomBytes, randomUUID } from 'node:crypto';
import { createApp } from '../app/app.ts';
import { systemClock } from '../clock.ts';
import { loadConfig, type Config } from '../config/config.ts';
import type { OpenConsole } from '../console/console.ts';
import { createEvents, type Events } from '../events.ts';
import { startDaemon } from '../jobs/daemon.ts';
import type { Listening } from '../listen/listening.ts';
import { createLogger } from '../logger.ts';
import { isLoopback } from '../loopback.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { loadOptionsOf, openConfig, type PlaceOptions } from './configuration.ts';
import type { Terminal } from './terminal.ts';
import { readVersion } from './version.ts';

/** The daemon ends within ten seconds; what hangs until then is abandoned, and the next start recovers it from the journal. */
const LONGEST_STOP_MS = 9_000;

const endNow = (): never => process.exit(EXIT.done);

/** The first SIGTERM or SIGINT; a second one ends the process at once. SIGHUP calls back, any number of times. */
const hear = (onHangup: () => void): Promise<string> => {
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

/** The page, which other machines get only where they must show CONSOLE_TOKEN. */
const pageOf = async ({ listen, consoleToken, consoleReadonly }: Config): Promise<OpenConsole | null> => {
  if (listen === null || (consoleToken === null && !isLoopback(listen.host))) return null;
  const { openConsole } = await import('../console/console.ts');
  const newSecret = (): string => randomBytes(32).toString('base64url');
  const parts = { clock: systemClock, newId: randomUUID, newSecret, token: consoleToken, readonly: consoleReadonly };
  return (of) => openConsole({ ...of, ...parts });
};

/** What LISTEN adds to the daemon, loaded only where it is set. */
const listeningAt = async (config: Config, events: Events): Promise<Listening | null> => {
  const { listen: address } = config;
  if (address === null) return null;
  const { createListening } = await import('../listen/listening.ts');
  return createListening({
    address,
    events,
    clock: systemClock,
    version: readVersion(),
    openConsole: await pageOf(config),
  });
};

/** `daemon`: keeps every link in step until SIGTERM or SIGINT. Logs to stdout. */
export const daemon = async (terminal: Terminal, options: PlaceOptions): Promise<ExitCode> => {
  const config = openConfig(terminal, options);
  const { logLevel: level, logFormat: format, logPersonalData: personalData } = config;
  const log = createEvents(createLogger({ level, format, destination: terminal.stdout }), { personalData });
  const listening = await listeningAt(config, log);
  const events = listening?.events ?? log;
  await using app = createApp(config, events);
  // Before anything runs: an address that cannot be had leaves nothing half started.
  await using door = await listening?.open(app);
  // Signals are heard before the first log line says that they are.
  const asked = hear(() => running.reload());
  const parts = { app, events, clock: systemClock, random: Math.random, newId: randomUUID };
  const running = startDaemon({
    ...parts,
    loadConfig: () => loadConfig(loadOptionsOf(options)),
    ...(listening && { onReport: listening.onReport }),
  });
  await door?.serve(running);
  const signal = await asked;
  events.daemonStopping({ signal });
  setTimeout(endNow, LONGEST_STOP_MS).unref();
  await running.stop();
  return EXIT.done;
};

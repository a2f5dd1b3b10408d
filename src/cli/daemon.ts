import { randomUUID } from 'node:crypto';
import { createApp } from '../app/app.ts';
import { systemClock } from '../clock.ts';
import { loadConfig } from '../config/config.ts';
import { createEvents } from '../events.ts';
import { startDaemon } from '../jobs/daemon.ts';
import { createLogger } from '../logger.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { loadOptionsOf, openConfig, type PlaceOptions } from './configuration.ts';
import type { Terminal } from './terminal.ts';

/** The daemon ends within ten seconds; what hangs until then is abandoned, and the next start recovers it from the journal. */
const LONGEST_STOP_MS = 9_000;

const endNow = (): never => process.exit(EXIT.done);

/** The first SIGTERM or SIGINT; a second one ends the process at once. SIGHUP calls back, any number of times. */
const listen = (onHangup: () => void): Promise<string> => {
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

/** `daemon`: keeps every link in step until SIGTERM or SIGINT. Logs to stdout. */
export const daemon = async (terminal: Terminal, options: PlaceOptions): Promise<ExitCode> => {
  const config = openConfig(terminal, options);
  const { logLevel: level, logFormat: format, logPersonalData: personalData } = config;
  const events = createEvents(createLogger({ level, format, destination: terminal.stdout }), { personalData });
  await using app = createApp(config, events);
  // Signals are heard before the first log line says that they are.
  const asked = listen(() => running.reload());
  const parts = { app, events, clock: systemClock, random: Math.random, newId: randomUUID };
  const running = startDaemon({ ...parts, loadConfig: () => loadConfig(loadOptionsOf(options)) });
  const signal = await asked;
  events.daemonStopping({ signal });
  setTimeout(endNow, LONGEST_STOP_MS).unref();
  await running.stop();
  return EXIT.done;
};

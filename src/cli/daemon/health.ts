import { createApp } from '../../app/app.ts';
import { checkHealth, unhealthyBecause, type Health } from '../../daemon/server/health.ts';
import { systemClock } from '../../util/clock.ts';
import { openConfig, type PlaceOptions } from '../command/configuration.ts';
import { EXIT, originalError, type ExitCode } from '../command/exit-codes.ts';
import { examples, type Define } from '../command/options.ts';
import { createCommandEvents } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';

const readHealth = async (terminal: Terminal, options: PlaceOptions): Promise<Health> => {
  const { config } = openConfig(terminal, options);
  await using app = createApp(config, createCommandEvents(config, terminal, { json: false }));
  const { links } = config;
  return await checkHealth({ config, links, store: app.store, nowMs: systemClock.now(), isDaemon: false });
};

/** `health`: prints one line, and exits 0 if the daemon on this machine is healthy, for a container's HEALTHCHECK. */
const health = async (terminal: Terminal, options: PlaceOptions): Promise<ExitCode> => {
  const { ok, line } = await readHealth(terminal, options).catch((error: unknown) =>
    unhealthyBecause(originalError(error)),
  );
  terminal.print(line);
  return ok ? EXIT.done : EXIT.failed;
};

/** Defines `health`. */
export const defineHealth: Define = (command, call) => {
  command.addHelpText('after', examples('health')).action(async (options: PlaceOptions) => {
    call.code = await health(call.terminal, options);
  });
};

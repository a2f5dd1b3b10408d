import { createApp } from '../../app/app.ts';
import { storeAlone, type Config } from '../../app/config/config.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { readLiveHeartbeat } from '../../app/heartbeat.ts';
import { checkHealth, unhealthyBecause, type Health } from '../../daemon/server/health.ts';
import { systemClock } from '../../util/clock.ts';
import { ConfigError, problemTexts } from '../../util/config-error.ts';
import { openConfig, type PlaceOptions } from '../command/configuration.ts';
import { EXIT, originalError, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, type Define } from '../command/options.ts';
import { createCommandEvents } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The configuration and links that the daemon uses, and a note about them; the note may be empty. */
type Subject = {
  readonly config: Config;
  readonly links: readonly Pick<LinkConfig, 'name' | 'syncIntervalMs'>[];
  readonly note: string;
};

/** Reads the subject. If the configuration is invalid, a running daemon keeps its previous one. */
const readSubject = async (terminal: Terminal, options: PlaceOptions): Promise<Subject> => {
  try {
    const { config } = openConfig(terminal, options);
    return { config, links: config.links, note: '' };
  } catch (error) {
    if (!(error instanceof ConfigError) || error.dataDir === null) throw error;
    const beat = await readLiveHeartbeat(error.dataDir, systemClock.now());
    if (beat === null || beat.links.length === 0) throw error;
    const faults = problemTexts(error.problems).join(' ');
    const note = `; it still uses its earlier configuration, because the current one is invalid: ${faults}`;
    return { config: storeAlone(error.dataDir), links: beat.links, note };
  }
};

const readHealth = async (terminal: Terminal, options: PlaceOptions): Promise<Health> => {
  const { config, links, note } = await readSubject(terminal, options);
  await using app = createApp(config, createCommandEvents(config, terminal, { json: false }));
  const { dataDir } = config;
  const { ok, line } = await checkHealth({
    dataDir,
    links,
    store: app.store,
    nowMs: systemClock.now(),
    isDaemon: false,
  });
  return { ok, line: `${line}${note}` };
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
export const define: Define = (command, call) => {
  command.addHelpText('after', examples('health')).action(actionOf(call, null, health));
};

import { createApp } from '../app/app.ts';
import { systemClock } from '../clock.ts';
import { ConfigError } from '../config/config-error.ts';
import { judgeHealth, type LinkHealth } from '../jobs/health.ts';
import { readHeartbeat, readLiveHeartbeat } from '../jobs/heartbeat.ts';
import { storeAlone, type Config, type LinkConfig } from '../config/config.ts';
import { createCommandEvents } from './command-events.ts';
import { openConfig, type PlaceOptions } from './configuration.ts';
import { EXIT, messageOf, type ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** What the daemon is judged by, and what is to be said of it besides. */
type Subject = {
  readonly config: Config;
  readonly links: readonly Pick<LinkConfig, 'name' | 'syncIntervalMs'>[];
  readonly note: string;
};

/** With a configuration that cannot be used a running daemon goes on with the one that it has. */
const subjectOf = async (terminal: Terminal, options: PlaceOptions): Promise<Subject> => {
  try {
    const config = openConfig(terminal, options);
    return { config, links: config.links, note: '' };
  } catch (error) {
    if (!(error instanceof ConfigError) || error.dataDir === null) throw error;
    const beat = await readLiveHeartbeat(error.dataDir, systemClock.now());
    if (beat === null || beat.links.length === 0) throw error;
    const faults = error.problems.map(({ where, what }) => `${where} ${what}`).join(' ');
    const note = `; it goes on with its configuration, but the present one cannot be used: ${faults}`;
    return { config: storeAlone(error.dataDir), links: beat.links, note };
  }
};

/** `health`: one line, and 0 where the daemon on this machine does its work, for a container's HEALTHCHECK. */
export const health = async (terminal: Terminal, options: PlaceOptions): Promise<ExitCode> => {
  try {
    const { config, links, note } = await subjectOf(terminal, options);
    const beat = await readHeartbeat(config.dataDir);
    await using app = createApp(config, createCommandEvents(config, terminal, { json: false }));
    const states: LinkHealth[] = [];
    for (const { name, syncIntervalMs } of links) {
      // Opening a link writes to the store, which is how one knows that it can be written.
      const { state } = await app.store.link(name);
      const [lastSuccess] = await app.store.runs(name, { latest: 'completed' });
      states.push({ link: name, state, syncIntervalMs, lastSuccessAtMs: lastSuccess?.endedAtMs ?? null });
    }
    const { ok, line } = judgeHealth(beat, states, systemClock.now());
    if (ok && config.redisUrl !== null) await (await import('../jobs/queue.ts')).pingQueue(config.redisUrl);
    terminal.print(`${line}${note}`);
    return ok ? EXIT.done : EXIT.failed;
  } catch (error) {
    terminal.print(`unhealthy: ${messageOf(error).replaceAll(/\s+/gu, ' ')}`);
    return EXIT.failed;
  }
};

import { createApp } from '../app/app.ts';
import { systemClock } from '../clock.ts';
import { judgeHealth, type LinkHealth } from '../jobs/health.ts';
import { readHeartbeat } from '../jobs/heartbeat.ts';
import { createCommandEvents } from './command-events.ts';
import { openConfig, type PlaceOptions } from './configuration.ts';
import { EXIT, messageOf, type ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** `health`: one line, and 0 where the daemon on this machine does its work, for a container's HEALTHCHECK. */
export const health = async (terminal: Terminal, options: PlaceOptions): Promise<ExitCode> => {
  try {
    const config = openConfig(terminal, options);
    const beat = await readHeartbeat(config.dataDir);
    await using app = createApp(config, createCommandEvents(config, terminal, { json: false }));
    const links: LinkHealth[] = [];
    for (const { name, syncIntervalMs } of config.links) {
      // Opening a link writes to the store, which is how one knows that it can be written.
      const { state } = await app.store.link(name);
      const [lastSuccess] = await app.store.runs(name, { latest: 'completed' });
      links.push({ link: name, state, syncIntervalMs, lastSuccessAtMs: lastSuccess?.endedAtMs ?? null });
    }
    const { ok, line } = judgeHealth(beat, links, systemClock.now());
    terminal.print(line);
    return ok ? EXIT.done : EXIT.failed;
  } catch (error) {
    terminal.print(`unhealthy: ${messageOf(error).replaceAll(/\s+/gu, ' ')}`);
    return EXIT.failed;
  }
};

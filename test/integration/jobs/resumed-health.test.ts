import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readHeartbeat } from '../../../src/app/heartbeat.ts';
import { checkHealth } from '../../../src/daemon/server/health.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, says } from '../../support/jobs/log-lines.ts';

const MINUTE_MS = 60_000;
const INTERVAL_MS = 5 * MINUTE_MS;
const BEAT_MS = 10_000;
const AS_CONFIGURED = 1;

test('a link that was paused by hand for long is not late as soon as it is resumed', async () => {
  await using world = await startDaemonWorld({ work: { syncInterval: '5m' } });
  const daemon = world.startDaemon(AS_CONFIGURED);
  await daemon.until(completed('work', 'full'));
  expect((await world.run('pause')).code).toBe(0);
  for (let index = 0; index < 4; index += 1) {
    // The schedule goes on to its next slot after the line is logged.
    await new Promise(setImmediate);
    const from = daemon.lines.length;
    daemon.clock.advance(INTERVAL_MS);
    await daemon.until(says('job skipped', 'work'), from);
  }
  await new Promise(setImmediate);
  const skippedAtMs = daemon.clock.now();
  daemon.clock.advance(BEAT_MS);
  while (((await readHeartbeat(world.dataDir))?.beatAtMs ?? 0) < skippedAtMs) await new Promise(setImmediate);
  const store = openStore(join(world.dataDir, 'contact-sync.db'));
  const links = [{ name: 'work', syncIntervalMs: INTERVAL_MS }];
  const line = async (): Promise<string> => {
    const nowMs = daemon.clock.now();
    return (await checkHealth({ dataDir: world.dataDir, links, store, nowMs, isDaemon: false })).line;
  };
  expect(await line()).toBe('healthy: 1 link; paused by hand: work');
  expect((await world.run('resume')).code).toBe(0);
  expect(await line()).toBe('healthy: 1 link');
  await store.close();
  await daemon.stop();
});

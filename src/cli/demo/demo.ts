import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../app/app.ts';
import { loadConfig } from '../../app/config/config.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { systemClock } from '../../util/clock.ts';
import type { ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, type Define } from '../command/options.ts';
import { createCommandEvents, listenForInterrupt } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { playScenes } from './scenes.ts';

/** The rate limit of the emulators and of the program: so high that the demo never waits. */
const REQUESTS_PER_MINUTE = 6000;
const LIMIT = `${REQUESTS_PER_MINUTE}/minute`;

/** `demo`: syncs two address books, edits both, syncs again, undoes a deletion, and compares them. Leaves nothing behind. */
const demo = async (terminal: Terminal): Promise<ExitCode> => {
  using interrupt = listenForInterrupt();
  await using stack = new AsyncDisposableStack();
  let aheadMs = 0;
  // All sample contacts were changed at the same time, so that the conflicts of the first sync always have the same winners.
  let seedingAtMs: number | null = systemClock.now();
  const clock = {
    ...systemClock,
    now: () => seedingAtMs ?? systemClock.now() + aheadMs,
    monotonic: () => systemClock.monotonic() + aheadMs,
  };
  const sandbox = await startSandbox({
    clock,
    serviceRateLimit: { requests: REQUESTS_PER_MINUTE, windowMs: 60_000 },
    googleQuotas: { readsPerMinute: REQUESTS_PER_MINUTE, writesPerMinute: REQUESTS_PER_MINUTE },
  });
  stack.use(sandbox);
  seedingAtMs = null;
  const dataDir = await mkdtemp(join(tmpdir(), 'contact-sync-demo-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const configPath = join(dataDir, 'contact-sync.yaml');
  // Without a file, the user's own one would be read.
  await writeFile(configPath, '');
  const limits = { SERVICE_RATE_LIMIT: LIMIT, GOOGLE_READ_LIMIT: LIMIT, GOOGLE_WRITE_LIMIT: LIMIT };
  // Each run reads a side in full if its feed does not report deletions. The demo prints the result of each run itself.
  const env = { ...sandbox.environment(), ...limits, SWEEP_INTERVAL: '1s', LOG_LEVEL: 'error', DATA_DIR: dataDir };
  const config = loadConfig({ env, config: configPath, cwd: dataDir });
  const app = stack.use(createApp(config, createCommandEvents(config, terminal, { json: false }), { clock }));
  const [link] = config.links;
  if (link === undefined) throw new Error('The configuration of the demo has no link.');
  const advance = (byMs: number): void => {
    aheadMs += byMs;
  };
  return await playScenes({ terminal, sandbox, app, link, signal: interrupt.signal, advance });
};

/** Defines `demo`. */
export const define: Define = (command, call) => {
  command.addHelpText('after', examples('demo')).action(actionOf(call, null, demo));
};

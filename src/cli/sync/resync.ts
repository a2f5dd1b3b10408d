import type { App } from '../../app/app.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { whyNoQueue } from '../../app/heartbeat.ts';
import type { QueueClient } from '../../daemon/jobs/queue-client.ts';
import { lastDecided } from '../../engine/guard.ts';
import type { Store } from '../../store/store.ts';
import { systemClock } from '../../util/clock.ts';
import type { ExitCode } from '../command/exit-codes.ts';
import { actionOf, ACCEPT_DELETES, examples, JSON_OPTION, withLinks, type Define } from '../command/options.ts';
import { withApp } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ResyncRequest } from './follow.ts';
import { runLinks, type RunLinksOptions } from './run-links.ts';

type ResyncOptions = RunLinksOptions & {
  readonly wait?: boolean;
  /** Set by `sync --full`, which does not warn if this process performs the run. */
  readonly full?: boolean;
};

/** The nonce of the link's halted plan; null if its last run was not halted. */
const overrideOf = async (store: Store, { name }: LinkConfig): Promise<string | null> => {
  const last = await lastDecided(store, name);
  return last?.outcome === 'halted' ? last.override : null;
};

/** The requests to the daemon; null if `--accept-deletes` is set and a link has no halted plan to accept (R8). */
const requestsFor = async (
  store: Store,
  links: readonly LinkConfig[],
  { acceptDeletes = false }: ResyncOptions,
): Promise<readonly ResyncRequest[] | null> => {
  if (!acceptDeletes) return links.map((link) => ({ link, override: null }));
  const requests: ResyncRequest[] = [];
  for (const link of links) requests.push({ link, override: await overrideOf(store, link) });
  return requests.every(({ override }) => override !== null) ? requests : null;
};

const openQueue = async ({ config, store }: App): Promise<QueueClient | { readonly reason: string }> => {
  const { dataDir, redisUrl } = config;
  if (redisUrl === null) return { reason: await whyNoQueue(dataDir, systemClock.now()) };
  const { openQueueClient } = await import('../../daemon/jobs/queue-client.ts');
  return openQueueClient({ store, dataDir }, redisUrl);
};

/** `resync [LINK]`: runs each link in full, in the daemon if one serves the queue, otherwise in this process. */
export const resync = (terminal: Terminal, linkName: string | undefined, options: ResyncOptions): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async (opened) => {
    const { app, links, leftOut, signal } = opened;
    const found = await openQueue(app);
    await using queue = 'reason' in found ? null : found;
    const requests = queue === null ? null : await requestsFor(app.store, links, options);
    if (queue !== null && requests !== null) {
      const { resyncInDaemon } = await import('./follow.ts');
      return await resyncInDaemon(terminal, queue, requests, { ...options, leftOut, signal });
    }
    if ('reason' in found) {
      if (options.wait && !options.full) terminal.warn(`${found.reason} The resync runs in this process.`);
    } else terminal.warn('The link has no halted plan that the daemon could accept. The resync runs in this process.');
    return await runLinks(terminal, opened, { kind: 'full', options });
  });

/** Defines `resync`. */
export const define: Define = (command, call) => {
  withLinks(command)
    .option('--wait', 'wait for the end of a resync that the daemon runs')
    .option(...ACCEPT_DELETES)
    .option(...JSON_OPTION)
    .addHelpText('after', examples('resync', 'resync work --wait'))
    .action(actionOf(call, { runs: [] }, resync));
};

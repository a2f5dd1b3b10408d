import type { Config, LinkConfig } from '../../app/config/config.ts';
import { findNoQueue, type NoDaemon } from '../../app/heartbeat.ts';
import type { QueueClient } from '../../daemon/jobs/queue-client.ts';
import type { Store } from '../../store/store.ts';
import { systemClock } from '../../util/clock.ts';
import { loadWhole, chooseLinks } from '../command/configuration.ts';
import type { ExitCode } from '../command/exit-codes.ts';
import { ACCEPT_DELETES, examples, JSON_OPTION, owes, withLinks, type Define } from '../command/options.ts';
import { withApp } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Order } from './follow.ts';
import { runLinks, type RunOptions } from './run-links.ts';

type ResyncOptions = RunOptions & {
  readonly wait?: boolean;
  /** Set by `sync --full`, for which it makes no difference where the run takes place. */
  readonly full?: boolean;
};

/** The nonce of the link's halted plan; null where its last run was not halted. */
const overrideOf = async (store: Store, { name }: LinkConfig): Promise<string | null> => {
  const [last] = await store.runs(name, { latest: 'ended' });
  return last?.outcome === 'halted' ? last.override : null;
};

/** What to ask the daemon for; null where a link has no halted plan that could be let pass there (R8). */
const ordersFor = async (
  terminal: Terminal,
  links: readonly LinkConfig[],
  linkName: string | undefined,
  options: ResyncOptions,
): Promise<readonly Order[] | null> => {
  if (!options.acceptDeletes) return links.map((link) => ({ link, override: null }));
  const orders = await withApp(terminal, linkName, options, ({ app }) =>
    Promise.all(links.map(async (link): Promise<Order> => ({ link, override: await overrideOf(app.store, link) }))),
  );
  return orders.every(({ override }) => override !== null) ? orders : null;
};

/** A store in DATA_DIR needs not be opened to find its queue. */
const IN_DATA_DIR = { sharedId: () => Promise.resolve(null) };

const openQueue = async (
  terminal: Terminal,
  { dataDir, databaseUrl, redisUrl }: Config,
  options: ResyncOptions,
): Promise<QueueClient | NoDaemon> => {
  if (redisUrl === null) return findNoQueue(dataDir, systemClock.now());
  const { openQueueClient } = await import('../../daemon/jobs/queue-client.ts');
  if (databaseUrl === null) return openQueueClient({ store: IN_DATA_DIR, dataDir }, redisUrl);
  return withApp(terminal, undefined, options, ({ app }) => openQueueClient({ store: app.store, dataDir }, redisUrl));
};

/** `resync [LINK]`: one full run of each link, by the daemon where one works on the queue, else in this process. */
export const resync = async (
  terminal: Terminal,
  linkName: string | undefined,
  options: ResyncOptions,
): Promise<ExitCode> => {
  const config = await loadWhole(options);
  const links = chooseLinks(config, linkName);
  {
    const found = await openQueue(terminal, config, options);
    await using queue = 'why' in found ? null : found;
    const orders = queue === null ? null : await ordersFor(terminal, links, linkName, options);
    if (queue !== null && orders !== null) {
      return await (await import('./follow.ts')).resyncInDaemon(terminal, queue, orders, options);
    }
    if ('why' in found) {
      if (options.wait && !options.full) terminal.warn(`${found.why} The resync runs in this process.`);
    } else terminal.warn('No plan is halted that the daemon could let pass: the resync runs in this process.');
  }
  return runLinks(terminal, linkName, { kind: 'full', options });
};

/** Defines `resync`. */
export const defineResync: Define = (command, call) => {
  withLinks(command)
    .option('--wait', 'wait for the end of a resync that the daemon runs')
    .option(...ACCEPT_DELETES)
    .option(...JSON_OPTION)
    .addHelpText('after', examples('resync', 'resync work --wait'))
    .action(async (link: string | undefined, options: ResyncOptions) => {
      owes(call, options, { runs: [] });
      call.code = await resync(call.terminal, link, options);
    });
};

import { loadConfig } from '../config/config.ts';
import type { ExitCode } from './exit-codes.ts';
import { chooseLinks } from './links.ts';
import { runLinks, type RunOptions } from './run-links.ts';
import type { Terminal } from './terminal.ts';

/** `resync [LINK]`: one full run of each link, by the daemon where one works on the queue, else in this process. */
export const resync = async (
  terminal: Terminal,
  linkName: string | undefined,
  options: RunOptions & { readonly wait?: boolean },
): Promise<ExitCode> => {
  const config = loadConfig({ configPath: options.config ?? null });
  if (config.redisUrl !== null) {
    const links = chooseLinks(config, linkName);
    const { openQueueClient } = await import('../jobs/queue-client.ts');
    await using queue = await openQueueClient(config);
    if (queue !== null) return await (await import('./follow.ts')).resyncInDaemon(terminal, queue, links, options);
  }
  if (options.wait) terminal.warn('There is no daemon to wait for: the resync runs in this process.');
  return runLinks(terminal, linkName, { kind: 'full', options });
};

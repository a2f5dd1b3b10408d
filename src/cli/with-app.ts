import { createApp, type App } from '../app/app.ts';
import { withHostedLinks } from '../daemon/links/hosted-links.ts';
import { systemClock } from '../util/clock.ts';
import type { LinkConfig } from '../app/config/config.ts';
import type { Events } from '../engine/events.ts';
import { createCommandEvents } from './command-events.ts';
import { openConfig, type PlaceOptions } from './configuration.ts';
import { listenForInterrupt } from './interrupt.ts';
import { chooseLinks } from './links.ts';
import type { Terminal } from './terminal.ts';

/** The options that every configured command has. */
export type CommonOptions = PlaceOptions & { readonly json?: boolean };

/** What a command works with. */
export type Opened = {
  readonly app: App;
  readonly events: Events;
  readonly links: readonly LinkConfig[];
  /** Aborted by SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
};

/**
 * Opens the program for one command and closes it behind it.
 *
 * @throws {ConfigError | UsageError | StoreError} where the command cannot begin.
 */
export const withApp = async <T>(
  terminal: Terminal,
  linkName: string | undefined,
  options: CommonOptions,
  use: (opened: Opened) => Promise<T>,
): Promise<T> => {
  const config = await withHostedLinks(openConfig(terminal, options), systemClock);
  const links = chooseLinks(config, linkName);
  const events = createCommandEvents(config, terminal, { json: options.json ?? false });
  await using app = createApp(config, events);
  using interrupt = listenForInterrupt();
  return await use({ app, events, links, signal: interrupt.signal });
};

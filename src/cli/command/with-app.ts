import { createApp, type App } from '../../app/app.ts';
import type { Config } from '../../app/config/config.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { idsText } from '../../core/view/values.ts';
import { formatEstimate } from '../../core/view/words.ts';
import { StoppedError } from '../../engine/errors.ts';
import { createEvents, type Events } from '../../app/events.ts';
import { createLogger } from '../../util/logger.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { openConfig, chooseLinks, leftOutOf, type PlaceOptions } from './configuration.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** A signal that aborts at the first SIGINT or SIGTERM, until disposed; a second one ends the process at once. */
export const listenForInterrupt = (): { readonly signal: AbortSignal } & Disposable => {
  const controller = new AbortController();
  const ignore = (): void => {
    for (const name of SIGNALS) process.removeListener(name, onInterrupt);
  };
  const onInterrupt = (): void => {
    ignore();
    controller.abort(new StoppedError());
  };
  for (const name of SIGNALS) process.on(name, onInterrupt);
  return { signal: controller.signal, [Symbol.dispose]: ignore };
};

const nothing = (): void => undefined;

/**
 * The log of a one-shot command, on stderr. On a terminal it has only warnings, because the summary shows the result of a run.
 * Otherwise it has all lines that LOG_LEVEL selects.
 */
export const createCommandEvents = (config: Config, terminal: Terminal, options: { json: boolean }): Events => {
  const forPeople = !options.json && terminal.log.isTTY;
  const quiet = forPeople && config.logLevel === 'info';
  const logger = createLogger({
    level: quiet ? 'warn' : config.logLevel,
    format: forPeople ? 'pretty' : 'json',
    destination: terminal.log,
  });
  const events = createEvents(logger, { personalData: config.logPersonalData });
  if (!forPeople) return events;
  return {
    ...events,
    contactSkipped: ({ sides, side, reason, ...ids }) =>
      terminal.warn(`Skipped at ${sides[side].place}: ${idsText(ids)}: ${reason}`),
    retryScheduled: ({ sides, side, reason, retryInMs, retryAt }) => {
      const at = new Date(retryAt).toTimeString().slice(0, 'hh:mm:ss'.length);
      terminal.warn(`${sides[side].title}: ${reason}. Trying again in ${formatEstimate(retryInMs)}, at ${at}.`);
    },
    firstSyncWaits: nothing,
    runHalted: nothing,
    runCutShort: nothing,
    linkPaused: nothing,
    // Only an unexpected error is logged with its stack.
    runFailed: (fields) => {
      if (exitCodeOf(fields.error) === EXIT.failed) events.runFailed(fields);
    },
  };
};

/** The options that every configured command has. */
export type CommonOptions = PlaceOptions & { readonly json?: boolean };

/** The open app of one command. */
export type Opened = {
  readonly app: App;
  readonly events: Events;
  readonly links: readonly LinkConfig[];
  /** The messages about the links with invalid settings that a command for all links leaves out. */
  readonly leftOut: readonly string[];
  /** Aborted by SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
};

/**
 * Opens the app for one command, and closes it after `use`.
 *
 * @throws {ConfigError | UsageError | StoreError} if the command cannot start.
 */
export const withApp = async <T>(
  terminal: Terminal,
  linkName: string | undefined,
  options: CommonOptions,
  use: (opened: Opened) => Promise<T>,
): Promise<T> => {
  const { config } = openConfig(terminal, options);
  const links = chooseLinks(config, linkName);
  const events = createCommandEvents(config, terminal, { json: options.json ?? false });
  await using app = createApp(config, events);
  using interrupt = listenForInterrupt();
  return await use({ app, events, links, leftOut: leftOutOf(config, linkName), signal: interrupt.signal });
};

import type { Config } from '../app/config/config.ts';
import { createEvents, type Events } from '../engine/events.ts';
import { createLogger } from '../util/logger.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { formatEstimate } from '../core/view/words.ts';
import type { Terminal } from './terminal.ts';

/** A contact by the ids it has on both sides. */
export const describeIds = (ids: { readonly leftId: string | null; readonly rightId: string | null }): string =>
  [ids.leftId, ids.rightId].filter((id) => id !== null).join(' / ') || 'a contact without a readable id';

const nothing = (): void => undefined;

/**
 * The log of a one-shot command, on stderr. People at a terminal get warnings only, and how a run ended from its summary;
 * everybody else gets every line that LOG_LEVEL asks for.
 */
export const createCommandEvents = (config: Config, terminal: Terminal, options: { json: boolean }): Events => {
  const forPeople = !options.json && terminal.log.isTTY;
  const quiet = forPeople && config.logLevel === 'info';
  const logger = createLogger({
    level: quiet ? 'warn' : config.logLevel,
    format: options.json ? 'json' : forPeople ? 'pretty' : config.logFormat,
    destination: terminal.log,
  });
  const events = createEvents(logger, { personalData: config.logPersonalData });
  if (!forPeople) return events;
  return {
    ...events,
    contactSkipped: ({ sides, side, reason, ...ids }) =>
      terminal.warn(`Skipped at ${sides[side].place}: ${describeIds(ids)}: ${reason}`),
    retryScheduled: ({ sides, side, reason, retryInMs, retryAt }) => {
      const at = new Date(retryAt).toTimeString().slice(0, 'hh:mm:ss'.length);
      terminal.warn(`${sides[side].title}: ${reason}. Trying again in ${formatEstimate(retryInMs)}, at ${at}.`);
    },
    runHalted: nothing,
    runCutShort: nothing,
    linkPaused: nothing,
    // A stack helps only where the error has no meaning of its own.
    runFailed: (fields) => {
      if (exitCodeOf(fields.error) === EXIT.failed) events.runFailed(fields);
    },
  };
};

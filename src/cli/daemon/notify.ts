import { randomUUID } from 'node:crypto';
import { Option } from 'commander';
import { openNotifier } from '../../daemon/notify/notifier.ts';
import { systemClock } from '../../util/clock.ts';
import type { PlaceOptions } from '../command/configuration.ts';
import { UsageError, EXIT, type ExitCode } from '../command/exit-codes.ts';
import { examples, type Define } from '../command/options.ts';
import { withApp } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * `notify`: sends one test notification to the webhook and prints the answer.
 *
 * @throws {NotDeliveredError | UsageError} if the webhook refuses it, or if no webhook is configured.
 */
const notify = (terminal: Terminal, options: PlaceOptions): Promise<ExitCode> =>
  withApp(terminal, undefined, options, async ({ app: { config, store }, events, signal }) => {
    const parts = { store, events, clock: systemClock, random: Math.random, newId: randomUUID };
    const notifier = openNotifier(config, parts);
    if (notifier === null) throw new UsageError('NOTIFY_URL is not set. Set it to the URL of a webhook.');
    const { status, text } = await notifier.test(signal);
    terminal.print(`${notifier.host} answered ${status}${text === '' ? '' : `: ${text}`}`);
    return EXIT.done;
  });

/** Defines `notify`. */
export const defineNotify: Define = (command, call) => {
  command
    .addOption(new Option('--test', 'send a test; this is the default').hideHelp())
    .addHelpText('after', examples('notify'))
    .action(async (options: PlaceOptions) => {
      call.code = await notify(call.terminal, options);
    });
};

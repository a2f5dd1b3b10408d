import { randomUUID } from 'node:crypto';
import { openNotifier } from '../../daemon/notify/notifier.ts';
import { systemClock } from '../../util/clock.ts';
import { UsageError, EXIT, type ExitCode } from '../command/exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { withApp, type CommonOptions } from '../command/with-app.ts';

/**
 * `notify`: sends one test notification to the webhook and prints the answer.
 *
 * @throws {NotDeliveredError | UsageError} if the webhook refuses it, or if none is set.
 */
export const notify = (terminal: Terminal, options: CommonOptions): Promise<ExitCode> =>
  withApp(terminal, undefined, options, async ({ app: { config, store }, events, signal }) => {
    const parts = { store, events, clock: systemClock, random: Math.random, newId: randomUUID };
    const notifier = openNotifier(config, parts);
    if (notifier === null) throw new UsageError('NOTIFY_URL is not set. Set it to the URL of a webhook.');
    const { status, text } = await notifier.test(signal);
    terminal.print(`${notifier.host} answered ${status}${text === '' ? '' : `: ${text}`}`);
    return EXIT.done;
  });

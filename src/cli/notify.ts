import { UsageError } from './usage-error.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';
import { withApp, type CommonOptions } from './with-app.ts';

/**
 * `notify --test`: sends a test to the webhook, once, and prints what it answered.
 *
 * @throws {NotDeliveredError | UsageError} where the webhook did not take it, or there is none.
 */
export const notify = (terminal: Terminal, options: CommonOptions): Promise<ExitCode> =>
  withApp(terminal, undefined, options, async ({ app: { notifier }, signal }) => {
    if (notifier === null) throw new UsageError('NOTIFY_URL is not set, so nobody is told. Set it to a webhook.');
    const { status, text } = await notifier.test(signal);
    terminal.print(`${notifier.host} answered ${status}${text === '' ? '' : `: ${text}`}`);
    return EXIT.done;
  });

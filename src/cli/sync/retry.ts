import { refusalsIn } from '../../core/state/unsyncable.ts';
import { count } from '../../core/view/words.ts';
import { isAbout, retryRefused } from '../../engine/change-link.ts';
import { EXIT, UsageError, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, withLinks, type Define } from '../command/options.ts';
import { withApp, type CommonOptions } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The argument that selects every refused write of the links. */
const ALL = 'all';

/**
 * `retry ID|all [LINK]`: makes the next run retry refused writes without waiting.
 *
 * @throws {UsageError} if no write to that contact was refused.
 * @throws {LeaseError} if a run is in progress.
 */
const retry = (
  terminal: Terminal,
  id: string,
  linkName: string | undefined,
  options: CommonOptions,
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app, links }) => {
    const isMeant = id === ALL ? () => true : isAbout(id);
    let retried = 0;
    for (const link of links) {
      const { rejections } = await app.store.link(link.name);
      if (!refusalsIn(rejections).some(isMeant)) continue;
      retried += (await retryRefused(app.lease, link.name, isMeant)).length;
    }
    if (retried === 0 && id !== ALL) {
      throw new UsageError(`No side has refused a write to ${id}. \`contact-sync status\` lists the refused contacts.`);
    }
    const next = retried === 0 ? '' : ' Retry now: contact-sync sync';
    terminal.print(`${count(retried, 'refused write')} to retry.${next}`);
    return EXIT.done;
  });

const RETRY_HELP = `
After a side refuses a write, contact-sync waits before it tries again. \`status\` shows how long. A change of the contact
ends the wait too.`;

/** Defines `retry`. */
export const define: Define = (command, call) => {
  withLinks(command.argument('<ID>', 'id of the contact on either side, as listed by `status`; or `all`'))
    .addHelpText('after', RETRY_HELP)
    .addHelpText('after', examples('retry people/c1', 'retry all work'))
    .action(actionOf(call, null, retry));
};

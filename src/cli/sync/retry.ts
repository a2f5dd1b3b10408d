import type { LinkConfig } from '../../app/config/link-config.ts';
import { inWordsOf } from '../../core/contact/side.ts';
import type { Rejection } from '../../core/state/rows.ts';
import { refusalsIn } from '../../core/state/unsyncable.ts';
import { count } from '../../core/view/words.ts';
import { isAbout, retryRefused } from '../../engine/change-link.ts';
import { EXIT, UsageError, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, JSON_OPTION, withLinks, type Define } from '../command/options.ts';
import { withApp, type CommonOptions } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The argument that selects every refused write of the links. */
const ALL = 'all';

/** A write to retry in the documented JSON format, with the names of the sides. */
const toJson = ({ name: link, sides }: LinkConfig, { side, leftId, rightId, reason, attempts }: Rejection): unknown =>
  inWordsOf(sides, { link, side, leftId, rightId, reason, attempts });

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
    const retried: unknown[] = [];
    for (const link of links) {
      const { rejections } = await app.store.link(link.name);
      if (!refusalsIn(rejections).some(isMeant)) continue;
      retried.push(...(await retryRefused(app.lease, link.name, isMeant)).map((each) => toJson(link, each)));
    }
    if (retried.length === 0 && id !== ALL) {
      throw new UsageError(`No side has refused a write to ${id}. \`contact-sync status\` lists the refused contacts.`);
    }
    const next = retried.length === 0 ? '' : ' Retry now: contact-sync sync';
    if (options.json) terminal.print(JSON.stringify({ retried }));
    else terminal.print(`${count(retried.length, 'refused write')} to retry.${next}`);
    return EXIT.done;
  });

const RETRY_HELP = `
After a side refuses a write, contact-sync waits before it tries again. \`status\` shows how long. A change of the contact
ends the wait too.`;

/** Defines `retry`. */
export const define: Define = (command, call) => {
  withLinks(command.argument('<ID>', 'id of the contact on either side, as listed by `status`; or `all`'))
    .option(...JSON_OPTION)
    .addHelpText('after', RETRY_HELP)
    .addHelpText('after', examples('retry people/c1', 'retry all work'))
    .action(actionOf(call, { retried: [] }, retry));
};

import type { LinkConfig } from '../../app/config/link-config.ts';
import type { Sides } from '../../core/contact/side.ts';
import { giveVerdict, takeBackVerdict, unstoredSides } from '../../engine/verdicts.ts';
import { onlyLink } from '../command/configuration.ts';
import { EXIT, UsageError, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, withOneLink, type Define } from '../command/options.ts';
import { withApp, type CommonOptions, type Opened } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';

type PairOptions = CommonOptions & {
  readonly apart?: boolean;
  readonly forget?: boolean;
};

/**
 * Checks that both contacts exist. A contact that no run has stored yet is read from its side.
 *
 * @throws {UsageError} if a side has no contact of that id.
 * @throws {RemoteError} if a side does not answer.
 */
const checkContacts = async ({ app, signal }: Opened, link: LinkConfig, ids: Sides<string>): Promise<void> => {
  const { left: leftId, right: rightId } = ids;
  const unstored = await unstoredSides(app.store, link.name, { leftId, rightId });
  if (unstored.length === 0) return;
  const missing = await app.missing(link, Object.fromEntries(unstored.map((side) => [side, ids[side]])), signal);
  if (missing.length === 0) return;
  const faults = missing.map((side) => `${link.sides[side].title} has no contact ${ids[side]}.`);
  throw new UsageError(
    `${faults.join(' ')} Nothing was stored. Give the ids as \`contact-sync plan\` lists them: first that of ` +
      `${link.sides.left.place}, then that of ${link.sides.right.place}.`,
  );
};

const NEXT = {
  together: 'The next run links them: contact-sync sync',
  apart: 'They are not linked to each other.',
} as const;

/**
 * `pair LEFT RIGHT [LINK]`: stores a decision about two contacts that are not linked.
 *
 * @throws {UsageError | VerdictError} if the decision cannot be applied.
 * @throws {LeaseError} if a run is in progress.
 */
const pair = (
  terminal: Terminal,
  leftId: string,
  rightId: string,
  linkName: string | undefined,
  options: PairOptions,
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async (opened) => {
    if (leftId === '' || rightId === '')
      throw new UsageError('An id is empty. Give the ids of two contacts, as listed by plan.');
    if (options.apart && options.forget) throw new UsageError('Give either --apart or --forget.');
    const link = onlyLink(opened.links);
    const { lease } = opened.app;
    const says = options.apart ? 'apart' : 'together';
    if (options.forget) {
      await takeBackVerdict(lease, link.name, { leftId, rightId });
      terminal.print(`The decision about ${leftId} and ${rightId} is removed.`);
      return EXIT.done;
    }
    await checkContacts(opened, link, { left: leftId, right: rightId });
    await giveVerdict(lease, link.name, { leftId, rightId, says });
    const what = says === 'together' ? 'the same person' : 'different people';
    terminal.print(`${leftId} and ${rightId} are ${what}. ${NEXT[says]}`);
    return EXIT.done;
  });

const PAIR_HELP = `
The next sync links two contacts that you declare the same person, whatever their names are. Contacts that you declare
different people are never linked to each other: each is created on the other side. The decision applies to contacts that
are not linked yet. It ends when one of them is deleted.`;

/** Defines `pair`. */
export const define: Define = (command, call) => {
  withOneLink(
    command
      .argument('<LEFT>', 'id of the contact on the left side, as listed by `plan`')
      .argument('<RIGHT>', 'id of the contact on the right side'),
  )
    .option('--apart', 'they are different people')
    .option('--forget', 'take the decision back')
    .addHelpText('after', PAIR_HELP)
    .addHelpText('after', examples('pair people/c1 contact_7', 'pair people/c1 contact_8 work --apart'))
    .action(actionOf(call, null, pair));
};

import type { LinkConfig } from '../../app/config/link-config.ts';
import { SIDES } from '../../core/contact/side.ts';
import { count } from '../../core/view/words.ts';
import { forgetJobs } from '../../daemon/jobs/queue-client.ts';
import { underLease } from '../../engine/change-link.ts';
import { EXIT, UsageError, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, type Define } from '../command/options.ts';
import { withApp, type CommonOptions } from '../command/with-app.ts';
import { mayDelete } from '../terminal/prompts.ts';
import type { Terminal } from '../terminal/terminal.ts';

type ForgetLinkOptions = CommonOptions & { readonly yes?: boolean };

/** @throws {UsageError} if a daemon with this configuration would sync the link again. */
const refuseConfigured = (link: LinkConfig | undefined): void => {
  if (link === undefined || SIDES.every((side) => link.sides[side].token === null)) return;
  throw new UsageError(
    `The configuration has a token of the link ${link.name}, so the next run would store everything again. Remove the ` +
      'link or its tokens from the configuration, restart the daemon, then forget the link.',
  );
};

const formatLink = (link: string, tokens: readonly string[]): string =>
  [
    `Deleted what was stored about the link ${link}: contacts, history, runs and tokens.`,
    ...tokens.map(
      (side) => `  ${side}: the token is deleted. The access itself ends when you revoke it in the account.`,
    ),
    'The contacts on both sides are unchanged.',
  ].join('\n');

/** The deletion, for the confirmation. */
const stepOf = (link: string, pairs: number, tokens: number) => {
  const what = `${count(pairs, 'linked contact')}, its history and ${count(tokens, 'token')}`;
  return {
    question: `Delete what is stored here about the link ${link}: ${what}?`,
    effect: `This deletes what is stored here about the link ${link}: ${what}.`,
    command: `contact-sync forget ${link} --yes`,
  };
};

/**
 * `forget LINK`: deletes all stored data of a link, with its tokens.
 *
 * @throws {UsageError} if nothing is stored, if the configuration has tokens of the link, or if `--yes` is needed.
 * @throws {LeaseError | QueueError | StoreError | CredentialsError} if it is not possible now.
 */
const forgetLink = (terminal: Terminal, link: string, options: ForgetLinkOptions): Promise<ExitCode> =>
  withApp(terminal, undefined, options, async ({ app }) => {
    const { store, vault } = app;
    refuseConfigured(app.config.links.find(({ name }) => name === link));
    const tokens = (await vault.names()).filter((token) => token.link === link).map(({ side }) => side);
    const isKnown = (await store.links()).some(({ name }) => name === link);
    if (!isKnown && tokens.length === 0) {
      // An earlier call may have ended between the deletion of the rows and their erasure.
      await store.compact();
      throw new UsageError(`Nothing is stored about a link named ${link}.`);
    }
    const { pairs } = await store.counts(link);
    if (!(await mayDelete(terminal, options, stepOf(link, pairs, tokens.length)))) return EXIT.done;
    await underLease(app.lease, link, async (token) => {
      await forgetJobs(app, link);
      await vault.remove(link);
      await store.commit(link, token, [{ kind: 'forget-link' }]);
    });
    await store.compact();
    terminal.print(formatLink(link, tokens));
    return EXIT.done;
  });

/** Defines `forget LINK`. */
export const define: Define = (command, call) => {
  command
    .argument('<LINK>', 'name of the link; it may be missing from the configuration')
    .option('-y, --yes', 'do not ask; required in scripts')
    .addHelpText('after', examples('forget home', 'forget home --yes'))
    .action(actionOf(call, null, forgetLink));
};

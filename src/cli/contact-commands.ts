import type { Command } from 'commander';
import { examples, JSON_OPTION, owes, withLinks, type Call, type JsonOption } from './command/options.ts';
import type { ForgetLinkOptions } from './data/forget.ts';
import { addDuplicates } from './duplicates-command.ts';
import { addPairing } from './pair-command.ts';

const RETRY_LIMITS = `
After a side refuses a write, contact-sync waits before it tries again. \`status\` shows how long. A change of the contact
ends the wait too.`;

const addRetry = (program: Command, call: Call): void => {
  withLinks(
    program
      .command('retry')
      .description('Retry refused contacts in the next sync, without waiting.')
      .argument('<ID>', 'id of the contact on either side, as listed by `status`; or `all`'),
  )
    .option(...JSON_OPTION)
    .addHelpText('after', RETRY_LIMITS)
    .addHelpText('after', examples('retry people/c1', 'retry all work'))
    .action(async (id: string, link: string | undefined, options: JsonOption) => {
      owes(call, 'retried', options);
      call.code = await (await import('./sync/retry.ts')).retry(call.terminal, id, link, options);
    });
};

const FORGET_CONTACT_LIMITS = `
The contact must be deleted on both sides first. Otherwise the next sync would store it again.`;

const addForget = (program: Command, call: Call): void => {
  const forget = program
    .command('forget')
    .description('Delete what is stored here about a contact or a link. Both sides stay unchanged.')
    .helpCommand(false)
    .addHelpText('after', examples('forget contact ada@example.org', 'forget link home'));
  withLinks(
    forget
      .command('contact')
      .description('Delete what is stored about a contact that is deleted on both sides.')
      .argument('<CONTACT>', 'id on either side, email address, phone number, or whole name'),
  )
    .option(...JSON_OPTION)
    .addHelpText('after', FORGET_CONTACT_LIMITS)
    .addHelpText('after', examples('forget contact ada@example.org', 'forget contact people/c1 work'))
    .action(async (contact: string, link: string | undefined, options: JsonOption) => {
      owes(call, 'forgotten', options);
      call.code = await (await import('./data/forget.ts')).forgetContact(call.terminal, contact, link, options);
    });
  forget
    .command('link')
    .description('Delete the history, contacts and tokens of a link. Tokens are revoked if possible.')
    .argument('<LINK>', 'name of the link; it may be missing from the configuration')
    .option('-y, --yes', 'do not ask; required in scripts')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('forget link home', 'forget link home --yes'))
    .action(async (link: string, options: ForgetLinkOptions) => {
      owes(call, 'forgotten', options);
      call.code = await (await import('./data/forget.ts')).forgetLink(call.terminal, link, options);
    });
};

/** The commands about single contacts. */
export const addContactCommands = (program: Command, call: Call): void => {
  addPairing(program, call);
  addDuplicates(program, call);
  addRetry(program, call);
  addForget(program, call);
};

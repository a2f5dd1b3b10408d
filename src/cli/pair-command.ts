import type { Command } from 'commander';
import { examples, hiddenLinkOption, JSON_OPTION, owes, withOneLink, type Call } from './command/options.ts';
import type { PairOptions } from './contacts/pair.ts';

const PAIR_LIMITS = `
The next sync links two contacts that you declare the same person, whatever their names are. Contacts that you declare
different people are never linked to each other: each is created on the other side. The decision applies to contacts that
are not linked yet. It ends when one of them is deleted.`;

/** `pair`, with its arguments, options and help. */
export const addPairing = (program: Command, call: Call): void => {
  withOneLink(
    program
      .command('pair')
      .description('Declare that two contacts are the same person, or that they are not.')
      .argument('<LEFT>', 'id of the contact on the left side, as listed by `plan`')
      .argument('<RIGHT>', 'id of the contact on the right side'),
  )
    .addOption(hiddenLinkOption())
    .option('--apart', 'they are different people')
    .option('--forget', 'take the decision back')
    .option(...JSON_OPTION)
    .addHelpText('after', PAIR_LIMITS)
    .addHelpText('after', examples('pair people/c1 contact_7', 'pair people/c1 contact_8 work --apart'))
    .action(async (left: string, right: string, link: string | undefined, options: PairOptions) => {
      owes(call, 'verdict', options);
      const named = link ?? options.link;
      call.code = await (await import('./contacts/pair.ts')).pair(call.terminal, [left, right], named, options);
    });
};

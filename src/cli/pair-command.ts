import type { Command } from 'commander';
import { examples, JSON_OPTION, owes, type Call } from './command-parts.ts';
import type { PairOptions } from './pair.ts';

const PAIR_LIMITS = `
What is said is kept by the link. Two that are one person are paired by the next run, whatever their names say; of two
people, no run ever makes one: each is created on the other side where it is missing. It is about these two alone, and
about contacts that are not paired yet. It lapses when one of them is deleted or gets another id.`;

/** `pair`, with its arguments, options and help. */
export const addPairing = (program: Command, call: Call): void => {
  program
    .command('pair')
    .description('Say that two contacts which plan leaves unpaired are one person, or two.')
    .argument('<LEFT>', "the contact's id at the first side, as plan shows it")
    .argument('<RIGHT>', "the contact's id at the second side")
    .option('--link <LINK>', 'the link of the two; may be left out where there is just one')
    .option('--apart', 'they are two people')
    .option('--forget', 'take back what was said of them')
    .option(...JSON_OPTION)
    .addHelpText('after', PAIR_LIMITS)
    .addHelpText('after', examples('pair people/c1 contact_7', 'pair --apart people/c1 contact_8 --link work'))
    .action(async (left: string, right: string, options: PairOptions) => {
      owes(call, 'verdict', options);
      call.code = await (await import('./pair.ts')).pair(call.terminal, [left, right], options);
    });
};

import type { Command } from 'commander';
import { examples, JSON_OPTION, owes, withOuter, type Call, type JsonOption } from './command-parts.ts';
import type { MergeOptions } from './merge-duplicates.ts';

const DUPLICATES_LIMITS = `
They are found by the evidence by which the contacts of two sides are paired: names that go together with a shared email
address, one name with a shared phone number, or one name that nothing contradicts. Nothing is merged by itself.`;

const MERGE_LIMITS = `
The contact that stays is given what only the others hold; where it says something else in a text, that stays. Then the
others go: by the service's own merge there, at Google by deletion, which takes notes, photos and what else is not synced
with them. Their counterparts at the other side are merged by the next run. An undo of the run brings the others back as
new contacts, with what both sides can express, and takes back what the one that stayed was given.`;

/** `duplicates` and `duplicates merge`, with their arguments, options and help. */
export const addDuplicates = (program: Command, call: Call): void => {
  const duplicates = program
    .command('duplicates')
    .description('List contacts of one side that are likely one person; asks neither side.')
    .argument('[LINK]', 'the link to work on; all of them where it is left out')
    .helpCommand(false)
    .option(...JSON_OPTION)
    .addHelpText('after', DUPLICATES_LIMITS)
    .addHelpText('after', examples('duplicates', 'duplicates work --json'))
    .action(async (link: string | undefined, options: JsonOption) => {
      owes(call, 'links', options);
      call.code = await (await import('./duplicates.ts')).duplicates(call.terminal, link, options);
    });
  duplicates
    .command('merge')
    .description('Merge the contacts of a group into one of them, at their side.')
    .argument('<GROUP>', 'the group, as `duplicates` lists it')
    .argument('[LINK]', 'the link to look in; all of them where it is left out')
    .option('--into <ID>', 'the contact that stays; else the first that has a counterpart')
    .option('--dry-run', 'show what would be written; writes on neither side')
    .option('-y, --yes', 'do not ask; needed where there is no terminal')
    .option('--accept-deletes', 'merge even where DELETE_LIMIT would halt it')
    .option(...JSON_OPTION)
    .addHelpText('after', MERGE_LIMITS)
    .addHelpText(
      'after',
      examples('duplicates merge 3f2a91c0', 'duplicates merge 3f2a91c0 work --into people/c1 --yes'),
    )
    .action(async (group: string, link: string | undefined, own: MergeOptions, command: Command) => {
      const options = withOuter(own, command);
      owes(call, 'merge', options);
      call.code = await (await import('./merge-duplicates.ts')).mergeGroup(call.terminal, group, link, options);
    });
};

import type { Command } from 'commander';
import {
  examples,
  JSON_OPTION,
  owes,
  withLinks,
  withOuter,
  type Call,
  type JsonOption,
  orSubcommand,
} from './command/options.ts';
import type { MergeOptions } from './contacts/duplicates.ts';

const DUPLICATES_LIMITS = `
Two contacts are likely duplicates if their names are compatible and they share an email address, if their names are equal
and they share a phone number, or if their names are equal and no field differs. No contact is merged automatically.`;

const MERGE_LIMITS = `
The contact that is kept receives the values that only the others have. Where both have a text, it keeps its own. The
other contacts are then merged into it by the service, or deleted at Google, together with notes, photos and other data
that is not synced. The next sync merges the counterparts on the other side. \`undo\` creates the other contacts again, with
the fields that both sides share.`;

/** `duplicates` and `duplicates merge`, with their arguments, options and help. */
export const addDuplicates = (program: Command, call: Call): void => {
  const list = withLinks(
    program
      .command('duplicates')
      .description('List likely duplicates within one side, without a request to the sides.'),
  )
    .helpCommand(false)
    .option(...JSON_OPTION)
    .addHelpText('after', DUPLICATES_LIMITS)
    .addHelpText('after', examples('duplicates', 'duplicates merge 3f2a91c0'))
    .allowExcessArguments()
    .action(async (link: string | undefined, options: JsonOption, self: Command) => {
      owes(call, 'links', options);
      const { duplicates } = await import('./contacts/duplicates.ts');
      call.code = await orSubcommand(self, () => duplicates(call.terminal, link, options));
    });
  withLinks(
    list
      .command('merge')
      .description('Merge the contacts of a group into one of them.')
      .argument('<GROUP>', 'id of the group, as listed by `duplicates`'),
  )
    .option('--into <ID>', 'contact to keep (default: the first that is linked)')
    .option('--dry-run', 'show what would be written; write nothing')
    .option('-y, --yes', 'do not ask; required in scripts')
    .option('--accept-deletes', 'merge even if DELETE_LIMIT would halt it')
    .option(...JSON_OPTION)
    .addHelpText('after', MERGE_LIMITS)
    .addHelpText(
      'after',
      examples('duplicates merge 3f2a91c0', 'duplicates merge 3f2a91c0 work --into people/c1 --yes'),
    )
    .action(async (group: string, link: string | undefined, own: MergeOptions, command: Command) => {
      const options = withOuter(own, command);
      owes(call, 'merge', options);
      call.code = await (await import('./contacts/duplicates.ts')).mergeGroup(call.terminal, group, link, options);
    });
};

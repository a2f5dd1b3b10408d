import { Option, type Command } from 'commander';
import {
  ACCEPT_DELETES,
  examples,
  JSON_OPTION,
  owes,
  showing,
  wholeNumber,
  withLinks,
  withOuter,
  type Call,
  type JsonOption,
  orSubcommand,
} from './command/options.ts';
import type { PlanOptions } from './sync/plan.ts';
import type { ResolveOptions } from './contacts/conflicts.ts';
import type { RunsOptions } from './runs/runs.ts';
import type { SyncOptions } from './sync/sync.ts';
import type { UndoOptions } from './runs/undo.ts';

const addStatus = (program: Command, call: Call): void => {
  withLinks(program.command('status').description('Show the state of each link, without a request to the sides.'))
    .option(...JSON_OPTION)
    .addHelpText('after', examples('status', 'status work --json'))
    .action(async (link: string | undefined, options: JsonOption) => {
      owes(call, 'links', options);
      call.code = await (await import('./links/status.ts')).status(call.terminal, link, options);
    });
};

const addPlan = (program: Command, call: Call): void => {
  showing(
    withLinks(program.command('plan').description('Show what a sync would change. Writes nothing.')).option(
      ...JSON_OPTION,
    ),
  )
    .option('--full', 'plan a full sync')
    .addHelpText('after', examples('plan', 'plan --only deletes --all'))
    .action(async (link: string | undefined, options: PlanOptions) => {
      owes(call, 'links', options);
      call.code = await (await import('./sync/plan.ts')).plan(call.terminal, link, options);
    });
};

const addSync = (program: Command, call: Call): void => {
  withLinks(program.command('sync').description('Sync now. The first sync of a link reads both sides in full.'))
    .option('--full', 'read both sides in full and match again, as resync does')
    .option('--dry-run', 'show what would change, as plan does; write nothing')
    .option(...ACCEPT_DELETES)
    .addOption(
      new Option('--accept-first', 'start a first sync that waits for your review (FIRST_SYNC)').conflicts([
        'acceptDeletes',
        'full',
      ]),
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('sync', 'sync work --full'))
    .action(async (link: string | undefined, options: SyncOptions & { readonly dryRun?: boolean }) => {
      owes(call, options.dryRun ? 'links' : 'runs', options);
      if (options.dryRun) call.code = await (await import('./sync/plan.ts')).plan(call.terminal, link, options);
      else call.code = await (await import('./sync/sync.ts')).sync(call.terminal, link, options);
    });
};

const CONFLICT_STATES = `
CONFLICT_POLICY decides conflicts. With the policy "ask", both sides keep their value until you take one. A conflict is
open until you review it, or until the field changes again (superseded). The next sync writes the value that you take.`;

const addConflicts = (program: Command, call: Call): void => {
  const list = withLinks(
    program
      .command('conflicts')
      .description('List fields that changed on both sides, with both values and the winner.'),
  )
    .option(...JSON_OPTION)
    .option('--all', 'include reviewed and superseded conflicts')
    .helpCommand(false)
    .addHelpText('after', CONFLICT_STATES)
    .addHelpText('after', examples('conflicts', 'conflicts resolve 7 --take google'))
    .allowExcessArguments()
    .action(async (link: string | undefined, options: JsonOption, self: Command) => {
      owes(call, 'links', options);
      const { conflicts } = await import('./contacts/conflicts.ts');
      call.code = await orSubcommand(self, () => conflicts(call.terminal, link, options));
    });
  withLinks(
    list
      .command('resolve')
      .description('Decide a conflict: take the value of one side, or keep the current value.')
      .argument('<ID>', 'number of the conflict, as listed by `conflicts`; or `all`'),
  )
    .option('--take <SIDE>', 'side whose value the next sync writes to both sides')
    .option('--dismiss', 'keep the current value')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('conflicts resolve 7 --take google', 'conflicts resolve all work --dismiss'))
    .action(async (id: string, link: string | undefined, own: ResolveOptions, command: Command) => {
      const options = withOuter(own, command);
      owes(call, 'reviewed', options);
      call.code = await (await import('./contacts/conflicts.ts')).resolve(call.terminal, id, link, options);
    });
};

const addRuns = (program: Command, call: Call): void => {
  showing(
    program
      .command('runs')
      .description('List past runs, or show what one run wrote.')
      .argument('[RUN|LINK]', 'id of a run or its first characters, or `last`; or a link, to list its runs')
      .argument('[LINK]', 'link of the run (default: all links)')
      .option(...JSON_OPTION),
  )
    .addHelpText('after', examples('runs', 'runs last --only deletes'))
    .action(async (word: string | undefined, link: string | undefined, options: RunsOptions) => {
      owes(call, 'runs', options);
      call.code = await (await import('./runs/runs.ts')).runs(call.terminal, word, link, options);
    });
};

const addExplain = (program: Command, call: Call): void => {
  withLinks(
    program
      .command('explain')
      .description('Show the history of a contact: what was written, where, when and why.')
      .argument('<CONTACT>', 'id of the contact on either side, an email address, or a name'),
  )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('explain "Ada Lovelace"', 'explain ada@example.org work'))
    .action(async (text: string, link: string | undefined, options: JsonOption) => {
      owes(call, 'contacts', options);
      call.code = await (await import('./contacts/explain.ts')).explain(call.terminal, text, link, options);
    });
};

const UNDO_LIMITS = `
RUN is the id of a run or its first characters, as listed by \`runs\`, or \`last\`: the last run that wrote something.
An undo reverts what the run wrote, on the side where it was written. Fields that changed since are skipped and listed. A
deleted contact is created again with the fields that both sides share; other data, such as photos, is lost. A deleted
bucket or label is created again with its members, and the next sync creates it on the other side. Buckets and labels that the
run created are kept. An undo is a run, so it can be undone too.`;

const addUndo = (program: Command, call: Call): void => {
  showing(
    withLinks(
      program.command('undo').description('Undo what a run wrote.').argument('<RUN>', 'id of the run, or `last`'),
    ).option(...JSON_OPTION),
  )
    .option('--dry-run', 'show what would be undone; write nothing')
    .option(
      '--write <NUMBER>',
      'undo only this write, by its number in `runs RUN --json`',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option('-y, --yes', 'do not ask before contacts are deleted; required in scripts')
    .option(...ACCEPT_DELETES)
    .addHelpText('after', UNDO_LIMITS)
    .addHelpText('after', examples('undo last --dry-run', 'undo 3f2a work'))
    .action(async (run: string, link: string | undefined, options: UndoOptions) => {
      owes(call, 'undo', options);
      call.code = await (await import('./runs/undo.ts')).undo(call.terminal, run, link, options);
    });
};

/** The commands of every day. */
export const addDailyCommands = (program: Command, call: Call): void => {
  addStatus(program, call);
  addPlan(program, call);
  addSync(program, call);
  addConflicts(program, call);
  addRuns(program, call);
  addExplain(program, call);
  addUndo(program, call);
};

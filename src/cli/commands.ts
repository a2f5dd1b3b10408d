import { InvalidArgumentError, Option, type Command } from 'commander';
import { examples, JSON_OPTION, owes, withOuter, type Call, type JsonOption } from './command-parts.ts';
import type { ConnectOptions } from './connect/connect.ts';
import { addLinks } from './link-commands.ts';
import { addConsole, addDaemon, addNotify, addPausing, addStore } from './daemon-commands.ts';
import type { DemoOptions } from './demo/demo.ts';
import type { InitOptions } from './init/init.ts';
import { addDuplicates } from './duplicates-command.ts';
import { addPairing } from './pair-command.ts';
import type { PlanOptions } from './plan.ts';
import type { ResolveOptions } from './resolve.ts';
import type { RunsOptions } from './runs.ts';
import type { UndoOptions } from './undo.ts';
import { HAPPENINGS } from '../view/views.ts';

const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };

const configured = (program: Command, name: string, description: string): Command =>
  program
    .command(name)
    .description(description)
    .argument('[LINK]', 'the link to work on; all of them where it is left out');

const ACCEPT_DELETES = ['--accept-deletes', 'run past the mass-deletion guard, once'] as const;

/** What may be asked to be shown of changes. */
const showing = (command: Command): Command =>
  command
    .option('--all', 'show everything, however much it is')
    .addOption(new Option('--only <KIND>', 'show only these').choices([...HAPPENINGS]))
    .option('--grep <TEXT>', 'show only what holds this text in a name, an id or a value');

const addRuns = (program: Command, call: Call): void => {
  configured(program, 'sync', 'Run one incremental sync now; the first run of a link is a full one.')
    .option(...JSON_OPTION)
    .option(...ACCEPT_DELETES)
    .addOption(
      new Option('--accept-first', 'begin a first sync that waits for review (FIRST_SYNC)').conflicts('acceptDeletes'),
    )
    .option('--dry-run', 'show what would be done, as plan does; writes on neither side')
    .addHelpText('after', examples('sync', 'sync work --json', 'sync --dry-run', 'sync --accept-deletes'))
    .action(async (link: string | undefined, options: JsonOption & { readonly dryRun?: boolean }) => {
      owes(call, options.dryRun ? 'links' : 'runs', options);
      if (options.dryRun) call.code = await (await import('./plan.ts')).plan(call.terminal, link, options);
      else call.code = await (await import('./sync.ts')).sync(call.terminal, link, options);
    });
  configured(program, 'resync', 'List both sides whole, match again and repair; the mapping is kept.')
    .option(...JSON_OPTION)
    .option(...ACCEPT_DELETES)
    .option('--wait', 'stay until the resync has ended')
    .addHelpText('after', examples('resync', 'resync work --wait'))
    .action(async (link: string | undefined, options: JsonOption) => {
      owes(call, 'runs', options);
      call.code = await (await import('./resync.ts')).resync(call.terminal, link, options);
    });
  showing(configured(program, 'plan', 'Show what a sync would do; writes on neither side.').option(...JSON_OPTION))
    .option('--full', 'plan a resync instead')
    .addHelpText('after', examples('plan', 'plan work --full', 'plan --only deletes --all', 'plan --json'))
    .action(async (link: string | undefined, options: PlanOptions) => {
      owes(call, 'links', options);
      call.code = await (await import('./plan.ts')).plan(call.terminal, link, options);
    });
};

const CONFLICT_STATES = `
The policy (CONFLICT_POLICY) decides a conflict at once; where it is "ask", both sides keep their value until a person
takes one. A conflict is open until a person reviews it, or a later change of the field makes it past (superseded). A
value that is taken is written by the next run, which can be undone as any other.`;

const addReports = (program: Command, call: Call): void => {
  configured(program, 'status', 'Show how each link stands; asks neither side.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('status', 'status work --json'))
    .action(async (link: string | undefined, options: JsonOption) => {
      owes(call, 'links', options);
      call.code = await (await import('./status.ts')).status(call.terminal, link, options);
    });
  const conflicts = configured(
    program,
    'conflicts',
    'List fields that both sides had changed: both values, the winner, why and when.',
  )
    .option(...JSON_OPTION)
    .option('--all', 'reviewed and superseded ones too')
    .helpCommand(false)
    .addHelpText('after', CONFLICT_STATES)
    .addHelpText('after', examples('conflicts', 'conflicts work --all --json', 'conflicts resolve 7 --take google'))
    .action(async (link: string | undefined, options: JsonOption) => {
      owes(call, 'links', options);
      call.code = await (await import('./conflicts.ts')).conflicts(call.terminal, link, options);
    });
  conflicts
    .command('resolve')
    .description('Decide or review a conflict: take a value, or leave it as the policy decided it.')
    .argument('<ID>', 'the conflict, as `conflicts` lists it; or `all` that are open')
    .argument('[LINK]', 'the link to look in; all of them where it is left out')
    .option('--take <SIDE>', 'the side whose value is to stand; the next run writes it')
    .option('--dismiss', 'leave it as it is')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples(
        'conflicts resolve 7 --take google',
        'conflicts resolve 7 --dismiss',
        'conflicts resolve all work --dismiss',
      ),
    )
    .action(async (id: string, link: string | undefined, own: ResolveOptions, command: Command) => {
      const options = withOuter(own, command);
      owes(call, 'reviewed', options);
      call.code = await (await import('./resolve.ts')).resolve(call.terminal, id, link, options);
    });
};

const RETRY_LIMITS = `
A side that refuses a write is not asked again at once, but at a time that \`status\` names, or when the contact is changed.`;

const addRetry = (program: Command, call: Call): void => {
  program
    .command('retry')
    .description('Have the next run try what a side refused, without waiting until its time has come.')
    .argument('<ID>', "the contact's id on either side, as `status --json` names it; or `all`")
    .argument('[LINK]', 'the link to look in; all of them where it is left out')
    .option(...JSON_OPTION)
    .addHelpText('after', RETRY_LIMITS)
    .addHelpText('after', examples('retry people/c1', 'retry all work'))
    .action(async (id: string, link: string | undefined, options: JsonOption) => {
      owes(call, 'retried', options);
      call.code = await (await import('./retry.ts')).retry(call.terminal, id, link, options);
    });
};

const addDoctor = (program: Command, call: Call): void => {
  configured(program, 'doctor', 'Check configuration, credentials, store, Redis and both sides; say what to do.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('doctor', 'doctor work --json'))
    .action(async (link: string | undefined, options: JsonOption) => {
      owes(call, 'checks', options);
      call.code = await (await import('./doctor/doctor.ts')).doctor(call.terminal, link, options);
    });
};

const portOption = (): Option =>
  new Option('--port <PORT>', 'loopback port that the browser comes back to (default: any free one)').argParser(
    wholeNumber(1, 65_535),
  );

const addSignIn = (program: Command, call: Call): void => {
  program
    .command('connect')
    .description('Sign in at one side in the browser, and store the token.')
    .argument('<SIDE>', "where to sign in: a side's name, or its provider's where just one side has it")
    .argument('[LINK]', 'the link to sign in for; may be left out where there is just one')
    .option('--no-browser', 'only print the address')
    .addOption(portOption())
    .option('--api-key <->', "exchange a v1 application's key at the service instead, from standard input")
    .option('--api-key-file <FILE>', 'the same, from a file')
    .option('--replace-account', 'take another account than the one that the link was made with')
    .addHelpText('after', examples('connect google', 'connect service work --port 8400', 'connect service --api-key -'))
    .action(async (side: string, link: string | undefined, options: ConnectOptions) => {
      call.code = await (await import('./connect/connect.ts')).connect(call.terminal, side, link, options);
    });
};

const INIT_SETTINGS = `
What is set as a variable (GOOGLE_CLIENT_ID, ...) is the usual answer, and with --yes the only one. Each variable that is
set is written as the setting that it stands for, so the file says everything. A file that exists is replaced only when
you say so, and never with --yes.`;

const addInit = (program: Command, call: Call): void => {
  const player = (side: string): Option =>
    new Option(`--${side} <PROVIDER>`, `what the ${side} side is`).choices(['google', 'service']);
  program
    .command('init')
    .description('Set up a link: ask, write the configuration, sign in, check, and show what a first sync would do.')
    .addOption(player('left'))
    .addOption(player('right'))
    .addOption(
      new Option(
        '--secrets <PLACE>',
        'where secrets are written: in the file, in a .env beside it, or nowhere',
      ).choices(['file', 'env', 'none']),
    )
    .option('--no-browser', 'only print the address to sign in at')
    .addOption(portOption())
    .option('-y, --yes', 'ask nothing and do not sign in')
    .addHelpText('after', INIT_SETTINGS)
    .addHelpText('after', examples('init', 'init --left google --right google', 'init --yes --secrets env'))
    .action(async (options: InitOptions) => {
      call.code = await (await import('./init/init.ts')).init(call.terminal, options);
    });
};

const UNDO_LIMITS = `
RUN is a run's id, the beginning of one, or \`last\`: the last run that wrote anything.
Only what the run wrote is reverted, on the side where it wrote it; nothing is propagated to the other side. What was
changed since is left as it is and listed. A deleted contact comes back with what both sides can express: birthdays,
notes, tags, photos and the like are gone with the old one. Buckets and labels themselves stay as they are.
An undo is a run of its own, so it can be undone too.`;

/** Commands about what runs have done: each has a subject ahead of the link. */
const addHistory = (program: Command, call: Call): void => {
  const withSubject = (name: string, [subject, about]: readonly [string, string], description: string): Command =>
    program
      .command(name)
      .description(description)
      .argument(subject, about)
      .argument('[LINK]', 'the link to work on; all of them where it is left out')
      .option(...JSON_OPTION);
  showing(withSubject('undo', ['<RUN>', 'the run to revert'], 'Revert what a run wrote, from the journal.'))
    .option('--dry-run', 'show what would be reverted; writes on neither side')
    .option(
      '--write <NUMBER>',
      'revert only this write, as `runs RUN --json` numbers it',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option('-y, --yes', 'do not ask before contacts are deleted; nobody is asked where there is no terminal')
    .option(...ACCEPT_DELETES)
    .addHelpText('after', UNDO_LIMITS)
    .addHelpText('after', examples('undo last --dry-run', 'undo 3f2a work', 'undo 3f2a --write 41'))
    .action(async (run: string, link: string | undefined, options: UndoOptions) => {
      owes(call, 'undo', options);
      call.code = await (await import('./undo.ts')).undo(call.terminal, run, link, options);
    });
  showing(
    program
      .command('runs')
      .description('Show what has run, or what one run wrote, with names and values; asks neither side.')
      .argument('[RUN|LINK]', "a run's id, the beginning of one, or `last`; or the link whose runs are listed")
      .argument('[LINK]', 'the link that the run is looked for in; all of them where it is left out')
      .option(...JSON_OPTION),
  )
    .addHelpText('after', examples('runs', 'runs work --all', 'runs last', 'runs 3f2a --only deletes'))
    .action(async (word: string | undefined, link: string | undefined, options: RunsOptions) => {
      owes(call, 'runs', options);
      call.code = await (await import('./runs.ts')).runs(call.terminal, word, link, options);
    });
  const contact = ['<CONTACT>', 'its id on either side, an email address, or a name'] as const;
  withSubject('explain', contact, "Show a contact's history: which run wrote what on which side, and why.")
    .addHelpText(
      'after',
      examples('explain people/c1', 'explain "Ada Lovelace" work', 'explain ada@example.org --json'),
    )
    .action(async (text: string, link: string | undefined, options: JsonOption) => {
      owes(call, 'contacts', options);
      call.code = await (await import('./explain.ts')).explain(call.terminal, text, link, options);
    });
};

const BACKUP_CONTENT = `
DIR must not exist, or be empty. It gets the database, the stored tokens that are encrypted, and manifest.json with
their checksums. The configuration is not in it, nor are CREDENTIALS_KEY and the job queue.`;

const addCopies = (program: Command, call: Call): void => {
  const withDirectory = (name: string, description: string, about: string): Command =>
    program
      .command(name)
      .description(description)
      .argument('<DIR>', about)
      .option(...JSON_OPTION);
  withDirectory('backup', 'Copy the state in DATA_DIR, also while a daemon works on it.', 'where the copy goes')
    .option('--with-plain-tokens', 'copy stored tokens too that are not encrypted')
    .addHelpText('after', BACKUP_CONTENT)
    .addHelpText('after', examples('backup /var/backups/contact-sync/monday'))
    .action(async (directory: string, options: JsonOption) => {
      owes(call, 'backup', options);
      call.code = await (await import('./backup.ts')).backup(call.terminal, directory, options);
    });
  withDirectory('restore', 'Take a backup back into an empty DATA_DIR, and verify it.', 'what `backup` has made')
    .addHelpText('after', examples('restore /var/backups/contact-sync/monday'))
    .action(async (directory: string, options: JsonOption) => {
      owes(call, 'restore', options);
      call.code = await (await import('./restore.ts')).restore(call.terminal, directory, options);
    });
};

const FORGET_LINK = 'Forget a link with its history and its stored tokens, which are revoked where that can be done.';
const FORGET_LIMITS = `
WHO is a contact's id on either side, an email address, a phone number, or a whole name. The contact must be deleted on
both sides first: one that stands would be stored again by the next run.`;

const addForget = (program: Command, call: Call): void => {
  const forget = program
    .command('forget')
    .description("Remove a person's or a link's data from everything that is stored here; the sides stay as they are.")
    .helpCommand(false);
  const withSubject = (name: string, [subject, about]: readonly [string, string], description: string): Command =>
    forget
      .command(name)
      .description(description)
      .argument(subject, about)
      .option(...JSON_OPTION);
  withSubject('contact', ['<WHO>', 'whom to forget'], 'Forget a contact that is deleted on both sides.')
    .argument('[LINK]', 'the link to look in; all of them where it is left out')
    .addHelpText('after', FORGET_LIMITS)
    .addHelpText('after', examples('forget contact ada@example.org', 'forget contact people/c1 work'))
    .action(async (who: string, link: string | undefined, options: JsonOption) => {
      owes(call, 'forgotten', options);
      call.code = await (await import('./forget/contact.ts')).forgetContact(call.terminal, who, link, options);
    });
  withSubject('link', ['<LINK>', 'its name, also where the configuration does not have it any more'], FORGET_LINK)
    .addHelpText('after', examples('forget link home'))
    .action(async (link: string, options: JsonOption) => {
      owes(call, 'forgotten', options);
      call.code = await (await import('./forget/link.ts')).forgetLink(call.terminal, link, options);
    });
};

const gathered = (value: string, earlier: readonly string[]): readonly string[] => [...earlier, value];

/** Which provider plays a side of the sandbox's link. */
const playerOption = (side: string, usual: string): Option =>
  new Option(`--${side} <PROVIDER>`, `what the ${side} side is (default: ${usual})`).choices(['google', 'service']);

const addTrials = (program: Command, call: Call): void => {
  const port = wholeNumber(1, 65_535);
  program
    .command('sandbox')
    .description('Run local emulators of two remotes, filled with sample data, until stopped.')
    .addOption(playerOption('left', 'google'))
    .addOption(playerOption('right', 'service'))
    .option('--google <FILE>', 'an address book for Google: .vcf, or .csv as Google or Outlook exports it')
    .option('--service <FILE>', 'an address book for the service, of the same kinds')
    .option('--google-port <PORT>', 'port of the Google emulator; any free one by default', port)
    .option('--service-port <PORT>', 'port of the service emulator; any free one by default', port)
    .option('--people <N>', 'how many people the sample data has (default: 60)', wholeNumber(1, 50_000))
    .option('--seed <N>', 'what the sample data grows from (default: 1)', wholeNumber(0, 2 ** 31))
    .option('--service-rate <RATE>', 'requests allowed at the service: <n>/second, <n>/minute or <n>/hour')
    .option(
      '--export <SIDE=FILE>',
      'when stopped, write what a side holds to a new .vcf file; repeatable',
      gathered,
      [],
    )
    .option('--variants', 'list what the emulators can do otherwise, and exit')
    .option('--json', 'print the environment as one JSON document')
    .addHelpText(
      'after',
      examples('sandbox', 'sandbox --google contacts.vcf --export service=synced.vcf', 'sandbox --people 1000 --json'),
    )
    .action(async (options: JsonOption) => {
      call.code = await (await import('./sandbox/sandbox.ts')).sandbox(call.terminal, options);
    });
  program
    .command('demo')
    .description('Show two syncs between two made-up address books; needs nothing else and leaves nothing behind.')
    .addOption(playerOption('left', 'google'))
    .addOption(playerOption('right', 'service'))
    .addHelpText('after', examples('demo', 'demo --left google --right google'))
    .action(async (options: DemoOptions) => {
      call.code = await (await import('./demo/demo.ts')).demo(call.terminal, options);
    });
};

/** Every command with its arguments, options and help, in the order in which help shows them. */
export const addCommands = (program: Command, call: Call): void => {
  addInit(program, call);
  addRuns(program, call);
  addPairing(program, call);
  addReports(program, call);
  addDuplicates(program, call);
  addRetry(program, call);
  addHistory(program, call);
  addDaemon(program, call);
  addPausing(program, call);
  addLinks(program, call);
  addStore(program, call);
  addConsole(program, call);
  addSignIn(program, call);
  addDoctor(program, call);
  addNotify(program, call);
  addCopies(program, call);
  addForget(program, call);
  addTrials(program, call);
};

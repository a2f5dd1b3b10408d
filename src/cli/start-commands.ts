import { Option, type Command } from 'commander';
import {
  examples,
  JSON_OPTION,
  owes,
  wholeNumber,
  withLinks,
  withOneLink,
  type Call,
  type JsonOption,
} from './command/options.ts';
import type { ConnectOptions } from './setup/connect.ts';
import type { DemoOptions } from './demo/demo.ts';
import type { InitOptions } from './setup/init.ts';
import type { Side } from '../core/contact/side.ts';
import { EMULATED_NAMES, PROVIDER_NAMES, USUAL_PROVIDERS } from '../providers/names.ts';
import type { CommonOptions } from './command/with-app.ts';

const portOption = (): Option =>
  new Option('--port <PORT>', 'loopback port for the answer of the browser (default: any free port)').argParser(
    wholeNumber(1, 65_535),
  );

const sideOption = (side: string, about: string, choices: readonly string[] = PROVIDER_NAMES): Option =>
  new Option(`--${side} <PROVIDER>`, about).choices(choices);

const aboutSide = (side: Side): string => `provider of the ${side} side (default: ${USUAL_PROVIDERS[side]})`;

const INIT_SETTINGS = `
init asks its questions on a terminal. Variables that are set (GOOGLE_CLIENT_ID, ...) are offered as answers; with --yes
they are the only source. If the configuration file exists, init offers to change its values, to replace it, or to leave
it unchanged; --yes never changes it. A new configuration has firstSync: review, unless you decline: the first sync then
waits for sync --accept-first.`;

const addInit = (program: Command, call: Call): void => {
  program
    .command('init')
    .description('Set up a link: write the configuration, sign in, check, and show the first plan.')
    .addOption(sideOption('left', 'provider of the left side'))
    .addOption(sideOption('right', 'provider of the right side'))
    .addOption(
      new Option(
        '--secrets <PLACE>',
        'where to write secrets: into the configuration file, into a .env next to it, or nowhere',
      ).choices(['file', 'env', 'none']),
    )
    .option('--no-browser', 'only print the address to sign in at')
    .addOption(portOption())
    .option('-y, --yes', 'ask nothing and do not sign in')
    .addHelpText('after', INIT_SETTINGS)
    .addHelpText('after', examples('init', 'init --yes --secrets env'))
    .action(async (options: InitOptions) => {
      call.code = await (await import('./setup/init.ts')).init(call.terminal, options);
    });
};

const addConnect = (program: Command, call: Call): void => {
  withOneLink(
    program
      .command('connect')
      .description('Sign in to one side, in the browser or with a password, and store its token.')
      .argument('<SIDE>', 'name of the side, such as google or service'),
  )
    .option('--no-browser', 'only print the address to sign in at')
    .addOption(portOption())
    .option('--api-key <->', 'exchange the key of a v1 application of the service, read from standard input (-)')
    .option('--api-key-file <FILE>', 'exchange the key of a v1 application of the service, read from a file')
    .option('--replace-account', 'accept another account than the one of the first sign-in')
    .addHelpText('after', examples('connect google', 'connect service work --port 8400'))
    .action(async (side: string, link: string | undefined, options: ConnectOptions) => {
      call.code = await (await import('./setup/connect.ts')).connect(call.terminal, side, link, options);
    });
};

const addDoctor = (program: Command, call: Call): void => {
  withLinks(
    program
      .command('doctor')
      .description('Check configuration, credentials, database, Redis and both sides, with a remedy for each problem.'),
  )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('doctor', 'doctor work --json'))
    .action(async (link: string | undefined, options: JsonOption) => {
      owes(call, 'checks', options);
      call.code = await (await import('./setup/doctor.ts')).doctor(call.terminal, link, options);
    });
};

const addConfig = (program: Command, call: Call): void => {
  const config = program
    .command('config')
    .description('Show the configuration.')
    .helpCommand(false)
    .addHelpText('after', examples('config show'));
  withLinks(
    config.command('show').description('Show the value of every setting and where it comes from. Secrets are hidden.'),
  )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('config show', 'config show work --json'))
    .action(async (link: string | undefined, options: CommonOptions) => {
      owes(call, 'settings', options);
      call.code = (await import('./setup/config-show.ts')).showConfig(call.terminal, link, options);
    });
};

const addDemo = (program: Command, call: Call): void => {
  program
    .command('demo')
    .description('Sync two made-up address books. Needs no account and leaves nothing behind.')
    .addOption(sideOption('left', aboutSide('left')))
    .addOption(sideOption('right', aboutSide('right')))
    .addHelpText('after', examples('demo', 'demo --right carddav'))
    .action(async (options: DemoOptions) => {
      call.code = await (await import('./demo/demo.ts')).demo(call.terminal, options);
    });
};

const appended = (value: string, earlier: readonly string[]): readonly string[] => [...earlier, value];

const addSandbox = (program: Command, call: Call): void => {
  const port = wholeNumber(1, 65_535);
  program
    .command('sandbox')
    .description('Run local emulators of both sides with sample data, until stopped.')
    .addOption(sideOption('left', aboutSide('left'), EMULATED_NAMES))
    .addOption(sideOption('right', aboutSide('right'), EMULATED_NAMES))
    .option('--google <FILE>', 'contacts for Google: .vcf, or .csv as exported by Google or Outlook')
    .option('--service <FILE>', 'contacts for the service, in the same formats')
    .option('--google-port <PORT>', 'port of the Google emulator (default: any free port)', port)
    .option('--service-port <PORT>', 'port of the service emulator (default: any free port)', port)
    .option('--people <N>', 'number of people in the sample data (default: 60)', wholeNumber(1, 50_000))
    .option('--seed <N>', 'seed of the sample data (default: 1)', wholeNumber(0, 2 ** 31))
    .option('--service-rate <RATE>', 'rate limit of the service: <n>/second, <n>/minute or <n>/hour')
    .option(
      '--export <SIDE=FILE>',
      'write the contacts of a side to a new .vcf file when stopped; repeatable',
      appended,
      [],
    )
    .option('--variants', 'list the variants of the emulators and exit')
    .option('--json', 'print the environment as one JSON document')
    .addHelpText('after', examples('sandbox', 'sandbox --google contacts.vcf --export service=synced.vcf'))
    .action(async (options: JsonOption) => {
      call.code = await (await import('./sandbox/sandbox.ts')).sandbox(call.terminal, options);
    });
};

/** The commands that set contact-sync up or try it out. */
export const addStartCommands = (program: Command, call: Call): void => {
  addInit(program, call);
  addConnect(program, call);
  addDoctor(program, call);
  addConfig(program, call);
  addDemo(program, call);
  addSandbox(program, call);
};

import { Option, type Command } from 'commander';
import {
  ACCEPT_DELETES,
  examples,
  hiddenLinkOption,
  JSON_OPTION,
  owes,
  withLinks,
  type Call,
  type JsonOption,
} from './command/options.ts';
import type { PlaceOptions } from './command/configuration.ts';
import type { ConsoleOptions } from './daemon/console.ts';

const addDaemon = (program: Command, call: Call): void => {
  program
    .command('daemon')
    .description('Sync every link on schedule until stopped. Logs to stdout; SIGHUP reloads the configuration.')
    .addHelpText('after', examples('daemon', 'daemon --config /etc/contact-sync.yaml'))
    .action(async (options: PlaceOptions) => {
      call.code = await (await import('./daemon/daemon.ts')).daemon(call.terminal, options);
    });
  program
    .command('health')
    .description('Report in one line whether the daemon on this machine works. Exits 0 or 1.')
    .addHelpText('after', examples('health'))
    .action(async (options: PlaceOptions) => {
      call.code = await (await import('./daemon/health.ts')).health(call.terminal, options);
    });
};

const PAGE_LIMITS = `
The page is served at 127.0.0.1:8377 unless LISTEN sets another address. With LINK, the sign-in opens that link only. Other
machines need CONSOLE_TOKEN, or the consoleToken of a link, which opens that link only.`;

const addConsole = (program: Command, call: Call): void => {
  program
    .command('console')
    .description("Print a one-time sign-in link for the page of this machine's daemon, and offer to open it.")
    .argument('[LINK]', 'link that the page is limited to (default: all links)')
    .addOption(hiddenLinkOption())
    .option('--no-browser', 'only print the sign-in link')
    .addHelpText('after', PAGE_LIMITS)
    .addHelpText('after', examples('console', 'console work --no-browser'))
    .action(async (link: string | undefined, options: ConsoleOptions & { readonly link?: string }) => {
      call.code = await (await import('./daemon/console.ts')).console(call.terminal, link ?? options.link, options);
    });
};

const PAUSE_LIMITS = `
A run that the daemon has under way stops before its next write and continues later. A sync in another terminal is not
stopped. \`sync\`, \`resync\` and the buttons of the page still work on a paused link.`;

const addPausing = (program: Command, call: Call): void => {
  withLinks(program.command('pause').description('Stop scheduled runs of a link.'))
    .addHelpText('after', PAUSE_LIMITS)
    .addHelpText('after', examples('pause', 'pause work'))
    .action(async (link: string | undefined, options: PlaceOptions) => {
      call.code = await (await import('./links/pause.ts')).pause(call.terminal, link, options);
    });
  withLinks(program.command('resume').description('Start the scheduled runs of a paused link again.'))
    .addHelpText('after', examples('resume', 'resume work'))
    .action(async (link: string | undefined, options: PlaceOptions) => {
      call.code = await (await import('./links/pause.ts')).resume(call.terminal, link, options);
    });
};

const addResync = (program: Command, call: Call): void => {
  withLinks(program.command('resync').description('Read both sides in full, match again and repair differences.'))
    .option('--wait', 'wait for the end of a resync that the daemon runs')
    .option(...ACCEPT_DELETES)
    .option(...JSON_OPTION)
    .addHelpText('after', examples('resync', 'resync work --wait'))
    .action(async (link: string | undefined, options: JsonOption) => {
      owes(call, 'runs', options);
      call.code = await (await import('./sync/resync.ts')).resync(call.terminal, link, options);
    });
};

const addNotify = (program: Command, call: Call): void => {
  program
    .command('notify')
    .description('Send a test notification to NOTIFY_URL and print the answer.')
    .addOption(new Option('--test', 'send a test; this is the default').hideHelp())
    .addHelpText('after', examples('notify'))
    .action(async (options: PlaceOptions) => {
      call.code = await (await import('./daemon/notify.ts')).notify(call.terminal, options);
    });
};

/** The commands about the daemon. */
export const addDaemonCommands = (program: Command, call: Call): void => {
  addDaemon(program, call);
  addConsole(program, call);
  addPausing(program, call);
  addResync(program, call);
  addNotify(program, call);
};

import type { Command } from 'commander';
import { examples, JSON_OPTION, owes, type Call } from './command-parts.ts';
import type { PlaceOptions } from './configuration.ts';
import type { ConsoleOptions } from './console.ts';
import type { StoreCopyOptions } from './store-copy.ts';

/** The daemon, and the check of its health. */
export const addDaemon = (program: Command, call: Call): void => {
  program
    .command('daemon')
    .description('Keep every link in step until stopped; logs to stdout. SIGHUP reloads the configuration.')
    .addHelpText('after', examples('daemon', 'daemon --config /etc/contact-sync.yaml'))
    .action(async (options: PlaceOptions) => {
      call.code = await (await import('./daemon.ts')).daemon(call.terminal, options);
    });
  program
    .command('health')
    .description('Say in one line whether the daemon on this machine does its work; exits 0 or 1.')
    .addHelpText('after', examples('health'))
    .action(async (options: PlaceOptions) => {
      call.code = await (await import('./health.ts')).health(call.terminal, options);
    });
};

const PAUSE_LIMITS = `
A run that a daemon has under way stops before its next page or write, and is gone on with later; a sync in another
terminal goes on. While a link is paused, sync, resync and the page's buttons run it all the same, once each.`;

/** The schedule of a link, stopped and started by a person. */
export const addPausing = (program: Command, call: Call): void => {
  const withLink = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .argument('[LINK]', 'the link that is meant; all of them where it is left out');
  withLink('pause', 'Have no run of a link begin by itself, until it is resumed.')
    .addHelpText('after', PAUSE_LIMITS)
    .addHelpText('after', examples('pause', 'pause work'))
    .action(async (link: string | undefined, options: PlaceOptions) => {
      call.code = await (await import('./pause.ts')).pause(call.terminal, link, options);
    });
  withLink('resume', 'Let a link that was paused by hand run on its schedule again.')
    .addHelpText('after', examples('resume', 'resume work'))
    .action(async (link: string | undefined, options: PlaceOptions) => {
      call.code = await (await import('./pause.ts')).resume(call.terminal, link, options);
    });
};

const PAGE_LIMITS = `
The page is at 127.0.0.1:8377 unless LISTEN sets another address. Other machines reach it only with CONSOLE_TOKEN, or
the consoleToken of a link, which opens that link alone.`;

/** The way to the daemon's page. */
export const addConsole = (program: Command, call: Call): void => {
  program
    .command('console')
    .description("Print a link that signs in, once, at the page of this machine's daemon; offer to open it.")
    .option('--link <LINK>', 'sign in for the page of that link alone')
    .option('--no-browser', 'only print the link')
    .addHelpText('after', PAGE_LIMITS)
    .addHelpText('after', examples('console', 'console --link work', 'console --no-browser'))
    .action(async (options: ConsoleOptions) => {
      call.code = await (await import('./console.ts')).console(call.terminal, options);
    });
};

const COPY_LIMITS = `
Each address is sqlite:/path/to/contact-sync.db or postgres://user@host:5432/database. Give an address with a password in
a file, since other users can read the command line. Stop the daemons of both stores first. The target must be empty.
The tokens that connect stored are copied, still encrypted. The configuration is not copied.`;

/** Moving the stored state to another engine. */
export const addStore = (program: Command, call: Call): void => {
  program
    .command('store')
    .description('Copy the stored state to another database.')
    .helpCommand(false)
    .command('copy')
    .description('Copy everything that is stored to an empty store of either engine, and verify it.')
    .option('--from <URL>', 'address of the store to copy')
    .option('--from-file <FILE>', 'the same, read from a file')
    .option('--to <URL>', 'address of the empty store to copy to')
    .option('--to-file <FILE>', 'the same, read from a file')
    .option(...JSON_OPTION)
    .addHelpText('after', COPY_LIMITS)
    .addHelpText('after', examples('store copy --from sqlite:data/contact-sync.db --to-file /run/secrets/database_url'))
    .action(async (options: StoreCopyOptions) => {
      owes(call, 'copy', options);
      call.code = await (await import('./store-copy.ts')).storeCopy(call.terminal, options);
    });
};

/** The test of the daemon's webhook. */
export const addNotify = (program: Command, call: Call): void => {
  program
    .command('notify')
    .description('Send a test to the webhook of NOTIFY_URL, and say what it answered.')
    .requiredOption('--test', 'send a test; what is news the daemon sends by itself')
    .addHelpText('after', examples('notify --test'))
    .action(async (options: PlaceOptions) => {
      call.code = await (await import('./notify.ts')).notify(call.terminal, options);
    });
};

import type { Command } from 'commander';
import { examples, type Call } from './command-parts.ts';
import type { PlaceOptions } from './configuration.ts';
import type { ConsoleOptions } from './console.ts';

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

const PAGE_LIMITS = `
LISTEN says where the daemon has its page; from other machines it is reached only where CONSOLE_TOKEN is set.`;

/** The way to the daemon's page. */
export const addConsole = (program: Command, call: Call): void => {
  program
    .command('console')
    .description("Print a link that signs in, once, at the page of this machine's daemon; offer to open it.")
    .option('--no-browser', 'only print the link')
    .addHelpText('after', PAGE_LIMITS)
    .addHelpText('after', examples('console', 'console --no-browser'))
    .action(async (options: ConsoleOptions) => {
      call.code = await (await import('./console.ts')).console(call.terminal, options);
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

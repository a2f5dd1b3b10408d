import type { Command } from 'commander';
import { examples, JSON_OPTION, owes, type Call, type JsonOption } from './command/options.ts';
import { addLinks } from './link-commands.ts';
import type { StoreCopyOptions } from './data/store-copy.ts';

const BACKUP_CONTENT = `
The backup contains the database, the encrypted tokens, and manifest.json with checksums. It does not contain the
configuration, CREDENTIALS_KEY, or the job queue.`;

const addBackups = (program: Command, call: Call): void => {
  program
    .command('backup')
    .description('Copy the state in DATA_DIR to a directory. Works while a daemon runs.')
    .argument('<DIR>', 'directory of the backup; new or empty')
    .option('--with-plain-tokens', 'include tokens that are not encrypted')
    .option(...JSON_OPTION)
    .addHelpText('after', BACKUP_CONTENT)
    .addHelpText('after', examples('backup /var/backups/contact-sync/monday'))
    .action(async (directory: string, options: JsonOption) => {
      owes(call, 'backup', options);
      call.code = await (await import('./data/backup.ts')).backup(call.terminal, directory, options);
    });
  program
    .command('restore')
    .description('Restore a backup into an empty DATA_DIR and verify it.')
    .argument('<DIR>', 'directory that `backup` wrote')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('restore /var/backups/contact-sync/monday'))
    .action(async (directory: string, options: JsonOption) => {
      owes(call, 'restore', options);
      call.code = await (await import('./data/backup.ts')).restore(call.terminal, directory, options);
    });
};

const COPY_LIMITS = `
An address is sqlite:/path/to/contact-sync.db or postgres://user@host:5432/database. Put an address with a password into a
file: other users can read the command line. Stop the daemons of both databases first. The copy includes stored tokens,
still encrypted, but not the configuration.`;

const COPY_EXAMPLE = examples('store copy --from sqlite:data/contact-sync.db --to-file /run/secrets/database_url');

const addStore = (program: Command, call: Call): void => {
  program
    .command('store')
    .description('Copy the stored state to another database.')
    .helpCommand(false)
    .addHelpText('after', COPY_EXAMPLE)
    .command('copy')
    .description('Copy the state to an empty database of either type and verify it.')
    .option('--from <URL>', 'address of the database to copy')
    .option('--from-file <FILE>', 'the same, read from a file')
    .option('--to <URL>', 'address of the empty database to copy to')
    .option('--to-file <FILE>', 'the same, read from a file')
    .option(...JSON_OPTION)
    .addHelpText('after', COPY_LIMITS)
    .addHelpText('after', COPY_EXAMPLE)
    .action(async (options: StoreCopyOptions) => {
      owes(call, 'copy', options);
      call.code = await (await import('./data/store-copy.ts')).storeCopy(call.terminal, options);
    });
};

/** The commands about the stored data. */
export const addDataCommands = (program: Command, call: Call): void => {
  addBackups(program, call);
  addStore(program, call);
  addLinks(program, call);
};

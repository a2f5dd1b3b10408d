import type { Command } from 'commander';
import { examples, JSON_OPTION, owes, type Call } from './command-parts.ts';
import type { SettingsOptions } from './hosted-links.ts';
import type { CommonOptions } from './with-app.ts';

const LIMITS = `
With DATABASE_URL links stand in the database beside those of the configuration file, encrypted with CREDENTIALS_KEY. A
link's settings are those of its section in the file, such as syncInterval=1h or left.provider=google; where it has none of
its own, those of the variables and of the file's top hold. Secrets come by --from: a file in YAML or JSON, or - for
standard input. Daemons take changes up within seconds.`;

const REMOVING = `
No daemon begins a run of it any more; one that is under way goes on to its end. Its pairs, history and stored tokens stay,
and are gone on with where a link of that name is added again. With --forget they are removed, after a few seconds in which
every daemon sees that the link is gone, and its stored tokens are revoked where that can be done.`;

/** The links that a database keeps. */
export const addLinks = (program: Command, call: Call): void => {
  const links = program.command('links').description('Deal with the links that the database keeps.').helpCommand(false);
  const changing = (name: string, description: string): Command =>
    links
      .command(name)
      .description(description)
      .argument('<NAME>', "the link's name")
      .argument('[SETTINGS...]', 'settings of the link, each as name=value')
      .option('--from <FILE>', 'a file with settings, as the section of a link holds them; - is standard input')
      .option(...JSON_OPTION)
      .addHelpText('after', LIMITS);
  links
    .command('list')
    .description('List every link, and what is wrong with those that are left out.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('links list', 'links list --json'))
    .action(async (options: CommonOptions) => {
      owes(call, 'links', options);
      call.code = await (await import('./hosted-links.ts')).listLinks(call.terminal, options);
    });
  changing('add', 'Keep a link in the database.')
    .addHelpText('after', examples('links add ada --from ada.yaml', 'links add ada syncInterval=1h --from -'))
    .action(async (name: string, settings: readonly string[], options: SettingsOptions) => {
      owes(call, 'links', options);
      call.code = await (await import('./hosted-links.ts')).addLink(call.terminal, name, settings, options);
    });
  changing('set', 'Change settings of a link of the database; an empty value takes one out.')
    .addHelpText('after', examples('links set ada syncInterval=15m direction='))
    .action(async (name: string, settings: readonly string[], options: SettingsOptions) => {
      owes(call, 'links', options);
      call.code = await (await import('./hosted-links.ts')).setLink(call.terminal, name, settings, options);
    });
  links
    .command('remove')
    .description('Take a link out of the database.')
    .argument('<NAME>', "the link's name")
    .option('--forget', 'also remove everything that is stored of it')
    .option(...JSON_OPTION)
    .addHelpText('after', REMOVING)
    .addHelpText('after', examples('links remove ada', 'links remove ada --forget'))
    .action(async (name: string, options: CommonOptions & { readonly forget?: boolean }) => {
      owes(call, 'removed', options);
      call.code = await (await import('./hosted-links.ts')).removeLink(call.terminal, name, options);
    });
};

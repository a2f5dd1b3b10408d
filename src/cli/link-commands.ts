import type { Command } from 'commander';
import { examples, JSON_OPTION, owes, type Call } from './command/options.ts';
import type { SettingsOptions } from './links/links.ts';
import type { CommonOptions } from './command/with-app.ts';

const SETTINGS = `
Settings are those of a link in the configuration file, such as syncInterval=1h or left.provider=google. A setting that is
not given has the value of the variables or of the top of the file. Pass secrets with --from: a YAML or JSON file, or - for
standard input. Links in the database need DATABASE_URL and are encrypted with CREDENTIALS_KEY. Daemons apply changes
within seconds.`;

const REMOVING = `
Daemons stop scheduling the link; a run under way ends first. Its contacts, history and tokens stay stored, and are used
again if you add a link of that name. With --forget they are deleted, and the tokens are revoked if possible.`;

/** `links` and its commands. */
export const addLinks = (program: Command, call: Call): void => {
  const links = program
    .command('links')
    .description('List links, and manage those stored in the database.')
    .helpCommand(false)
    .addHelpText('after', examples('links list', 'links add ada --from ada.yaml'));
  const changing = (name: string, description: string): Command =>
    links
      .command(name)
      .description(description)
      .argument('<NAME>', 'name of the link')
      .argument('[SETTINGS...]', 'settings of the link, as name=value')
      .option('--from <FILE>', 'YAML or JSON file with settings; - for standard input')
      .option(...JSON_OPTION)
      .addHelpText('after', SETTINGS);
  links
    .command('list')
    .description('List the links of the configuration and of the database, with their problems.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('links list', 'links list --json'))
    .action(async (options: CommonOptions) => {
      owes(call, 'links', options);
      call.code = await (await import('./links/links.ts')).listLinks(call.terminal, options);
    });
  changing('add', 'Add a link to the database.')
    .addHelpText('after', examples('links add ada --from ada.yaml', 'links add ada syncInterval=1h --from -'))
    .action(async (name: string, settings: readonly string[], options: SettingsOptions) => {
      owes(call, 'links', options);
      call.code = await (await import('./links/links.ts')).addLink(call.terminal, name, settings, options);
    });
  changing('set', 'Change settings of a link in the database; an empty value removes one.')
    .addHelpText('after', examples('links set ada syncInterval=15m direction='))
    .action(async (name: string, settings: readonly string[], options: SettingsOptions) => {
      owes(call, 'links', options);
      call.code = await (await import('./links/links.ts')).setLink(call.terminal, name, settings, options);
    });
  links
    .command('remove')
    .description('Remove a link from the database.')
    .argument('<NAME>', 'name of the link')
    .option('--forget', 'also delete what is stored about it')
    .option(...JSON_OPTION)
    .addHelpText('after', REMOVING)
    .addHelpText('after', examples('links remove ada', 'links remove ada --forget'))
    .action(async (name: string, options: CommonOptions & { readonly forget?: boolean }) => {
      owes(call, 'removed', options);
      call.code = await (await import('./links/links.ts')).removeLink(call.terminal, name, options);
    });
};

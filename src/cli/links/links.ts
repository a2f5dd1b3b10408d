import { randomUUID } from 'node:crypto';
import { text as readStream } from 'node:stream/consumers';
import type { Command } from 'commander';
import { createApp } from '../../app/app.ts';
import { parseLinkSettings, withAssignments } from '../../app/config/hosted-links.ts';
import { forgetLink } from '../../daemon/links/forget-link.ts';
import {
  HostedLinkError,
  listFile,
  manageLinks,
  NO_DATABASE,
  type LinkManager,
  type ListedLink,
} from '../../daemon/links/hosted-links.ts';
import { systemClock } from '../../util/clock.ts';
import { ConfigError, problemTexts } from '../../util/config-error.ts';
import { readTextFile } from '../../util/files.ts';
import { openConfig } from '../command/configuration.ts';
import { EXIT, UsageError, type ExitCode } from '../command/exit-codes.ts';
import { examples, JSON_OPTION, setFailureDocument, type Define } from '../command/options.ts';
import { createCommandEvents, listenForInterrupt, type CommonOptions } from '../command/with-app.ts';
import { formatTable } from '../terminal/layout.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { errorCode } from '../../util/errors.ts';

/** The options of `links add` and `links set`. */
type SettingsOptions = CommonOptions & {
  /** A file with settings, like a link's section of the configuration file; `-` is standard input. */
  readonly from?: string;
};

type RemoveOptions = CommonOptions & { readonly forget?: boolean };

const readSettings = async (from: string | undefined, assignments: readonly string[]) => {
  if (from === undefined) return withAssignments({}, assignments);
  const read = from === '-' ? readStream(process.stdin) : readTextFile(from);
  const text = await read.catch((cause: unknown) => {
    const why = errorCode(cause) ?? 'unknown error';
    throw new UsageError(`--from: ${from} cannot be read (${why}). Check its path and permissions.`, { cause });
  });
  return withAssignments(parseLinkSettings(text, from === '-' ? 'standard input' : from), assignments);
};

/** Opens the links of the configuration and its database for `use`. */
const withManager = async <T>(
  terminal: Terminal,
  options: CommonOptions,
  use: (manager: LinkManager) => Promise<T>,
): Promise<T> => {
  const read = openConfig(terminal, options);
  if (read.config.databaseUrl === null) throw new ConfigError([NO_DATABASE]);
  await using app = createApp(read.config, createCommandEvents(read.config, terminal, { json: options.json ?? false }));
  if (app.hostedLinks === null) throw new ConfigError([NO_DATABASE]);
  using interrupt = listenForInterrupt();
  const { signal } = interrupt;
  const forget: Parameters<typeof manageLinks>[0]['forget'] = (name, links) =>
    forgetLink({ app, links, newId: randomUUID, signal }, name);
  try {
    return await use(manageLinks({ read: () => read, hostedLinks: app.hostedLinks, clock: systemClock, forget }));
  } catch (error) {
    if (error instanceof HostedLinkError && error.fault === 'busy') {
      terminal.warn(error.message);
      throw error.cause;
    }
    if (error instanceof HostedLinkError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
};

const toJson = ({ name, ...link }: ListedLink) => ({ link: name, ...link });

const format = (links: readonly ListedLink[]): string => {
  if (links.length === 0) return 'There is no link yet. Add one: contact-sync links add NAME --from FILE';
  const rows = links.map(({ name, keptIn, sides, problems }) => {
    const faults = problemTexts(problems).join(' ');
    return [name, keptIn, sides?.join(' - ') ?? '', faults === '' ? '' : `not used: ${faults}`];
  });
  return formatTable(rows, { head: ['link', 'kept in', 'sides', ''] });
};

const print = (terminal: Terminal, links: readonly ListedLink[], options: CommonOptions, text: string): ExitCode => {
  terminal.print(options.json ? JSON.stringify({ links: links.map(toJson) }) : text);
  return EXIT.done;
};

const NO_DATABASE_HINT = 'Links can also be stored in a database, and changed while daemons run: set DATABASE_URL.';

/** `links list`: lists all links of the configuration file, and of the database if there is one. */
const listLinks = (terminal: Terminal, options: CommonOptions): Promise<ExitCode> | ExitCode => {
  const { config } = openConfig(terminal, options);
  if (config.databaseUrl === null) {
    const links = listFile(config);
    return print(terminal, links, options, `${format(links)}\n${NO_DATABASE_HINT}`);
  }
  return withManager(terminal, options, async (manager) => {
    const links = await manager.list();
    return print(terminal, links, options, format(links));
  });
};

/** `links add NAME [SETTING=VALUE...]`: adds a link to the database. Throws {@link UsageError} if the name is taken. */
const addLink = (
  terminal: Terminal,
  name: string,
  assignments: readonly string[],
  options: SettingsOptions,
): Promise<ExitCode> =>
  withManager(terminal, options, async (manager) => {
    const link = await manager.add(name, await readSettings(options.from, assignments));
    return print(terminal, [link], options, `Added the link ${name}. Daemons apply it within seconds.`);
  });

/** `links set NAME SETTING=VALUE...`: changes settings of a link in the database; an empty value removes one. */
const setLink = (
  terminal: Terminal,
  name: string,
  assignments: readonly string[],
  options: SettingsOptions,
): Promise<ExitCode> =>
  withManager(terminal, options, async (manager) => {
    const patch = await readSettings(options.from, assignments);
    if (Object.keys(patch).length === 0)
      throw new UsageError('No setting is given. Write NAME=VALUE, or use --from FILE.');
    const link = await manager.set(name, patch);
    return print(terminal, [link], options, `Changed the link ${name}. Daemons apply it within seconds.`);
  });

/** `links remove NAME`: removes a link from the database; with `--forget` also its stored data. */
const removeLink = (terminal: Terminal, name: string, options: RemoveOptions): Promise<ExitCode> =>
  withManager(terminal, options, async (manager) => {
    const { tokens } = await manager.remove(name, { forget: options.forget ?? false });
    if (options.json) {
      terminal.print(JSON.stringify({ removed: { link: name, forgotten: tokens !== null, tokens: tokens ?? [] } }));
      return EXIT.done;
    }
    const kept = `Its contacts, history and tokens are still stored. To delete them: contact-sync forget link ${name}`;
    const lines = (tokens ?? []).map(({ side, reason }) =>
      reason === null ? `  ${side}: token revoked` : `  ${side}: token not revoked. ${reason}`,
    );
    const what = tokens === null ? kept : 'Its contacts, history, runs and tokens are deleted.';
    terminal.print([`Removed the link ${name}. ${what}`, ...lines].join('\n'));
    return EXIT.done;
  });

const SETTINGS_HELP = `
Settings are those of a link in the configuration file, such as syncInterval=1h or left.provider=google. A setting that is
not given has the value of the variables or of the top of the file. Pass secrets with --from: a YAML or JSON file, or - for
standard input. Links in the database need DATABASE_URL and are encrypted with CREDENTIALS_KEY. Daemons apply changes
within seconds.`;

const REMOVE_HELP = `
Daemons stop scheduling the link; a run under way ends first. Its contacts, history and tokens stay stored, and are used
again if you add a link of that name. With --forget they are deleted, and the tokens are revoked if possible.`;

/** A subcommand whose arguments are a link and settings. */
const settingsCommand = (links: Command, name: string, description: string): Command =>
  links
    .command(name)
    .description(description)
    .argument('<NAME>', 'name of the link')
    .argument('[SETTINGS...]', 'settings of the link, as name=value')
    .option('--from <FILE>', 'YAML or JSON file with settings; - for standard input')
    .option(...JSON_OPTION)
    .addHelpText('after', SETTINGS_HELP);

/** Defines `links list`, `links add`, `links set` and `links remove`. */
export const defineLinks: Define = (command, call) => {
  command.helpCommand(false).addHelpText('after', examples('links list', 'links add ada --from ada.yaml'));
  command
    .command('list')
    .description('List the links of the configuration and of the database, with their problems.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('links list', 'links list --json'))
    .action(async (options: CommonOptions) => {
      setFailureDocument(call, options, { links: [] });
      call.code = await listLinks(call.terminal, options);
    });
  settingsCommand(command, 'add', 'Add a link to the database.')
    .addHelpText('after', examples('links add ada --from ada.yaml', 'links add ada syncInterval=1h --from -'))
    .action(async (name: string, settings: readonly string[], options: SettingsOptions) => {
      setFailureDocument(call, options, { links: [] });
      call.code = await addLink(call.terminal, name, settings, options);
    });
  settingsCommand(command, 'set', 'Change settings of a link in the database; an empty value removes one.')
    .addHelpText('after', examples('links set ada syncInterval=15m direction='))
    .action(async (name: string, settings: readonly string[], options: SettingsOptions) => {
      setFailureDocument(call, options, { links: [] });
      call.code = await setLink(call.terminal, name, settings, options);
    });
  command
    .command('remove')
    .description('Remove a link from the database.')
    .argument('<NAME>', 'name of the link')
    .option('--forget', 'also delete what is stored about it')
    .option(...JSON_OPTION)
    .addHelpText('after', REMOVE_HELP)
    .addHelpText('after', examples('links remove ada', 'links remove ada --forget'))
    .action(async (name: string, options: RemoveOptions) => {
      setFailureDocument(call, options, { removed: null });
      call.code = await removeLink(call.terminal, name, options);
    });
};

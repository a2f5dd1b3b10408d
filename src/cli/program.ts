import { Command, CommanderError, Help } from 'commander';
import { readVersion } from '../util/package.ts';
import type { PlaceOptions } from './command/configuration.ts';
import type { Call } from './command/options.ts';
import { addCommands, COMMAND_NAMES, usageOf } from './commands.ts';
import { widthOf, type Terminal } from './terminal/terminal.ts';
import { withConfig, withTypedCommands } from './terminal/typed-command.ts';

/** The meaning of each exit code, from 0. */
export const EXIT_CODES = [
  'success, also if there was nothing to do',
  'failed for another reason',
  'wrong usage or configuration',
  'halted for safety; nothing was written',
  'credentials refused or revoked',
  'a side was unavailable; the next run continues',
  'another process is syncing the link',
];

const EXIT_CODES_HELP = `
Exit codes:
${EXIT_CODES.map((meaning, code) => `  ${code}  ${meaning}`).join('\n')}

If several links fail, the code is the first of 3, 4, 5, 6, 2, 1 that occurred.`;

const CONFIG_OPTION = ['--config <FILE>', 'configuration file (default: config/contact-sync.yaml)'] as const;

/** The usage of a command in a list of commands: its name with its arguments. */
const termOf = (command: Command): string => {
  const usage = command.parent?.parent === null ? usageOf(command.name()) : null;
  return usage ?? new Help().subcommandTerm(command).replace(' [options]', '');
};

/**
 * The program for these arguments. Commands in the arguments are defined in full, the others have a description only. All
 * commands are defined in full if `args` is null.
 */
export const createProgram = async (call: Call, args: readonly string[] | null): Promise<Command> => {
  const program = new Command('contact-sync')
    .description('Syncs Google Contacts with a relationship management service, in both directions.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .option(...CONFIG_OPTION)
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf })
    // Every command accepts the global options, before or after its name.
    .hook('preAction', (_, command) => {
      for (const [name, value] of Object.entries(program.opts())) command.setOptionValue(name, value);
    })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => call.terminal.print(text.trimEnd()),
      writeErr: (text) => call.terminal.warn(text.trimEnd()),
      getOutHelpWidth: () => widthOf(call.terminal),
      getErrHelpWidth: () => widthOf(call.terminal),
    })
    .addHelpText('after', EXIT_CODES_HELP);
  await addCommands(program, call, (name) => args === null || args.includes(name));
  return program.helpCommand('help [COMMAND]', 'Show the help of a command.');
};

/**
 * Runs the command of the arguments and returns the exit code; never throws. Printed commands start with `typedCommand`,
 * followed by the `--config` that was given.
 */
export const runCli = async (
  args: readonly string[],
  terminal: Terminal,
  typedCommand = 'contact-sync',
): Promise<number> => {
  const typing = (command: string): Terminal => withTypedCommands(terminal, [...COMMAND_NAMES, 'help'], command);
  const isJson = args.includes('--json');
  const call: Call = { code: 0, document: null, terminal: typing(typedCommand) };
  try {
    const program = await createProgram(call, args);
    program.hook('preAction', () => {
      call.terminal = typing(withConfig(typedCommand, program.opts<PlaceOptions>()));
    });
    await program.parseAsync([...args], { from: 'user' });
    return call.code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      // Commander has printed the error to stderr, before a command could choose its document.
      if (isJson) call.terminal.print(JSON.stringify({ error: error.message.replace(/^error: /u, '') }));
      return 2;
    }
    const { reportFailure } = await import('./command/failure.ts');
    return reportFailure(call.terminal, error, isJson ? call.document : null);
  }
};

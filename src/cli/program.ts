import { Argument, Command, CommanderError } from 'commander';
import type { Call } from './command-parts.ts';
import { addCommands } from './commands.ts';
import { widthOf, type Terminal } from './terminal.ts';
import { withTypedCommands } from './typed-command.ts';
import { readVersion } from './version.ts';

/** What each exit code means, from 0. */
export const EXIT_CODES = [
  'done, also when there was nothing to do',
  'failed for a reason not below',
  'usage or configuration',
  'halted for safety, nothing was written',
  'credentials refused or revoked',
  'a remote was unavailable; the next run goes on',
  'the link is being synced by another process',
];

const EXIT_CODES_HELP = `
Exit codes:
${EXIT_CODES.map((meaning, code) => `  ${code}  ${meaning}`).join('\n')}

With several links the code is the first of 3, 4, 5, 6, 2, 1 that occurred.`;

const CONFIG_OPTION = ['--config <FILE>', 'configuration file (default: config/contact-sync.yaml)'] as const;
const DATA_DIR_OPTION = ['--data-dir <DIR>', 'where the state is kept; wins over DATA_DIR'] as const;

/** `completion`, which is generated from the definitions of all other commands. */
const addCompletion = (program: Command, call: Call): void => {
  program
    .command('completion')
    .description('Print a script by which a shell completes commands, options and choices.')
    .addArgument(new Argument('<SHELL>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      '\nbash, zsh: source <(contact-sync completion bash)\nfish: contact-sync completion fish | source',
    )
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      call.code = (await import('./completion.ts')).completion(call.terminal, program, shell);
    });
};

export const createProgram = (call: Call): Command => {
  const program = new Command('contact-sync')
    .description('Keeps Google contacts and a relationship management service the same, in both directions.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .option(...CONFIG_OPTION)
    .option(...DATA_DIR_OPTION)
    .configureHelp({ showGlobalOptions: true })
    // They may stand before the command and behind it; every command takes them.
    .hook('preAction', (_, command) => {
      for (const [name, value] of Object.entries(program.opts())) command.setOptionValue(name, value);
    })
    .helpCommand('help [COMMAND]', 'show help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => call.terminal.print(text.trimEnd()),
      writeErr: (text) => call.terminal.warn(text.trimEnd()),
      getOutHelpWidth: () => widthOf(call.terminal),
      getErrHelpWidth: () => widthOf(call.terminal),
    })
    .addHelpText('after', EXIT_CODES_HELP);
  addCommands(program, call);
  addCompletion(program, call);
  return program;
};

/**
 * Runs the command that the arguments ask for; texts name commands with what a person types for `contact-sync`. Answers
 * the exit code; never throws.
 */
export const runCli = async (
  args: readonly string[],
  terminal: Terminal,
  typedCommand = 'contact-sync',
): Promise<number> => {
  const call: Call = { code: 0, document: null, terminal };
  const program = createProgram(call);
  const names = program
    .createHelp()
    .visibleCommands(program)
    .map((command) => command.name());
  call.terminal = withTypedCommands(terminal, names, typedCommand);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return call.code;
  } catch (error) {
    // Commander has said what is wrong.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { reportFailure } = await import('./failure.ts');
    return reportFailure(call.terminal, error, call.document);
  }
};

import type { Command, Option } from 'commander';
import { createProgram, EXIT_CODES } from '../../src/cli/program.ts';
import { createTerminal } from '../../src/cli/terminal/terminal.ts';
import { code, codes } from './markdown.ts';

const sentence = (text: string): string => {
  const upper = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return upper.endsWith('.') ? upper : `${upper}.`;
};

/** The options of a command in its help, without `--help` and the global ones. */
const optionsOf = (command: Command): readonly Option[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help');

/** A command with its options, without their values, and what it does. */
const lineOf = (path: string, command: Command): string => {
  const call = `${path} ${command.usage().replace(/^\[options\] ?/u, '')}`.trim();
  const options = optionsOf(command).map(({ long, flags }) => long ?? flags);
  const about = options.length === 0 ? '' : ` (${codes(options)})`;
  return `- ${code(call)}${about}: ${sentence(command.description())}`;
};

const subcommandsOf = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');

/** Every command, a list for each group of the help; a subcommand follows its command. */
const renderOverview = (program: Command): string => {
  const groups = Map.groupBy(subcommandsOf(program), (command) => command.helpGroup());
  return [...groups]
    .map(([group, members]) => {
      const lines = members.flatMap((command) => [
        lineOf(command.name(), command),
        ...subcommandsOf(command).map((below) => lineOf(`${command.name()} ${below.name()}`, below)),
      ]);
      return `**${group.replace(/:$/u, '')}**\n\n${lines.join('\n')}`;
    })
    .join('\n\n');
};

const renderGlobalOptions = (program: Command): string =>
  optionsOf(program)
    .map(({ flags, description }) => `- ${code(flags)}: ${sentence(description)}`)
    .join('\n');

/** The blocks about the command line. */
export const renderCommandBlocks = async (): Promise<Readonly<Record<string, () => string>>> => {
  const terminal = createTerminal(process.stdout, process.stderr);
  const program = await createProgram({ code: 0, document: null, terminal }, null);
  return {
    commands: () => renderOverview(program),
    'global options': () => renderGlobalOptions(program),
    'exit codes': () => EXIT_CODES.map((meaning, index) => `- \`${index}\`: ${meaning}`).join('\n'),
  };
};

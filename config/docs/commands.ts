import type { Command } from 'commander';
import { commandsOf, globalOptionsOf, type CommandWords } from '../../src/cli/command-words.ts';
import { createProgram, EXIT_CODES } from '../../src/cli/program.ts';
import { createTerminal } from '../../src/cli/terminal/terminal.ts';
import { code, codes } from './markdown.ts';

const sentence = (text: string): string => {
  const upper = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return upper.endsWith('.') ? upper : `${upper}.`;
};

const withoutHelp = (options: CommandWords['options']): CommandWords['options'] =>
  options.filter(({ long }) => long !== '--help');

/** How a command is called, without its options. */
const callOf = (path: string, { usage }: CommandWords): string =>
  `${path} ${usage.replace(/^\[options\] ?/u, '')}`.trim();

/** A command with its options, without their values, and what it does. */
const lineOf = (path: string, words: CommandWords): string => {
  const options = withoutHelp(words.options).map(({ long, flags }) => long ?? flags);
  const about = options.length === 0 ? '' : ` (${codes(options)})`;
  return `- ${code(callOf(path, words))}${about}: ${sentence(words.description)}`;
};

/** Every command, a list for each group of the help. */
const renderOverview = (commands: readonly (readonly [path: string, words: CommandWords])[]): string => {
  const groups = Map.groupBy(commands, ([, { group }]) => group);
  return [...groups]
    .map(([group, members]) => {
      const lines = members.map(([path, words]) => lineOf(path, words)).join('\n');
      return group === '' ? lines : `**${group.replace(/:$/u, '')}**\n\n${lines}`;
    })
    .join('\n\n');
};

const renderGlobalOptions = (program: Command): string => {
  const options = withoutHelp(globalOptionsOf(program));
  return options.map(({ flags, description }) => `- ${code(flags)}: ${sentence(description)}`).join('\n');
};

/** Every command with the words in which it is called: `conflicts`, `conflicts resolve`. */
const withPaths = (program: Command): readonly (readonly [path: string, words: CommandWords])[] =>
  commandsOf(program).flatMap((words) => [
    [words.name, words] as const,
    ...words.commands.map((below) => [`${words.name} ${below.name}`, { ...below, group: words.group }] as const),
  ]);

/** The blocks about the command line. */
export const renderCommandBlocks = async (): Promise<Readonly<Record<string, () => string>>> => {
  const terminal = createTerminal(process.stdout, process.stderr);
  const program = await createProgram({ code: 0, document: null, terminal }, null);
  const commands = withPaths(program).filter(([path]) => path !== 'help');
  return {
    commands: () => renderOverview(commands),
    'global options': () => renderGlobalOptions(program),
    'exit codes': () => EXIT_CODES.map((meaning, index) => `- \`${index}\`: ${meaning}`).join('\n'),
  };
};

import type { Command } from 'commander';
import { commandsOf, globalOptionsOf, type CommandWords } from '../../src/cli/command-words.ts';
import { createProgram, EXIT_CODES } from '../../src/cli/program.ts';
import { createTerminal } from '../../src/cli/terminal/terminal.ts';
import { code, codes, table } from './markdown.ts';

const choices = (words: readonly string[] | undefined): string =>
  words === undefined ? '' : ` One of: ${codes(words)}.`;

const sentence = (text: string): string => {
  const upper = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return upper.endsWith('.') ? upper : `${upper}.`;
};

type Term = {
  readonly term: string;
  readonly description: string;
  readonly argChoices?: readonly string[] | undefined;
};

const termTable = (head: string, terms: readonly Term[]): string =>
  table(
    [head, 'meaning'],
    terms.map(({ term, description, argChoices }) => [code(term), `${sentence(description)}${choices(argChoices)}`]),
  );

const optionTerms = (options: CommandWords['options']): readonly Term[] =>
  options
    .filter(({ long }) => long !== '--help')
    .map(({ flags, description, argChoices }) => ({ term: flags, description, argChoices }));

const argumentTerms = (words: CommandWords): readonly Term[] =>
  words.arguments.map((each) => ({
    term: each.required ? `<${each.name()}>` : `[${each.name()}]`,
    description: each.description,
    argChoices: each.argChoices,
  }));

/** One command: how it is called, what it does, its arguments and options. */
const renderCommand = (path: string, words: CommandWords): string => {
  const terms = [...argumentTerms(words), ...optionTerms(words.options)];
  const usage = `contact-sync ${path} ${words.usage}`;
  return [
    code(usage),
    sentence(words.description),
    ...(terms.length === 0 ? [] : [termTable('argument, option', terms)]),
  ].join('\n\n');
};

/** A command's anchor on GitHub, where its heading is its path as code. */
const linkTo = (path: string): string => `[${code(path)}](#${path.replaceAll(' ', '-')})`;

/** Every command, a table for each group of the help. */
const renderOverview = (commands: readonly (readonly [path: string, words: CommandWords])[]): string => {
  const groups = Map.groupBy(commands, ([, { group }]) => group);
  return [...groups]
    .map(([group, members]) => {
      const rows = members.map(([path, { description }]) => [linkTo(path), sentence(description)]);
      const title = group === '' ? [] : [`**${group.replace(/:$/u, '')}**`];
      return [...title, table(['command', 'what it does'], rows)].join('\n\n');
    })
    .join('\n\n');
};

const renderExitCodes = (): string =>
  table(
    ['exit code', 'meaning'],
    EXIT_CODES.map((meaning, exitCode) => [String(exitCode), meaning]),
  );

/** Every command with the words in which it is called: `conflicts`, `conflicts resolve`. */
const withPaths = (program: Command): readonly (readonly [path: string, words: CommandWords])[] =>
  commandsOf(program).flatMap((words) => [
    [words.name, words] as const,
    ...words.commands.map((below) => [`${words.name} ${below.name}`, { ...below, group: words.group }] as const),
  ]);

/** The blocks about the command line: one for each command, and those about all of them. */
export const renderCommandBlocks = async (): Promise<Readonly<Record<string, () => string>>> => {
  const terminal = createTerminal(process.stdout, process.stderr);
  const program = await createProgram({ code: 0, document: null, terminal }, null);
  const commands = withPaths(program).filter(([path]) => path !== 'help');
  return {
    commands: () => renderOverview(commands),
    'global options': () => termTable('option', optionTerms(globalOptionsOf(program))),
    'exit codes': renderExitCodes,
    ...Object.fromEntries(commands.map(([path, words]) => [`command ${path}`, () => renderCommand(path, words)])),
  };
};

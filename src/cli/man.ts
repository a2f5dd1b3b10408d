import type { Command, Option } from 'commander';
import { variablesToDescribe } from '../config/set-up.ts';
import { commandsOf, globalOptionsOf, type CommandWords } from './definitions.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** A text as troff shows it: a backslash, a hyphen, and a dot or quote at a line's start would be obeyed. */
const plain = (text: string): string =>
  text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll(/^(?=[.'])/gmu, String.raw`\&`);

const section = (title: string, ...lines: readonly string[]): readonly string[] => [`.SH ${title}`, ...lines];

const entry = (term: string, text: string): readonly string[] => ['.TP', `\\fB${plain(term)}\\fR`, plain(text)];

const optionEntries = (options: readonly Readonly<Option>[]): readonly string[] =>
  options.flatMap(({ flags, description, argChoices }) =>
    entry(flags, argChoices === undefined ? description : `${description}: ${argChoices.join(' or ')}`),
  );

const commandLines = ({
  name,
  usage,
  description,
  options,
  arguments: positional,
}: CommandWords): readonly string[] => [
  `.SS "contact\\-sync ${plain(`${name} ${usage}`)}"`,
  plain(description),
  ...positional.flatMap((argument) =>
    argument.description === '' ? [] : entry(argument.name(), argument.description),
  ),
  ...optionEntries(options.filter(({ long }) => long !== '--help')),
];

/** `man`: the manual page, made of the same definitions as the help, in the macros that `man` reads. */
export const man = (terminal: Terminal, program: Command, exitCodes: readonly string[]): ExitCode => {
  const version = program.version() ?? '';
  const page = [
    `.TH CONTACT\\-SYNC 1 "" "contact\\-sync ${plain(version)}"`,
    ...section('NAME', `contact\\-sync \\- keeps two address books the same`),
    ...section('SYNOPSIS', `\\fBcontact\\-sync\\fR ${plain(program.usage())}`),
    ...section('DESCRIPTION', plain(program.description())),
    ...section(
      'OPTIONS',
      'Every command takes these, before it or behind it.',
      ...optionEntries(globalOptionsOf(program)),
    ),
    ...section('COMMANDS', ...commandsOf(program).flatMap(commandLines)),
    ...section('EXIT STATUS', ...exitCodes.flatMap((meaning, code) => entry(String(code), meaning))),
    ...section(
      'ENVIRONMENT',
      'A variable wins over the setting of the configuration file. A secret may stand in a file: NAME_FILE for NAME.',
      ...variablesToDescribe().flatMap(([variable, description]) => entry(variable, description)),
    ),
    ...section(
      'FILES',
      ...entry('config/contact-sync.yaml', 'The configuration in the current folder, which comes first.'),
      ...entry('$XDG_CONFIG_HOME/contact-sync/contact-sync.yaml', 'The configuration of the user (~/.config).'),
      ...entry('.env', 'Beside the configuration file: variables, below those of the environment.'),
      ...entry(
        '$XDG_DATA_HOME/contact-sync',
        'The state (~/.local/share), unless ./data holds it or DATA_DIR names it.',
      ),
    ),
  ];
  terminal.stdout.write(`${page.join('\n')}\n`);
  return EXIT.done;
};

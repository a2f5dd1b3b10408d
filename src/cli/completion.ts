import { Argument, type Command, type Option } from 'commander';
import { EXIT, type ExitCode } from './command/exit-codes.ts';
import type { Define } from './command/options.ts';
import { choicesOf, commandsOf, globalOptionsOf, spellingsOf, takesValue, type CommandWords } from './command-words.ts';
import { shellQuoted } from '../util/printable.ts';
import type { Terminal } from './terminal/terminal.ts';

type Shell = 'bash' | 'zsh' | 'fish';

type AnOption = Readonly<Option>;
type Definitions = { readonly commands: readonly CommandWords[]; readonly everywhere: readonly AnOption[] };

const flagsOf = (options: readonly AnOption[]): readonly string[] => options.flatMap(spellingsOf);

/** The choices of each option that has a value. For an option without choices the shell offers files. */
const bashValues = (command: string, options: readonly AnOption[]): readonly string[] =>
  options.filter(takesValue).map((option) => {
    const places = spellingsOf(option).map((flag) => (command === '*' ? `*' ${flag}'` : `'${command} ${flag}'`));
    return `    ${places.join(' | ')}) words='${choicesOf(option).join(' ')}' ;;`;
  });

const bashCommand = (
  { name, options, arguments: positional }: CommandWords,
  everywhere: readonly AnOption[],
): string => {
  const words = [...positional.flatMap(choicesOf), ...flagsOf(options), ...flagsOf(everywhere)];
  return `        ${name}) words='${[...new Set(words)].join(' ')}' ;;`;
};

const bash = ({ commands, everywhere }: Definitions): string => {
  const names = commands.map(({ name }) => name);
  return [
    '# Load it with: source <(contact-sync completion bash)',
    '_contact_sync() {',
    "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' word words=''",
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    `    case $word in ${names.join(' | ')}) command=$word; break ;; esac`,
    '  done',
    '  case "$command $prev" in',
    ...commands.flatMap(({ name, options }) => bashValues(name, options)),
    ...bashValues('*', everywhere),
    '    *)',
    '      case $command in',
    `        '') words='${[...names, ...flagsOf(everywhere)].join(' ')}' ;;`,
    ...commands.map((command) => bashCommand(command, everywhere)),
    '      esac ;;',
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -o bashdefault -o default -F _contact_sync contact-sync',
  ].join('\n');
};

/** A description in a specification of zsh, with brackets and colons escaped. */
const zshText = (text: string): string => text.replaceAll(/[[\]:\\]/gu, String.raw`\$&`);

const zshValue = (option: AnOption): string => {
  if (!takesValue(option)) return '';
  const choices = choicesOf(option);
  return `:${option.attributeName()}:${choices.length > 0 ? `(${choices.join(' ')})` : '_files'}`;
};

const zshOptions = (options: readonly AnOption[]): readonly string[] =>
  options.flatMap((option) =>
    spellingsOf(option).map((flag) => shellQuoted(`${flag}[${zshText(option.description)}]${zshValue(option)}`)),
  );

const zshCommand = (
  { name, options, arguments: positional }: CommandWords,
  everywhere: readonly AnOption[],
): string => {
  const places = positional.map((argument, index) => {
    const choices = choicesOf(argument);
    return shellQuoted(
      `${index + 1}:${zshText(argument.name())}:${choices.length > 0 ? `(${choices.join(' ')})` : ' '}`,
    );
  });
  return `        ${name}) _arguments ${[...zshOptions([...options, ...everywhere]), ...places].join(' ')} ;;`;
};

const zsh = ({ commands, everywhere }: Definitions): string =>
  [
    '#compdef contact-sync',
    '# Load it with: source <(contact-sync completion zsh)',
    '_contact_sync() {',
    '  local curcontext="$curcontext" state line',
    '  local -a commands',
    '  commands=(',
    ...commands.map(({ name, description }) => `    ${shellQuoted(`${name}:${description}`)}`),
    '  )',
    `  _arguments -C ${zshOptions(everywhere).join(' ')} '1:command:->command' '*::argument:->argument'`,
    '  case $state in',
    "    command) _describe 'command' commands ;;",
    '    argument)',
    '      case $line[1] in',
    ...commands.map((command) => zshCommand(command, everywhere)),
    '      esac ;;',
    '  esac',
    '}',
    'if [[ $funcstack[1] == _contact_sync ]]; then _contact_sync "$@"; else compdef _contact_sync contact-sync; fi',
  ].join('\n');

const fishText = (text: string): string => `'${text.replaceAll(/['\\]/gu, String.raw`\$&`)}'`;

const fishOption = (option: AnOption, when: string): string => {
  const flags = spellingsOf(option).map((flag) =>
    flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  );
  const choices = choicesOf(option);
  const value = takesValue(option) ? (choices.length > 0 ? ` -x -a ${fishText(choices.join(' '))}` : ' -r -F') : '';
  return `complete -c contact-sync${when} ${flags.join(' ')}${value} -d ${fishText(option.description)}`;
};

const fish = ({ commands, everywhere }: Definitions): string =>
  [
    '# Load it with: contact-sync completion fish | source',
    'complete -c contact-sync -f',
    ...everywhere.map((option) => fishOption(option, '')),
    ...commands.map(
      ({ name, description }) =>
        `complete -c contact-sync -n __fish_use_subcommand -a ${name} -d ${fishText(description)}`,
    ),
    ...commands.flatMap(({ name, options, arguments: positional }) => {
      const when = ` -n '__fish_seen_subcommand_from ${name}'`;
      const words = positional.flatMap(choicesOf);
      const places = words.length > 0 ? [`complete -c contact-sync${when} -a ${fishText(words.join(' '))}`] : [];
      return [...options.map((option) => fishOption(option, when)), ...places];
    }),
  ].join('\n');

const WRITERS: Readonly<Record<Shell, (definitions: Definitions) => string>> = { bash, zsh, fish };

/** `completion SHELL`: prints a script with which the shell completes commands, options and choices. */
const completion = (terminal: Terminal, program: Command, shell: Shell): ExitCode => {
  // Not with `print`, which would replace the name of the program.
  terminal.stdout.write(`${WRITERS[shell]({ commands: commandsOf(program), everywhere: globalOptionsOf(program) })}\n`);
  return EXIT.done;
};

/** Defines `completion`. The script has the options of all other commands, so they are defined too. */
export const defineCompletion: Define = (command, call) => {
  command
    .addArgument(new Argument('<SHELL>', 'name of the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      '\nExamples:\n  $ source <(contact-sync completion bash)\n  $ contact-sync completion fish | source',
    )
    .action((shell: Shell) => {
      call.code = completion(call.terminal, command.parent ?? command, shell);
    });
};

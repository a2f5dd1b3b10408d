import type { Argument, Command, Option } from 'commander';

/** A command as the program defines it. The reference documentation is generated from it. */
export type CommandWords = {
  readonly name: string;
  readonly description: string;
  /** The heading under which help lists it; empty if it has none. */
  readonly group: string;
  /** The text after the name, such as `[options] <SIDE> [LINK]`. */
  readonly usage: string;
  readonly arguments: readonly Readonly<Argument>[];
  /** The options of this command only, without the global ones. */
  readonly options: readonly Readonly<Option>[];
  /** The subcommands, such as `resolve` of `conflicts`. */
  readonly commands: readonly CommandWords[];
};

const wordsOf = (command: Command): CommandWords => {
  const help = command.createHelp();
  return {
    name: command.name(),
    description: help.subcommandDescription(command),
    group: command.helpGroup(),
    usage: command.usage(),
    arguments: help.visibleArguments(command),
    options: help.visibleOptions(command),
    commands: help.visibleCommands(command).map(wordsOf),
  };
};

/** The commands in the help, in the same order. */
export const commandsOf = (program: Command): readonly CommandWords[] =>
  program.createHelp().visibleCommands(program).map(wordsOf);

/** The global options. */
export const globalOptionsOf = (program: Command): readonly Readonly<Option>[] =>
  program.createHelp().visibleOptions(program);

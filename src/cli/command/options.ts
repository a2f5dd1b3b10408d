import { InvalidArgumentError, Option, type Command } from 'commander';
import { HAPPENINGS } from '../../core/view/views.ts';
import { UnknownLinkError, UsageError, type ExitCode } from './exit-codes.ts';
import type { DocumentKey } from './failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { nearestWord } from '../../app/config/nearest.ts';
import { readTextFile } from '../../util/files.ts';

/** The result of the command line. A command's module is loaded when the command runs, so that help and errors are quick. */
export type Call = {
  code: ExitCode;
  /** The JSON document that stdout gets after a failure. */
  document: DocumentKey;
  terminal: Terminal;
};

export type JsonOption = { readonly json?: boolean };

/** The examples at the end of a command's help. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ contact-sync ${line}`).join('\n')}`;

/** Records which JSON document the command prints if it fails. */
export const owes = (call: Call, key: DocumentKey, options: JsonOption): void => {
  call.document = options.json ? key : null;
};

export const JSON_OPTION = ['--json', 'print one JSON document; logs go to stderr'] as const;

export const ACCEPT_DELETES = ['--accept-deletes', 'allow this run more deletions than DELETE_LIMIT'] as const;

/** The options of a command below another one: an option of the outer command is accepted in either place. */
export const withOuter = <Options extends object>(own: Options, command: Command): Options => ({
  ...command.optsWithGlobals<Options>(),
  ...own,
});

export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };

/** Adds the argument `[LINK]` of a command that works on every link by default. */
export const withLinks = (command: Command): Command =>
  command.argument('[LINK]', 'name of the link (default: all links)');

/** Adds the argument `[LINK]` of a command that works on one link. */
export const withOneLink = (command: Command): Command =>
  command.argument('[LINK]', 'name of the link; required if there are several');

/** The spelling of `[LINK]` that the commands `pair` and `console` had before. */
export const hiddenLinkOption = (): Option => new Option('--link <LINK>', 'same as LINK').hideHelp();

/** Adds the options that select which changes are shown. */
export const showing = (command: Command): Command =>
  command
    .option('--all', 'show all rows of long lists')
    .addOption(new Option('--only <KIND>', 'show only changes of this kind').choices([...HAPPENINGS]))
    .option('--grep <TEXT>', 'show only changes with this text in a name, id or value');

/** A subcommand is suggested if at most this many letters differ. */
const FARTHEST_HINT = 2;

/**
 * Runs a command that takes a link and has subcommands too, such as `duplicates` with `duplicates merge`. A misspelled
 * subcommand looks like a link name, so an error about it names the nearest subcommand.
 *
 * @throws {UsageError} if there are more words than the link.
 */
export const orSubcommand = async (command: Command, run: () => Promise<ExitCode>): Promise<ExitCode> => {
  const [word = '', ...others] = command.args;
  const names = command.commands.map((each) => each.name());
  const near = nearestWord(word, names, FARTHEST_HINT);
  const hint = near === null ? '' : ` Did you mean: contact-sync ${command.name()} ${near}?`;
  if (others.length > 0) {
    throw new UsageError(`There is no command \`${command.name()} ${word}\`.${hint}`);
  }
  try {
    return await run();
  } catch (error) {
    if (error instanceof UnknownLinkError && near !== null) throw new UsageError(`${error.message}${hint}`);
    throw error;
  }
};

/** The content of the file that an option names, trimmed. Throws {@link UsageError} if it cannot be read. */
export const readSecretFile = (option: string, path: string): Promise<string> =>
  readTextFile(path).then(
    (content) => content.trim(),
    (cause: unknown) => {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
      throw new UsageError(`${option}: ${path} cannot be read (${code}). Check its path and permissions.`, { cause });
    },
  );

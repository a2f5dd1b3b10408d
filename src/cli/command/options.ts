import { InvalidArgumentError, type Command } from 'commander';
import type { Terminal } from '../terminal/terminal.ts';
import type { ExitCode } from './exit-codes.ts';

/** One call of the program: its terminal, and its result. */
export type Call = {
  terminal: Terminal;
  code: ExitCode;
  /** The empty JSON document, which is printed to stdout with the error after a failure; null without `--json`. */
  document: Readonly<Record<string, readonly never[] | null>> | null;
};

/** Adds the arguments, options, help and action of a command, and its subcommands. The action sets `call.code`. */
export type Define = (command: Command, call: Call) => void;

/** The examples at the end of a command's help. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ contact-sync ${line}`).join('\n')}`;

/** Records the JSON document that the command prints if it fails. */
export const setFailureDocument = (
  call: Call,
  { json = false }: { readonly json?: boolean },
  document: NonNullable<Call['document']>,
): void => {
  call.document = json ? document : null;
};

export const JSON_OPTION = ['--json', 'print one JSON document; logs go to stderr'] as const;

export const ACCEPT_DELETES = ['--accept-deletes', 'accept the deletions that the halted run showed'] as const;

/** The options of a subcommand. An option of the outer command is accepted before and after the subcommand's name. */
export const withOuter = <Options extends object>(own: Options, command: Command): Options => ({
  ...command.optsWithGlobals<Options>(),
  ...own,
});

/** Parses an option's value: a whole number from `least` to `most`. */
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

/** Adds the option that shows long lists in full. */
export const withAllOption = (command: Command): Command => command.option('--all', 'show all rows of long lists');

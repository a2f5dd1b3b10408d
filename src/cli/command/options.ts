import { InvalidArgumentError, type Command } from 'commander';
import type { Terminal } from '../terminal/terminal.ts';
import type { ExitCode } from './exit-codes.ts';

/** One call of the program: its terminal, and its result. */
export type Call = {
  terminal: Terminal;
  code: ExitCode;
  /** The empty JSON document of the command, which is printed with the error if it fails with `--json`; null without one. */
  document: Readonly<Record<string, readonly never[] | null>> | null;
};

/** Adds the arguments, options, help and action of a command, and its subcommands. The action sets `call.code`. */
export type Define = (command: Command, call: Call) => void;

/** The action of a command: runs it with its arguments and options. `document` is its empty JSON document. */
export const actionOf =
  <Args extends readonly unknown[]>(
    call: Call,
    document: Call['document'],
    run: (terminal: Terminal, ...args: Args) => ExitCode | Promise<ExitCode>,
  ) =>
  async (...args: Args): Promise<void> => {
    call.document = document;
    call.code = await run(call.terminal, ...args);
  };

/** The examples at the end of a command's help. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ contact-sync ${line}`).join('\n')}`;

export const JSON_OPTION = ['--json', 'print one JSON document; logs go to stderr'] as const;

export const ACCEPT_DELETES = ['--accept-deletes', 'accept the deletions that the halted run showed'] as const;

/** Parses an option's value: a whole number from `least` to `most`. */
export const parseWholeNumber =
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

/** The number of rows of a long list is limited unless `--all` is set. */
export type ListOptions = { readonly all?: boolean };

export const ALL_OPTION = ['--all', 'show all rows of long lists'] as const;

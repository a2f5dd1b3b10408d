import type { Command } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import type { DocumentKey } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** What came of the command line. Commands are loaded when they are known, so that help and errors are quick. */
export type Call = {
  code: ExitCode;
  /** What a failure owes to stdout. */
  document: DocumentKey;
  terminal: Terminal;
};

export type JsonOption = { readonly json?: boolean };

/** The examples that close a command's help. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ contact-sync ${line}`).join('\n')}`;

/** Says what the command owes to stdout, should it fail. */
export const owes = (call: Call, key: DocumentKey, options: JsonOption): void => {
  call.document = options.json ? key : null;
};

export const JSON_OPTION = ['--json', 'print one JSON document; logs go to stderr'] as const;

/** The options of a command below another one: what the other one takes too is taken by it, wherever it stands. */
export const withOuter = <Options extends object>(own: Options, command: Command): Options => ({
  ...command.optsWithGlobals<Options>(),
  ...own,
});

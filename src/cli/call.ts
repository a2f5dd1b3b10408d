import type { ExitCode } from './exit-codes.ts';
import type { DocumentKey } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** What help shows below everything else. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ contact-sync ${line}`).join('\n')}`;

/** What came of the command line. Commands are loaded when they are known, so that help and errors are quick. */
export type Call = {
  code: ExitCode;
  /** What a failure owes to stdout. */
  document: DocumentKey;
  terminal: Terminal;
};

import type { ExitCode } from './exit-codes.ts';
import { runLinks, type RunOptions } from './run-links.ts';
import type { Terminal } from './terminal.ts';

/** `sync [LINK]`: one incremental run of each link. */
export const sync = (terminal: Terminal, linkName: string | undefined, options: RunOptions): Promise<ExitCode> =>
  runLinks(terminal, linkName, { kind: 'incremental', options });

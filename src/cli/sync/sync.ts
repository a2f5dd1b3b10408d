import type { ExitCode } from '../command/exit-codes.ts';
import { resync } from './resync.ts';
import { runLinks, type RunOptions } from './run-links.ts';
import type { Terminal } from '../terminal/terminal.ts';

export type SyncOptions = RunOptions & { readonly full?: boolean };

/** `sync [LINK]`: one incremental run of each link; with `--full` one full run, to whose end it waits. */
export const sync = (terminal: Terminal, linkName: string | undefined, options: SyncOptions): Promise<ExitCode> =>
  options.full
    ? resync(terminal, linkName, { ...options, wait: true })
    : runLinks(terminal, linkName, { kind: 'incremental', options });

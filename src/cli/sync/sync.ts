import { Option } from 'commander';
import type { ExitCode } from '../command/exit-codes.ts';
import { actionOf, ACCEPT_DELETES, examples, JSON_OPTION, withLinks, type Define } from '../command/options.ts';
import { withApp } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { resync } from './resync.ts';
import { runLinks, type RunLinksOptions } from './run-links.ts';

type SyncOptions = RunLinksOptions & { readonly full?: boolean };

/** `sync [LINK]`: runs each link incrementally, or with `--full` in full, and waits until the runs have ended. */
const sync = (terminal: Terminal, linkName: string | undefined, options: SyncOptions): Promise<ExitCode> =>
  options.full
    ? resync(terminal, linkName, { ...options, wait: true })
    : withApp(terminal, linkName, options, (opened) => runLinks(terminal, opened, { kind: 'incremental', options }));

/** Defines `sync`. */
export const define: Define = (command, call) => {
  withLinks(command)
    .option('--full', 'read both sides in full and match again, as resync does')
    .option(...ACCEPT_DELETES)
    .addOption(
      new Option(
        '--restore-deletes',
        'create the contacts again that were deleted, instead of deleting their counterparts',
      ).conflicts(['acceptDeletes', 'acceptFirst', 'full']),
    )
    .addOption(
      new Option('--accept-first', 'start a first sync that waits for your review (FIRST_SYNC)').conflicts([
        'acceptDeletes',
        'full',
      ]),
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('sync', 'sync work --full'))
    .action(actionOf(call, { runs: [] }, sync));
};

import { copyBetween } from '../app/copy-store.ts';
import { systemClock } from '../clock.ts';
import { count } from '../view/words.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { formatTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export type StoreCopyOptions = { readonly from: string; readonly to: string; readonly json?: boolean };

const SHOWN_DIGITS = 12;

/**
 * `store copy --from URL --to URL`: moves everything that is stored to another engine, and verifies it.
 *
 * @throws {UsageError} where a URL names no store.
 * @throws {StoreError} where the copy cannot be made.
 */
export const storeCopy = async (
  terminal: Terminal,
  { from, to, json = false }: StoreCopyOptions,
): Promise<ExitCode> => {
  const copied = await copyBetween(from, to, systemClock);
  if ('unknown' in copied) {
    throw new UsageError(`--${copied.unknown} names no store. Write sqlite:/path/to/contact-sync.db or postgres://...`);
  }
  if (json) {
    terminal.print(JSON.stringify({ copy: { tables: copied } }));
    return EXIT.done;
  }
  const rows = copied.map((table) => [table.table, String(table.rows), table.sha256.slice(0, SHOWN_DIGITS)]);
  const total = copied.reduce((sum, table) => sum + table.rows, 0);
  terminal.print([formatTable(rows), `${count(total, 'row')} copied and verified.`].join('\n'));
  return EXIT.done;
};

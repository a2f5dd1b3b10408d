import { copyBetween } from '../../app/copy-store.ts';
import { count } from '../../core/view/words.ts';
import { systemClock } from '../../util/clock.ts';
import { EXIT, UsageError, type ExitCode } from '../command/exit-codes.ts';
import { examples, JSON_OPTION, setFailureDocument, readSecretFile, type Define } from '../command/options.ts';
import { formatTable } from '../terminal/layout.ts';
import type { Terminal } from '../terminal/terminal.ts';

type StoreCopyOptions = {
  readonly from?: string;
  readonly fromFile?: string;
  readonly to?: string;
  readonly toFile?: string;
  readonly json?: boolean;
};

const SHOWN_DIGITS = 12;

/** The address of one of the two stores, from its option or from the file of the other option. */
const addressOf = async (
  terminal: Terminal,
  option: 'from' | 'to',
  address: string | undefined,
  file: string | undefined,
): Promise<string> => {
  if (address === undefined && file !== undefined) return readSecretFile(`--${option}-file`, file);
  if (address === undefined || file !== undefined) {
    throw new UsageError(`Give either --${option} URL or --${option}-file FILE.`);
  }
  const url = URL.parse(address);
  if (url !== null && (url.password !== '' || url.searchParams.has('password'))) {
    terminal.warn(
      `--${option} contains a password, which other users of this machine can read in the process list. ` +
        `Write the address to a file and use --${option}-file FILE.`,
    );
  }
  return address;
};

/**
 * `store copy`: copies the whole store to another engine, and verifies the copy.
 *
 * @throws {UsageError} if an address is missing or is not that of a store.
 * @throws {StoreError} if the copy fails.
 */
export const storeCopy = async (terminal: Terminal, options: StoreCopyOptions): Promise<ExitCode> => {
  const from = await addressOf(terminal, 'from', options.from, options.fromFile);
  const to = await addressOf(terminal, 'to', options.to, options.toFile);
  const copied = await copyBetween(from, to, systemClock);
  if ('unknown' in copied) {
    throw new UsageError(
      `The address of --${copied.unknown} is not a store. Use sqlite:/path/to/contact-sync.db or postgres://...`,
    );
  }
  if (options.json) {
    terminal.print(JSON.stringify({ copy: { tables: copied } }));
    return EXIT.done;
  }
  const rows = copied.map((table) => [table.table, String(table.rows), table.sha256.slice(0, SHOWN_DIGITS)]);
  const total = copied.reduce((sum, table) => sum + table.rows, 0);
  terminal.print([formatTable(rows), `${count(total, 'row')} copied and verified.`].join('\n'));
  return EXIT.done;
};

const COPY_HELP = `
An address is sqlite:/path/to/contact-sync.db or postgres://user@host:5432/database. Put an address with a password into a
file: other users can read the command line. Stop the daemons of both databases first. The copy includes stored tokens,
still encrypted, but not the configuration.`;

const COPY_EXAMPLE = examples('store copy --from sqlite:data/contact-sync.db --to-file /run/secrets/database_url');

/** Defines `store copy`. */
export const defineStore: Define = (command, call) => {
  command
    .helpCommand(false)
    .addHelpText('after', COPY_EXAMPLE)
    .command('copy')
    .description('Copy the state to an empty database of either type and verify it.')
    .option('--from <URL>', 'address of the database to copy')
    .option('--from-file <FILE>', 'the same, read from a file')
    .option('--to <URL>', 'address of the empty database to copy to')
    .option('--to-file <FILE>', 'the same, read from a file')
    .option(...JSON_OPTION)
    .addHelpText('after', COPY_HELP)
    .addHelpText('after', COPY_EXAMPLE)
    .action(async (options: StoreCopyOptions) => {
      setFailureDocument(call, options, { copy: null });
      call.code = await storeCopy(call.terminal, options);
    });
};

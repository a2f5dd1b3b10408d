import type { AddressBook, Problem, Problems } from '../../sandbox/address-book/address-book.ts';
import { AddressBookError } from '../../sandbox/address-book/address-book-error.ts';
import { loadAddressBook } from '../../sandbox/address-book/load.ts';
import type { EmulatedProvider } from '../../sandbox/emulators.ts';
import { defaultContactLimit } from '../../sandbox/google/server.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { count } from '../../core/view/words.ts';

/** An address book that an account is filled with. */
export type LoadedFile = AddressBook & { readonly path: string };

/** As many as `--people` makes up at most. */
const MOST_PEOPLE = 50_000;

/** How many contacts an account takes: Google has a limit, and of the service none is known. */
const ROOM: Readonly<Record<EmulatedProvider, number>> = { google: defaultContactLimit, service: MOST_PEOPLE };

/** Reads the address book for an account. Throws a {@link UsageError} where it cannot be used. */
export const loadFile = async (path: string, provider: EmulatedProvider): Promise<LoadedFile> => {
  const book = await loadAddressBook(path, ROOM[provider]).catch((error: unknown) => {
    if (error instanceof AddressBookError) throw new UsageError(error.message, { cause: error });
    throw error;
  });
  return { ...book, path };
};

const SHOWN = 20;

const placeOf = ({ line, lines }: Problem): string => (lines === 1 ? `${line}` : `${line} to ${line + lines - 1}`);

const reportProblems = (terminal: Terminal, path: string, what: string, { count: total, first }: Problems): void => {
  const shown = first.slice(0, SHOWN);
  for (const problem of shown) terminal.warn(`${path}:${placeOf(problem)}: ${what}: ${problem.reason}`);
  const others = total - shown.reduce((sum, { lines }) => sum + lines, 0);
  if (others > 0) terminal.warn(`${path}: ${what}: ${count(others, 'more', 'more')}`);
};

/** Says on stderr what of the file was loaded, and line by line what was not. */
export const reportFile = (terminal: Terminal, { path, people, skipped, refused, leftOut }: LoadedFile): void => {
  const loaded = count(people.length, 'person', 'people');
  const lines = count(skipped.count, 'line');
  const entries = count(refused.count, 'entry', 'entries');
  terminal.warn(`${path}: ${loaded} loaded, ${lines} skipped, ${entries} refused.`);
  reportProblems(terminal, path, 'skipped', skipped);
  reportProblems(terminal, path, 'refused', refused);
  if (leftOut > 0) {
    terminal.warn(
      `${path}: ${count(leftOut, 'person', 'people')} left out: the account takes ${count(people.length, 'contact')}.`,
    );
  }
};

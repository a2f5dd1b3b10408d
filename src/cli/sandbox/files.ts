import { count } from '../../core/view/words.ts';
import { AddressBookError, type AddressBook, type Problem } from '../../sandbox/address-book/address-book.ts';
import { loadAddressBook } from '../../sandbox/address-book/load.ts';
import { contactLimit } from '../../sandbox/google/contact-writes.ts';
import { UsageError } from '../command/exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';

const PROBLEMS_SHOWN = 20;

const placeOf = ({ line, lines }: Problem): string => (lines === 1 ? `${line}` : `${line} to ${line + lines - 1}`);

/** Prints to stderr the number of contacts that were loaded, and the lines that were not. */
const report = (terminal: Terminal, path: string, { people, skipped, refused, leftOut }: AddressBook): void => {
  const loaded = count(people.length, 'person', 'people');
  const lines = count(skipped.count, 'line');
  const entries = count(refused.count, 'entry', 'entries');
  terminal.warn(`${path}: ${loaded} loaded, ${lines} skipped, ${entries} refused.`);
  for (const [what, { count: total, first }] of Object.entries({ skipped, refused })) {
    const shown = first.slice(0, PROBLEMS_SHOWN);
    for (const problem of shown) terminal.warn(`${path}:${placeOf(problem)}: ${what}: ${problem.reason}`);
    const others = total - shown.reduce((sum, each) => sum + each.lines, 0);
    if (others > 0) terminal.warn(`${path}: ${what}: ${count(others, 'more', 'more')}`);
  }
  if (leftOut === 0) return;
  const room = count(people.length, 'contact');
  terminal.warn(`${path}: ${count(leftOut, 'person', 'people')} left out: the account takes ${room}.`);
};

/** Reads the people of an address book for an account at Google, and reports what was not loaded. Throws a {@link UsageError}. */
export const loadFile = async (terminal: Terminal, path: string): Promise<AddressBook['people']> => {
  const book = await loadAddressBook(path, contactLimit).catch((error: unknown) => {
    if (error instanceof AddressBookError) throw new UsageError(error.message, { cause: error });
    throw error;
  });
  report(terminal, path, book);
  return book.people;
};

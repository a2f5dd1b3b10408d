import { open, rm, type FileHandle } from 'node:fs/promises';
import { SIDES, type Side, type Sides } from '../../core/contact/side.ts';
import { count } from '../../core/view/words.ts';
import {
  AddressBookError,
  type AddressBook,
  type Problem,
  type Problems,
} from '../../sandbox/address-book/address-book.ts';
import { loadAddressBook } from '../../sandbox/address-book/load.ts';
import { writeVCards } from '../../sandbox/address-book/vcard-write.ts';
import { peopleAt, type EmulatedProvider, type Emulator } from '../../sandbox/emulators.ts';
import { contactLimit } from '../../sandbox/google/contact-writes.ts';
import { UsageError } from '../command/exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** An address book that is loaded into an account. */
export type LoadedFile = AddressBook & { readonly path: string };

/** The largest number that `--people` accepts. */
const MOST_PEOPLE = 50_000;

/** The number of contacts that an account accepts. Google has a limit; no limit of the service is known. */
const ROOM: Readonly<Record<EmulatedProvider, number>> = { google: contactLimit, service: MOST_PEOPLE };

/** Reads the address book for an account. Throws a {@link UsageError} if it cannot be used. */
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

/** Prints to stderr the number of contacts that were loaded, and each line that was not. */
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

/** The output file for the contacts of a side. */
type Export = { readonly side: Side; readonly path: string };

const sideNamed = (name: string, providers: Sides<EmulatedProvider>): Side | null => {
  if (name === 'left' || name === 'right') return name;
  const played = SIDES.filter((side) => providers[side] === name);
  return played.length === 1 ? (played[0] ?? null) : null;
};

/**
 * Reads `SIDE=FILE`. SIDE is a role, or a provider that only one side has.
 *
 * @throws {UsageError} if SIDE is not a side.
 */
export const readExports = (texts: readonly string[], providers: Sides<EmulatedProvider>): readonly Export[] =>
  texts.map((text) => {
    const { name = '', path = '' } = /^(?<name>\w+)=(?<path>.+)$/u.exec(text)?.groups ?? {};
    const side = sideNamed(name, providers);
    if (side !== null) return { side, path };
    const names = providers.left === providers.right ? 'left or right' : `${providers.left} or ${providers.right}`;
    throw new UsageError(`--export ${text} names no side. Write SIDE=FILE with the side ${names}.`);
  });

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'It exists, and is not overwritten. Choose another name.',
  ENOENT: 'There is no such folder.',
};

const create = async (path: string): Promise<FileHandle> => {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = REASONS[code] ?? `The file cannot be created (${code}).`;
    throw new UsageError(`--export ${path}: ${reason}`, { cause: error });
  }
};

type OpenExport = Export & { readonly file: FileHandle };

/** Creates the files before the work starts, so that a wrong path is reported early. They are closed with the stack. */
export const openExports = async (
  exports: readonly Export[],
  stack: AsyncDisposableStack,
): Promise<readonly OpenExport[]> => {
  const opened: OpenExport[] = [];
  try {
    for (const one of exports) opened.push({ ...one, file: stack.use(await create(one.path)) });
    return opened;
  } catch (error) {
    for (const { path } of opened) await rm(path);
    throw error;
  }
};

/** Writes the contacts of an emulator as vCards. */
export const writeExport = async (
  terminal: Terminal,
  { path, file }: OpenExport,
  emulator: Emulator,
): Promise<void> => {
  const cards = [...writeVCards(peopleAt(emulator))];
  await file.writeFile(cards.join(''));
  terminal.warn(`${path}: ${count(cards.length, 'person', 'people')} written.`);
};

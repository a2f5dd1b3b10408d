import { open, rm, type FileHandle } from 'node:fs/promises';
import { peopleAt, type EmulatedProvider, type Emulator } from '../../sandbox/emulators.ts';
import { writeVCards } from '../../sandbox/address-book/vcard-write.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { count } from '../../core/view/words.ts';

type Side = 'left' | 'right';

/** A file to be written with what a side holds. */
type Export = { readonly side: Side; readonly path: string };

const sideNamed = (name: string, providers: Readonly<Record<Side, EmulatedProvider>>): Side | null => {
  if (name === 'left' || name === 'right') return name;
  const played = (['left', 'right'] as const).filter((side) => providers[side] === name);
  return played.length === 1 ? (played[0] ?? null) : null;
};

/** Reads `SIDE=FILE`: a side by its role, or by its provider where just one side has that. Throws a {@link UsageError}. */
export const readExports = (
  texts: readonly string[],
  providers: Readonly<Record<Side, EmulatedProvider>>,
): readonly Export[] =>
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

/** Creates the files at once, so that a mistake shows before the work that is to be exported; closed with the stack. */
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

/** Writes what the emulator holds as vCards. */
export const writeExport = async (
  terminal: Terminal,
  { path, file }: OpenExport,
  emulator: Emulator,
): Promise<void> => {
  const cards = [...writeVCards(peopleAt(emulator))];
  await file.writeFile(cards.join(''));
  terminal.warn(`${path}: ${count(cards.length, 'person', 'people')} written.`);
};

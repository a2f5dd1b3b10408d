import {
  type Behaviour,
  type EmulatedProvider,
  type Emulator,
  settingsOf,
  startGoogle,
  startService,
  variablesOf,
} from './emulators.ts';
import type { GoogleEmulator } from './google/server.ts';
import { samplePeople } from './people/sample.ts';
import { splitBook } from './people/overlap.ts';
import type { Person } from './people/person.ts';
import type { ServiceEmulator } from './service/server.ts';

type Sample = {
  /** The seed of the sample data; 1 by default. */
  readonly seed?: number;
  /** The number of people in the sample data of both sides together; 60 by default. */
  readonly count?: number;
};

export type SandboxOptions = Behaviour &
  Sample & {
    /** 0, the default, selects a free port. */
    readonly googlePort?: number;
    readonly servicePort?: number;
    /** The people on a side. Without both lists, both sides get sample data. With only one list, the other side is empty. */
    readonly google?: readonly Person[];
    readonly service?: readonly Person[];
  };

type Closable = {
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Running emulators of both remotes, and the credentials of one user at each. */
export type Sandbox = Closable & {
  readonly google: GoogleEmulator;
  readonly service: ServiceEmulator;
  /** The configuration variables that point contact-sync at the sandbox. */
  environment(): Record<string, string>;
};

const DEFAULT_SEED = 1;
const DEFAULT_COUNT = 60;

type Books = { readonly left: readonly Person[]; readonly right: readonly Person[] };

/** Returns the people of both sides: the given ones, or partly overlapping sample data. */
const chooseBooks = (
  { seed = DEFAULT_SEED, count = DEFAULT_COUNT }: Sample,
  left: readonly Person[] | undefined,
  right: readonly Person[] | undefined,
): Books => {
  if (left !== undefined || right !== undefined) return { left: left ?? [], right: right ?? [] };
  return splitBook(samplePeople(count), seed);
};

/** Returns a `close` that disposes of the whole stack once. */
const closing = (running: AsyncDisposableStack): Closable => {
  const close = (): Promise<void> => running.disposeAsync();
  return { close, [Symbol.asyncDispose]: close };
};

/** Starts both emulators on 127.0.0.1 and fills them. If a port is in use, stops both and rejects. */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const books = chooseBooks(options, options.google, options.service);
  await using starting = new AsyncDisposableStack();
  const google = starting.use(await startGoogle({ behaviour: options, people: books.left, port: options.googlePort }));
  const service = starting.use(
    await startService({ behaviour: options, people: books.right, port: options.servicePort }),
  );
  const environment = {
    ...variablesOf({ provider: 'service', server: service }),
    ...variablesOf({ provider: 'google', server: google }),
  };
  return { google, service, environment: () => ({ ...environment }), ...closing(starting.move()) };
};

/** One side of a pair of accounts. */
export type PairSide = {
  readonly provider: EmulatedProvider;
  /** 0, the default, selects a free port. */
  readonly port?: number;
  /** As in {@link SandboxOptions}: without both lists, both sides get sample data. */
  readonly people?: readonly Person[];
};

export type PairOptions = Behaviour & Sample & { readonly left: PairSide; readonly right: PairSide };

/** Two running emulators of any two providers, each with a separate account. */
export type SandboxPair = Closable & {
  readonly left: Emulator;
  readonly right: Emulator;
  /** Returns the value of `links` in the configuration file, for the link `default` between the two. */
  links(): { readonly default: { readonly left: SideSection; readonly right: SideSection } };
};

/** A side's section of the configuration file: its provider, its name if required, and the provider's settings. */
type SideSection = { readonly provider: EmulatedProvider; readonly name?: string } & Readonly<Record<string, string>>;

/** The names of two accounts of one provider. Accounts of two providers are named after their providers. */
const ACCOUNT_NAMES = { left: 'private', right: 'work' } as const;

/** Starts both emulators on 127.0.0.1 and fills them. If a port is in use, stops both and rejects. */
export const startSandboxPair = async (options: PairOptions): Promise<SandboxPair> => {
  const books = chooseBooks(options, options.left.people, options.right.people);
  await using starting = new AsyncDisposableStack();
  const start = async (side: 'left' | 'right'): Promise<Emulator> => {
    const { provider, port } = options[side];
    const accountEmail = `${ACCOUNT_NAMES[side]}@account.example`;
    const account = { behaviour: options, people: books[side], port, accountEmail };
    return provider === 'google'
      ? { provider, server: starting.use(await startGoogle(account)) }
      : { provider, server: starting.use(await startService(account)) };
  };
  const [left, right] = [await start('left'), await start('right')];
  const areAlike = left.provider === right.provider;
  const section = (side: 'left' | 'right', emulator: Emulator): SideSection => ({
    provider: emulator.provider,
    ...(areAlike && { name: ACCOUNT_NAMES[side] }),
    ...settingsOf(emulator),
  });
  const link = { left: section('left', left), right: section('right', right) };
  return { left, right, links: () => ({ default: link }), ...closing(starting.move()) };
};

import { type Behaviour, startGoogle, startService, variablesOf } from './emulators.ts';
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
    /** The people on a side. Without both lists, both sides get sample data. With only one list, the other side is empty. */
    readonly google?: readonly Person[];
    readonly service?: readonly Person[];
  };

/** Running emulators of both remotes, and the credentials of one user at each. */
export type Sandbox = AsyncDisposable & {
  readonly google: GoogleEmulator;
  readonly service: ServiceEmulator;
  /** The configuration variables that point contact-sync at the sandbox. */
  environment(): Record<string, string>;
  close(): Promise<void>;
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

/** Starts both emulators on free ports of 127.0.0.1 and fills them. */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const books = chooseBooks(options, options.google, options.service);
  await using starting = new AsyncDisposableStack();
  const google = starting.use(await startGoogle(options, books.left));
  const service = starting.use(await startService(options, books.right));
  const environment = {
    ...variablesOf({ provider: 'service', server: service }),
    ...variablesOf({ provider: 'google', server: google }),
  };
  const running = starting.move();
  const close = (): Promise<void> => running.disposeAsync();
  return { google, service, environment: () => ({ ...environment }), close, [Symbol.asyncDispose]: close };
};

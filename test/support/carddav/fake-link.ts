import { join } from 'node:path';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { createMovableClock, type MovableClock } from '../clocks.ts';
import { configureCarddav, FAST_SANDBOX, type Program } from '../linked-sandbox.ts';
import { startFakeServer, type FakeServer, type FakeSettings } from './fake-server.ts';
import { createFolder } from '../folder.ts';

/** A link of the real program between Google's emulator and the CardDAV server in memory. */
export type FakeLink = Program & {
  readonly sandbox: Sandbox;
  readonly server: FakeServer;
  readonly clock: MovableClock;
  /** Opens the program again on the same database and accounts, as another process, and closes it after its use. */
  reopened<T>(use: (program: Program) => Promise<T>): Promise<T>;
  /** Opens the program on an empty database and the same accounts, as a second installation, and closes it after its use. */
  installedAgain<T>(use: (program: Program) => Promise<T>): Promise<T>;
  /** The given names at Google, sorted. */
  names(): readonly string[];
};

/** Starts the emulator, the server and the program. */
export const startFakeLink = async (
  settings: Partial<FakeSettings> = {},
  variables: Readonly<Record<string, string>> = {},
): Promise<FakeLink> => {
  await using stack = new AsyncDisposableStack();
  const clock = createMovableClock(1_000);
  const sandbox = stack.use(await startSandbox({ ...FAST_SANDBOX, google: [], service: [], clock }));
  const server = stack.use(await startFakeServer(settings));
  const { path: dataDir } = stack.use(await createFolder());
  const address = { CARDDAV_URL: server.url, CARDDAV_USERNAME: 'ada', CARDDAV_PASSWORD: 'secret' };
  const open = await configureCarddav({ sandbox, dataDir, clock }, { ...address, ...variables });
  const program = stack.use(open());
  const owned = stack.move();
  return {
    ...program,
    sandbox,
    server,
    clock,
    reopened: async (use) => {
      await using again = open();
      return await use(again);
    },
    installedAgain: async (use) => {
      await using again = open({ DATA_DIR: join(dataDir, 'second') });
      return await use(again);
    },
    names: () =>
      sandbox.google.account
        .people()
        .map(({ names }) => names?.[0]?.givenName ?? '')
        .toSorted(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};
